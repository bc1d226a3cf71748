// SPDX-License-Identifier: MIT
// An ONNX file without the content of its weights.
#pragma once

#include "core/src/import/byte_source.h"

#include <arenascope/graph.h>
#include <arenascope/progress.h>
#include <arenascope/result.h>

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace arenascope::onnx_import {

/// Content of a tensor that was left in the file.
struct SkippedData {
    std::int64_t offset = 0; ///< from the start of the file; OnnxMessage: of the whole tensor's message
    std::int64_t length = 0;
    TensorEncoding encoding = TensorEncoding::Elements;
};

struct SlimModel {
    onnx::ModelProto proto; ///< without documentation strings, training data and what is listed in `skipped`
    std::vector<SkippedData> skipped;
    std::string hash;       ///< 16 hex digits: of the whole file where it is small, otherwise of all but skipped content
};

/// Content of a tensor beyond this many bytes stays in the file. What inference needs (shapes, axes, scales) is far shorter.
inline constexpr std::int64_t kMaxKeptContent = 4096;

/// Walks the file once, front to back, and reads nothing of the content that it skips.
/// A tensor whose content was skipped has data_location EXTERNAL and an entry kSkippedKey (see skippedData()).
/// Errors (`where` is the place in the file, without its path): FileTruncated, FileCorrupt, TooLarge (structure that
/// would take more than about half a gigabyte, messages nested more than 100 deep), FileUnreadable, Cancelled.
Result<SlimModel> readSlimModel(ByteSource& file, std::stop_token stop, const ProgressFn& progress);

/// The record of a tensor's skipped content; null where it was kept or lies in another file.
const SkippedData* skippedData(const SlimModel& model, const onnx::TensorProto& tensor);

} // namespace arenascope::onnx_import
