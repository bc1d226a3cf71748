// SPDX-License-Identifier: MIT
// One JSON object a line. A window that runs this program as a child knows from the last `begin` which operator was running
// when the child died.
#include "app/cli_run.h"

#include "app/cli_output.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace arenascope::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// RFC 4648, section 4.
std::string base64(const std::vector<std::uint8_t>& bytes)
{
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t count = std::min<std::size_t>(bytes.size() - at, 3);
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i)
            group = group << 8 | (i < count ? bytes[at + i] : 0u);
        for (std::size_t i = 0; i < 4; ++i)
            text += i <= count ? kDigits[group >> (18 - 6 * i) & 63u] : '=';
    }
    return text;
}

Json stepJson(const char* event, const Study& study, const RunStep& step)
{
    const Operator& op = study.graph->op(step.op);
    return {{"event", event}, {"pass", step.isArena ? "arena" : "unplanned"}, {"step", step.step}, {"operator", op.name}, {"kind", op.kind}};
}

/// Of the tensors that a step has written, in the order of the outputs; those that cannot be pictured are left out.
Json picturesOf(const Study& study, const RunStep& step, int side)
{
    Json pictures = Json::array();
    for (const WrittenTensor& written : step.written) {
        const Tensor& tensor = study.graph->tensor(written.tensor);
        if (const auto picture = tensorPicture(tensor.type, tensor.shape, written.bytes, side))
            pictures.push_back({{"tensor", tensor.name}, {"width", picture->width}, {"height", picture->height}, {"rgb", base64(picture->rgb)}});
    }
    return pictures;
}

} // namespace

RunProgress::RunProgress(const Request& request) : m_request(request)
{
    const std::string& target = request.run.progress;
    if (target.empty() || target == "-")
        return;
    m_descriptor = ::open(target.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    m_isOpen = m_descriptor >= 0;
    if (!m_isOpen)
        complain(Error{ErrorCode::FileNotWritable, target, {std::strerror(errno)}}, target);
}

RunProgress::~RunProgress()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

bool RunProgress::isWanted() const
{
    return !m_request.run.progress.empty();
}

void RunProgress::line(const std::string& json)
{
    const std::string text = json + "\n";
    if (m_descriptor < 0) {
        print(text);
        return;
    }
    std::string_view left = text;
    while (!left.empty()) {
        const ssize_t written = ::write(m_descriptor, left.data(), left.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return; // a reader that has gone ends nothing
        left.remove_prefix(static_cast<std::size_t>(written));
    }
}

void RunProgress::start(const Study& study, bool hasPlan)
{
    if (!isWanted())
        return;
    Json passes = Json::array();
    if (hasPlan)
        passes.push_back("arena");
    if (!hasPlan || m_request.run.isUnplanned)
        passes.push_back("unplanned");
    line(Json{{"event", "start"}, {"model", study.graph->info().name}, {"operators", study.schedule.order.size()}, {"passes", passes}}.dump(
        -1, ' ', false, Json::error_handler_t::replace));
}

/// Said when it changes.
void RunProgress::stage(std::string_view name)
{
    if (!isWanted() || name == m_stage)
        return;
    m_stage = name;
    line(Json{{"event", "stage"}, {"stage", name}}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void RunProgress::before(const Study& study, const RunStep& step)
{
    line(stepJson("begin", study, step).dump(-1, ' ', false, Json::error_handler_t::replace));
}

void RunProgress::after(const Study& study, const RunStep& step)
{
    Json json = stepJson("end", study, step);
    json["seconds"] = step.seconds;
    if (m_request.run.pictures > 0)
        json["pictures"] = picturesOf(study, step, m_request.run.pictures);
    line(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void RunProgress::report(const RunAnswer& answer)
{
    if (isWanted())
        line("{\"event\":\"report\",\"report\":" + runJson(answer, -1) + "}");
}

void RunProgress::error(const Error& error)
{
    if (!isWanted())
        return;
    const Json json = {{"event", "error"}, {"code", errorCodeName(error.code)}, {"message", describe(error)}, {"arguments", error.args}};
    line(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

} // namespace arenascope::cli
