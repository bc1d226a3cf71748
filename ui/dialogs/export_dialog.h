// SPDX-License-Identifier: MIT
// What to export, how, and where to.
#pragma once

#include "ui/export/picture.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QLineEdit;
class QSpinBox;

namespace arenascope::ui {

struct ExportFormat {
    QString suffix;  ///< "svg"
    QString title;   ///< "SVG picture"
    bool isPicture;  ///< content, theme and size matter
};
const std::vector<ExportFormat>& exportFormats();
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
