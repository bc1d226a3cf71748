// SPDX-License-Identifier: MIT
#include "core/src/import/onnx/slim_model.h"

#include "core/src/import/fnv1a.h"
#include "core/src/import/onnx/slim_schema.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace arenascope::onnx_import {

namespace {

constexpr std::string_view kSkippedKey = "arenascope.skipped";
constexpr int kMaxDepth = 100;
constexpr std::int64_t kMaxBlob = 65536;
constexpr std::int64_t kSmallFile = std::int64_t{4} << 20;
constexpr std::size_t kLengthBytes = 5; // enough for 2^35 - 1, far above the memory limit
// Rough costs of what libprotobuf and the import make of a field, so that a small file of countless empty messages
// cannot take all memory.
constexpr std::int64_t kMemoryLimit = std::int64_t{512} << 20;
constexpr std::int64_t kMessageCost = 256;
constexpr std::int64_t kNodeCost = 512;
constexpr std::int64_t kTextCost = 64;
constexpr std::int64_t kNumberCost = 8;

/// How many bytes a UTF-8 sequence with this first byte has; 0: none begins so.
std::size_t sequenceLength(unsigned lead)
{
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2)
        return 0;
    if (lead < 0xE0)
        return 2;
    if (lead < 0xF0)
        return 3;
    return lead < 0xF5 ? 4 : 0;
}

/// Length of the UTF-8 sequence at the front of `text`, 0 where it is no valid one.
std::size_t utf8Length(std::span<const std::byte> text)
{
    const auto at = [&](std::size_t i) { return i < text.size() ? std::to_integer<unsigned>(text[i]) : 0U; };
    const unsigned lead = at(0);
    const std::size_t length = sequenceLength(lead);
    for (std::size_t i = 1; i < length; ++i) {
        if ((at(i) & 0xC0) != 0x80)
            return 0;
    }
    const bool isOverlong = (lead == 0xE0 && at(1) < 0xA0) || (lead == 0xF0 && at(1) < 0x90);
    const bool isSurrogate = lead == 0xED && at(1) >= 0xA0;
    const bool isBeyond = lead == 0xF4 && at(1) >= 0x90;
    return isOverlong || isSurrogate || isBeyond ? 0 : length;
}

/// Text as it is, with bytes that are no UTF-8 (and NUL, which ends strings elsewhere) written as \xNN.
void appendText(std::string& out, std::span<const std::byte> text)
{
    while (!text.empty()) {
        const std::size_t length = text[0] == std::byte{0} ? 0 : utf8Length(text);
        if (length == 0) {
            const auto value = std::to_integer<unsigned>(text[0]);
            out += "\\x";
            out += "0123456789abcdef"[value >> 4];
            out += "0123456789abcdef"[value & 15];
        } else {
            out.append(reinterpret_cast<const char*>(text.data()), length);
        }
        text = text.subspan(length == 0 ? 1 : length);
    }
}

bool isPlainAscii(std::span<const std::byte> text)
{
    for (const std::byte b : text) {
        if (b == std::byte{0} || (b & std::byte{0x80}) != std::byte{0})
            return false;
    }
    return true;
}

/// Copies a model message by message into `out`, leaving out what planning does not need.
class Slimmer {
public:
    Slimmer(ByteSource& file, std::stop_token stop, const ProgressFn& progress)
        : m_file(file), m_stop(std::move(stop)), m_progress(progress)
    {
    }

    Status run()
    {
        return message(MessageKind::Model, 0, m_file.size(), 0) ? Status(Ok{}) : Status(std::move(*m_error));
    }
    std::string& bytes() { return m_out; }
    std::vector<SkippedData>& skipped() { return m_skipped; }

private:
    /// What is known of a message's own fields; for tensors.
    struct TensorState {
        std::int64_t begin = 0; ///< of the message
        std::int64_t end = 0;
        std::uint64_t dataType = 0;
        std::int64_t kept = 0;  ///< bytes of content
        int parts = 0;          ///< fields of content, kept or not
        bool isCut = false;     ///< `skipped` was not kept
        WireField skipped{};
    };

    bool message(MessageKind kind, std::int64_t begin, std::int64_t end, int depth);
    bool field(const FieldRule& rule, const WireField& found, TensorState& tensor, int depth);
    bool nested(const FieldRule& rule, const WireField& found, int depth);
    bool name(const WireField& found);
    bool copy(const WireField& found);
    bool contentField(const WireField& found, TensorState& tensor);
    void finishTensor(const TensorState& tensor);
    bool spend(std::int64_t at, std::int64_t cost);
    bool fail(ErrorCode code, std::int64_t at, std::vector<std::string> args);
    bool failToRead(std::int64_t at) { return fail(m_file.failure()->code, at, m_file.failure()->args); }
    bool checkStop(std::int64_t at);

