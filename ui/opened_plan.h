// SPDX-License-Identifier: MIT
// Files that are opened: a model, or a plan, laid over its model where that is known.
#pragma once

#include "ui/job_runner.h"

#include <arenascope/importer.h>
#include <arenascope/study.h>

#include <QString>

#include <filesystem>
#include <memory>

namespace arenascope::ui {

/// The plan of a file, as an entry beside the strategies.
inline constexpr std::string_view kOpenedStrategy = "opened";

struct OpenedPlan {
    QString format;                                ///< "Vela allocation table"
    std::shared_ptr<const Study> study;            ///< what it is a plan of
    std::shared_ptr<const PlanOutcome> outcome;    ///< null: a problem that nobody has solved yet
    bool isBare = false;                           ///< without a model: nothing but the buffers is known
    bool isFromModel = false;                      ///< the model file brings it along: one more choice, not what is shown first
};

struct OpenedFile {
    std::shared_ptr<const Graph> graph;
    Diagnostics diagnostics;
    ImportOptions options;                  ///< that the model was read with
    std::shared_ptr<const OpenedPlan> plan; ///< null for a model that brings none along
};

/// Reads a file. A plan by others goes over `shown`, the model that is open (with `options`), where it fits that, else it stands
/// alone; one of Arenascope's own goes over its model where that is found. Called on a worker. Errors: those of importModel()
/// and importPlan().
Result<OpenedFile> openFile(const std::filesystem::path& path, const ImportOptions& options, std::shared_ptr<const Graph> shown,
                            const JobContext& context);

} // namespace arenascope::ui
