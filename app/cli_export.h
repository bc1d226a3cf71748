// SPDX-License-Identifier: MIT
// Plans to files: data through core, pictures through the ui library.
#pragma once

#include "app/cli_request.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace arenascope::cli {

struct PictureExport {
    std::string_view suffix;
    std::string_view title;
};
std::span<const PictureExport> pictureExports();
/// What the suffix of an export must be, and what --export-as takes, for messages.
std::string exportSuffixes();
std::string exportIds();
/// Whether the suffix (in either case) is one of them.
bool isExportPath(const std::string& path);
/// `path` with {name} replaced by the model's file name without its last extension.
std::string expandExportPath(const std::string& path, const std::string& model);
/// Writes one export of a plan that was made as `request` says. Errors: BadOption, FileNotWritable, and those of
/// PlanExport::write.
Status exportPlan(const std::shared_ptr<const PlanOutcome>& outcome, const ExportTarget& target, const Request& request);
/// All exports of one model's plan; what fails is said. Returns an exit code.
int exportAll(const std::shared_ptr<const PlanOutcome>& outcome, const std::string& model, const Request& request);

/// A picture; makes the (screenless) QGuiApplication when it is called first. In a file of its own, the only one with Qt.
Status exportPicture(const std::shared_ptr<const PlanOutcome>& outcome, const std::string& path,
                     std::optional<Bytes> budget);

} // namespace arenascope::cli
