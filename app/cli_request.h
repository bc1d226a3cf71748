// SPDX-License-Identifier: MIT
// What the user asked for on the command line.
#pragma once

#include <arenascope/image_input.h>
#include <arenascope/importer.h>
#include <arenascope/study.h>

#include <optional>
#include <string>
#include <vector>

namespace arenascope::cli {

/// How `plan` answers on standard output.
enum class AnswerFormat { Text, Json, GitHub };

enum class Command { Plan, Compare, Inspect, Run, Solve, Check, Diff, Strategies, Formats };

/// What `run` takes besides.
struct RunRequest {
    std::string plan;                ///< a plan file; empty: the model is planned as asked
    std::vector<std::string> inputs; ///< NAME=VALUE; inputs that are not named are random
    ImageOptions image;
    std::string output;              ///< folder for the network's outputs; empty: none are written
    int top = 0;                     ///< how many of the largest elements of each output are told
    bool guard = false;
    int repeat = 1;
    bool isArena = true;             ///< passes; at least one of both
    bool isUnplanned = true;
    std::string progress;            ///< lines of JSON: file, "-" for standard output, "" for none
    int pictures = 0;                ///< largest side of a picture with each line; 0: none
};

/// A file to be written.
struct ExportTarget {
    std::string format; ///< id of a PlanExport; empty: what the suffix says
    std::string path;   ///< {name} stands for the model's name
};

struct Request {
    Command command = Command::Plan;
    std::vector<std::string> files; ///< models; problems for Solve and Compare; plans for Check; either for Diff
    ImportOptions import;
    StudyOptions study;
    std::string strategy;
    PlannerOptions planner;           ///< budgets and threads of searches; Solve: the capacity
    Bytes problemAlignment = 1;       ///< of bare problems
    bool hasAlignment = false;        ///< --align was given; without it a network's format may say what is usual
    std::optional<Bytes> budget;
    AnswerFormat format = AnswerFormat::Text; ///< Plan; Json is `json` "-"
    std::string json;                 ///< file, "-" for standard output, "" for none
    std::string csv;                  ///< Compare: as `json`
    std::string output;               ///< Solve: the problem with its offsets, as CSV; {name}, "-"
    std::string model;                ///< Check, Diff: overrides the model that a plan names
    std::vector<ExportTarget> exports;
    RunRequest run;
    bool oneArena = false;            ///< Plan: all models in one arena, run one after the other
    std::vector<std::string> keeps;   ///< oneArena: MODEL:TENSOR
    bool failIfLarger = false;        ///< Diff: exit with 1 where the second arena is larger
    bool explain = false;
    bool quiet = false; ///< no notes and warnings about the model
};

/// The program's exit codes, as the manual says them.
enum ExitCode : int {
    kGood = 0,
    kBadPlan = 1,      ///< a plan is invalid, over its budget, or larger than the one before
    kBadInput = 2,     ///< wrong usage, a file that cannot be read or written, a model that cannot be planned
    kStopped = 130,    ///< interrupted before there was an answer
};

} // namespace arenascope::cli
