// SPDX-License-Identifier: MIT
// What is kept between starts.
#pragma once

#include <arenascope/study.h>

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>

#include <optional>

namespace arenascope::ui {

enum class ThemeChoice { System, Light, Dark };
QString themeName(ThemeChoice choice); ///< "system", "light", "dark"
std::optional<ThemeChoice> themeFromName(const QString& name);

/// Typed access to the settings file. Values that no longer make sense read as their defaults.
class Settings {
public:
    static constexpr int kMaxRecentFiles = 10;

    Settings() = default;
    /// An INI file of its own, for tests and screenshots; "" keeps nothing at all.
    explicit Settings(const QString& iniFile);

    QByteArray windowGeometry() const;
    void setWindowGeometry(const QByteArray& geometry);
    /// State of docks and toolbars; empty when it was written by another layout version.
    QByteArray dockState() const;
    void setDockState(const QByteArray& state);

    ThemeChoice theme() const;
    void setTheme(ThemeChoice choice);
    bool reducedMotion() const;
    void setReducedMotion(bool on);
    bool minimapVisible() const;
    void setMinimapVisible(bool on);
    bool colourByBranch() const;
    void setColourByBranch(bool on);
    int playSpeed() const; ///< steps a second, 1 to 60
    void setPlaySpeed(int stepsPerSecond);

    QStringList recentFiles() const; ///< newest first, at most kMaxRecentFiles
    void addRecentFile(const QString& path);
    void clearRecentFiles();
    QString exportFolder() const;
    void setExportFolder(const QString& folder);

    QString strategy() const;
    void setStrategy(const QString& id);
    StudyOptions studyOptions() const;
    void setStudyOptions(const StudyOptions& options);
    static constexpr double kMaxSearchSeconds = 3600.0;
    std::optional<double> searchSeconds() const; ///< nothing: the strategy's own
    void setSearchSeconds(std::optional<double> seconds);

private:
    QVariant value(const char* key, const QVariant& fallback = {}) const;
    void set(const char* key, const QVariant& value);

    mutable QSettings m_settings;
    bool m_keeps = true;
};

} // namespace arenascope::ui
