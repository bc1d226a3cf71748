// SPDX-License-Identifier: MIT
// Plans to files: data through core, pictures through the ui library.
#pragma once

#include "app/cli_request.h"

#include <optional>
#include <string>

namespace arenascope::cli {

/// What the suffix of an export must be, for messages.
inline constexpr char kExportSuffixes[] = ".svg, .pdf, .png, .dot, .csv, .json";
/// Whether the suffix (in either case) is one of them.
bool isExportPath(const std::string& path);
/// `path` with {name} replaced by the model's file name without its last extension.
std::string expandExportPath(const std::string& path, const std::string& model);
/// Writes one export of a plan that was made as `request` says. Errors: BadOption, FileNotWritable, TooLarge.
Status exportPlan(const std::shared_ptr<const PlanOutcome>& outcome, const std::string& path, const Request& request);
/// All exports of one model's plan; what fails is said. Returns an exit code.
int exportAll(const std::shared_ptr<const PlanOutcome>& outcome, const std::string& model, const Request& request);

/// A picture; makes the (screenless) QGuiApplication when it is called first. In a file of its own, the only one with Qt.
Status exportPicture(const std::shared_ptr<const PlanOutcome>& outcome, const std::string& path,
                     std::optional<Bytes> budget);

} // namespace arenascope::cli
