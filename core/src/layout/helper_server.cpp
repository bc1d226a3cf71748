// SPDX-License-Identifier: MIT
// The helper's side of the conversation.
#include "core/src/layout/graphviz_engine.h"
#include "core/src/layout/helper_protocol.h"

#include <arenascope/layout.h>

#include <cerrno>
#include <string>
#include <unistd.h>

namespace arenascope {
namespace {

bool readAll(int in, char* to, std::size_t length)
{
    while (length > 0) {
        const ssize_t got = ::read(in, to, length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        length -= static_cast<std::size_t>(got);
    }
    return true;
}

bool writeAll(int out, std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t put = ::write(out, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

} // namespace

int runLayoutHelper(int in, int out)
{
    constexpr int kGood = 0;
    constexpr int kBadInput = 2;
    while (true) {
        std::string header(layout::kFrameHeader, '\0');
        if (!readAll(in, header.data(), 1))
            return kGood; // nobody asks any more
        if (!readAll(in, header.data() + 1, header.size() - 1))
            return kBadInput;
        const auto length = layout::bodyLength(header);
        if (!length)
            return kBadInput;
        std::string body(*length, '\0');
        if (!readAll(in, body.data(), body.size()))
            return kBadInput;
        const auto request = layout::decodeRequest(body);
        if (!request)
            return kBadInput;
        if (!writeAll(out, layout::frameOf(layout::encodeAnswer(layout::orderByGraphviz(*request)))))
            return kGood;
    }
}

} // namespace arenascope
