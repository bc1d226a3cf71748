// SPDX-License-Identifier: MIT
// Texts of options to values, with the same form of error for all.
#pragma once

#include "app/cli_request.h"

namespace arenascope::cli {

/// Options as they stand on the command line.
struct RawOptions {
    std::vector<std::string> files;
    std::string strategy{kDefaultStrategy};
    std::string alias = "none";
    std::string align; ///< empty: 64 for models, 16 with the strategy tflm, 1 for bare problems
    std::string io = "arena";
    std::string schedule = "file";
    std::string concurrency = "sequential";
    std::string join = "longest";
    std::string workspace = "apart";
    std::string defaultDim = "1";
    std::string budget;
    std::string format = "text";
    std::string capacity;
    std::string time;
    std::string nodes;
    std::string threads;
    std::vector<std::string> shapes;
    std::vector<std::string> dims;
    std::vector<std::string> regions;
    std::vector<std::string> exports;
    std::vector<std::pair<std::string, std::string>> exportsAs; ///< id, file
    std::string json;
    std::string csv;
    std::string output;
    std::string model;
    std::vector<std::string> keeps;
    std::string plan;
    std::vector<std::string> inputs;
    std::string mean = "0";
    std::string scale = "1";
    std::string channels = "rgb";
    std::string outputFolder;
    std::string top = "0";
    std::string repeat = "1";
    std::string passes = "both";
    std::string progress;
    std::string pictures = "0";
    bool guard = false;
    bool oneArena = false;
    bool failIfLarger = false;
    bool explain = false;
    bool quiet = false;
};

/// Errors: BadOption or UnknownName, naming the option, its value and what is accepted.
Result<Request> requestFrom(Command command, const RawOptions& raw);

} // namespace arenascope::cli
