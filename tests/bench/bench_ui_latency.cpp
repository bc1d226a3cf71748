// SPDX-License-Identifier: MIT
// How long the window's event loop is held up while a large network is opened, planned, laid out and stepped through.
#include "ui/main_window.h"
#include "ui/selection.h"

#include "bench/generators.h"

#include <QApplication>
#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace arenascope;
using namespace arenascope::ui;

namespace {

/// Measures every event that the application delivers: the outermost one is a turn in which nothing else is answered.
class WatchedApplication : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override
    {
        if (m_depth++ > 0) {
            const bool handled = QApplication::notify(receiver, event);
            --m_depth;
            return handled;
        }
        QElapsedTimer timer;
        timer.start();
        const char* name = receiver->metaObject()->className();
        const int type = event->type();
        const bool handled = QApplication::notify(receiver, event);
        --m_depth;
        record(static_cast<double>(timer.nsecsElapsed()) / 1e6, name, type);
        return handled;
    }

    void print(const char* what)
    {
        std::printf("%-28s %5zu turns, longest %7.2f ms (%s, event %d), %d above 16 ms\n", what, m_turns, m_longest, m_receiver, m_type, m_slow);
        m_turns = 0;
        m_longest = 0;
        m_slow = 0;
    }

private:
    void record(double milliseconds, const char* receiver, int type)
    {
        constexpr double kFrame = 16.0;
        ++m_turns;
        m_slow += milliseconds > kFrame;
        if (milliseconds <= m_longest)
            return;
        m_longest = milliseconds;
        m_receiver = receiver;
        m_type = type;
    }

    int m_depth = 0;
    std::size_t m_turns = 0;
    double m_longest = 0;
    const char* m_receiver = "";
    int m_type = 0;
    int m_slow = 0;
};

void settle(const MainWindow& window)
{
    int quiet = 0;
    while (quiet < 20) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
        quiet = window.isSettled() ? quiet + 1 : 0;
    }
}

/// Runs a command as the loop would, so that its own time is a turn too.
template <class Command>
void command(MainWindow& window, Command run)
{
    QMetaObject::invokeMethod(&window, run, Qt::QueuedConnection);
    settle(window);
}

} // namespace

int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    WatchedApplication application(argc, argv);
    QApplication::setStyle(QStringLiteral("Fusion"));
    Settings settings { QString() };
    MainWindow window(settings);
    window.show();
    settle(window);
    application.print("start page");

    const auto graph = generators::inceptionLike(10'000);
    std::printf("%zu operators, %zu tensors\n", graph->operators().size(), graph->tensors().size());
    QElapsedTimer whole;
    whole.start();
    command(window, [&] { window.document()->setGraph(graph, QStringLiteral("inception-like")); });
    application.print("open, plan, lay out");
    std::printf("%-28s %.2f s\n", "all of it", static_cast<double>(whole.elapsed()) / 1000.0);

    for (int i = 0; i < 100; ++i)
        command(window, [&, i] { window.document()->selection()->setPlayhead(i * 37); });
    application.print("a hundred steps");
    command(window, [&] { window.document()->setStrategy(QStringLiteral("greedy-by-size")); });
    application.print("another strategy");
    command(window, [&] { window.document()->selection()->setFilter(QStringLiteral("conv 12")); });
    application.print("filter");
    command(window, [&] { window.document()->close(); });
    application.print("close");
    return 0;
}
