// SPDX-License-Identifier: MIT
#include "core/src/import/layered/text_file.h"

#include "core/src/import/byte_source.h"
#include "core/src/import/fnv1a.h"
#include "core/src/import/layered/failure.h"

namespace arenascope::layered {

TextFile readTextFile(const std::filesystem::path& path)
{
    auto source = ByteSource::open(path);
    if (!source)
        throw Failure{source.error()};
    if (source->size() > kLargestText)
        fail(ErrorCode::TooLarge, path.string(), {"The text of the network", std::to_string(kLargestText >> 20) + " MiB"});
    TextFile file;
    file.fileBytes = source->size();
    file.text.reserve(static_cast<std::size_t>(source->size()));
    Fnv1a hash;
    const auto add = [&](std::span<const std::byte> piece) {
        hash.add(piece);
        file.text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    };
    if (!source->forEachPiece(0, source->size(), add))
        throw Failure{*source->failure()};
    file.hash = hash.hex();
    if (file.text.find('\0') != std::string::npos)
        fail(ErrorCode::FileCorrupt, {}, {"it holds bytes of value 0, so it is no text"});
    if (file.text.starts_with("\xef\xbb\xbf"))
        file.text.erase(0, 3);
    return file;
}

ModelInfo infoOf(const std::filesystem::path& path, const TextFile& file, std::string_view format)
{
    ModelInfo info;
    info.path = path.string();
    info.name = path.filename().string();
    info.format = format;
    info.hash = file.hash;
    info.fileBytes = file.fileBytes;
    return info;
}

void checkLayerCount(std::size_t count)
{
    if (count > kMostLayers)
        fail(ErrorCode::TooLarge, {}, {"The number of layers", std::to_string(kMostLayers)});
}

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\r\n\v\f";
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

} // namespace arenascope::layered
