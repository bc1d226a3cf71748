// SPDX-License-Identifier: MIT
// How long the window's event loop is held up while a large network is opened, planned, laid out and stepped through.
#include "ui/main_window.h"
#include "ui/selection.h"
#include "ui/views/network_view.h"

#include "bench/generators.h"

#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <QTableView>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

using namespace arenascope;
using namespace arenascope::ui;

namespace {

/// Processor time of this thread: what a turn would take on a core of its own, whatever else the machine does.
double threadMilliseconds()
{
    timespec now {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// Measures every event that the application delivers: the outermost one is a turn in which nothing else is answered.
class WatchedApplication : public QApplication {
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override
    {
        // The receiver may be gone afterwards.
        const char* name = receiver->metaObject()->className();
        const int type = event->type();
        QElapsedTimer timer;
        timer.start();
        const double before = threadMilliseconds();
        ++m_depth;
        const bool handled = QApplication::notify(receiver, event);
        --m_depth;
        const Cost cost { static_cast<double>(timer.nsecsElapsed()) / 1e6, threadMilliseconds() - before };
        if (m_explains && cost.cpu > 8.0)
            std::printf("    %*s%s, event %d: %.2f ms\n", 2 * m_depth, "", name, type, cost.cpu);
        if (m_depth == 0)
            record(cost, name, type);
        return handled;
    }

    void explain(bool on) { m_explains = on; }

    void print(const char* what)
    {
        std::printf("%-28s %5zu turns, longest %6.2f ms CPU (%s, event %d), %d above 16; %6.2f ms by the clock, %d above 16\n", what, m_turns,
            m_longest.cpu, m_receiver, m_type, m_slow, m_longest.wall, m_slowByTheClock);
        m_turns = 0;
        m_longest = {};
        m_slow = m_slowByTheClock = 0;
    }

private:
    struct Cost {
        double wall = 0, cpu = 0;
    };

    void record(Cost cost, const char* receiver, int type)
    {
        constexpr double kFrame = 16.0;
        ++m_turns;
        m_slow += cost.cpu > kFrame;
        m_slowByTheClock += cost.wall > kFrame;
        m_longest.wall = std::max(m_longest.wall, cost.wall);
        if (cost.cpu <= m_longest.cpu)
            return;
        m_longest.cpu = cost.cpu;
        m_receiver = receiver;
        m_type = type;
    }

    int m_depth = 0;
    bool m_explains = false;
    std::size_t m_turns = 0;
    Cost m_longest;
    const char* m_receiver = "";
    int m_type = 0;
    int m_slow = 0;
    int m_slowByTheClock = 0;
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

void measure(WatchedApplication& application, MainWindow& window, const char* name, std::shared_ptr<const Graph> graph)
{
    std::printf("\n%s: %zu operators, %zu tensors\n", name, graph->operators().size(), graph->tensors().size());
    QElapsedTimer whole;
    whole.start();
    command(window, [&] { window.document()->setGraph(graph, QString::fromLatin1(name)); });
    application.print("open, plan, lay out");
    std::printf("%-28s %.2f s\n", "all of it", static_cast<double>(whole.elapsed()) / 1000.0);

    for (int i = 0; i < 100; ++i)
        command(window, [&, i] { window.document()->selection()->setPlayhead(i * 37 + 1); });
    application.print("a hundred steps");
    for (const char* strategy : { "greedy-by-size", "pingpong", "auto" })
        command(window, [&] { window.document()->setStrategy(QLatin1String(strategy)); });
    application.print("three other strategies");
    StudyOptions inPlace = window.document()->studyOptions();
    inPlace.alias = AliasMode::InPlace;
    command(window, [&] { window.document()->setStudyOptions(inPlace); });
    application.print("in place");
    for (const char* dock : { "operatorsDock", "tensorsDock", "buffersDock" }) {
        command(window, [&] { window.dock(QLatin1String(dock))->raise(); });
        application.print(dock);
        for (const char* text : { "c", "conv 12", "/[37]$/", "" })
            command(window, [&] { window.document()->selection()->setFilter(QLatin1String(text)); });
        application.print("  four filters");
        auto* table = window.dock(QLatin1String(dock))->findChild<QTableView*>();
        for (int column = 0; column < 5; ++column)
            command(window, [&] { table->sortByColumn(column, Qt::DescendingOrder); });
        application.print("  five sortings");
    }
    command(window, [&] { window.document()->selection()->select(Item::of(OpId(5000))); });
    application.print("select");
    command(window, [&] { window.networkView()->fitAll(); });
    for (int i = 0; i < 20; ++i)
        command(window, [&] { window.networkView()->zoomBy(1.1); });
    application.print("fit, zoom");
    command(window, [&] { window.setTheme(ThemeChoice::Dark); });
    command(window, [&] { window.setTheme(ThemeChoice::Light); });
    application.print("themes");
    command(window, [&] { window.document()->close(); });
    window.document()->setStudyOptions({});
    application.print("close");
}

} // namespace

// usage: bench_ui_latency [--explain]: with it, every event above 8 ms is told, inner ones before outer ones.
int main(int argc, char** argv)
{
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    WatchedApplication application(argc, argv);
    application.explain(QApplication::arguments().contains(QStringLiteral("--explain")));
    QApplication::setStyle(QStringLiteral("Fusion"));
    Settings settings { QString() };
    MainWindow window(settings);
    window.show();
    settle(window);
    application.print("start page");
    measure(application, window, "inception-like", generators::inceptionLike(10'000));
    measure(application, window, "densenet-like", generators::denseNetLike(10'000));
    return 0;
}
