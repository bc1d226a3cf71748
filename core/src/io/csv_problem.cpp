// SPDX-License-Identifier: MIT
// MiniMalloc's CSV. Format: https://github.com/google/minimalloc, README.
#include <arenascope/problem_io.h>

#include "core/src/io/csv_problem.h"
#include "core/src/io/csv_text.h"

#include <algorithm>
#include <array>
#include <set>

namespace arenascope {

namespace {

enum Column { Id, Lower, Upper, Size, Alignment, Gaps, OffsetColumn, Name, Tensors, TensorOffsets, Region, ColumnCount };

struct ColumnName {
    std::string_view name;
    Column column;
};
constexpr std::array kColumnNames = {
    ColumnName{"id", Id},           ColumnName{"buffer", Id},      ColumnName{"buffer_id", Id},
    ColumnName{"lower", Lower},     ColumnName{"start", Lower},    ColumnName{"begin", Lower},
    ColumnName{"upper", Upper},     ColumnName{"end", Upper},      ColumnName{"size", Size},
    ColumnName{"alignment", Alignment}, ColumnName{"gaps", Gaps},  ColumnName{"offset", OffsetColumn},
    // Not MiniMalloc's; elsewhere they may mean anything.
    ColumnName{"name", Name},       ColumnName{"tensors", Tensors}, ColumnName{"tensor_offsets", TensorOffsets},
    ColumnName{"region", Region},
};
constexpr bool isOurs(Column column)
{
    return column >= Name;
}
constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);

class Reader {
public:
    Reader(std::string_view text, const std::string& where)
        : m_text(text)
        , m_where(where)
    {
    }

    Result<io::CsvProblem> read();

private:
    Error corrupt(const std::string& what) const
    {
        return {ErrorCode::FileCorrupt, m_where, {"line " + std::to_string(m_line) + ", " + what}};
    }
    Error corruptField(Column column, const std::string& what) const;

    std::optional<Error> readHeader();
    std::optional<Error> readRow(std::string_view line);
    std::optional<Error> readNumbers(Buffer& buffer);
    std::optional<Error> readNumber(Column column, std::int64_t least, std::int64_t& value) const;
    std::optional<Error> readGaps(Buffer& buffer) const;
    io::CsvRow readOurs() const;
    bool parseGap(std::string_view text, BufferGap& gap) const;
    std::string_view field(Column column) const;
    bool isGiven(Column column) const { return m_columns[column] != kAbsent && !field(column).empty(); }

