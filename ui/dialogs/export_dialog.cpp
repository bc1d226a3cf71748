// SPDX-License-Identifier: MIT
#include "ui/dialogs/export_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

namespace arenascope::ui {

namespace {

constexpr int kMaxPixels = 16384;

QSpinBox* makePixelBox(int value, const QString& name)
{
    auto* box = new QSpinBox;
    box->setObjectName(name);
    box->setRange(16, kMaxPixels);
    box->setSuffix(QStringLiteral(" px"));
    box->setValue(value);
    return box;
}

} // namespace

const std::vector<ExportFormat>& exportFormats()
{
    static const std::vector<ExportFormat> formats {
        { QStringLiteral("svg"), ExportDialog::tr("SVG picture"), true },
        { QStringLiteral("pdf"), ExportDialog::tr("PDF document"), true },
        { QStringLiteral("png"), ExportDialog::tr("PNG picture"), true },
        { QStringLiteral("dot"), ExportDialog::tr("Graphviz DOT"), false },
        { QStringLiteral("csv"), ExportDialog::tr("CSV table of buffers"), false },
        { QStringLiteral("json"), ExportDialog::tr("JSON plan"), false },
    };
    return formats;
}

QString contentTitle(PictureContent content)
{
    switch (content) {
    case PictureContent::Network:
        return ExportDialog::tr("Network");
    case PictureContent::Arena:
        return ExportDialog::tr("Arena map");
    case PictureContent::Curve:
        return ExportDialog::tr("Memory curve");
    case PictureContent::Sheet:
        return ExportDialog::tr("All on one sheet");
    }
    return {};
}

QString contentWord(PictureContent content)
{
    switch (content) {
    case PictureContent::Network:
        return QStringLiteral("network");
    case PictureContent::Arena:
        return QStringLiteral("arena");
    case PictureContent::Curve:
        return QStringLiteral("curve");
    case PictureContent::Sheet:
        return QStringLiteral("sheet");
    }
    return {};
}

ExportDialog::ExportDialog(const PictureRequest& request, const QString& path, const QString& suffix, QWidget* parent)
    : QDialog(parent)
    , m_request(request)
    , m_stem(path)
    , m_content(new QComboBox(this))
    , m_format(new QComboBox(this))
    , m_theme(new QComboBox(this))
    , m_hasSize(new QCheckBox(tr("Size"), this))
    , m_width(makePixelBox(1600, QStringLiteral("exportWidth")))
    , m_height(makePixelBox(1200, QStringLiteral("exportHeight")))
    , m_playhead(new QCheckBox(tr("Mark step %1").arg(request.playhead), this))
    , m_path(new QLineEdit(this))
    , m_buttons(new QDialogButtonBox(QDialogButtonBox::Save | QDialogButtonBox::Cancel, this))
{
    setWindowTitle(tr("Export"));
    m_content->setObjectName(QStringLiteral("exportContent"));
    m_format->setObjectName(QStringLiteral("exportFormat"));
    m_theme->setObjectName(QStringLiteral("exportTheme"));
    m_path->setObjectName(QStringLiteral("exportPath"));
    for (const auto content : { PictureContent::Sheet, PictureContent::Network, PictureContent::Arena, PictureContent::Curve })
        m_content->addItem(contentTitle(content), static_cast<int>(content));
    m_content->setCurrentIndex(m_content->findData(static_cast<int>(request.content)));
    for (const ExportFormat& known : exportFormats())
        m_format->addItem(tr("%1 (.%2)").arg(known.title, known.suffix), known.suffix);
    m_format->setCurrentIndex(std::max(0, m_format->findData(suffix)));
    m_theme->addItem(tr("Light"), false);
    m_theme->addItem(tr("Dark"), true);
    m_hasSize->setObjectName(QStringLiteral("exportHasSize"));
    m_playhead->setObjectName(QStringLiteral("exportPlayhead"));
    m_playhead->setVisible(request.playhead >= 0);

    auto* size = new QHBoxLayout;
    size->addWidget(m_hasSize);
    size->addWidget(m_width);
    size->addWidget(new QLabel(QStringLiteral("\u00d7"), this));
    size->addWidget(m_height);
    size->addStretch(1);
    auto* file = new QHBoxLayout;
    auto* browse = new QPushButton(tr("Browse \u2026"), this);
    file->addWidget(m_path, 1);
    file->addWidget(browse);
    auto* form = new QFormLayout(this);
    form->addRow(tr("Content"), m_content);
    form->addRow(tr("Format"), m_format);
    form->addRow(tr("Theme"), m_theme);
    form->addRow(QString(), size);
    form->addRow(QString(), m_playhead);
    form->addRow(tr("File"), file);
    form->addRow(m_buttons);
    m_path->setMinimumWidth(380);

    connect(m_content, &QComboBox::currentIndexChanged, this, &ExportDialog::follow);
    connect(m_format, &QComboBox::currentIndexChanged, this, &ExportDialog::follow);
    connect(m_hasSize, &QCheckBox::toggled, this, &ExportDialog::follow);
    connect(m_path, &QLineEdit::textEdited, this, [this] { m_isPathChosen = true; });
    connect(m_path, &QLineEdit::textChanged, this,
        [this] { m_buttons->button(QDialogButtonBox::Save)->setEnabled(!m_path->text().trimmed().isEmpty()); });
    connect(browse, &QPushButton::clicked, this, &ExportDialog::browse);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    follow();
}

const ExportFormat& ExportDialog::format() const
{
    return exportFormats()[static_cast<std::size_t>(m_format->currentIndex())];
}

void ExportDialog::follow()
{
    const ExportFormat& chosen = format();
    const bool isPng = chosen.suffix == QLatin1String("png");
    m_content->setEnabled(chosen.isPicture);
    m_theme->setEnabled(chosen.isPicture);
    m_playhead->setEnabled(chosen.isPicture);
    m_hasSize->setEnabled(isPng);
    m_width->setEnabled(isPng && m_hasSize->isChecked());
    m_height->setEnabled(isPng && m_hasSize->isChecked());
    if (!m_isPathChosen) {
        const QString word = chosen.isPicture ? contentWord(request().content) : QStringLiteral("plan");
        m_path->setText(QStringLiteral("%1-%2.%3").arg(m_stem, word, chosen.suffix));
        return;
    }
    // A name of the user's keeps all but its suffix.
    const QFileInfo info(m_path->text());
    if (info.suffix().compare(chosen.suffix, Qt::CaseInsensitive) != 0 && !info.completeBaseName().isEmpty())
        m_path->setText(info.path() + u'/' + info.completeBaseName() + u'.' + chosen.suffix);
}

void ExportDialog::browse()
{
    const ExportFormat& chosen = format();
    const QString filter = QStringLiteral("%1 (*.%2)").arg(chosen.title, chosen.suffix);
    const QString picked = QFileDialog::getSaveFileName(this, tr("Export to"), m_path->text(), filter);
    if (picked.isEmpty())
        return;
    m_isPathChosen = true;
    m_path->setText(QFileInfo(picked).suffix().isEmpty() ? picked + u'.' + chosen.suffix : picked);
}

PictureRequest ExportDialog::request() const
{
    PictureRequest request = m_request;
    request.content = static_cast<PictureContent>(m_content->currentData().toInt());
    request.dark = m_theme->currentData().toBool();
    request.pixelSize = m_hasSize->isChecked() ? QSize(m_width->value(), m_height->value()) : QSize();
    request.playhead = m_playhead->isChecked() ? m_request.playhead : -1;
    return request;
}

QString ExportDialog::path() const
{
    return m_path->text().trimmed();
}

} // namespace arenascope::ui
