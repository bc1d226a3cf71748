// SPDX-License-Identifier: MIT
// Compiles and runs what was exported as source code.
#pragma once

#include <QByteArray>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QString>
#include <QStringList>

namespace arenascope::test {

/// Path of a C or C++ compiler; empty where there is none.
inline QString cCompiler()
{
    const QString gcc = QStandardPaths::findExecutable(QStringLiteral("gcc"));
    return gcc.isEmpty() ? QStandardPaths::findExecutable(QStringLiteral("cc")) : gcc;
}

inline QString cxxCompiler()
{
    const QString gxx = QStandardPaths::findExecutable(QStringLiteral("g++"));
    return gxx.isEmpty() ? QStandardPaths::findExecutable(QStringLiteral("c++")) : gxx;
}

inline bool writeText(const QString& path, const QByteArray& text)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

/// What the program printed; `errors` says why there is none.
inline QByteArray compileAndRun(const QString& compiler, const QStringList& arguments, const QString& folder, QByteArray& errors)
{
    const QString program = QDir(folder).filePath(QStringLiteral("program"));
    QFile::remove(program);
    QProcess process;
    process.setWorkingDirectory(folder);
    process.start(compiler, QStringList(arguments) << QStringLiteral("-o") << program);
    if (!process.waitForFinished(120000) || process.exitCode() != 0) {
        errors = "compiler: " + process.readAllStandardError();
        return {};
    }
    errors = process.readAllStandardError();
    if (!errors.isEmpty())
        return {}; // a warning
    process.start(program, QStringList());
    if (!process.waitForFinished(60000) || process.exitCode() != 0) {
        errors = "program: " + process.readAllStandardError();
        return {};
    }
    return process.readAllStandardOutput();
}

} // namespace arenascope::test
