// SPDX-License-Identifier: MIT
#include <arenascope/result.h>

#include <array>

namespace arenascope {

namespace {

struct CodeText {
    ErrorCode code;
    std::string_view name;
    std::string_view text;
};

// Each template says what happened and what to do about it. The UI looks translations up by this text.
constexpr std::array kTexts = {
    CodeText{ErrorCode::FileNotFound, "file-not-found", "The file cannot be opened: %1. Check the path."},
    CodeText{ErrorCode::FileUnreadable, "file-unreadable", "The file cannot be read: %1. Check its permissions."},
    CodeText{ErrorCode::FileNotWritable, "file-not-writable",
             "The file cannot be written: %1. Choose another folder or free some space."},
    CodeText{ErrorCode::FileTruncated, "file-truncated", "The file ends too early: %1. Copy or download it again."},
    CodeText{ErrorCode::FileCorrupt, "file-corrupt", "The file is damaged: %1. Copy, download or export it again."},
    CodeText{ErrorCode::FormatUnknown, "format-unknown",
             "No known model format. Give an ONNX file, or convert the model to ONNX."},
    CodeText{ErrorCode::FormatUnsupported, "format-unsupported", "%1 files cannot be read. %2"},
    CodeText{ErrorCode::TooLarge, "too-large", "%1 is larger than the limit of %2. Make it smaller or split it."},
    CodeText{ErrorCode::DuplicateProducer, "duplicate-producer",
             "Tensor '%1' is written by both '%2' and '%3'. Give each output a name of its own and export again."},
    CodeText{ErrorCode::DanglingTensor, "dangling-tensor",
             "Tensor '%1', read by '%2', is neither written by an operator nor an input or weight. Export the model again."},
    CodeText{ErrorCode::CyclicGraph, "cyclic-graph",
             "The operators form a cycle: %1. A network must be acyclic; unroll the loop or export it again."},
    CodeText{ErrorCode::DuplicateName, "duplicate-name", "There are two of the %1 '%2'. Give each a name of its own."},
    CodeText{ErrorCode::EmptyGraph, "empty-graph", "The network has no operators. Check that the right file was exported."},
    CodeText{ErrorCode::SizeOverflow, "size-overflow",
             "The size of '%1' does not fit 63 bits. Check the shapes that the file or the options give."},
    CodeText{ErrorCode::UnknownShape, "unknown-shape", "Tensor '%1', made by '%2', has no fixed size. Give it with %3."},
    CodeText{ErrorCode::BadShape, "bad-shape", "The shape of '%1' is not valid: %2. Give another with --shape or --dim."},
    CodeText{ErrorCode::ShapeMismatch, "shape-mismatch",
             "Operator '%1' does not fit its inputs: %2. Check the input shapes (--shape, --dim)."},
    CodeText{ErrorCode::UnknownOperator, "unknown-operator",
             "Operator kind '%1' of domain '%2' (opset %3) is not known, so its outputs have no shape unless the file gives one. "
             "Run shape inference in the exporter."},
    CodeText{ErrorCode::UnsupportedType, "unsupported-type",
             "'%1' is a %2, which has no fixed place in memory. Export the model with plain tensors."},
    CodeText{ErrorCode::MissingOpset, "missing-opset",
             "The file does not say which opset of domain '%1' it uses; %2 is assumed. Export it again."},
    CodeText{ErrorCode::AssumedDim, "assumed-dim",
             "Dimension %1 is not fixed in the file; %2 is assumed. Give another with %3."},
    CodeText{ErrorCode::MissingData, "missing-data",
             "The content of '%1' should be in '%2', which is missing or too short. Planning works without it; "
             "put the file beside the model to run it."},
    CodeText{ErrorCode::UnsafePath, "unsafe-path",
             "The content of '%1' is said to be in '%2', outside the model's folder, and is not read. "
             "Put the file beside the model and export again."},
    CodeText{ErrorCode::BadOption, "bad-option", "Option %1 cannot be '%2'. Accepted: %3."},
    CodeText{ErrorCode::UnknownName, "unknown-name", "There is no %1 '%2'. Known: %3."},
    CodeText{ErrorCode::InvalidPlan, "invalid-plan", "The plan is not valid: %1. Plan again."},
    CodeText{ErrorCode::PlanMismatch, "plan-mismatch", "The plan does not belong to this model: %1. Plan the model again."},
    CodeText{ErrorCode::StrategyNeedsBranches, "strategy-needs-branches",
             "Strategy '%1' needs a network with branches. Choose an offset strategy for a bare problem."},
    CodeText{ErrorCode::Unsupported, "unsupported", "%1 is not supported. %2"},
    CodeText{ErrorCode::CannotRun, "cannot-run",
             "Operator '%1' (%2) cannot be run here: %3. Planning and viewing work without it."},
    CodeText{ErrorCode::RunFailed, "run-failed",
             "Operator '%1' failed at step %2: %3. Please report it with the file; planning works without it."},
    CodeText{ErrorCode::WrongInput, "wrong-input", "Input '%1' does not fit the network: %2. Give another."},
    CodeText{ErrorCode::Cancelled, "cancelled", "Stopped on request. Start again to finish."},
    CodeText{ErrorCode::OutOfMemory, "out-of-memory", "Not enough memory for %1. Close other programs or choose a smaller model."},
    CodeText{ErrorCode::HelperFailed, "helper-failed", "The helper program %1 failed: %2. Install it again."},
    CodeText{ErrorCode::Internal, "internal", "A fault of this program: %1. Please report it with the file."},
};

const CodeText& textOf(ErrorCode code)
{
    for (const CodeText& text : kTexts) {
        if (text.code == code)
            return text;
    }
    return kTexts.back();
}

} // namespace

std::string_view messageTemplate(ErrorCode code)
{
    return textOf(code).text;
}

std::string_view errorCodeName(ErrorCode code)
{
    return textOf(code).name;
}

std::string describe(const Error& error)
{
    const std::string_view text = messageTemplate(error.code);
    std::string line = error.where.empty() ? std::string() : error.where + ": ";
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool isSlot = text[i] == '%' && i + 1 < text.size() && text[i + 1] >= '1' && text[i + 1] <= '9';
        if (!isSlot) {
            line += text[i];
            continue;
        }
        const auto arg = static_cast<std::size_t>(text[++i] - '1');
        line += arg < error.args.size() ? error.args[arg] : std::string("?");
    }
    return line;
}

} // namespace arenascope