    std::string_view m_text;
    const std::string& m_where;
    std::int64_t m_line = 0;
    std::array<std::size_t, ColumnCount> m_columns{};
    bool m_endIsInclusive = false;
    std::vector<std::string_view> m_header;
    std::vector<std::string_view> m_fields;
    std::set<std::string_view> m_ids; // views into the text
    Bytes m_sum = 0;
    PlacementProblem m_problem;
    std::vector<io::CsvRow> m_rows;
};

std::string_view Reader::field(Column column) const
{
    return m_fields[m_columns[column]];
}

Error Reader::corruptField(Column column, const std::string& what) const
{
    return corrupt("column '" + std::string(m_header[m_columns[column]]) + "': '"
                   + std::string(field(column).substr(0, 40)) + "' " + what);
}

Result<io::CsvProblem> Reader::read()
{
    if (m_text.starts_with("\xEF\xBB\xBF"))
        m_text.remove_prefix(3);
    if (auto error = readHeader())
        return *error;
    while (const auto line = io::takeLine(m_text)) {
        ++m_line;
        if (io::trimmed(*line).empty())
            continue;
        if (auto error = readRow(*line))
            return *error;
    }
    m_problem.name = m_where;
    return io::CsvProblem{std::move(m_problem), std::move(m_rows)};
}

/// What is not as planToCsv() writes it is left out.
io::CsvRow Reader::readOurs() const
{
    io::CsvRow row;
    if (isGiven(Name))
        row.name = io::nameFromField(field(Name));
    if (isGiven(Region))
        row.region = io::nameFromField(field(Region));
    for (const std::string_view name : isGiven(Tensors) ? io::splitWords(field(Tensors)) : std::vector<std::string_view>())
        row.tensors.push_back(io::nameFromWord(name));
    for (const std::string_view word : isGiven(TensorOffsets) ? io::splitWords(field(TensorOffsets)) : std::vector<std::string_view>()) {
        const auto offset = io::parseWhole(word);
        row.tensorOffsets.push_back(offset && *offset >= 0 ? *offset : 0);
    }
    row.tensorOffsets.resize(row.tensors.size());
    return row;
}

std::optional<Error> Reader::readHeader()
{
    m_line = 1;
    const auto line = io::takeLine(m_text);
    if (!line)
        return corrupt("the file is empty");
    m_columns.fill(kAbsent);
    m_header = io::splitFields(*line);
    for (std::size_t i = 0; i < m_header.size(); ++i) {
        const auto known = std::find_if(kColumnNames.begin(), kColumnNames.end(),
                                        [&](const ColumnName& column) { return column.name == m_header[i]; });
        if (known == kColumnNames.end())
            continue;
        if (m_columns[known->column] != kAbsent && isOurs(known->column))
            continue;
        if (m_columns[known->column] != kAbsent)
            return corrupt("columns '" + std::string(m_header[m_columns[known->column]]) + "' and '"
                           + std::string(m_header[i]) + "' say the same");
        m_columns[known->column] = i;
        m_endIsInclusive = m_endIsInclusive || m_header[i] == "end";
    }
    for (const auto& [column, name] : {std::pair{Id, "id"}, {Lower, "lower"}, {Upper, "upper"}, {Size, "size"}}) {
        if (m_columns[column] == kAbsent)
            return corrupt("there is no column '" + std::string(name) + "' in the header");
    }
    return std::nullopt;
}

std::optional<Error> Reader::readRow(std::string_view line)
{
    m_fields = io::splitFields(line);
    if (m_fields.size() != m_header.size())
        return corrupt(std::to_string(m_fields.size()) + " fields instead of " + std::to_string(m_header.size()));
    if (field(Id).empty())
        return corruptField(Id, "is no name");
    if (!m_ids.insert(field(Id)).second)
        return Error{ErrorCode::DuplicateName, m_where, {"buffers", std::string(field(Id))}};
    if (m_problem.buffers.size() >= io::kMostBuffers)
        return io::tooManyBuffers(m_where);
    Buffer buffer;
    buffer.name = field(Id);
    if (auto error = readNumbers(buffer))
        return error;
    if (isGiven(Gaps)) {
        if (auto error = readGaps(buffer))
            return error;
    }
    const auto sum = checkedAdd(m_sum, buffer.size);
    if (!sum)
        return Error{ErrorCode::SizeOverflow, m_where, {"all buffers together, up to '" + buffer.name + "'"}};
    m_sum = *sum;
    m_problem.stepCount = std::max(m_problem.stepCount, buffer.live.end);
    m_problem.buffers.push_back(std::move(buffer));
    m_rows.push_back(readOurs());
    return std::nullopt;
}

std::optional<Error> Reader::readNumbers(Buffer& buffer)
{
    if (auto error = readNumber(Lower, 0, buffer.live.begin))
        return error;
    if (auto error = readNumber(Upper, m_endIsInclusive ? -1 : 0, buffer.live.end))
        return error;
    if (buffer.live.end >= kMaxProblemSteps)
        return Error{ErrorCode::TooLarge,
                     m_where,
                     {"line " + std::to_string(m_line) + ", step " + std::to_string(buffer.live.end),
                      std::to_string(kMaxProblemSteps) + " steps"}};
    buffer.live.end += m_endIsInclusive ? 1 : 0;
    if (buffer.live.begin > buffer.live.end)
        return corruptField(Upper, "is before the begin");
    if (auto error = readNumber(Size, 0, buffer.size))
        return error;
    if (isGiven(Alignment)) {
        if (auto error = readNumber(Alignment, 1, buffer.alignment))
            return error;
    }
    if (isGiven(OffsetColumn)) {
        buffer.fixedOffset = 0;
        if (auto error = readNumber(OffsetColumn, 0, *buffer.fixedOffset))
            return error;
        if (!checkedAdd(*buffer.fixedOffset, buffer.size))
            return corruptField(OffsetColumn, "and the size do not fit 63 bits together");
    }
    return std::nullopt;
}

std::optional<Error> Reader::readNumber(Column column, std::int64_t least, std::int64_t& value) const
{
    const auto number = io::parseWhole(field(column));
    if (!number)
        return corruptField(column, "is no whole number of at most 63 bits");
    if (*number < least)
        return corruptField(column, "is below " + std::to_string(least));
    value = *number;
    return std::nullopt;
}

std::optional<Error> Reader::readGaps(Buffer& buffer) const
{
    std::string_view rest = field(Gaps);
    while (!rest.empty()) {
        const std::size_t blank = rest.find(' ');
        const std::string_view text = rest.substr(0, blank);
        rest = blank == std::string_view::npos ? std::string_view() : io::trimmed(rest.substr(blank + 1));
        BufferGap gap;
        if (!parseGap(text, gap))
            return corruptField(Gaps, "is not of the form 7-8 or 9-10@1:17");
        if (gap.steps.begin < buffer.live.begin || gap.steps.end > buffer.live.end || gap.steps.begin >= gap.steps.end)
            return corruptField(Gaps, "has an empty gap or one outside of the live range");
        if (gap.low < 0 || gap.low > gap.high || gap.high > buffer.size)
            return corruptField(Gaps, "has a window outside of the buffer");
        buffer.gaps.push_back(gap);
    }
    std::stable_sort(buffer.gaps.begin(), buffer.gaps.end(),
                     [](const BufferGap& a, const BufferGap& b) { return a.steps.begin < b.steps.begin; });
    for (std::size_t i = 1; i < buffer.gaps.size(); ++i) {
        if (buffer.gaps[i].steps.begin < buffer.gaps[i - 1].steps.end)
            return corruptField(Gaps, "has gaps that overlap");
    }
    return std::nullopt;
}

/// "7-8" or "9-10@1:17".
bool Reader::parseGap(std::string_view text, BufferGap& gap) const
{
    const std::size_t at = text.find('@');
    const std::string_view steps = text.substr(0, at);
    const std::size_t dash = steps.find('-');
    if (dash == std::string_view::npos)
        return false;
    const auto begin = io::parseWhole(steps.substr(0, dash));
    const auto end = io::parseWhole(steps.substr(dash + 1));
    if (!begin || !end || *end >= kMaxProblemSteps)
        return false;
    gap.steps = {*begin, *end + (m_endIsInclusive ? 1 : 0)};
    if (at == std::string_view::npos)
        return true;
    const std::string_view window = text.substr(at + 1);
    const std::size_t colon = window.find(':');
    if (colon == std::string_view::npos)
        return false;
    const auto low = io::parseWhole(window.substr(0, colon));
    const auto high = io::parseWhole(window.substr(colon + 1));
    if (!low || !high)
        return false;
    gap.low = *low;
    gap.high = *high;
    return true;
}

/// Names by buffer, fit for a field and all different.
std::vector<std::string> uniqueIds(const PlacementProblem& problem)
{
    std::set<std::string> taken;
    std::vector<std::string> ids;
    for (const Buffer& buffer : problem.buffers) {
        const std::string name = io::csvField(buffer.name);
        std::string id = name;
        for (int number = 2; !taken.insert(id).second; ++number)
            id = name + "%23" + std::to_string(number);
        ids.push_back(std::move(id));
    }
    return ids;
}

} // namespace

