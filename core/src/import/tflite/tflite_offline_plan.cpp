// SPDX-License-Identifier: MIT
#include "core/src/import/tflite/tflite_offline_plan.h"

#include <algorithm>

namespace arenascope::tflite_import {

namespace {

std::int32_t integerAt(std::span<const std::byte> bytes, std::size_t index)
{
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i)
        bits |= std::to_integer<std::uint32_t>(bytes[4 * index + i]) << (8 * i);
    return static_cast<std::int32_t>(bits);
}

/// Why the list cannot be used; empty: it can.
std::string whatIsWrong(std::span<const std::byte> list, std::size_t tensors)
{
    if (list.size() < 12)
        return "it has " + std::to_string(list.size()) + " bytes";
    if (integerAt(list, 0) != 0)
        return "it is of version " + std::to_string(integerAt(list, 0));
    const std::int32_t count = integerAt(list, 2);
    if (count < 0 || static_cast<std::size_t>(count) != tensors)
        return "it is for " + std::to_string(count) + " tensors, and there are " + std::to_string(tensors);
    if ((list.size() - 12) / 4 < tensors)
        return "it ends after " + std::to_string((list.size() - 12) / 4) + " tensors of " + std::to_string(tensors);
    for (std::size_t i = 0; i < tensors; ++i) {
        if (integerAt(list, 3 + i) < kPlannedByRuntime)
            return "the offset of tensor " + std::to_string(i) + " is " + std::to_string(integerAt(list, 3 + i));
    }
    return {};
}

} // namespace

std::optional<std::vector<std::int32_t>> offlinePlanOf(const TfliteFile& file, Diagnostics& diagnostics)
{
    const auto* metadata = file.model().metadata();
    const tflite_file::Metadata* found = nullptr;
    for (std::size_t i = 0; i < sizeOf(metadata); ++i) {
        const auto* entry = metadata->Get(static_cast<flatbuffers::uoffset_t>(i));
        if (entry->name() != nullptr && entry->name()->string_view() == kOfflinePlanName)
            found = entry;
    }
    if (found == nullptr)
        return std::nullopt;
    const FileRange range = file.contentOf(found->buffer());
    const auto list = file.bytes().subspan(static_cast<std::size_t>(range.offset), static_cast<std::size_t>(range.length));
    const std::size_t tensors = file.firstTensor(file.subgraphCount());
    const std::string wrong = whatIsWrong(list, tensors);
    if (!wrong.empty()) {
        diagnostics.push_back({Severity::Warning, {ErrorCode::InvalidPlan, "metadata 'OfflineMemoryAllocation'", {wrong}}});
        return std::nullopt;
    }
    std::vector<std::int32_t> offsets;
    for (std::size_t i = 0; i < tensors; ++i)
        offsets.push_back(integerAt(list, 3 + i));
    return offsets;
}

} // namespace arenascope::tflite_import
