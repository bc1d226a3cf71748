// SPDX-License-Identifier: MIT
// Exports from the window.
#include "support/gui_fixture.h"

#include "ui/dialogs/export_dialog.h"
#include "ui/panels/message_area.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>

using namespace arenascope;
using namespace arenascope::ui;

class TestGuiExport : public QObject, private test::GuiFixture {
    Q_OBJECT
private slots:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }

    void exportsToEachFormat_data();
    void exportsToEachFormat();
    void exportFailureStaysInTheWindow();
    void exportDialogFollowsContentAndFormat();
};

void TestGuiExport::exportsToEachFormat_data()
{
    QTest::addColumn<QString>("suffix");
    QTest::addColumn<QByteArray>("begin");
    QTest::newRow("SVG") << "svg" << QByteArray("<?xml");
    QTest::newRow("PDF") << "pdf" << QByteArray("%PDF");
    QTest::newRow("PNG") << "png" << QByteArray("\x89PNG");
    QTest::newRow("DOT") << "dot" << QByteArray();
    QTest::newRow("CSV") << "csv" << QByteArray();
    QTest::newRow("JSON") << "json" << QByteArray("{");
}

void TestGuiExport::exportsToEachFormat()
{
    QFETCH(QString, suffix);
    QVERIFY(openSample("residual.onnx"));
    QTest::keyClick(m_window.get(), Qt::Key_E, Qt::ControlModifier);
    auto* dialog = m_window->findChild<ExportDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    auto* format = dialog->findChild<QComboBox*>(QStringLiteral("exportFormat"));
    format->setCurrentIndex(format->findData(suffix));
    const QString path = m_folder->filePath(QStringLiteral("out.") + suffix);
    auto* edit = dialog->findChild<QLineEdit*>(QStringLiteral("exportPath"));
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, path);
    QSignalSpy exported(m_window.get(), &MainWindow::exported);
    QTest::mouseClick(dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save), Qt::LeftButton);
    QVERIFY(exported.wait(20'000));
    QVERIFY(exported[0][1].toBool());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.size() > 0);
    QFETCH(QByteArray, begin);
    QVERIFY(file.read(64).startsWith(begin));
    QCOMPARE(m_window->messages()->bars().back()->severity(), Severity::Note);
}

void TestGuiExport::exportFailureStaysInTheWindow()
{
    QVERIFY(openSample("chain.onnx"));
    PictureRequest request;
    request.outcome = m_window->document()->outcome();
    QSignalSpy exported(m_window.get(), &MainWindow::exported);
    m_window->exportTo(request, QStringLiteral("/nowhere/at/all.svg"));
    QVERIFY(exported.wait(20'000));
    QVERIFY(!exported[0][1].toBool());
    QCOMPARE(m_window->messages()->bars().back()->severity(), Severity::Error);
}

void TestGuiExport::exportDialogFollowsContentAndFormat()
{
    PictureRequest request;
    request.content = PictureContent::Arena;
    ExportDialog dialog(request, QStringLiteral("/folder/net"), QStringLiteral("svg"));
    QCOMPARE(dialog.path(), QStringLiteral("/folder/net-arena.svg"));
    auto* format = dialog.findChild<QComboBox*>(QStringLiteral("exportFormat"));
    format->setCurrentIndex(format->findData(QStringLiteral("json")));
    QCOMPARE(dialog.path(), QStringLiteral("/folder/net-plan.json"));
    format->setCurrentIndex(format->findData(QStringLiteral("png")));
    QVERIFY(dialog.request().pixelSize.isEmpty());
    auto* edit = dialog.findChild<QLineEdit*>(QStringLiteral("exportPath"));
    edit->setFocus();
    edit->selectAll();
    QTest::keyClicks(edit, QStringLiteral("/mine.png"));
    auto* content = dialog.findChild<QComboBox*>(QStringLiteral("exportContent"));
    content->setCurrentIndex(content->findData(static_cast<int>(PictureContent::Curve)));
    QCOMPARE(dialog.path(), QStringLiteral("/mine.png"));
    QCOMPARE(dialog.request().content, PictureContent::Curve);
}

int main(int argc, char** argv)
{
    return test::runGuiTest<TestGuiExport>(argc, argv);
}
#include "tst_gui_export.moc"
