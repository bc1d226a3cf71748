// SPDX-License-Identifier: MIT
#include "core/src/io/tflite/model_rewrite.h"

#include "core/src/import/tflite/tflite_offline_plan.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <vector>

namespace arenascope::tflite_import {

namespace {

using tflite_file::Model;

constexpr std::size_t kAlignment = 16;           // of buffers' content
constexpr std::int64_t kMostAddressed = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kKnownFields = 8;          // of the root table
constexpr std::size_t kBuffersField = 4;
constexpr std::size_t kMetadataField = 6;
constexpr std::size_t kVersionField = 0;

Error tooLarge(const char* what)
{
    return {ErrorCode::Unsupported, "model", {what, "Export the plan as .json instead."}};
}

/// Bytes that grow at their end; positions count from the start of the new file.
class Head {
public:
    std::size_t size() const { return m_bytes.size(); }
    template <class Number>
    void add(Number value)
    {
        for (std::size_t i = 0; i < sizeof(Number); ++i)
            m_bytes.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF));
    }
    template <class Number>
    void set(std::size_t at, Number value)
    {
        for (std::size_t i = 0; i < sizeof(Number); ++i)
            m_bytes[at + i] = static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF);
    }
    void addText(std::string_view text) { m_bytes += text; }
    void alignTo(std::size_t multiple)
    {
        while (m_bytes.size() % multiple != 0)
            m_bytes.push_back('\0');
    }
    std::string take() && { return std::move(m_bytes); }

private:
    std::string m_bytes;
};

/// An offset in the head that leads to something that lies behind it.
struct Link {
    std::size_t from = 0;
    std::optional<std::int64_t> oldPosition; ///< in the old file; nothing: `newPosition`
    std::size_t newPosition = 0;             ///< in the head
};

class Rewriter {
public:
    Rewriter(const TfliteFile& file, std::span<const std::int32_t> offsets) : m_file(file), m_offsets(offsets) {}

    Result<std::string> run()
    {
        chooseBuffer();
        addRoot();
        addBuffers();
        addMetadata();
        addPlan();
        m_head.alignTo(kAlignment);
        if (auto error = addUnknownFields())
            return *error;
        for (const Link& link : m_links) {
            const std::int64_t to = link.oldPosition ? *link.oldPosition + static_cast<std::int64_t>(m_head.size())
                                                     : static_cast<std::int64_t>(link.newPosition);
            if (to > kMostAddressed)
                return tooLarge("A plan in a file that is too large for FlatBuffers");
            m_head.set(link.from, static_cast<std::uint32_t>(to - static_cast<std::int64_t>(link.from)));
        }
        const std::size_t shift = m_head.size();
        std::string made = std::move(m_head).take();
        made.append(reinterpret_cast<const char*>(m_file.bytes().data()), m_file.bytes().size());
        shiftFilePositions(made, shift);
        return made;
    }

private:
    std::int64_t positionOf(const void* pointer) const
    {
        return static_cast<const std::byte*>(pointer) - m_file.bytes().data();
    }
    const flatbuffers::Table& oldRoot() const { return reinterpret_cast<const flatbuffers::Table&>(m_file.model()); }
    static flatbuffers::voffset_t slotOf(std::size_t field) { return static_cast<flatbuffers::voffset_t>(4 + 2 * field); }

    bool isPlan(const tflite_file::Metadata& entry) const
    {
        return entry.name() != nullptr && entry.name()->string_view() == kOfflinePlanName;
    }

    /// The old plan's buffer is taken, unless something else uses it; then the plan gets one at the end of the list.
    void chooseBuffer()
    {
        const auto& model = m_file.model();
        m_buffer = sizeOf(model.buffers());
        for (std::size_t i = 0; i < sizeOf(model.metadata()); ++i) {
            const auto& entry = *model.metadata()->Get(static_cast<flatbuffers::uoffset_t>(i));
            if (isPlan(entry) && entry.buffer() < sizeOf(model.buffers()))
                m_buffer = entry.buffer();
        }
        bool isShared = m_buffer == 0; // the empty buffer
        for (std::size_t i = 0; i < sizeOf(model.metadata()); ++i) {
            const auto& entry = *model.metadata()->Get(static_cast<flatbuffers::uoffset_t>(i));
            isShared = isShared || (!isPlan(entry) && entry.buffer() == m_buffer);
        }
        for (std::size_t s = 0; s < m_file.subgraphCount(); ++s) {
            for (std::size_t i = 0; i < m_file.tensorCount(s); ++i)
                isShared = isShared || m_file.tensor(s, i).buffer() == m_buffer;
        }
        if (isShared)
            m_buffer = sizeOf(model.buffers());
        m_buffers = std::max(sizeOf(model.buffers()), m_buffer + 1);
    }

