// SPDX-License-Identifier: MIT
#include "ui/settings.h"

#include "ui/text.h"

#include <algorithm>
#include <bit>

namespace arenascope::ui {

namespace {

// Raised when docks are added or renamed, so that a state of the older window is not applied to the newer one.
constexpr int kDockVersion = 2;
constexpr int kDefaultSpeed = 8;

} // namespace

QString themeName(ThemeChoice choice)
{
    switch (choice) {
    case ThemeChoice::System:
        return QStringLiteral("system");
    case ThemeChoice::Light:
        return QStringLiteral("light");
    case ThemeChoice::Dark:
        return QStringLiteral("dark");
    }
    return {};
}

std::optional<ThemeChoice> themeFromName(const QString& name)
{
    for (const ThemeChoice choice : { ThemeChoice::System, ThemeChoice::Light, ThemeChoice::Dark }) {
        if (themeName(choice) == name)
            return choice;
    }
    return std::nullopt;
}

Settings::Settings(const QString& iniFile)
    : m_settings(iniFile.isEmpty() ? QStringLiteral(":/none.ini") : iniFile, QSettings::IniFormat)
    , m_keeps(!iniFile.isEmpty())
{
}

QVariant Settings::value(const char* key, const QVariant& fallback) const
{
    return m_keeps ? m_settings.value(QLatin1String(key), fallback) : fallback;
}

void Settings::set(const char* key, const QVariant& value)
{
    if (m_keeps)
        m_settings.setValue(QLatin1String(key), value);
}

QByteArray Settings::windowGeometry() const
{
    return value("window/geometry").toByteArray();
}

void Settings::setWindowGeometry(const QByteArray& geometry)
{
    set("window/geometry", geometry);
}

QByteArray Settings::dockState() const
{
    return value("window/dockVersion").toInt() == kDockVersion ? value("window/docks").toByteArray() : QByteArray();
}

void Settings::setDockState(const QByteArray& state)
{
    set("window/dockVersion", kDockVersion);
    set("window/docks", state);
}

ThemeChoice Settings::theme() const
{
    return themeFromName(value("theme").toString()).value_or(ThemeChoice::System);
}

void Settings::setTheme(ThemeChoice choice)
{
    set("theme", themeName(choice));
}

bool Settings::reducedMotion() const
{
    return value("reducedMotion", false).toBool();
}

void Settings::setReducedMotion(bool on)
{
    set("reducedMotion", on);
}

bool Settings::minimapVisible() const
{
    return value("minimapVisible", true).toBool();
}

void Settings::setMinimapVisible(bool on)
{
    set("minimapVisible", on);
}

bool Settings::colourByBranch() const
{
    return value("colourByBranch", false).toBool();
}

void Settings::setColourByBranch(bool on)
{
    set("colourByBranch", on);
}

int Settings::playSpeed() const
{
    return std::clamp(value("playSpeed", kDefaultSpeed).toInt(), 1, 60);
}

void Settings::setPlaySpeed(int stepsPerSecond)
{
    set("playSpeed", stepsPerSecond);
}

QStringList Settings::recentFiles() const
{
    return value("recentFiles").toStringList().mid(0, kMaxRecentFiles);
}

void Settings::addRecentFile(const QString& path)
{
    QStringList files = recentFiles();
    files.removeAll(path);
    files.prepend(path);
    set("recentFiles", files.mid(0, kMaxRecentFiles));
}

void Settings::clearRecentFiles()
{
    set("recentFiles", QStringList());
}

QString Settings::exportFolder() const
{
    return value("exportFolder").toString();
}

void Settings::setExportFolder(const QString& folder)
{
    set("exportFolder", folder);
}

QString Settings::strategy() const
{
    const QString id = value("plan/strategy").toString();
    return findPlanner(id.toStdString()) ? id : toQString(kDefaultStrategy);
}

void Settings::setStrategy(const QString& id)
{
    set("plan/strategy", id);
}

StudyOptions Settings::studyOptions() const
{
    StudyOptions options;
    options.alias = aliasFromName(value("plan/alias").toString().toStdString()).value_or(options.alias);
    options.schedule = scheduleFromName(value("plan/schedule").toString().toStdString()).value_or(options.schedule);
    options.problem.concurrency
        = concurrencyFromName(value("plan/concurrency").toString().toStdString()).value_or(options.problem.concurrency);
    const auto alignment = value("plan/alignment").toLongLong();
    if (alignment > 0 && std::has_single_bit(static_cast<quint64>(alignment)))
        options.problem.alignment = alignment;
    options.problem.io.inputsInArena = value("plan/inputsInArena", options.problem.io.inputsInArena).toBool();
    options.problem.io.outputsInArena = value("plan/outputsInArena", options.problem.io.outputsInArena).toBool();
    options.problem.countWorkspace = value("plan/countWorkspace", options.problem.countWorkspace).toBool();
    const int join = value("plan/join", static_cast<int>(options.branches.join)).toInt();
    if (join >= 0 && join <= static_cast<int>(JoinRule::None))
        options.branches.join = static_cast<JoinRule>(join);
    return options;
}

void Settings::setStudyOptions(const StudyOptions& options)
{
    set("plan/alias", toQString(aliasName(options.alias)));
    set("plan/schedule", toQString(scheduleName(options.schedule)));
    set("plan/concurrency", toQString(concurrencyName(options.problem.concurrency)));
    set("plan/alignment", static_cast<qlonglong>(options.problem.alignment));
    set("plan/inputsInArena", options.problem.io.inputsInArena);
    set("plan/outputsInArena", options.problem.io.outputsInArena);
    set("plan/countWorkspace", options.problem.countWorkspace);
    set("plan/join", static_cast<int>(options.branches.join));
}

std::optional<double> Settings::searchSeconds() const
{
    const double seconds = value("plan/searchSeconds").toDouble();
    return seconds > 0.0 && seconds <= kMaxSearchSeconds ? std::optional(seconds) : std::nullopt;
}

void Settings::setSearchSeconds(std::optional<double> seconds)
{
    set("plan/searchSeconds", seconds.value_or(0.0));
}

} // namespace arenascope::ui
