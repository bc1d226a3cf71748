// SPDX-License-Identifier: MIT
#include "ui/gui_options.h"

#include "ui/main_window.h"
#include "ui/selection.h"
#include "ui/text.h"
#include "ui/usual_alignment.h"
#include "ui/views/network_view.h"

#include <arenascope/regions.h>
#include <arenascope/report.h>

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QDockWidget>
#include <QPixmap>

#include <bit>
#include <cstdio>

namespace arenascope::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("arenascope::ui::GuiOptions", text);
}

QString badValue(const QString& option, const QString& value, const QString& accepted)
{
    return tr("option --%1 cannot be '%2'; accepted: %3").arg(option, value, accepted);
}

template <class T, class Read>
void take(GuiOptions& options, const QCommandLineParser& parser, const QString& name, std::optional<T>& into,
    const QString& accepted, Read read)
{
    if (!parser.isSet(name))
        return;
    into = read(parser.value(name));
    if (!into && options.error.isEmpty())
        options.error = badValue(name, parser.value(name), accepted);
}

std::optional<QSize> readSize(const QString& text)
{
    const QStringList parts = text.split(u'x');
    bool isWidth = false;
    bool isHeight = false;
    const QSize size(parts.value(0).toInt(&isWidth), parts.value(1).toInt(&isHeight));
    const bool isGood = parts.size() == 2 && isWidth && isHeight && size.width() >= 320 && size.height() >= 240
        && size.width() <= 16384 && size.height() <= 16384;
    return isGood ? std::optional(size) : std::nullopt;
}

std::optional<qlonglong> readNumber(const QString& text)
{
    bool isNumber = false;
    const qlonglong number = text.toLongLong(&isNumber);
    return isNumber && number >= 0 ? std::optional(number) : std::nullopt;
}

std::optional<Bytes> readAlignment(const QString& text)
{
    const auto number = readNumber(text);
    return number && std::has_single_bit(static_cast<quint64>(*number)) ? std::optional<Bytes>(*number) : std::nullopt;
}

std::optional<Bytes> readBytes(const QString& text)
{
    const auto bytes = parseBytes(text.toStdString());
    return bytes ? std::optional(*bytes) : std::nullopt;
}

std::optional<std::vector<MemoryRegion>> readRegions(const QString& text)
{
    auto regions = regionsFromText(text.toStdString());
    return regions ? std::optional(*std::move(regions)) : std::nullopt;
}

} // namespace

