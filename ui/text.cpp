// SPDX-License-Identifier: MIT
#include "ui/text.h"

#include "ui/opened_plan.h"

#include <arenascope/plan_import.h>
#include <arenascope/report.h>
#include <arenascope/runtime.h>

#include <QCoreApplication>
#include <QLocale>

#include <cmath>

namespace arenascope::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("arenascope::ui", text);
}

QString number(double value, int decimals)
{
    return QLocale::c().toString(value, 'f', decimals);
}

} // namespace

QString toQString(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QString sizeText(Bytes bytes)
{
    return bytes < 0 ? tr("unknown") : toQString(formatBytes(bytes));
}

QString exactText(Bytes bytes)
{
    if (bytes < 0)
        return tr("unknown size");
    return bytes == 1 ? tr("1 byte") : tr("%1 bytes").arg(QLocale(QLocale::English).toString(static_cast<qlonglong>(bytes)));
}

QString countText(std::int64_t count, const QString& one, const QString& many)
{
    return count == 1 ? one : many.arg(count);
}

QString changeText(double fraction)
{
    const double percent = fraction * 100.0;
    const double magnitude = std::abs(percent);
    const QString sign = percent > 0 ? QStringLiteral("+") : percent < 0 ? QStringLiteral("\u2212") : QString();
    if (magnitude == 0.0)
        return tr("0 %");
    if (magnitude < 0.1)
        return tr("%1<0.1 %").arg(sign);
    // Rounding must not turn a little less than everything into everything.
    if (magnitude > 99.0 && magnitude < 100.0)
        return tr("%1%2 %").arg(sign, number(std::min(magnitude, 99.9), 1));
    return tr("%1%2 %").arg(sign, number(magnitude, magnitude < 10.0 ? 1 : 0));
}

QString shareText(double fraction)
{
    return tr("%1 %").arg(number(fraction * 100.0, 1));
}

QString durationText(double seconds)
{
    if (seconds < 0.001)
        return tr("%1 ms").arg(number(seconds * 1000.0, 2));
    if (seconds < 0.1)
        return tr("%1 ms").arg(number(seconds * 1000.0, 1));
    if (seconds < 1.0)
        return tr("%1 ms").arg(number(seconds * 1000.0, 0));
    return tr("%1 s").arg(number(seconds, 2));
}

QString messageText(const Error& error)
{
    const std::string_view source = messageTemplate(error.code);
    const QString text = QCoreApplication::translate("Errors", std::string(source).c_str());
    // In one pass: an argument may hold "%2" itself.
    QString message;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const bool isSlot = text[i] == u'%' && i + 1 < text.size() && text[i + 1] >= u'1' && text[i + 1] <= u'9';
        if (!isSlot) {
            message += text[i];
            continue;
        }
        const auto argument = static_cast<std::size_t>(text[++i].unicode() - u'1');
        message += argument < error.args.size() ? toQString(error.args[argument]) : QStringLiteral("?");
    }
    return message;
}

QString errorText(const Error& error)
{
    if (error.where.empty())
        return messageText(error);
    return QStringLiteral("%1: %2").arg(toQString(error.where), messageText(error));
}

QString aliasTitle(AliasMode mode)
{
    switch (mode) {
    case AliasMode::None:
        return tr("None");
    case AliasMode::Views:
        return tr("Views");
    case AliasMode::InPlace:
        return tr("In place");
    case AliasMode::All:
        return tr("All");
    }
    return {};
}

QString boundReason(const Study& study)
{
    return study.profile.peak >= study.problem.crowdBytes ? tr("alive at step %1").arg(study.profile.peakStep)
                                                          : tr("needed at once in some order of the operators");
}

QString concurrencyTitle(Concurrency concurrency)
{
    switch (concurrency) {
    case Concurrency::Sequential:
        return tr("One after the other");
    case Concurrency::Parallel:
        return tr("Any order, also at once");
    }
    return {};
}

