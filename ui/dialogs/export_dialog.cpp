// SPDX-License-Identifier: MIT
#include "ui/dialogs/export_dialog.h"

#include "ui/text.h"

#include <arenascope/plan_export.h>

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
#include <QStandardItemModel>

#include <algorithm>

namespace arenascope::ui {

namespace {

constexpr int kMaxPixels = 16384;

// Groups as titles that cannot be chosen, formats below them.
void fillFormats(QComboBox* combo)
{
    auto* model = new QStandardItemModel(combo);
    const ExportFormat* last = nullptr;
    for (const ExportFormat& format : exportFormats()) {
        if (!last || last->group != format.group) {
            auto* title = new QStandardItem(groupTitle(format.group));
            title->setFlags(Qt::NoItemFlags);
            QFont font = combo->font();
            font.setBold(true);
            title->setFont(font);
            model->appendRow(title);
        }
        auto* item = new QStandardItem(ExportDialog::tr("%1 (.%2)").arg(format.title, format.suffix));
        item->setData(format.suffix, Qt::UserRole);
        item->setToolTip(format.summary);
        model->appendRow(item);
        last = &format;
    }
    combo->setModel(model);
    combo->setMaxVisibleItems(model->rowCount());
}

// A path without the suffix of any format: "net" of "net.trace.json".
QString stemOf(const QString& path)
{
    for (const ExportFormat& format : exportFormats()) {
        const bool isLonger = format.suffix.contains(u'.') && path.endsWith(u'.' + format.suffix, Qt::CaseInsensitive);
        if (isLonger)
            return path.chopped(format.suffix.size() + 1);
    }
    const QFileInfo info(path);
    return info.completeBaseName().isEmpty() ? path : info.path() + u'/' + info.completeBaseName();
}

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
    static const std::vector<ExportFormat> formats = [] {
        using Group = ExportFormat::Group;
        std::vector<ExportFormat> list {
            { QStringLiteral("svg"), ExportDialog::tr("SVG picture"), ExportDialog::tr("Sharp at every size; text stays text"), Group::Picture },
            { QStringLiteral("pdf"), ExportDialog::tr("PDF document"), ExportDialog::tr("For print; long networks go on over pages"), Group::Picture },
            { QStringLiteral("png"), ExportDialog::tr("PNG picture"), ExportDialog::tr("Pixels, of the size that is wanted"), Group::Picture },
        };
        for (const PlanExport& format : planExports()) {
            QString summary = ExportDialog::tr(std::string(format.summary).c_str());
            summary.replace(0, 1, summary.at(0).toUpper()); // a line of its own here
            list.push_back({ toQString(format.suffix.substr(1)), ExportDialog::tr(std::string(format.title).c_str()), summary, format.group == ExportGroup::Runtime ? Group::Runtime : Group::Tool });
        }
        return list;
    }();
    return formats;
}

QString groupTitle(ExportFormat::Group group)
{
    switch (group) {
    case ExportFormat::Group::Picture:
        return ExportDialog::tr("Picture");
    case ExportFormat::Group::Runtime:
        return ExportDialog::tr("Plan for a runtime");
    case ExportFormat::Group::Tool:
        return ExportDialog::tr("Plan for tools");
    }
    return {};
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
    , m_summary(new QLabel(this))
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
    fillFormats(m_format);
    m_format->setCurrentIndex(std::max(1, m_format->findData(suffix))); // a title comes first
    m_summary->setObjectName(QStringLiteral("exportSummary"));
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    m_summary->setWordWrap(true);
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
    form->addRow(QString(), m_summary);
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
    const auto& formats = exportFormats();
    const auto found = std::find_if(formats.begin(), formats.end(), [this](const ExportFormat& known) { return known.suffix == m_format->currentData().toString(); });
    return found == formats.end() ? formats.front() : *found;
}

void ExportDialog::follow()
{
    const ExportFormat& chosen = format();
    const bool isPng = chosen.suffix == QLatin1String("png");
    m_summary->setText(chosen.summary);
    m_content->setEnabled(chosen.isPicture());
    m_theme->setEnabled(chosen.isPicture());
    m_playhead->setEnabled(chosen.isPicture());
    m_hasSize->setEnabled(isPng);
    m_width->setEnabled(isPng && m_hasSize->isChecked());
    m_height->setEnabled(isPng && m_hasSize->isChecked());
    if (!m_isPathChosen) {
        const QString word = chosen.isPicture() ? contentWord(request().content) : QStringLiteral("plan");
        m_path->setText(QStringLiteral("%1-%2.%3").arg(m_stem, word, chosen.suffix));
        return;
    }
    // A name of the user's keeps all but its suffix.
    const QFileInfo info(m_path->text());
    const bool isShort = !chosen.suffix.contains(u'.') && info.suffix().compare(chosen.suffix, Qt::CaseInsensitive) == 0
        && stemOf(m_path->text()) == info.path() + u'/' + info.completeBaseName();
    const bool isAlready = isShort || (chosen.suffix.contains(u'.') && info.fileName().endsWith(u'.' + chosen.suffix, Qt::CaseInsensitive));
    if (!isAlready && !info.completeBaseName().isEmpty())
        m_path->setText(stemOf(m_path->text()) + u'.' + chosen.suffix);
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
