// SPDX-License-Identifier: MIT
// A window of its own for each test, with what its user does most.
#pragma once

#include "ui/document.h"
#include "ui/main_window.h"
#include "ui/selection.h"
#include "ui/settings.h"

#include <QApplication>
#include <QDockWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace arenascope::test {

/// openWindow() belongs into init(), closeWindow() into cleanup().
class GuiFixture {
protected:
    static QString sample(const char* name) { return QStringLiteral(ARENASCOPE_SOURCE_DIR "/samples/") + QLatin1String(name); }

    /// Again: another start of the program with the same settings.
    void openWindow()
    {
        m_window.reset();
        if (!m_folder)
            m_folder = std::make_unique<QTemporaryDir>();
        m_settings = std::make_unique<ui::Settings>(m_folder->filePath(QStringLiteral("settings.ini")));
        m_window = std::make_unique<ui::MainWindow>(*m_settings);
        m_window->setMotion(false);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
        m_window->activateWindow();
    }
    void closeWindow()
    {
        m_window.reset();
        m_settings.reset();
        m_folder.reset();
    }

    /// Nothing is being worked out, and all that is to be seen is there.
    bool settle() { return QTest::qWaitFor([this] { return m_window->isSettled(); }, 20'000); }
    bool openSample(const char* name)
    {
        m_window->open(sample(name));
        return settle() && m_window->document()->outcome();
    }
    ui::Selection* selection() const { return m_window->document()->selection(); }
    template <class T>
    T* find(const char* name) const
    {
        return m_window->findChild<T*>(QLatin1String(name));
    }
    QTableView* showTable(const char* dockName, const char* tableName)
    {
        m_window->dock(QLatin1String(dockName))->raise();
        QCoreApplication::processEvents();
        return find<QTableView>(tableName);
    }
    static void clickRow(QTableView* table, int row)
    {
        const QRect cell = table->visualRect(table->model()->index(row, 0));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell.center());
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ui::Settings> m_settings;
    std::unique_ptr<ui::MainWindow> m_window;
};

template <class Test>
int runGuiTest(int argc, char** argv)
{
    QApplication application(argc, argv);
    QApplication::setStyle(QStringLiteral("Fusion"));
    Test test;
    return QTest::qExec(&test, argc, argv);
}

} // namespace arenascope::test
