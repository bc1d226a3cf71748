// SPDX-License-Identifier: MIT
// An array begins with a magic word, a version, the length of a header, and the header: a Python dictionary with three keys,
//
//     {'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 224, 224), }
//
// of which only this much of Python's syntax is read.
#include "core/src/io/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace arenascope::io {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::int64_t kMostHeader = 64 << 10;
constexpr std::size_t kMostDims = 64;

struct TypeCode {
    std::string_view code; ///< without the byte order
    ElementType type;
    std::size_t unit;      ///< bytes that a byte order turns round
};
constexpr std::array kTypes = {
    TypeCode{"f4", ElementType::Float32, 4}, TypeCode{"f8", ElementType::Float64, 8},   TypeCode{"f2", ElementType::Float16, 2},
    TypeCode{"i1", ElementType::Int8, 1},    TypeCode{"u1", ElementType::UInt8, 1},     TypeCode{"i2", ElementType::Int16, 2},
    TypeCode{"u2", ElementType::UInt16, 2},  TypeCode{"i4", ElementType::Int32, 4},     TypeCode{"u4", ElementType::UInt32, 4},
    TypeCode{"i8", ElementType::Int64, 8},   TypeCode{"u8", ElementType::UInt64, 8},    TypeCode{"b1", ElementType::Bool, 1},
    TypeCode{"c8", ElementType::Complex64, 4}, TypeCode{"c16", ElementType::Complex128, 8},
};

/// What the dictionary says; what is missing stays empty.
struct Header {
    std::string descr;
    std::optional<bool> isFortran;
    std::optional<std::vector<std::int64_t>> shape;
};

/// The little Python that is needed. Every function leaves `ok` false at the first thing that it does not know.
class DictReader {
public:
    explicit DictReader(std::string_view text) : m_text(text) {}

    std::optional<Header> read()
    {
        Header header;
        expect('{');
        while (m_ok && !take('}')) {
            const std::string key = string();
            expect(':');
            if (key == "descr" && peek() == '\'')
                header.descr = string();
            else if (key == "fortran_order")
                header.isFortran = boolean();
            else if (key == "shape")
                header.shape = tuple();
            else
                m_ok = false;
            if (!take(',') && peek() != '}')
                m_ok = false;
        }
        skipSpace();
        if (!m_ok || !m_text.empty() || header.descr.empty() || !header.isFortran || !header.shape)
            return std::nullopt;
        return header;
    }

private:
    void skipSpace()
    {
        const auto first = m_text.find_first_not_of(" \n\t\r");
        m_text.remove_prefix(std::min(first, m_text.size()));
    }
    char peek()
    {
        skipSpace();
        return m_text.empty() ? '\0' : m_text.front();
    }
    bool take(char c)
    {
        if (peek() != c || m_text.empty())
            return false;
        m_text.remove_prefix(1);
        return true;
    }
    void expect(char c) { m_ok = take(c) && m_ok; }

    std::string string()
    {
        const char quote = peek();
        const auto end = quote == '\'' || quote == '"' ? m_text.find(quote, 1) : std::string_view::npos;
        if (end == std::string_view::npos) {
            m_ok = false;
            return {};
        }
        std::string text(m_text.substr(1, end - 1));
        m_text.remove_prefix(end + 1);
        return text;
    }

    bool boolean()
    {
        skipSpace();
        for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
            if (m_text.starts_with(word)) {
                m_text.remove_prefix(word.size());
                return value;
            }
        }
        m_ok = false;
        return false;
    }

    std::vector<std::int64_t> tuple()
    {
        std::vector<std::int64_t> numbers;
        expect('(');
        while (m_ok && !take(')')) {
            skipSpace();
            std::int64_t number = 0;
            const auto read = std::from_chars(m_text.data(), m_text.data() + m_text.size(), number);
            m_ok = read.ec == std::errc() && number >= 0 && numbers.size() < kMostDims;
            if (!m_ok)
                break;
            m_text.remove_prefix(static_cast<std::size_t>(read.ptr - m_text.data()));
            if (!m_text.empty() && m_text.front() == 'L') // written by Python 2
                m_text.remove_prefix(1);
            numbers.push_back(number);
            if (!take(',') && peek() != ')')
                m_ok = false;
        }
        return numbers;
    }

    std::string_view m_text;
    bool m_ok = true;
};

Error corrupt(const char* what)
{
    return {ErrorCode::FileCorrupt, "the header", {what}};
}

Error failureOf(const ByteSource& file, const char* where)
{
    if (file.failure())
        return {file.failure()->code, where, file.failure()->args};
    return {ErrorCode::FileTruncated, where, {"it is cut short"}};
}

struct Preamble {
    std::int64_t headerAt = 0;
    std::int64_t headerLength = 0;
};

Result<Preamble> readPreamble(ByteSource& file)
{
    if (file.size() < 10)
        return failureOf(file, "the header");
    const auto head = file.read(0, 10);
    if (!head)
        return failureOf(file, "the header");
    const auto byteAt = [](std::span<const std::byte> bytes, std::size_t i) { return std::to_integer<std::int64_t>(bytes[i]); };
    const std::int64_t version = byteAt(*head, 6);
    const std::int64_t shortLength = byteAt(*head, 8) | byteAt(*head, 9) << 8;
    if (version == 1)
        return Preamble{10, shortLength};
    if (version != 2 && version != 3)
        return corrupt("its version is not known");
    if (file.size() < 12)
        return failureOf(file, "the header");
    const auto more = file.read(10, 2);
    if (!more)
        return failureOf(file, "the header");
    return Preamble{12, shortLength | byteAt(*more, 0) << 16 | byteAt(*more, 1) << 24};
}