    ByteSource& m_file;
    std::stop_token m_stop;
    const ProgressFn& m_progress;
    std::string m_out;
    std::vector<SkippedData> m_skipped;
    /// The field that is being read in each message around the current place.
    struct Frame {
        const char* name = "";
        std::uint32_t index = 0;
        bool isListed = false; ///< one of several
    };
    std::vector<Frame> m_place;
    std::optional<Error> m_error;
    std::int64_t m_spent = 0;
    std::uint32_t m_ticks = 0;
};

bool Slimmer::fail(ErrorCode code, std::int64_t at, std::vector<std::string> args)
{
    std::string place;
    for (const Frame& frame : m_place) {
        place += place.empty() ? "" : ".";
        place += frame.name;
        if (frame.isListed)
            place += '[' + std::to_string(frame.index) + ']';
    }
    const std::string where = (place.empty() ? std::string("model") : place) + ", byte " + std::to_string(at);
    m_error = Error{code, where, std::move(args)};
    return false;
}

/// To be called before the memory is taken.
bool Slimmer::spend(std::int64_t at, std::int64_t cost)
{
    m_spent += cost;
    if (m_spent <= kMemoryLimit)
        return true;
    return fail(ErrorCode::TooLarge, at,
                {"the structure of the network", std::to_string(kMemoryLimit >> 20) + " MiB"});
}

bool Slimmer::checkStop(std::int64_t at)
{
    if ((++m_ticks & 0xFFF) != 0)
        return true;
    if (m_stop.stop_requested()) {
        m_error = Error{ErrorCode::Cancelled, {}, {}};
        return false;
    }
    if (m_progress)
        m_progress(0.5 * static_cast<double>(at) / static_cast<double>(m_file.size()), "reading");
    return true;
}

bool Slimmer::message(MessageKind kind, std::int64_t begin, std::int64_t end, int depth)
{
    if (depth > kMaxDepth)
        return fail(ErrorCode::TooLarge, begin, {"nesting of messages", std::to_string(kMaxDepth) + " levels"});
    TensorState tensor{begin, end};
    std::array<std::uint32_t, 32> counts{};
    WireReader reader(m_file, begin, end);
    while (!reader.atEnd()) {
        const std::int64_t at = reader.position();
        const auto found = reader.next();
        if (!found && m_file.failure())
            return failToRead(at);
        if (!found)
            return fail(reader.endedEarly() && depth == 0 ? ErrorCode::FileTruncated : ErrorCode::FileCorrupt, at,
                        {reader.problem()});
        if (!checkStop(at))
            return false;
        const FieldRule* rule = findRule(kind, found->number);
        if (rule == nullptr)
            continue;
        if (!accepts(rule->form, found->type))
            return fail(ErrorCode::FileCorrupt, at, {"field '" + std::string(rule->name) + "' has another type"});
        const std::uint32_t index = counts[found->number & 31]++;
        m_place.push_back({rule->name, index, index > 0 || kind == MessageKind::Graph});
        if (!field(*rule, *found, tensor, depth))
            return false;
        m_place.pop_back();
    }
    if (kind == MessageKind::Tensor)
        finishTensor(tensor);
    return true;
}

bool Slimmer::field(const FieldRule& rule, const WireField& found, TensorState& tensor, int depth)
{
    switch (rule.form) {
    case FieldForm::Message:
        return nested(rule, found, depth);
    case FieldForm::Name:
        return spend(found.at, kTextCost + found.length) && name(found);
    case FieldForm::Blob:
        if (!spend(found.at, kTextCost + std::min(kMaxBlob, found.length)))
            return false;
        if (found.length <= kMaxBlob)
            return copy(found);
        appendBytesField(m_out, found.number, {});
        return true;
    case FieldForm::Content:
        return contentField(found, tensor);
    case FieldForm::Number:
        if (found.number == onnx::TensorProto::kDataTypeFieldNumber)
            tensor.dataType = found.value;
        break;
    case FieldForm::Real:
        break;
    }
    const std::int64_t count = found.type == WireType::Bytes ? found.length : 1;
    return spend(found.at, kNumberCost * count) && copy(found);
}

bool Slimmer::nested(const FieldRule& rule, const WireField& found, int depth)
{
    if (!spend(found.at, rule.message == MessageKind::Node ? kNodeCost : kMessageCost))
        return false;
    appendKey(m_out, found.number, WireType::Bytes);
    // The length after slimming is not known yet. A padded one of fixed width is patched in afterwards, so that nothing
    // is copied twice, however deep it lies.
    const std::size_t lengthAt = m_out.size();
    m_out.append(kLengthBytes, '\0');
    if (!message(rule.message, found.at, found.at + found.length, depth + 1))
        return false;
    std::uint64_t length = m_out.size() - lengthAt - kLengthBytes;
    for (std::size_t i = 0; i < kLengthBytes; ++i) {
        const std::uint64_t more = i + 1 < kLengthBytes ? 0x80 : 0;
        m_out[lengthAt + i] = static_cast<char>((length & 0x7F) | more);
        length >>= 7;
    }
    return true;
}