Error io::tooManyBuffers(const std::string& where)
{
    return {ErrorCode::TooLarge, where, {"The list of buffers", std::to_string(kMostBuffers)}};
}

Result<io::CsvProblem> io::readCsvProblem(std::string_view text, const std::string& where)
{
    return Reader(text, where).read();
}

Result<PlacementProblem> problemFromCsv(std::string_view text, const std::string& where)
{
    auto read = io::readCsvProblem(text, where);
    if (!read)
        return std::move(read).error();
    return std::move(read->problem);
}

std::string problemToCsv(const PlacementProblem& problem, const Plan* plan)
{
    const auto& buffers = problem.buffers;
    const bool hasAlignment = problem.alignment > 1
        || std::any_of(buffers.begin(), buffers.end(), [](const Buffer& b) { return b.alignment > 1; });
    const bool hasGaps = std::any_of(buffers.begin(), buffers.end(), [](const Buffer& b) { return !b.gaps.empty(); });
    const bool hasOffset = plan
        || std::any_of(buffers.begin(), buffers.end(), [](const Buffer& b) { return b.fixedOffset.has_value(); });

    std::string csv = "id,lower,upper,size";
    csv += hasAlignment ? ",alignment" : "";
    csv += hasGaps ? ",gaps" : "";
    csv += hasOffset ? ",offset\n" : "\n";
    const std::vector<std::string> ids = uniqueIds(problem);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const BufferId id = BufferId::fromIndex(i);
        csv += ids[i] + ',' + std::to_string(buffers[i].live.begin) + ',' + std::to_string(buffers[i].live.end) + ','
            + std::to_string(problem.reserved(id));
        if (hasAlignment)
            csv += ',' + std::to_string(problem.alignmentOf(id));
        if (hasGaps)
            csv += ',' + io::gapsField(buffers[i].gaps);
        if (hasOffset)
            csv += ',';
        if (plan && i < plan->placements.size())
            csv += std::to_string(plan->placements[i].offset);
        else if (!plan && buffers[i].fixedOffset)
            csv += std::to_string(*buffers[i].fixedOffset);
        csv += '\n';
    }
    return csv;
}

} // namespace arenascope
