// SPDX-License-Identifier: MIT
// The ONNX project's own backend tests, as Debian's package libonnx-testdata has them.
#pragma once

#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QStringList>

namespace arenascope::test {

/// Folders of all tests, each with model.onnx and test_data_set_*; empty where the package is not installed.
inline QStringList backendTestFolders()
{
    const QString root = QStandardPaths::locate(
        QStandardPaths::GenericDataLocation, QStringLiteral("libonnx-testdata/data"), QStandardPaths::LocateDirectory);
    QStringList folders;
    if (root.isEmpty())
        return folders;
    for (const char* family : { "node", "simple", "pytorch-converted", "pytorch-operator" }) {
        const QDir folder(root + u'/' + QLatin1String(family));
        for (const QString& name : folder.entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name))
            folders << folder.filePath(name);
    }
    return folders;
}

/// A file that holds one protobuf message.
template <class Message>
bool readMessage(const QString& path, Message& message)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return false;
    const QByteArray bytes = file.readAll();
    return message.ParseFromArray(bytes.constData(), static_cast<int>(bytes.size()));
}

} // namespace arenascope::test
