// SPDX-License-Identifier: MIT
#include "ui/document.h"

#include "ui/buffer_colours.h"
#include "ui/job_runner.h"
#include "ui/matches.h"
#include "ui/selection.h"
#include "ui/text.h"

#include <arenascope/plan_import.h>

#include <QFileInfo>
#include <QMetaObject>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <tuple>
#include <utility>

namespace arenascope::ui {

namespace {

using Clock = std::chrono::steady_clock;

// Longer between two copies of a growing layout than the copies take.
constexpr std::chrono::milliseconds kPieceInterval(150);

// A kind of job beyond the stages.
constexpr int kFindJob = 200;

int kindOf(Stage stage)
{
    return static_cast<int>(stage);
}

std::filesystem::path toPath(const QString& path)
{
    return std::filesystem::path(path.toStdU16String());
}

// Where no font is at hand: about seven units a letter, two lines of words.
Size sizeByLength(const Graph& graph, const LayoutNode& node)
{
    std::size_t letters = 0;
    if (node.kind == LayoutNode::Kind::Operator)
        letters = std::max(graph.op(node.op).kind.size(), std::min<std::size_t>(graph.op(node.op).name.size(), 24));
    else
        letters = std::min<std::size_t>(graph.tensor(node.tensor).name.size(), 24);
    return { std::max(72.0, 16.0 + 7.0 * static_cast<double>(letters)), 44.0 };
}

bool isCancelled(const Error& error)
{
    return error.code == ErrorCode::Cancelled;
}

} // namespace

struct Document::Laid {
    std::shared_ptr<const DrawnGraph> drawn;
    Result<GraphLayout> layout;
};

Document::Document(QObject* parent)
    : QObject(parent)
    , m_jobs(new JobRunner(this))
    , m_selection(new Selection(this))
    , m_matches(findMatches(nullptr, {}))
    , m_strategy(QString::fromUtf8(kDefaultStrategy.data(), static_cast<qsizetype>(kDefaultStrategy.size())))
{
    connect(&m_incumbents, &QTimer::timeout, this, &Document::showIncumbent);
    connect(m_selection, &Selection::filterChanged, this, &Document::startFind);
    connect(m_jobs, &JobRunner::busyChanged, this,
        [this](int kind, bool busy) { emit busyChanged(static_cast<Stage>(kind), busy); });
    connect(m_jobs, &JobRunner::progressChanged, this,
        [this](int kind, double fraction, const QString& text) { emit progressChanged(static_cast<Stage>(kind), fraction, text); });
}

Document::~Document()
{
    // Jobs end before the snapshots that their results would replace.
    delete m_jobs;
}

bool Document::isBusy(Stage stage) const
{
    return m_jobs->isBusy(kindOf(stage));
}

bool Document::isBusy() const
{
    return isBusy(Stage::Import) || isBusy(Stage::Study) || isBusy(Stage::Plan) || isBusy(Stage::Ladder)
        || isBusy(Stage::Layout) || isBusy(Stage::Run) || m_jobs->isBusy(kFindJob) || isFindingAlternatives();
}

template <class T>
void Document::replace(std::shared_ptr<const T>& held, std::shared_ptr<const T> fresh)
{
    // The views let go of the old one while they hear of the new one; the last hold is ours and goes to a worker.
    // Queued behind the signal that follows this call.
    std::shared_ptr<const void> old = std::exchange(held, std::move(fresh));
    if (!old)
        return;
    m_discarded.push_back(std::move(old));
    if (m_discarded.size() > 1)
        return;
    QMetaObject::invokeMethod(
        this,
        [this] {
            for (auto& snapshot : std::exchange(m_discarded, {}))
                m_jobs->dispose(std::move(snapshot));
        },
        Qt::QueuedConnection);
}

void Document::fail(Stage stage, const Error& error)
{
    if (!isCancelled(error))
        emit failed(stage, error);
}

// ---- Import

void Document::open(const QString& path)
{
    // Shapes and dimensions are given for one file; another one starts from what it says itself.
    const QString absolute = QFileInfo(path).absoluteFilePath();
    startImport(absolute, absolute == m_path ? m_importOptions : ImportOptions {});
}

void Document::startImport(const QString& path, const ImportOptions& options)
{
    m_pendingPath = path;
    m_jobs->start(
        kindOf(Stage::Import),
        [path = toPath(path), options, shown = m_graph, shownOptions = m_importOptions](const JobContext& context) {
            // A plan that fits the model that is open is laid over it as it was read.
            return openFile(path, planImporterFor(path) ? shownOptions : options, shown, context);
        },
        [this, path](Result<OpenedFile> result) {
            m_pendingPath.clear();
            if (!result) {
                fail(Stage::Import, result.error());
                return;
            }
            m_importOptions = result->options;
            adopt(*std::move(result), path);
            emit optionsChanged();
        });
}

void Document::setGraph(std::shared_ptr<const Graph> graph, const QString& name)
{
    m_jobs->drop(kindOf(Stage::Import));
    m_pendingPath.clear();
    adopt({ std::move(graph), {}, {}, nullptr }, name);
}

/// A plan from a file brings the options that it was made with; the user's own come back with the next model.
void Document::takeOptionsOf(const OpenedFile& file)
{
    const bool isPlan = file.plan && !file.plan->isFromModel;
    if (isPlan && !m_usual)
        m_usual = { m_studyOptions, m_strategy };
    if (!isPlan && m_usual) {
        std::tie(m_studyOptions, m_strategy) = *m_usual;
        m_usual.reset();
    }
    m_opened = file.plan;
    if (!isPlan)
        return;
    m_studyOptions = m_opened->study->options;
    m_strategy = m_opened->outcome ? toQString(kOpenedStrategy) : m_usual->second;
}

void Document::adopt(OpenedFile file, const QString& path)
{
    for (const Stage stage : { Stage::Study, Stage::Plan, Stage::Ladder, Stage::Layout })
        m_jobs->drop(kindOf(stage));
    endSearch();
    dropAlternatives();
    dropRun();
    const bool otherFile = path != m_path;
    m_path = path;
    m_diagnostics = std::move(file.diagnostics);
    const bool hasOtherOptions = (file.plan && !file.plan->isFromModel) || m_usual;
    takeOptionsOf(file);
    m_ladder.clear();
    m_selection->clear();
    ColourKeeper::of(this)->keep({}, {});
    replace(m_outcome, {});
    replace(m_trace, {});
    replace(m_study, {});
    replace(m_layout, {});
    replace(m_drawn, {});
    replace(m_graph, std::move(file.graph));
    if (otherFile) {
        m_selection->setPlayhead(0);
        emit pathChanged(m_path);
    }
    emit graphChanged();
    if (hasOtherOptions)
        emit optionsChanged();
    startFind();
    emit studyChanged();
    emit outcomeChanged();
    emit layoutChanged();
    emit ladderChanged();
    if (!m_graph) {
        m_selection->setStepCount(0);
        return;
    }
    startStudy();
    startLayout();
}

void Document::close()
{
    m_jobs->drop(kindOf(Stage::Import));
    m_pendingPath.clear();
    m_importOptions = {};
    adopt({}, {});
}

// ---- Study, plan, ladder

void Document::startStudy()
{
    if (m_opened && m_studyOptions == m_opened->study->options) {
        m_jobs->drop(kindOf(Stage::Study));
        takeStudy(m_opened->study);
        return;
    }
    m_jobs->start(
        kindOf(Stage::Study),
        [graph = m_graph, options = m_studyOptions](const JobContext& context) {
            return makeStudy(graph, options, context.stop, context.progress);
        },
        [this](Result<std::shared_ptr<const Study>> result) { takeStudy(std::move(result)); });
}

void Document::takeStudy(Result<std::shared_ptr<const Study>> result)
{
    if (!result) {
        fail(Stage::Study, result.error());
        return;
    }
    replace(m_study, std::move(*result));
    dropAlternatives();
    m_selection->setStepCount(m_study->schedule.stepCount());
    emit studyChanged();
    startPlan();
    startLadder();
}

void Document::startLadder()
{
    // The old rungs stay until the first new one, so that the table does not flicker.
    auto fresh = std::make_shared<bool>(true);
    m_jobs->start(
        kindOf(Stage::Ladder),
        [this, study = m_study, fresh, seconds = m_searchSeconds, opened = m_opened](const JobContext& context) {
            PlannerOptions options;
            options.timeBudgetSeconds = seconds;
            const bool isBare = opened && opened->isBare;
            const auto isAboutBranches = [isBare](const LadderRung& rung) {
                return isBare && rung.error && rung.error->code == ErrorCode::StrategyNeedsBranches;
            };
            const auto rungDone = [&](const LadderRung& rung) {
                if (isAboutBranches(rung))
                    return;
                context.post([this, fresh, rung] {
                    if (std::exchange(*fresh, false))
                        m_ladder.clear();
                    m_ladder.push_back(rung);
                    emit ladderChanged();
                });
            };
            std::vector<LadderRung> rungs;
            if (opened && opened->outcome) {
                rungs.push_back({ kOpenedStrategy, opened->outcome, std::nullopt });
                rungDone(rungs.front());
            }
            std::vector<LadderRung> climbed = climbLadder(study, options, context.stop, rungDone);
            std::erase_if(climbed, isAboutBranches);
            rungs.insert(rungs.end(), std::make_move_iterator(climbed.begin()), std::make_move_iterator(climbed.end()));
            return rungs;
        },
        [this](std::vector<LadderRung> rungs) {
            m_ladder = std::move(rungs);
            emit ladderChanged();
        });
}

// ---- Layout

void Document::startLayout()
{
    const NodeSizer sizer = m_nodeSizer ? m_nodeSizer : NodeSizer(sizeByLength);
    m_jobs->start(
        kindOf(Stage::Layout),
        [this, graph = m_graph, options = m_layoutOptions, sizer](const JobContext& context) -> Laid {
            // Drawn in file order whatever order is planned: the picture keeps its place while options change.
            const auto schedule = makeSchedule(*graph, ScheduleKind::File, context.stop);
            if (!schedule)
                return { {}, schedule.error() };
            const auto drawn = std::make_shared<const DrawnGraph>(
                arenascope::drawnGraph(*graph, *schedule, [&](const LayoutNode& node) { return sizer(*graph, node); }));
            auto last = Clock::now();
            const auto pieceDone = [&](const GraphLayout& soFar, const LayoutPiece&) {
                if (Clock::now() - last < kPieceInterval)
                    return;
                last = Clock::now();
                context.post([this, drawn, copy = std::make_shared<const GraphLayout>(soFar)] {
                    replace(m_drawn, drawn);
                    replace(m_layout, copy);
                    emit layoutChanged();
                });
            };
            return { drawn, layOut(*drawn, options, context.stop, context.progress, pieceDone) };
        },
        [this](Laid laid) {
            if (!laid.layout) {
                fail(Stage::Layout, laid.layout.error());
                return;
            }
            replace(m_drawn, std::move(laid.drawn));
            replace(m_layout, std::make_shared<const GraphLayout>(std::move(*laid.layout)));
            emit layoutChanged();
        });
}

// ---- Find

void Document::startFind()
{
    constexpr std::size_t kMostAtOnce = 4000; // words to look at; a few milliseconds
    const QString text = m_selection->filter();
    if (text == m_matches->text && m_graph == m_matches->graph && !m_jobs->isBusy(kFindJob))
        return;
    const bool isLarge = m_graph && m_graph->operators().size() + m_graph->tensors().size() > kMostAtOnce;
    if (!isLarge || text.trimmed().isEmpty()) {
        m_jobs->drop(kFindJob);
        takeMatches(findMatches(m_graph, text));
        return;
    }
    m_jobs->start(
        kFindJob, [graph = m_graph, text](const JobContext& context) { return findMatches(graph, text, context.stop); },
        [this](std::shared_ptr<const Matches> matches) { takeMatches(std::move(matches)); });
}

void Document::takeMatches(std::shared_ptr<const Matches> matches)
{
    m_matches = std::move(matches);
    emit matchesChanged();
}

// ---- Options

void Document::setStrategy(const QString& id)
{
    if (id == m_strategy)
        return;
    const bool isOpened = id == toQString(kOpenedStrategy) && m_opened;
    StudyOptions options = m_studyOptions;
    if (isOpened) {
        if (!m_usual)
            m_usual = { m_studyOptions, m_strategy };
        options = m_opened->study->options; // the plan belongs to these
    } else if (m_strategy == toQString(kOpenedStrategy) && m_opened && m_opened->isFromModel && m_usual) {
        options = m_usual->first;
        m_usual.reset();
    }
    m_strategy = id;
    const bool needsOtherStudy = !(options == m_studyOptions) || (isOpened && m_study != m_opened->study);
    m_studyOptions = options;
    emit optionsChanged();
    if (needsOtherStudy)
        startStudy();
    else if (m_study)
        startPlan();
}

/// With other options the plan of the file is no plan of the study any more. Of a model that brought it along, what is chosen
/// from here on is the user's own again.
void Document::leaveOpenedPlan()
{
    if (m_strategy != toQString(kOpenedStrategy) || !m_usual)
        return;
    m_strategy = m_usual->second;
    if (m_opened && m_opened->isFromModel)
        m_usual.reset();
}

void Document::setStudyOptions(const StudyOptions& options)
{
    if (options == m_studyOptions)
        return;
    if (isBare()) {
        emit optionsChanged(); // the controls show again what is
        return;
    }
    m_studyOptions = options;
    leaveOpenedPlan();
    emit optionsChanged();
    if (m_graph)
        startStudy();
}

void Document::setImportOptions(const ImportOptions& options)
{
    if (!m_path.isEmpty())
        startImport(m_path, options);
}

void Document::setLayoutOptions(const LayoutOptions& options)
{
    m_layoutOptions = options;
    emit optionsChanged();
    if (m_graph)
        startLayout();
}

void Document::setBudget(std::optional<Bytes> budget)
{
    if (budget == m_budget)
        return;
    m_budget = budget;
    emit budgetChanged(m_budget);
}

void Document::cancel(Stage stage)
{
    m_jobs->cancel(kindOf(stage));
}

} // namespace arenascope::ui

#include "moc_document.cpp"
