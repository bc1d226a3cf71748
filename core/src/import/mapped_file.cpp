// SPDX-License-Identifier: MIT
#include "core/src/import/mapped_file.h"

#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>

#include <fstream>
#include <system_error>

namespace arenascope {

namespace {

Error fileError(ErrorCode code, const std::filesystem::path& path, std::string reason)
{
    return Error{code, path.string(), {std::move(reason)}};
}

/// Opening a pipe or a device would hang or never end, so only regular files pass.
Status checkRegular(const std::filesystem::path& path)
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (status.type() == std::filesystem::file_type::not_found)
        return fileError(ErrorCode::FileNotFound, path, "there is no such file");
    if (error)
        return fileError(ErrorCode::FileUnreadable, path, error.message());
    if (status.type() == std::filesystem::file_type::directory)
        return fileError(ErrorCode::FileUnreadable, path, "it is a folder");
    if (status.type() != std::filesystem::file_type::regular)
        return fileError(ErrorCode::FileUnreadable, path, "it is not a regular file");
    return Ok{};
}

} // namespace

struct MappedFile::Impl {
    boost::interprocess::mapped_region region;
};

MappedFile::MappedFile() : m_impl(std::make_unique<Impl>()) {}
MappedFile::MappedFile(MappedFile&&) noexcept = default;
MappedFile& MappedFile::operator=(MappedFile&&) noexcept = default;
MappedFile::~MappedFile() = default;

Result<MappedFile> MappedFile::open(const std::filesystem::path& path)
{
    if (auto regular = checkRegular(path); !regular)
        return regular.error();
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error)
        return fileError(ErrorCode::FileUnreadable, path, error.message());
    if (size == 0)
        return fileError(ErrorCode::FileTruncated, path, "it is empty");

    namespace ip = boost::interprocess;
    MappedFile file;
    try {
        const ip::file_mapping mapping(path.string().c_str(), ip::read_only);
        file.m_impl->region = ip::mapped_region(mapping, ip::read_only);
    } catch (const ip::interprocess_exception& e) {
        return fileError(ErrorCode::FileUnreadable, path, e.what());
    }
    return file;
}

std::span<const std::byte> MappedFile::bytes() const
{
    return {static_cast<const std::byte*>(m_impl->region.get_address()), m_impl->region.get_size()};
}

Result<std::string> readHead(const std::filesystem::path& path, std::size_t limit)
{
    if (auto regular = checkRegular(path); !regular)
        return regular.error();
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        return fileError(ErrorCode::FileUnreadable, path, "permission denied");
    std::string head(limit, '\0');
    stream.read(head.data(), static_cast<std::streamsize>(limit));
    head.resize(static_cast<std::size_t>(stream.gcount()));
    if (head.empty())
        return fileError(ErrorCode::FileTruncated, path, "it is empty");
    return head;
}

} // namespace arenascope
