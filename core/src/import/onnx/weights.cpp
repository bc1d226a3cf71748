// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/weights.h"

#include "core/src/import/onnx/inference.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace arenascope::onnx_import {

namespace {

std::optional<std::int64_t> number(const std::string& text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
        return std::nullopt;
    return value;
}

/// Whether a relative path stays below the folder that it starts from, read as text: links are the user's own.
bool staysInside(const std::filesystem::path& relative)
{
    if (relative.is_absolute() || relative.has_root_path())
        return false;
    const auto normal = relative.lexically_normal();
    return !normal.empty() && *normal.begin() != "..";
}

/// Short content of 4-bit elements, which inference has no use for; int32_data has two elements in each number.
std::optional<TensorSource> halfBytes(const onnx::TensorProto& tensor)
{
    if (bitsPerElement(elementTypeFromOnnx(tensor.data_type())) != 4)
        return std::nullopt;
    TensorSource source;
    for (const char byte : tensor.raw_data())
        source.inlineBytes.push_back(static_cast<std::byte>(byte));
    if (!tensor.has_raw_data()) {
        for (const std::int32_t pair : tensor.int32_data())
            source.inlineBytes.push_back(static_cast<std::byte>(pair));
    }
    source.length = std::ssize(source.inlineBytes);
    return source;
}

} // namespace

WeightLocator::WeightLocator(std::filesystem::path modelPath, const SlimModel& model, Findings& findings)
    : m_path(std::move(modelPath)), m_model(model), m_findings(findings)
{
}

std::optional<TensorSource> WeightLocator::locate(const onnx::TensorProto& tensor, const std::string& name)
{
    if (const SkippedData* data = skippedData(m_model, tensor))
        return TensorSource{m_path.string(), data->offset, data->length, {}, data->encoding};
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
        return external(tensor, name);
    if (const auto bytes = tensorBytes(tensor))
        return TensorSource{{}, 0, std::ssize(*bytes), *bytes};
    return halfBytes(tensor);
}

std::optional<TensorSource> WeightLocator::external(const onnx::TensorProto& tensor, const std::string& name)
{
    TensorSource source;
    std::string location;
    bool isValid = true;
    for (const auto& entry : tensor.external_data()) {
        if (entry.key() == "location")
            location = entry.value();
        const bool isOffset = entry.key() == "offset";
        if (!isOffset && entry.key() != "length")
            continue;
        const auto value = number(entry.value());
        isValid &= value.has_value();
        (isOffset ? source.offset : source.length) = value.value_or(0);
    }
    const std::string where = "weight '" + name + "'";
    if (!staysInside(location)) {
        m_findings.add(Severity::Warning, Error{ErrorCode::UnsafePath, where, {name, location}});
        return std::nullopt;
    }
    const std::filesystem::path file = m_path.parent_path() / location;
    source.file = file.string();
    const std::int64_t size = sizeOf(file);
    if (!isValid || size < source.offset || size - source.offset < source.length) {
        m_findings.add(Severity::Warning, Error{ErrorCode::MissingData, where, {name, location}});
        return std::nullopt;
    }
    if (source.length == 0)
        source.length = size - source.offset; // no length means: to the end
    return source;
}

std::int64_t WeightLocator::sizeOf(const std::filesystem::path& file)
{
    const auto [it, isNew] = m_sizes.try_emplace(file, -1);
    if (isNew) {
        std::error_code error;
        const auto size = std::filesystem::is_regular_file(file, error) ? std::filesystem::file_size(file, error) : 0;
        it->second = error || !std::filesystem::is_regular_file(file, error) ? -1 : static_cast<std::int64_t>(size);
    }
    return it->second;
}

} // namespace arenascope::onnx_import
