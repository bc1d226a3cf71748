// SPDX-License-Identifier: MIT
// MiniMalloc's CSV with the columns that planToCsv() adds.
#pragma once

#include <arenascope/problem.h>
#include <arenascope/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace arenascope::io {

/// What a row says beyond MiniMalloc's columns.
struct CsvRow {
    std::string name;                  ///< empty: not given
    std::vector<std::string> tensors;
    std::vector<Offset> tensorOffsets; ///< within the buffer, as many
    std::string region;                ///< empty: not given
};

struct CsvProblem {
    PlacementProblem problem; ///< offsets are fixedOffset
    std::vector<CsvRow> rows; ///< by BufferId
};

/// Of a file: each takes a few hundred bytes once it is read.
inline constexpr std::size_t kMostBuffers = std::size_t(1) << 20;

/// That there are more.
Error tooManyBuffers(const std::string& where);

/// Errors: those of problemFromCsv().
Result<CsvProblem> readCsvProblem(std::string_view text, const std::string& where);

} // namespace arenascope::io
