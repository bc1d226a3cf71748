// SPDX-License-Identifier: MIT
// The open model and everything worked out from it. The only place that starts work.
#pragma once

#include "ui/alternatives.h"
#include "ui/network_run.h"
#include "ui/opened_plan.h"

#include <arenascope/importer.h>
#include <arenascope/layout.h>
#include <arenascope/report.h>
#include <arenascope/study.h>

#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace arenascope::ui {

class JobRunner;
class LiveSearch;
struct Matches;
class Selection;

/// Stages of work; each has one job at a time.
enum class Stage { Import, Study, Plan, Ladder, Layout, Run };

/// The box that a node takes in the drawing, in layout units. Called on a worker.
using NodeSizer = std::function<Size(const Graph&, const LayoutNode&)>;

/// Whether a strategy searches: then it may take long, and has a time budget.
bool isSearchStrategy(const QString& id);
/// How long a strategy searches when the user does not say; nothing where it counts its work instead.
std::optional<double> defaultSearchSeconds(const QString& id);

/// Holds snapshots (shared, const, never null after their stage has succeeded once for this model) and takes commands.
/// Every command returns at once; results arrive through the signals, in the GUI thread.
/// A stage that fails leaves what is there: a file that does not open leaves the model before it open, a strategy that
/// fails leaves the last plan. outcome()->study is what the plan belongs to; study() may already be a newer one.
class Document : public QObject {
    Q_OBJECT
public:
    explicit Document(QObject* parent = nullptr);
    ~Document() override;

    Selection* selection() const { return m_selection; }

    QString path() const { return m_path; }
    std::shared_ptr<const Graph> graph() const { return m_graph; }
    const Diagnostics& diagnostics() const { return m_diagnostics; }
    std::shared_ptr<const Study> study() const { return m_study; }
    std::shared_ptr<const PlanOutcome> outcome() const { return m_outcome; }
    std::shared_ptr<const Trace> trace() const { return m_trace; }
    std::shared_ptr<const DrawnGraph> drawnGraph() const { return m_drawn; }
    std::shared_ptr<const GraphLayout> layout() const { return m_layout; } ///< may grow piece by piece while its stage is busy
    const std::vector<LadderRung>& ladder() const { return m_ladder; }
    /// The plan that a file brought; null for models. While strategy() is kOpenedStrategy it is what outcome() shows.
    std::shared_ptr<const OpenedPlan> openedPlan() const { return m_opened; }
    /// Only buffers are known, no network: options of the study change nothing, and nothing can be run.
    bool isBare() const { return m_opened && m_opened->isBare; }
    /// What selection()->filter() finds in graph(). Never null; of the filter before while a large network is searched.
    std::shared_ptr<const Matches> matches() const { return m_matches; }

    const StudyOptions& studyOptions() const { return m_studyOptions; }
    const ImportOptions& importOptions() const { return m_importOptions; }
    QString strategy() const { return m_strategy; }
    std::optional<Bytes> budget() const { return m_budget; }
    std::optional<double> searchSeconds() const { return m_searchSeconds; } ///< nothing: defaultSearchSeconds()
    /// A search has been running for a while: outcome() is its best plan so far, and changes at most ten times a second.
    bool isSearching() const { return m_isSearching; }
    /// What else could be chosen for study(), and its lower bounds; empty until wantAlternatives() has been answered.
    const std::vector<Alternative>& alternatives() const { return m_alternatives; }
    bool isFindingAlternatives() const;
    /// What running outcome() gave; null until then, and when another plan is shown.
    std::shared_ptr<const RunRecord> run() const { return m_run; }
    bool isBusy(Stage stage) const;
    bool isBusy() const; ///< any stage
    /// The file that is being read, while it is; path() is that of the model shown.
    QString pendingPath() const { return m_pendingPath; }