Result<Header> readHeader(ByteSource& file, const Preamble& preamble)
{
    if (preamble.headerLength > kMostHeader)
        return corrupt("it is longer than any array needs");
    if (preamble.headerLength > file.size() - preamble.headerAt)
        return failureOf(file, "the header");
    const auto text = file.read(preamble.headerAt, preamble.headerLength);
    if (!text)
        return failureOf(file, "the header");
    auto header = DictReader({reinterpret_cast<const char*>(text->data()), text->size()}).read();
    if (!header)
        return corrupt("it is no description of one array of numbers");
    return *std::move(header);
}

void swapBytes(std::vector<std::byte>& bytes, std::size_t unit)
{
    for (std::size_t at = 0; unit > 1 && at + unit <= bytes.size(); at += unit)
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin() + static_cast<std::ptrdiff_t>(at + unit));
}

/// From the first index running fastest to the last one.
std::vector<std::byte> fromFortran(const std::vector<std::byte>& bytes, const std::vector<std::int64_t>& dims, std::size_t width)
{
    std::vector<std::byte> made(bytes.size());
    std::vector<std::size_t> strides;
    std::size_t stride = width;
    for (const std::int64_t dim : dims) {
        strides.push_back(stride);
        stride *= static_cast<std::size_t>(dim);
    }
    std::vector<std::int64_t> index(dims.size(), 0);
    std::size_t from = 0;
    for (std::size_t to = 0; to < made.size(); to += width) {
        std::memcpy(made.data() + to, bytes.data() + from, width);
        for (std::size_t d = dims.size(); d-- > 0;) {
            from += strides[d];
            if (++index[d] < dims[d])
                break;
            from -= strides[d] * static_cast<std::size_t>(dims[d]);
            index[d] = 0;
        }
    }
    return made;
}

const TypeCode* typeFrom(std::string_view descr)
{
    if (descr.size() < 2 || std::string_view("<>|=").find(descr.front()) == std::string_view::npos)
        return nullptr;
    const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeCode& code) { return code.code == descr.substr(1); });
    return found == kTypes.end() ? nullptr : &*found;
}

} // namespace

bool looksLikeNpy(std::string_view head)
{
    return head.starts_with(kMagic);
}

Result<TensorContent> readNpy(ByteSource& file, Bytes limit)
{
    const auto preamble = readPreamble(file);
    if (!preamble)
        return preamble.error();
    const auto header = readHeader(file, *preamble);
    if (!header)
        return header.error();
    const TypeCode* type = typeFrom(header->descr);
    if (!type)
        return Error{ErrorCode::Unsupported, {}, {"An array of '" + header->descr.substr(0, 40) + "'", "Give one of numbers, such as float32."}};
    TensorContent content{type->type, Shape::of(*header->shape), {}};
    const auto width = static_cast<std::size_t>(bitsPerElement(type->type) / 8);
    const auto count = content.shape.elementCount();
    const auto bytes = count ? checkedMultiply(*count, static_cast<Bytes>(width)) : std::nullopt;
    if (!bytes || *bytes > limit)
        return Error{ErrorCode::TooLarge, {}, {"the array", std::to_string(limit) + " bytes"}};
    const std::int64_t at = preamble->headerAt + preamble->headerLength;
    if (*bytes > file.size() - at)
        return Error{ErrorCode::FileTruncated, {}, {std::to_string(*bytes - (file.size() - at)) + " bytes of elements are missing"}};
    content.bytes.reserve(static_cast<std::size_t>(*bytes));
    const auto add = [&](std::span<const std::byte> piece) { content.bytes.insert(content.bytes.end(), piece.begin(), piece.end()); };
    if (!file.forEachPiece(at, *bytes, add))
        return failureOf(file, "the elements");
    if (header->descr.front() == '>')
        swapBytes(content.bytes, type->unit);
    if (*header->isFortran && content.shape.dims.size() > 1)
        content.bytes = fromFortran(content.bytes, content.shape.dims, width);
    return content;
}

Result<std::string> npyHeader(const TensorContent& content)
{
    const auto type = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeCode& code) { return code.type == content.type; });
    if (type == kTypes.end())
        return Error{ErrorCode::Unsupported, {}, {"An array of " + std::string(elementTypeName(content.type)), "NumPy has no such type."}};
    std::string dict = "{'descr': '" + std::string(type->unit == 1 ? "|" : "<") + std::string(type->code) + "', 'fortran_order': False, 'shape': (";
    for (const std::int64_t dim : content.shape.dims)
        dict += std::to_string(dim) + ", ";
    if (content.shape.dims.size() > 1)
        dict.resize(dict.size() - 2); // (1, 2), but (1, ) for one
    dict += "), }";
    constexpr std::size_t kBefore = 10;
    const std::size_t whole = (kBefore + dict.size() + 1 + 63) / 64 * 64;
    dict += std::string(whole - kBefore - dict.size() - 1, ' ') + "\n";
    std::string header(kMagic);
    header += {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
    return header + dict;
}

} // namespace arenascope::io