    /// Fields that the old root table has, known or not, and the two that the new one needs.
    std::size_t fieldCount() const
    {
        const std::uint8_t* vtable = oldRoot().GetVTable();
        const auto bytes = flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable);
        const std::size_t old = bytes < 4 ? 0 : (bytes - 4u) / 2u;
        return std::max(old, kKnownFields);
    }

    void addRoot()
    {
        m_head.add(std::uint32_t{0}); // of the root table
        m_head.addText("TFL3");
        const std::size_t fields = fieldCount();
        m_vtable = m_head.size();
        m_head.add(static_cast<std::uint16_t>(4 + 2 * fields));
        m_head.add(static_cast<std::uint16_t>(4 + 4 * kKnownFields));
        for (std::size_t i = 0; i < fields; ++i)
            m_head.add(std::uint16_t{0});
        m_head.alignTo(4);
        m_table = m_head.size();
        m_head.set(0, static_cast<std::uint32_t>(m_table));
        m_head.add(static_cast<std::int32_t>(m_table - m_vtable));
        for (std::size_t field = 0; field < kKnownFields; ++field)
            addField(field);
    }

    void addField(std::size_t field)
    {
        const std::size_t slot = m_head.size();
        m_head.add(std::uint32_t{0});
        m_slots[field] = slot;
        const flatbuffers::voffset_t old = oldRoot().GetOptionalFieldOffset(slotOf(field));
        const bool isNew = field == kBuffersField || field == kMetadataField;
        if (old == 0 && !isNew)
            return;
        setField(field, slot);
        const auto* at = reinterpret_cast<const std::uint8_t*>(&oldRoot()) + old;
        if (field == kVersionField)
            m_head.set(slot, flatbuffers::ReadScalar<std::uint32_t>(at));
        else if (!isNew)
            m_links.push_back({slot, positionOf(at) + flatbuffers::ReadScalar<flatbuffers::uoffset_t>(at)});
    }

    void setField(std::size_t field, std::size_t position)
    {
        m_head.set(m_vtable + 4 + 2 * field, static_cast<std::uint16_t>(position - m_table));
    }

    void addBuffers()
    {
        m_head.alignTo(4);
        m_links.push_back({m_slots[kBuffersField], std::nullopt, m_head.size()});
        m_head.add(static_cast<std::uint32_t>(m_buffers));
        for (std::size_t i = 0; i < m_buffers; ++i) {
            const std::size_t slot = m_head.size();
            m_head.add(std::uint32_t{0});
            if (i == m_buffer)
                m_planLink = slot;
            else
                m_links.push_back({slot, positionOf(m_file.model().buffers()->Get(static_cast<flatbuffers::uoffset_t>(i)))});
        }
    }

    void addMetadata()
    {
        std::vector<std::optional<std::int64_t>> entries; // nothing: the plan's
        for (std::size_t i = 0; i < sizeOf(m_file.model().metadata()); ++i) {
            const auto* entry = m_file.model().metadata()->Get(static_cast<flatbuffers::uoffset_t>(i));
            const bool isFirst = std::find(entries.begin(), entries.end(), std::nullopt) == entries.end();
            if (!isPlan(*entry))
                entries.emplace_back(positionOf(entry));
            else if (isFirst)
                entries.emplace_back(std::nullopt);
        }
        if (std::find(entries.begin(), entries.end(), std::nullopt) == entries.end())
            entries.emplace_back(std::nullopt);
        m_head.alignTo(4);
        m_links.push_back({m_slots[kMetadataField], std::nullopt, m_head.size()});
        m_head.add(static_cast<std::uint32_t>(entries.size()));
        std::size_t own = 0;
        for (const auto& entry : entries) {
            if (!entry)
                own = m_head.size();
            else
                m_links.push_back({m_head.size(), entry});
            m_head.add(std::uint32_t{0});
        }
        addPlanEntry(own);
    }

    /// Metadata {name, buffer}.
    void addPlanEntry(std::size_t link)
    {
        const std::size_t vtable = m_head.size();
        for (const int part : {8, 12, 4, 8})
            m_head.add(static_cast<std::uint16_t>(part));
        m_links.push_back({link, std::nullopt, m_head.size()});
        m_head.add(static_cast<std::int32_t>(m_head.size() - vtable));
        m_links.push_back({m_head.size(), std::nullopt, m_head.size() + 8});
        m_head.add(std::uint32_t{0});
        m_head.add(static_cast<std::uint32_t>(m_buffer));
        m_head.add(static_cast<std::uint32_t>(kOfflinePlanName.size()));
        m_head.addText(kOfflinePlanName);
        m_head.add(std::uint8_t{0});
        m_head.alignTo(4);
    }

    /// Buffer {data}, whose content begins at a multiple of 16.
    void addPlan()
    {
        const std::size_t vtable = m_head.size();
        for (const int part : {6, 8, 4, 0})
            m_head.add(static_cast<std::uint16_t>(part));
        const std::size_t table = m_head.size();
        m_links.push_back({m_planLink, std::nullopt, table});
        m_head.add(static_cast<std::int32_t>(table - vtable));
        m_head.add(std::uint32_t{0});
        while ((m_head.size() + 4) % kAlignment != 0)
            m_head.add(std::uint8_t{0});
        m_links.push_back({table + 4, std::nullopt, m_head.size()});
        m_head.add(static_cast<std::uint32_t>(12 + 4 * m_offsets.size()));
        m_head.add(std::int32_t{0}); // version
        m_head.add(static_cast<std::int32_t>(m_file.subgraphCount()));
        m_head.add(static_cast<std::int32_t>(m_offsets.size()));
        for (const std::int32_t offset : m_offsets)
            m_head.add(offset);
    }

    std::optional<Error> addUnknownFields()
    {
        for (std::size_t field = kKnownFields; field < fieldCount(); ++field) {
            const flatbuffers::voffset_t old = oldRoot().GetOptionalFieldOffset(slotOf(field));
            if (old == 0)
                continue;
            const std::int64_t position = positionOf(&oldRoot()) + old + static_cast<std::int64_t>(m_head.size());
            if (position - static_cast<std::int64_t>(m_table) > std::numeric_limits<std::uint16_t>::max())
                return tooLarge("A plan in a file whose root table has fields that this program does not know");
            setField(field, static_cast<std::size_t>(position));
        }
        return std::nullopt;
    }

    /// Content outside of the FlatBuffer is named by its position in the file.
    void shiftFilePositions(std::string& made, std::size_t shift) const
    {
        std::set<std::int64_t> done; // tables may be listed twice
        const auto shiftField = [&](const flatbuffers::Table& table, flatbuffers::voffset_t slot) {
            const flatbuffers::voffset_t field = table.GetOptionalFieldOffset(slot);
            const std::int64_t at = positionOf(&table) + field;
            if (field == 0 || !done.insert(at).second)
                return;
            const auto old = flatbuffers::ReadScalar<std::uint64_t>(m_file.bytes().data() + at);
            if (old <= 1) // stands for none
                return;
            flatbuffers::WriteScalar(made.data() + shift + static_cast<std::size_t>(at), old + shift);
        };
        const auto asTable = [](const auto* table) -> const flatbuffers::Table& {
            return reinterpret_cast<const flatbuffers::Table&>(*table);
        };
        for (std::size_t i = 0; i < sizeOf(m_file.model().buffers()); ++i)
            shiftField(asTable(m_file.model().buffers()->Get(static_cast<flatbuffers::uoffset_t>(i))), tflite_file::Buffer::VT_OFFSET);
        for (std::size_t s = 0; s < m_file.subgraphCount(); ++s) {
            const auto* operators = m_file.subgraph(s).operators();
            for (std::size_t i = 0; i < sizeOf(operators); ++i)
                shiftField(asTable(operators->Get(static_cast<flatbuffers::uoffset_t>(i))),
                           tflite_file::Operator::VT_LARGE_CUSTOM_OPTIONS_OFFSET);
        }
    }

    const TfliteFile& m_file;
    std::span<const std::int32_t> m_offsets;
    Head m_head;
    std::vector<Link> m_links;
    std::array<std::size_t, kKnownFields> m_slots{};
    std::size_t m_vtable = 0;
    std::size_t m_table = 0;
    std::size_t m_buffer = 0;   ///< number of the plan's buffer
    std::size_t m_buffers = 0;  ///< in the new list
    std::size_t m_planLink = 0; ///< its place in that list
};

} // namespace

Result<std::string> withOfflinePlan(const TfliteFile& file, std::span<const std::int32_t> offsets)
{
    return Rewriter(file, offsets).run();
}

} // namespace arenascope::tflite_import