GuiOptions parseGuiOptions(const QStringList& arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(tr("How much memory a neural network needs while it runs, why, and how to make it less."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("model"), tr("Model or plan file to open."), QStringLiteral("[MODEL]"));
    const auto add = [&](const char* name, const QString& text, const char* value) {
        parser.addOption(QCommandLineOption(QLatin1String(name), text, QLatin1String(value)));
    };
    add("strategy", tr("How offsets are chosen: auto, naive, pingpong, greedy-by-size ..."), "ID");
    add("alias", tr("Tensors that share bytes on purpose: none, views, inplace, all."), "MODE");
    add("schedule", tr("Order of the operators: file, depth-first, min-peak."), "ORDER");
    add("concurrency", tr("How much of the order a runtime keeps: sequential, parallel."), "HOW");
    add("align", tr("Alignment of sizes and offsets in bytes, a power of two."), "N");
    add("io", tr("Where network inputs and outputs live: arena, outside."), "WHERE");
    add("region", tr("Memories with their capacities, the one to fill first in front: sram=256K,psram=8M."), "NAME=SIZE,...");
    add("budget", tr("Size to hold the plan against: 256K, 1.5M ..."), "SIZE");
    add("theme", tr("system, light or dark."), "THEME");
    add("screenshot", tr("Paint the window into a PNG file once all is worked out, and exit."), "FILE");
    add("size", tr("Size of the window."), "WxH");
    add("step", tr("Step to show."), "N");
    add("select", tr("Name of the operator or tensor to select."), "NAME");
    add("panel", tr("Tab to show: ladder, peak, operators, tensors, buffers, branches, details, options, log."), "NAME");

    GuiOptions options;
    if (!parser.parse(arguments)) {
        options.error = parser.errorText();
        return options;
    }
    if (parser.isSet(QStringLiteral("help")))
        parser.showHelp(0);
    if (parser.isSet(QStringLiteral("version")))
        parser.showVersion();
    if (parser.positionalArguments().size() > 1)
        options.error = tr("one model or plan at a time");
    options.model = parser.positionalArguments().value(0);
    options.screenshot = parser.value(QStringLiteral("screenshot"));
    options.select = parser.value(QStringLiteral("select"));
    options.panel = parser.value(QStringLiteral("panel"));
    take(options, parser, QStringLiteral("strategy"), options.strategy, tr("a strategy's id"), [](const QString& id) {
        return findPlanner(id.toStdString()) ? std::optional(id) : std::nullopt;
    });
    take(options, parser, QStringLiteral("alias"), options.alias, QStringLiteral("none, views, inplace, all"),
        [](const QString& name) { return aliasFromName(name.toStdString()); });
    take(options, parser, QStringLiteral("schedule"), options.schedule, QStringLiteral("file, depth-first, min-peak"),
        [](const QString& name) { return scheduleFromName(name.toStdString()); });
    take(options, parser, QStringLiteral("concurrency"), options.concurrency, QStringLiteral("sequential, parallel"),
        [](const QString& name) { return concurrencyFromName(name.toStdString()); });
    take(options, parser, QStringLiteral("align"), options.alignment, tr("a power of two"), readAlignment);
    take(options, parser, QStringLiteral("io"), options.ioInArena, QStringLiteral("arena, outside"), [](const QString& name) {
        return name == QLatin1String("arena") ? std::optional(true) : name == QLatin1String("outside") ? std::optional(false) : std::nullopt;
    });
    take(options, parser, QStringLiteral("budget"), options.budget, QStringLiteral("256K, 1.5M, 8MiB, 1000"), readBytes);
    take(options, parser, QStringLiteral("region"), options.regions, QStringLiteral("sram=256K,psram=8M,flash"), readRegions);
    take(options, parser, QStringLiteral("theme"), options.theme, QStringLiteral("system, light, dark"), themeFromName);
    take(options, parser, QStringLiteral("size"), options.size, tr("from 320x240 to 16384x16384"), readSize);
    take(options, parser, QStringLiteral("step"), options.step, tr("a step, from 0"), [](const QString& text) {
        const auto number = readNumber(text);
        return number ? std::optional<Step>(*number) : std::nullopt;
    });
    return options;
}

void applyGuiOptions(const GuiOptions& options, MainWindow& window)
{
    Document* document = window.document();
    if (options.strategy)
        document->setStrategy(*options.strategy);
    StudyOptions study = document->studyOptions();
    study.alias = options.alias.value_or(study.alias);
    study.schedule = options.schedule.value_or(study.schedule);
    study.problem.concurrency = options.concurrency.value_or(study.problem.concurrency);
    study.problem.alignment = options.alignment.value_or(study.problem.alignment);
    if (options.alignment)
        UsualAlignment::of(document)->keep();
    study.problem.regions = options.regions.value_or(study.problem.regions);
    if (options.ioInArena)
        study.problem.io = { *options.ioInArena, *options.ioInArena };
    document->setStudyOptions(study);
    if (options.budget)
        document->setBudget(options.budget);
    if (options.theme)
        window.setTheme(*options.theme);
    if (options.size)
        window.resize(*options.size);
}

ScreenshotTaker::ScreenshotTaker(const GuiOptions& options, MainWindow& window)
    : m_options(options)
    , m_window(window)
{
    window.setMotion(false);
    constexpr int kLookInterval = 50;
    m_timer.setInterval(kLookInterval);
    connect(&m_timer, &QTimer::timeout, this, &ScreenshotTaker::look);
    m_timer.start();
}

void ScreenshotTaker::look()
{
    // A few quiet looks in a row: results may still lie in the event queue, or a fade may run.
    constexpr int kQuietLooks = 6;
    m_quietLooks = m_window.isSettled() ? m_quietLooks + 1 : 0;
    if (m_quietLooks < kQuietLooks)
        return;
    if (!m_isPrepared) {
        m_isPrepared = true;
        m_quietLooks = 0;
        prepare();
        return;
    }
    m_timer.stop();
    take();
}

void ScreenshotTaker::prepare()
{
    Document* document = m_window.document();
    if (QDockWidget* dock = m_window.dock(m_options.panel + QStringLiteral("Dock")))
        dock->raise();
    const auto graph = document->graph();
    if (!graph)
        return;
    if (m_options.step)
        document->selection()->setPlayhead(*m_options.step);
    if (m_options.select.isEmpty())
        return;
    const OpId op = graph->findOperator(m_options.select.toStdString());
    const TensorId tensor = graph->findTensor(m_options.select.toStdString());
    if (!op.isValid() && !tensor.isValid())
        return;
    const Item item = op.isValid() ? Item::of(op) : Item::of(tensor);
    document->selection()->select(item);
    emit document->selection()->revealRequested(item);
}

void ScreenshotTaker::take()
{
    const bool isWritten = m_window.grab().save(m_options.screenshot);
    if (!isWritten)
        std::fprintf(stderr, "arenascope: %s cannot be written\n", qPrintable(m_options.screenshot));
    const bool isOpen = m_options.model.isEmpty() || m_window.document()->graph();
    if (!isOpen)
        std::fprintf(stderr, "arenascope: %s did not open\n", qPrintable(m_options.model));
    QCoreApplication::exit(isWritten && isOpen ? 0 : 1);
}

} // namespace arenascope::ui