QString scheduleTitle(ScheduleKind kind)
{
    switch (kind) {
    case ScheduleKind::File:
        return tr("File");
    case ScheduleKind::DepthFirst:
        return tr("Depth first");
    case ScheduleKind::MinPeak:
        return tr("Smallest peak");
    }
    return {};
}

QString regionTitle(const PlanOutcome& outcome, BufferId id)
{
    const RegionId region = outcome.plan.placements[id.index()].region;
    const auto& regions = outcome.study->problem.regions;
    if (outcome.plan.regionSizes.size() < 2 || !region.isValid() || region.index() >= regions.size())
        return {};
    return toQString(regions[region.index()].name);
}

QString sideTitle(PingPongSide side)
{
    switch (side) {
    case PingPongSide::None:
        return {};
    case PingPongSide::First:
        return tr("First");
    case PingPongSide::Second:
        return tr("Second");
    }
    return {};
}

QString roleTitle(TensorRole role)
{
    switch (role) {
    case TensorRole::Input:
        return tr("Input");
    case TensorRole::Output:
        return tr("Output");
    case TensorRole::Activation:
        return tr("Activation");
    case TensorRole::Weight:
        return tr("Weight");
    case TensorRole::Constant:
        return tr("Constant");
    case TensorRole::Variable:
        return tr("Variable");
    case TensorRole::Scratch:
        return tr("Scratch");
    }
    return {};
}

QString strategyTitle(const QString& id)
{
    if (id == toQString(kOpenedStrategy))
        return tr("Plan of the file");
    if (id == toQString(kFilePlan))
        return tr("Plan of the model file");
    for (const PlanImporter& importer : planImporters()) {
        if (id == toQString(importer.id))
            return QCoreApplication::translate("Strategies", std::string(importer.title).c_str()); // made by others
    }
    const Planner* planner = findPlanner(id.toStdString());
    return planner ? QCoreApplication::translate("Strategies", std::string(planner->info().title).c_str()) : id;
}

QString strategySummary(const QString& id)
{
    if (id == toQString(kOpenedStrategy))
        return tr("The plan of the file, as it stands there.");
    const Planner* planner = findPlanner(id.toStdString());
    return planner ? QCoreApplication::translate("Strategies", std::string(planner->info().summary).c_str()) : QString();
}

std::optional<std::vector<std::int64_t>> parseShape(const QString& text)
{
    static const QRegularExpression separators(QStringLiteral("\\s*[x\\x{00d7},*]\\s*"));
    QString plain = text.trimmed();
    if (plain.startsWith(u'[') && plain.endsWith(u']'))
        plain = plain.mid(1, plain.size() - 2);
    if (plain == tr("scalar") || plain == QLatin1String("scalar"))
        return std::vector<std::int64_t> {};
    std::vector<std::int64_t> extents;
    for (const QString& word : plain.split(separators)) {
        if (word == QLatin1String("?")) {
            extents.push_back(kUnknownDim);
            continue;
        }
        bool isNumber = false;
        const qlonglong extent = word.toLongLong(&isNumber);
        if (!isNumber || extent < 0)
            return std::nullopt;
        extents.push_back(extent);
    }
    return extents;
}

TextMatcher::TextMatcher(const QString& text, bool isRegularExpression)
{
    const QString trimmed = text.trimmed();
    const bool isSlashed = trimmed.size() > 2 && trimmed.startsWith(u'/') && trimmed.endsWith(u'/');
    if (isRegularExpression || isSlashed) {
        m_pattern = QRegularExpression(isSlashed ? trimmed.mid(1, trimmed.size() - 2) : trimmed,
            QRegularExpression::CaseInsensitiveOption);
        return;
    }
    m_words = trimmed.split(u' ', Qt::SkipEmptyParts);
}

bool TextMatcher::matches(const QString& text) const
{
    if (!m_pattern.pattern().isEmpty())
        return m_pattern.isValid() && m_pattern.match(text).hasMatch();
    for (const QString& word : m_words) {
        if (!text.contains(word, Qt::CaseInsensitive))
            return false;
    }
    return true;
}

} // namespace arenascope::ui
