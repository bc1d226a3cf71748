// SPDX-License-Identifier: MIT
// Matrix products and transforms.
#include "core/src/import/onnx/shape_rules.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace arenascope::onnx_import {

Dims matrixProduct(Dims left, Dims right)
{
    if (left.empty() || right.empty())
        failInference("a matrix product with a scalar");
    const bool leftIsVector = left.size() == 1;
    const bool rightIsVector = right.size() == 1;
    if (leftIsVector)
        left.insert(left.begin(), 1);
    if (rightIsVector)
        right.push_back(1);
    mergeExtents(left.back(), right[right.size() - 2]);
    Dims result = broadcastDims(std::span(left).first(left.size() - 2), std::span(right).first(right.size() - 2));
    if (!leftIsVector)
        result.push_back(left[left.size() - 2]);
    if (!rightIsVector)
        result.push_back(right.back());
    return result;
}

std::optional<Dims> matrixProduct(NodeContext& c, std::size_t a, std::size_t b)
{
    if (!c.hasShape(a) || !c.hasShape(b))
        return std::nullopt;
    return matrixProduct(c.dims(a), c.dims(b));
}

namespace {

using enum ElementType;

bool matMul(NodeContext& c)
{
    c.setType(0, c.type(0) != Undefined ? c.type(0) : c.type(1));
    if (auto dims = matrixProduct(c, 0, 1))
        c.setDims(0, std::move(*dims));
    return true;
}

bool matMulInteger(NodeContext& c)
{
    c.setType(0, Int32);
    if (auto dims = matrixProduct(c, 0, 1))
        c.setDims(0, std::move(*dims));
    return true;
}

bool qLinearMatMul(NodeContext& c)
{
    c.setType(0, c.type(7) != Undefined ? c.type(7) : c.type(0));
    if (auto dims = matrixProduct(c, 0, 3))
        c.setDims(0, std::move(*dims));
    return true;
}

bool gemm(NodeContext& c)
{
    c.setType(0, c.type(0));
    const bool transposeA = c.intAttribute("transA", 0) != 0;
    const bool transposeB = c.intAttribute("transB", 0) != 0;
    Dims dims{kUnknownDim, kUnknownDim};
    if ((c.hasShape(0) && c.rank(0) != 2) || (c.hasShape(1) && c.rank(1) != 2))
        failInference("a product of tensors that are no matrices");
    if (c.hasShape(0))
        dims[0] = c.dims(0)[transposeA ? 1 : 0];
    if (c.hasShape(1))
        dims[1] = c.dims(1)[transposeB ? 0 : 1];
    if (c.hasShape(0) && c.hasShape(1))
        mergeExtents(c.dims(0)[transposeA ? 0 : 1], c.dims(1)[transposeB ? 1 : 0]);
    c.setDims(0, std::move(dims));
    return true;
}

bool det(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0))
        return true;
    if (c.rank(0) < 2)
        failInference("a determinant needs a matrix");
    c.setDims(0, Dims(c.dims(0).begin(), c.dims(0).end() - 2));
    return true;
}

/// The extents that each label of an equation stands for; index 256 stands for the dimensions of "...".
class EinsumLabels {
public:
    /// Reads one operand's term; fails where it does not fit.
    void read(std::string_view term, std::span<const std::int64_t> dims);
    Dims written(std::string_view term) const;
    /// Labels that occur once, in alphabetical order, after "...": the output where the equation gives none.
    std::string implicitOutput() const;

private:
    static std::string withoutSpaces(std::string_view term);
    std::array<std::optional<std::int64_t>, 256> m_extents;
    std::array<int, 256> m_uses{};
    Dims m_ellipsis;
};

std::string EinsumLabels::withoutSpaces(std::string_view term)
{
    std::string result(term);
    std::erase(result, ' ');
    return result;
}

void EinsumLabels::read(std::string_view spaced, std::span<const std::int64_t> dims)
{
    const std::string term = withoutSpaces(spaced);
    const std::size_t dots = term.find("...");
    const std::size_t labels = term.size() - (dots == std::string::npos ? 0 : 3);
    if (labels > dims.size() || (dots == std::string::npos && labels != dims.size()))
        failInference("an equation does not fit the dimensions of its operands");
    std::size_t d = 0;
    for (std::size_t i = 0; i < term.size(); ++i) {
        if (i == dots) {
            const std::size_t covered = dims.size() - labels;
            m_ellipsis = broadcastDims(m_ellipsis, dims.subspan(d, covered));
            d += covered;
            i += 2;
            continue;
        }
        const auto label = static_cast<unsigned char>(term[i]);
        auto& extent = m_extents[label];
        extent = extent ? broadcastExtents(*extent, dims[d]) : dims[d];
        ++m_uses[label];
        ++d;
    }
}

