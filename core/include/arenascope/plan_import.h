// SPDX-License-Identifier: MIT
// Plans that others have made: what a file says, laid over a model where there is one, and made visible where there is none.
#pragma once

#include <arenascope/bare_study.h>
#include <arenascope/plan_io.h>
#include <arenascope/progress.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope {

/// What a plan file of any format says.
struct ForeignPlan {
    std::string_view format;  ///< id of the format
    std::string source;       ///< file name, for messages
    PlanDocument document;    ///< model and options only where `isOwn`; tensorNames has at least one name a buffer
    bool isOwn = false;       ///< Arenascope's own JSON: attachPlan() holds it against its model exactly
    bool hasOffsets = true;   ///< false: a problem that nobody has solved yet; document.plan is empty
    std::optional<Bytes> alignment; ///< of all offsets and sizes, where the file says it
    Diagnostics diagnostics;  ///< what could not be used
};

/// One format that plans are read from.
struct PlanImporter {
    std::string_view id;      ///< "vela"
    std::string_view title;   ///< "Vela allocation table"
    std::string_view suffix;  ///< that such files usually have, ".vela.txt"
    /// How sure it is, from the first bytes (at most 4 KiB) and the name: 0 no .. 100 certain.
    int (*probe)(std::string_view head, const std::filesystem::path& path) = nullptr;
    Result<ForeignPlan> (*read)(const std::filesystem::path& path) = nullptr;
};
std::span<const PlanImporter> planImporters();
/// The format of a file, or null: for files that are no plan, or cannot be read.
const PlanImporter* planImporterFor(const std::filesystem::path& path);

/// Errors: FormatUnknown, and those of reading: FileNotFound, FileUnreadable, TooLarge (256 MiB, 2^20 buffers), FileCorrupt naming line and
/// column, DuplicateName, SizeOverflow.
Result<ForeignPlan> importPlan(const std::filesystem::path& path);

/// Where the model of an own plan lies: where the plan says, seen from the plan's folder and from here, or beside the plan; empty
/// where it is in none of these places. A wrong one does no harm: attachPlan() compares its hash and tensors.
std::filesystem::path modelOfPlan(const PlanDocument& document, const std::filesystem::path& plan);

/// From texts, as importPlan() reads them from files.
Result<ForeignPlan> planFromCsv(std::string_view text, const std::string& where);
/// A table a memory: closed times, hexadecimal addresses. Rows of one memory with the same times, addresses and size (above 0)
/// are tensors of one buffer, as Vela means them.
Result<ForeignPlan> planFromVela(std::string_view text, const std::string& where);
/// XLA's dump pair, joined on the names. Allocations are laid one after the other into one arena. Values with the same place
/// in one allocation that live at the same time are one buffer: XLA shares it on purpose.
Result<ForeignPlan> planFromXla(std::string_view assignment, std::string_view liveRanges, const std::string& where);

struct AttachedPlan {
    std::shared_ptr<const PlanOutcome> outcome;
    Diagnostics diagnostics; ///< what is in the plan and not in the model, or the other way round, or lives otherwise
};

/// Lays a plan over a model. Own JSON: attachPlan(). Others say nothing of the options that they were made with: those under
/// which the model has the buffers that the plan has are looked for, by name, live range and size; where no options fit in
/// all, those that fit best are taken, and what does not fit is told. Where names say nothing, a live range and size that only
/// one buffer has do. A buffer that the plan does not place is a clash (ClashKind::Missing).
/// Errors: PlanMismatch (nothing fits, or it is a problem without offsets), those of makeStudy(), Cancelled.
Result<AttachedPlan> attachForeignPlan(const ForeignPlan& plan, std::shared_ptr<const Graph> graph, std::stop_token stop = {});

/// A plan without its model: each step an operator, each buffer a tensor (see bare_study.h). A problem without offsets is
/// planned with the default strategy.
Result<std::shared_ptr<const PlanOutcome>> planAlone(const ForeignPlan& plan, const PlannerOptions& options = {},
                                                     std::stop_token stop = {}, const ProgressFn& progress = {});

/// What `auto` reaches for the same buffers, each in the memory that the plan has it in.
Result<Plan> bestPlanFor(const PlanOutcome& outcome, const PlannerOptions& options = {}, std::stop_token stop = {},
                         const ProgressFn& progress = {});

} // namespace arenascope
