// SPDX-License-Identifier: MIT
#include "ui/panels/start_page.h"

#include "ui/job_runner.h"
#include "ui/panels/busy_strip.h"
#include "ui/text.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

namespace arenascope::ui {

namespace {

constexpr QSize kPictureSize(206, 168);
constexpr int kPictureJob = 0;

} // namespace

StartPage::StartPage(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_jobs(new JobRunner(this))
    , m_theme(Theme::light())
    , m_drop(new QLabel(tr("Drop a model here"), this))
    , m_hint(new QLabel(tr("or open one of the samples"), this))
    , m_grid(new QGridLayout)
    , m_files(sampleFiles())
{
    setObjectName(QStringLiteral("startPage"));
    QFont large = font();
    large.setPixelSize(24);
    m_drop->setFont(large);
    m_drop->setAlignment(Qt::AlignCenter);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setVisible(!m_files.isEmpty());
    auto* open = new QPushButton(tr("Open a file \u2026"), this);
    open->setObjectName(QStringLiteral("startOpen"));
    connect(open, &QPushButton::clicked, this, &StartPage::browseRequested);

    for (const QString& path : m_files) {
        auto* button = new QToolButton(this);
        button->setObjectName(QStringLiteral("sample:") + QFileInfo(path).completeBaseName());
        button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        button->setIconSize(kPictureSize);
        button->setText(QFileInfo(path).fileName());
        button->setToolTip(path);
        button->setAutoRaise(true);
        connect(button, &QToolButton::clicked, this, [this, path] { emit openRequested(path); });
        m_buttons.push_back(button);
    }
    m_grid->setSpacing(14);
    auto* content = new QVBoxLayout;
    content->setContentsMargins(24, 24, 24, 24);
    content->setSpacing(10);
    content->addStretch(1);
    content->addWidget(m_drop);
    content->addWidget(open, 0, Qt::AlignCenter);
    content->addSpacing(10);
    content->addWidget(m_hint);
    content->addLayout(m_grid);
    content->addStretch(2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(new BusyStrip(document, { Stage::Import }, this));
    layout->addLayout(content, 1);
    arrange();
}

bool StartPage::isSettled() const
{
    return !isVisible() || m_files.isEmpty() || (m_hasPictures && !m_jobs->isBusy(kPictureJob));
}

void StartPage::arrange()
{
    const int across = std::max(1, (width() - 48) / (kPictureSize.width() + 28));
    const int columns = std::min(across, static_cast<int>(m_buttons.size()));
    for (QToolButton* button : m_buttons)
        m_grid->removeWidget(button);
    for (int column = 0; column < m_grid->columnCount(); ++column)
        m_grid->setColumnStretch(column, 0);
    for (std::size_t i = 0; i < m_buttons.size(); ++i) {
        const int index = static_cast<int>(i);
        m_grid->addWidget(m_buttons[i], index / std::max(1, columns), 1 + index % std::max(1, columns));
    }
    m_grid->setColumnStretch(0, 1);
    m_grid->setColumnStretch(columns + 1, 1);
}

void StartPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void StartPage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (!m_hasPictures)
        makePictures();
}

void StartPage::setTheme(const Theme& theme)
{
    m_theme = theme;
    QPalette muted = palette();
    muted.setColor(QPalette::WindowText, theme.mutedText);
    m_hint->setPalette(muted);
    m_hasPictures = false;
    if (isVisible())
        makePictures();
}

void StartPage::makePictures()
{
    m_hasPictures = true;
    m_jobs->start(
        kPictureJob,
        [this, files = m_files, ratio = devicePixelRatioF(), theme = m_theme](const JobContext& context) {
            for (qsizetype i = 0; i < files.size() && !context.stop.stop_requested(); ++i) {
                const auto picture = std::make_shared<SamplePicture>(makeSamplePicture(files[i], kPictureSize, ratio, theme, context.stop));
                context.post([this, i, picture] { show(static_cast<int>(i), *picture); });
            }
            return true;
        },
        [](bool) {});
}

void StartPage::show(int index, const SamplePicture& picture)
{
    QToolButton* button = m_buttons[static_cast<std::size_t>(index)];
    if (!picture.image.isNull())
        button->setIcon(QIcon(QPixmap::fromImage(picture.image)));
    button->setText(QFileInfo(picture.path).fileName() + u'\n' + picture.summary);
}

} // namespace arenascope::ui