Dims EinsumLabels::written(std::string_view spaced) const
{
    const std::string term = withoutSpaces(spaced);
    const std::size_t dots = term.find("...");
    Dims result;
    for (std::size_t i = 0; i < term.size(); ++i) {
        if (i == dots) {
            result.insert(result.end(), m_ellipsis.begin(), m_ellipsis.end());
            i += 2;
            continue;
        }
        const auto& extent = m_extents[static_cast<unsigned char>(term[i])];
        if (!extent)
            failInference("an equation's output has a label that no operand has");
        result.push_back(*extent);
    }
    return result;
}

std::string EinsumLabels::implicitOutput() const
{
    std::string result = "...";
    for (std::size_t label = 0; label < m_uses.size(); ++label) {
        if (m_uses[label] == 1)
            result.push_back(static_cast<char>(label));
    }
    return result;
}

bool einsum(NodeContext& c)
{
    c.setType(0, c.type(0));
    const std::string_view equation = c.stringAttribute("equation", "");
    const std::size_t arrow = equation.find("->");
    std::string_view terms = equation.substr(0, arrow);
    EinsumLabels labels;
    for (std::size_t i = 0; i < c.inputCount(); ++i) {
        if (!c.hasShape(i))
            return true;
        const std::size_t comma = terms.find(',');
        if ((comma == std::string_view::npos) != (i + 1 == c.inputCount()))
            failInference("an equation with another number of operands");
        labels.read(terms.substr(0, comma), c.dims(i));
        terms = comma == std::string_view::npos ? std::string_view() : terms.substr(comma + 1);
    }
    c.setDims(0, arrow == std::string_view::npos ? labels.written(labels.implicitOutput())
                                                 : labels.written(equation.substr(arrow + 2)));
    return true;
}

/// Complex numbers are a last dimension of 2; opset 20 takes the axis as an input.
bool dft(NodeContext& c)
{
    c.setType(0, c.type(0));
    if (!c.hasShape(0) || c.rank(0) < 2)
        return true;
    Dims dims = c.dims(0);
    std::optional<std::int64_t> axisInput = c.opset() >= 20 && c.hasInput(2) ? c.integerOf(2) : std::nullopt;
    if (c.hasInput(2) && !axisInput) {
        Dims unknown(dims.size(), kUnknownDim);
        unknown.front() = dims.front();
        c.setDims(0, std::move(unknown));
        return true;
    }
    const std::int64_t fallback = c.opset() >= 20 ? -2 : c.intAttribute("axis", 1);
    const std::size_t axis = normalizedAxis(axisInput.value_or(fallback), dims.size());
    if (c.hasInput(1))
        dims[axis] = c.integerOf(1).value_or(kUnknownDim);
    if (dims[axis] < kUnknownDim)
        failInference("a negative length");
    const bool oneSided = c.intAttribute("onesided", 0) != 0;
    const bool inverse = c.intAttribute("inverse", 0) != 0;
    // A real input's spectrum is symmetric: one half of it, and from it back to the real whole.
    if (oneSided && !inverse && isKnown(dims[axis]))
        dims[axis] = dims[axis] / 2 + 1;
    if (oneSided && inverse && !c.hasInput(1) && isKnown(dims[axis]))
        dims[axis] = std::max<std::int64_t>(2 * std::min<std::int64_t>(dims[axis] - 1, INT32_MAX), 0);
    dims.back() = oneSided && inverse ? 1 : 2;
    c.setDims(0, std::move(dims));
    return true;
}

bool stft(NodeContext& c)
{
    c.setType(0, c.type(0));
    Dims dims(4, kUnknownDim);
    dims[3] = 2;
    const auto step = c.integerOf(1);
    auto length = c.integerOf(3);
    if (!length && c.hasShape(2) && c.rank(2) == 1 && isKnown(c.dims(2)[0]))
        length = c.dims(2)[0];
    if ((step && *step <= 0) || (length && *length <= 0))
        failInference("a frame length or step below 1");
    if (c.hasShape(0) && c.rank(0) >= 2) {
        dims[0] = c.dims(0)[0];
        const std::int64_t signal = c.dims(0)[1];
        if (isKnown(signal) && step && length) {
            if (*length > signal)
                failInference("a frame is longer than the signal");
            dims[1] = (signal - *length) / *step + 1;
        }
    }
    if (length)
        dims[2] = c.intAttribute("onesided", 1) != 0 ? *length / 2 + 1 : *length;
    c.setDims(0, std::move(dims));
    return true;
}

constexpr ShapeRuleEntry kEntries[] = {
    {"MatMul", matMul},
    {"MatMulInteger", matMulInteger},
    {"QLinearMatMul", qLinearMatMul},
    {"Gemm", gemm},
    {"Det", det},
    {"Einsum", einsum},
    {"DFT", dft},
    {"STFT", stft},
};

} // namespace

std::span<const ShapeRuleEntry> matrixRules()
{
    return kEntries;
}

} // namespace arenascope::onnx_import
