// SPDX-License-Identifier: MIT
// What the window shows before a model is open: the samples as pictures, and where to drop a model.
#pragma once

#include "ui/panels/sample_picture.h"
#include "ui/theme.h"

#include <QWidget>

class QGridLayout;
class QLabel;
class QToolButton;

namespace arenascope::ui {

class JobRunner;

class StartPage : public QWidget {
    Q_OBJECT
public:
    explicit StartPage(Document* document, QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    /// No picture is being made.
    bool isSettled() const;
    const std::vector<QToolButton*>& samples() const { return m_buttons; }

signals:
    void openRequested(const QString& path);
    void browseRequested();

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    void makePictures();
    void show(int index, const SamplePicture& picture);

    JobRunner* m_jobs;
    Theme m_theme;
    QLabel* m_drop;
    QLabel* m_hint;
    QGridLayout* m_grid;
    QStringList m_files;
    std::vector<QToolButton*> m_buttons;
    bool m_hasPictures = false; ///< of the current theme
};

} // namespace arenascope::ui
