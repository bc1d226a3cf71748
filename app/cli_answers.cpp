// SPDX-License-Identifier: MIT
#include "app/cli_answers.h"

#include "app/cli_commands.h"
#include "app/cli_output.h"
#include "app/cli_stop.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace arenascope::cli {

int forEachFile(const Request& request, const std::function<int(const std::string& path)>& one)
{
    int code = kGood;
    std::size_t done = 0;
    for (const std::string& path : request.files) {
        code = worse(code, one(path));
        ++done;
        if (stopToken().stop_requested())
            break;
    }
    if (done == request.files.size())
        return code;
    complain(fmt::format("stopped: {} of {} files are left, from '{}' on", request.files.size() - done,
                         request.files.size(), request.files[done]));
    return kStopped;
}

void JsonAnswer::add(std::string object)
{
    m_objects.push_back(std::move(object));
}

void JsonAnswer::addError(const Error& error, const std::string& path)
{
    if (!isWanted() || m_request.files.size() == 1)
        return;
    using Json = nlohmann::ordered_json;
    const char* kind = m_request.command == Command::Check ? "plan" : m_request.command == Command::Solve ? "problem" : "model";
    const Json entry = {{kind, path},
                        {"path", path},
                        {"error", {{"code", errorCodeName(error.code)}, {"message", errorLine(error, path)}}}};
    add(entry.dump(2, ' ', false, Json::error_handler_t::replace));
}

int JsonAnswer::deliver() const
{
    if (m_objects.empty())
        return kGood;
    const bool isList = m_request.files.size() > 1;
    std::string json = isList ? "[\n" : "";
    for (std::size_t i = 0; i < m_objects.size(); ++i)
        json += m_objects[i] + (i + 1 < m_objects.size() ? ",\n" : "\n");
    json += isList ? "]\n" : "";
    return cli::deliver(json, m_request.json) ? kGood : kBadInput;
}

} // namespace arenascope::cli