    /// Before anything is opened; without one, boxes are measured from the length of their words.
    void setNodeSizer(NodeSizer sizer) { m_nodeSizer = std::move(sizer); }
    JobRunner* jobs() const { return m_jobs; }

public slots:
    /// A model, or a plan in any format that can be read: then its own strategy is kOpenedStrategy.
    void open(const QString& path);
    /// A network without a file, as tests and generators make them.
    void setGraph(std::shared_ptr<const arenascope::Graph> graph, const QString& name);
    void close();
    void setStrategy(const QString& id);
    void setStudyOptions(const arenascope::StudyOptions& options);
    /// Reads the file again; the options are taken over when that succeeds.
    void setImportOptions(const arenascope::ImportOptions& options);
    void setLayoutOptions(const arenascope::LayoutOptions& options);
    void setBudget(std::optional<arenascope::Bytes> budget); ///< a line to hold the plan against; plans nothing
    void setSearchSeconds(std::optional<double> seconds); ///< plans again, unless the shown plan is proven
    /// A search that is stopped gives its best plan, marked as interrupted.
    void cancel(arenascope::ui::Stage stage);
    /// Works alternatives() out, unless that is done or under way.
    void wantAlternatives();
    /// Runs the network in the arena of outcome(), in a process of its own. What goes wrong is in run().
    void startRun(const arenascope::ui::RunSettings& settings);

signals:
    void pathChanged(const QString& path);
    void graphChanged();    ///< also when it becomes null
    void studyChanged();
    void outcomeChanged();  ///< plan, proof and trace
    void layoutChanged();
    void ladderChanged();   ///< one more rung, or none
    void optionsChanged();  ///< strategy, study, import or layout options
    void budgetChanged(std::optional<arenascope::Bytes> budget);
    void matchesChanged();
    void searchingChanged(bool isSearching);
    void alternativesChanged();
    void runChanged();
    void busyChanged(arenascope::ui::Stage stage, bool busy);
    void progressChanged(arenascope::ui::Stage stage, double fraction, const QString& text); ///< at most 20 a second
    void failed(arenascope::ui::Stage stage, const arenascope::Error& error);

private:
    struct Laid;
    struct Planned;

    void startImport(const QString& path, const ImportOptions& options);
    void adopt(OpenedFile file, const QString& path);
    void takeOptionsOf(const OpenedFile& file);
    void leaveOpenedPlan();
    void startStudy();
    void startPlan();
    void showIncumbent();
    void takePlan(Planned planned);
    void endSearch();
    void dropAlternatives();
    void dropRun();
    void startLadder();
    void startLayout();
    void startFind();
    void takeMatches(std::shared_ptr<const Matches> matches);
    void takeStudy(Result<std::shared_ptr<const Study>> result);
    void fail(Stage stage, const Error& error);
    template <class T> void replace(std::shared_ptr<const T>& held, std::shared_ptr<const T> fresh);

    JobRunner* m_jobs = nullptr;
    Selection* m_selection = nullptr;
    std::shared_ptr<const Matches> m_matches;
    QString m_path;
    QString m_pendingPath;
    NodeSizer m_nodeSizer;
    std::optional<Bytes> m_budget;
    std::vector<std::shared_ptr<const void>> m_discarded; ///< let go of on a worker once the views have
    std::shared_ptr<const Graph> m_graph;
    Diagnostics m_diagnostics;
    std::shared_ptr<const Study> m_study;
    std::shared_ptr<const PlanOutcome> m_outcome;
    std::shared_ptr<const Trace> m_trace;
    std::shared_ptr<const DrawnGraph> m_drawn;
    std::shared_ptr<const GraphLayout> m_layout;
    std::vector<LadderRung> m_ladder;
    std::shared_ptr<const OpenedPlan> m_opened;
    std::optional<std::pair<StudyOptions, QString>> m_usual; ///< options and strategy from before a plan was opened
    StudyOptions m_studyOptions;
    ImportOptions m_importOptions;
    LayoutOptions m_layoutOptions;
    QString m_strategy;
    std::optional<double> m_searchSeconds;
    std::shared_ptr<LiveSearch> m_search; ///< while a search runs
    std::shared_ptr<const Study> m_searched; ///< its study
    QTimer m_incumbents;                  ///< looks for a better plan
    bool m_isSearching = false;
    std::vector<Alternative> m_alternatives;
    bool m_hasAlternatives = false;
    std::shared_ptr<const RunRecord> m_run;
};

} // namespace arenascope::ui
