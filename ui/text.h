// SPDX-License-Identifier: MIT
// Words and numbers as the user reads them. Everything that core says passes through here to be translated.
#pragma once

#include <arenascope/graph.h>
#include <arenascope/importer.h>
#include <arenascope/planner.h>
#include <arenascope/result.h>
#include <arenascope/schedule.h>
#include <arenascope/study.h>

#include <QRegularExpression>
#include <QString>
#include <QStringList>

#include <optional>

namespace arenascope::ui {

QString toQString(std::string_view text);

/// "5.74 MiB"; "unknown" for kUnknownBytes.
QString sizeText(Bytes bytes);
/// "6,021,120 bytes", for tooltips.
QString exactText(Bytes bytes);
/// "1 row", "12 rows": `one` and `many` are translated already; "%1" in `many` is the number.
QString countText(std::int64_t count, const QString& one, const QString& many);
/// "-78 %", "+1.5 %", "0 %": a change by `fraction`. Below a tenth of a percent it says so ("<0.1 %"), never a false zero.
QString changeText(double fraction);
/// "48.3 %" of a whole.
QString shareText(double fraction);
/// "0.8 ms", "1.25 s".
QString durationText(double seconds);

/// The translated sentences of an error, without the place.
QString messageText(const Error& error);
/// "where: message".
QString errorText(const Error& error);

/// Names of choices, for menus and tables.
QString aliasTitle(AliasMode mode);
/// Why no arena is smaller than the lower bound, to follow "which is": "alive at step 7".
QString boundReason(const Study& study);
QString concurrencyTitle(Concurrency concurrency);
QString scheduleTitle(ScheduleKind kind);
/// Name of the memory that a buffer lies in, where a plan has several; else empty.
QString regionTitle(const PlanOutcome& outcome, BufferId id);
QString sideTitle(PingPongSide side);
QString roleTitle(TensorRole role);
/// Title of a strategy by its id; the id itself where it is not known.
QString strategyTitle(const QString& id);
QString strategySummary(const QString& id);

/// "1x3x224x224" -> extents, "?" for unknown; nothing when it is no shape.
std::optional<std::vector<std::int64_t>> parseShape(const QString& text);

/// What filters and Find understand: words that must all occur, in any case, or a regular expression.
class TextMatcher {
public:
    TextMatcher() = default;
    explicit TextMatcher(const QString& text, bool isRegularExpression = false);
    bool isEmpty() const { return m_words.isEmpty() && m_pattern.pattern().isEmpty(); }
    bool isValid() const { return m_words.size() > 0 || m_pattern.isValid(); }
    bool matches(const QString& text) const;

private:
    QStringList m_words;
    QRegularExpression m_pattern;
};

} // namespace arenascope::ui