bool Slimmer::name(const WireField& found)
{
    const auto bytes = m_file.read(found.at, found.length);
    if (!bytes)
        return failToRead(found.at);
    if (isPlainAscii(*bytes)) {
        appendBytesField(m_out, found.number, *bytes);
        return true;
    }
    std::string text;
    appendText(text, *bytes);
    appendBytesField(m_out, found.number, std::as_bytes(std::span(text)));
    return true;
}

/// The field as it is.
bool Slimmer::copy(const WireField& found)
{
    appendKey(m_out, found.number, found.type);
    if (found.type == WireType::Bytes)
        appendVarint(m_out, static_cast<std::uint64_t>(found.length));
    const auto append = [this](std::span<const std::byte> piece) {
        m_out.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    };
    return m_file.forEachPiece(found.at, found.length, append) || failToRead(found.at);
}

bool Slimmer::contentField(const WireField& found, TensorState& tensor)
{
    ++tensor.parts;
    if (found.length > kMaxKeptContent - tensor.kept) {
        tensor.isCut = true;
        tensor.skipped = found;
        return true;
    }
    tensor.kept += found.length;
    return spend(found.at, kNumberCost * found.length) && copy(found);
}

/// Whether a field's payload is what the tensor's elements are in memory.
bool holdsElements(const WireField& field, std::uint64_t dataType)
{
    using T = onnx::TensorProto;
    if (field.type != WireType::Bytes)
        return false;
    switch (field.number) {
    case T::kRawDataFieldNumber: return true;
    case T::kFloatDataFieldNumber: return dataType == T::FLOAT || dataType == T::COMPLEX64;
    case T::kDoubleDataFieldNumber: return dataType == T::DOUBLE || dataType == T::COMPLEX128;
    default: return false;
    }
}

void Slimmer::finishTensor(const TensorState& tensor)
{
    if (!tensor.isCut)
        return;
    SkippedData data{tensor.skipped.at, tensor.skipped.length, TensorEncoding::Elements};
    // Content in several parts, or of numbers that are encoded one by one: who wants it must read the message again.
    if (tensor.parts > 1 || !holdsElements(tensor.skipped, tensor.dataType))
        data = {tensor.begin, tensor.end - tensor.begin, TensorEncoding::OnnxMessage};
    std::string pair;
    const std::string index = std::to_string(m_skipped.size());
    appendBytesField(pair, 1, std::as_bytes(std::span(kSkippedKey)));
    appendBytesField(pair, 2, std::as_bytes(std::span(index)));
    appendBytesField(m_out, onnx::TensorProto::kExternalDataFieldNumber, std::as_bytes(std::span(pair)));
    appendKey(m_out, onnx::TensorProto::kDataLocationFieldNumber, WireType::Varint);
    appendVarint(m_out, onnx::TensorProto::EXTERNAL);
    m_skipped.push_back(data);
}

/// Nothing where the file could not be read again.
std::optional<std::string> structureHash(ByteSource& file, const std::string& slim,
                                         const std::vector<SkippedData>& skipped)
{
    Fnv1a hash;
    if (file.size() <= kSmallFile) {
        const auto add = [&hash](std::span<const std::byte> piece) { hash.add(piece); };
        return file.forEachPiece(0, file.size(), add) ? std::optional(hash.hex()) : std::nullopt;
    }
    hash.add(std::as_bytes(std::span(slim)));
    for (const SkippedData& data : skipped)
        hash.add(std::as_bytes(std::span(&data.length, 1)));
    return hash.hex();
}

} // namespace

Result<SlimModel> readSlimModel(ByteSource& file, std::stop_token stop, const ProgressFn& progress)
{
    Slimmer slimmer(file, std::move(stop), progress);
    if (auto done = slimmer.run(); !done)
        return done.error();

    auto hash = structureHash(file, slimmer.bytes(), slimmer.skipped());
    if (!hash)
        return Error{file.failure()->code, "model", file.failure()->args};
    SlimModel model;
    model.skipped = std::move(slimmer.skipped());
    model.hash = std::move(*hash);
    if (!model.proto.ParseFromString(slimmer.bytes()))
        return Error{ErrorCode::FileCorrupt, "model", {"its fields do not fit the ONNX format"}};
    return model;
}

const SkippedData* skippedData(const SlimModel& model, const onnx::TensorProto& tensor)
{
    for (const auto& entry : tensor.external_data()) {
        if (entry.key() != kSkippedKey)
            continue;
        std::size_t index = 0;
        const std::string& text = entry.value();
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
        if (error == std::errc() && end == text.data() + text.size() && index < model.skipped.size())
            return &model.skipped[index];
    }
    return nullptr;
}

} // namespace arenascope::onnx_import
