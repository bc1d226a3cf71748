// SPDX-License-Identifier: MIT
// How core reports what a user or a file got wrong: a value or an Error, never an exception.
#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace arenascope {

/// What went wrong. Each code has one English template (see messageTemplate) that the UI translates.
enum class ErrorCode {
    // files
    FileNotFound,        ///< args: system's reason
    FileUnreadable,      ///< args: system's reason
    FileNotWritable,     ///< args: system's reason
    FileTruncated,       ///< args: what is missing
    FileCorrupt,         ///< args: what is wrong
    FormatUnknown,       ///< no importer recognises the file
    FormatUnsupported,   ///< args: format name, how to convert
    TooLarge,            ///< args: what, limit
    // graphs
    DuplicateProducer,   ///< args: tensor, first operator, second operator
    DanglingTensor,      ///< args: tensor, operator that reads it
    CyclicGraph,         ///< args: operators on one cycle
    DuplicateName,       ///< args: kind of thing, name
    EmptyGraph,
    SizeOverflow,        ///< args: tensor or sum that does not fit 63 bits
    // shapes
    UnknownShape,        ///< args: tensor, operator, options that would give it
    BadShape,            ///< args: tensor, what is wrong
    ShapeMismatch,       ///< args: operator, what is wrong
    UnknownOperator,     ///< args: operator kind, domain, opset
    UnsupportedType,     ///< args: tensor, type (sequence, optional, sparse ...)
    MissingOpset,        ///< args: domain, version that is assumed
    AssumedDim,          ///< args: dimension, value that is assumed, option that gives another
    MissingData,         ///< args: tensor, file that should hold its content
    UnsafePath,          ///< args: tensor, path that leaves the model's folder
    // options
    BadOption,           ///< args: option, value, what is accepted
    UnknownName,         ///< args: kind of thing, name, known names
    // plans
    InvalidPlan,         ///< args: what is wrong
    PlanMismatch,        ///< args: what differs between plan and model
    StrategyNeedsBranches, ///< args: strategy
    Unsupported,         ///< args: what, remedy
    // runs
    CannotRun,           ///< args: operator, its kind, why
    RunFailed,           ///< args: operator, step, what happened
    WrongInput,          ///< args: network input, what is wrong with what was given
    Cancelled,
    OutOfMemory,         ///< args: what was being allocated
    HelperFailed,        ///< args: helper process, what happened
    Internal,            ///< args: what; a bug of this program
};

/// One thing that went wrong: what, at which place (file, operator, line), with the details its template names.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string where;
    std::vector<std::string> args;
};

/// English template of a code with %1, %2 ... for its arguments; ends with what to do about it.
std::string_view messageTemplate(ErrorCode code);
/// Machine-readable name of a code, such as "cyclic-graph".
std::string_view errorCodeName(ErrorCode code);
/// "where: message" in English, one line.
std::string describe(const Error& error);

enum class Severity { Note, Warning, Error };

/// A finding that does not stop the work (or one of several that do).
struct Diagnostic {
    Severity severity = Severity::Warning;
    Error error;
};
using Diagnostics = std::vector<Diagnostic>;

/// A value, or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}

    bool hasValue() const { return m_state.index() == 0; }
    explicit operator bool() const { return hasValue(); }

    T& value() & { assert(hasValue()); return std::get<0>(m_state); }
    const T& value() const& { assert(hasValue()); return std::get<0>(m_state); }
    T&& value() && { assert(hasValue()); return std::get<0>(std::move(m_state)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const& { assert(!hasValue()); return std::get<1>(m_state); }
    Error&& error() && { assert(!hasValue()); return std::get<1>(std::move(m_state)); }

private:
    std::variant<T, Error> m_state;
};

/// Success without a value.
struct Ok {};
using Status = Result<Ok>;

} // namespace arenascope
