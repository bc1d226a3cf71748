// SPDX-License-Identifier: MIT
// What to export, how, and where to.
#pragma once

#include "ui/export/picture.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace arenascope::ui {

struct ExportFormat {
    enum class Group { Picture, Runtime, Tool };

    QString suffix;  ///< "svg", "trace.json"
    QString title;   ///< "SVG picture"
    QString summary; ///< what it is good for
    Group group;

    bool isPicture() const { return group == Group::Picture; } ///< content, theme and size matter
};
/// Pictures and all of planExports(), by group.
const std::vector<ExportFormat>& exportFormats();
QString groupTitle(ExportFormat::Group group);
QString contentTitle(PictureContent content);
/// "network", "arena", "curve", "sheet", for file names.
QString contentWord(PictureContent content);

class ExportDialog : public QDialog {
    Q_OBJECT
public:
    /// `path` without suffix: folder and base name to begin with.
    ExportDialog(const PictureRequest& request, const QString& path, const QString& suffix, QWidget* parent = nullptr);

    PictureRequest request() const;
    QString path() const;

private:
    void follow();
    void browse();
    const ExportFormat& format() const;

    PictureRequest m_request;
    QString m_stem;
    QComboBox* m_content;
    QComboBox* m_format;
    QLabel* m_summary;
    QComboBox* m_theme;
    QCheckBox* m_hasSize;
    QSpinBox* m_width;
    QSpinBox* m_height;
    QCheckBox* m_playhead;
    QLineEdit* m_path;
    QDialogButtonBox* m_buttons;
    bool m_isPathChosen = false; ///< the user named the file: it keeps its name when the content changes
};

} // namespace arenascope::ui
