// SPDX-License-Identifier: MIT
// An operator that wants a kernel, with what kernel makers ask of it.
#pragma once

#include "core/src/exec/failure.h"
#include "core/src/exec/kernel.h"

#include <optional>
#include <string>
#include <vector>

namespace arenascope::exec {

class Request {
public:
    Request(const Graph& graph, const Operator& op, ConstantStore& constants)
        : m_graph(graph), m_op(op), m_constants(constants)
    {
    }

    const Operator& op() const { return m_op; }
    int opset() const { return m_op.opset; }
    std::size_t inputCount() const { return m_op.inputs.size(); }
    std::size_t outputCount() const { return m_op.outputs.size(); }
    bool hasInput(std::size_t i) const { return i < m_op.inputs.size() && m_op.inputs[i].isValid(); }
    bool hasOutput(std::size_t i) const { return i < m_op.outputs.size() && m_op.outputs[i].isValid(); }
    const Tensor& input(std::size_t i) const;  ///< refuses where it is left out
    const Tensor& output(std::size_t i) const; ///< refuses where it is left out
    const Dims& dims(std::size_t i) const { return input(i).shape.dims; }
    const Dims& outputDims(std::size_t i = 0) const { return output(i).shape.dims; }
    std::size_t rank(std::size_t i) const { return dims(i).size(); }
    bool isConstant(std::size_t i) const { return hasInput(i) && !input(i).isActivation(); }

    bool has(std::string_view attribute) const;
    std::int64_t integer(std::string_view attribute, std::int64_t fallback) const;
    double real(std::string_view attribute, double fallback) const;
    std::string text(std::string_view attribute, std::string_view fallback) const;
    std::vector<std::int64_t> integers(std::string_view attribute) const; ///< empty where it is left out
    std::vector<double> reals(std::string_view attribute) const;          ///< empty where it is left out
    std::vector<std::string> texts(std::string_view attribute) const;     ///< empty where it is left out
    const TensorValue* tensor(std::string_view attribute) const;          ///< null where it is left out

    /// Elements of a constant input; refuses where it is computed while the network runs, or is no number.
    std::vector<std::int64_t> constantIntegers(std::size_t i) const;
    std::vector<double> constantReals(std::size_t i) const;
    /// The attribute or, where the operator's version has it as an input, that; nothing where both are left out.
    std::optional<std::vector<std::int64_t>> listFrom(std::string_view attribute, std::size_t input) const;
    /// An axis counted from the front; refuses one outside of the rank.
    std::size_t axis(std::int64_t value, std::size_t rank) const;

    /// Refuses unless these are float32.
    void requireFloatInput(std::size_t i) const;
    void requireFloatOutput(std::size_t i = 0) const;

    /// Files may declare what does not fit: kernels count on sizes, so they refuse unless output `o` has as many elements, or
    /// the type and as many elements as input `i`.
    void requireCount(std::int64_t count, std::size_t o = 0) const;
    void requireLike(std::size_t i, std::size_t o = 0) const;
    /// Refuses unless input `i` has exactly so many elements.
    void requireInputCount(std::size_t i, std::int64_t count) const;

    [[noreturn]] void refuse(const std::string& why) const { throw Refusal(why); }

private:
    View constantNumbers(std::size_t i) const;
    template <class T>
    const T* find(std::string_view attribute) const;

    const Graph& m_graph;
    const Operator& m_op;
    ConstantStore& m_constants;
};

/// Elements of a view as 64-bit integers or doubles; fails for types that are no plain numbers. A kernel that needs them
/// while it runs has them in its scratch memory.
void copyIntegers(const View& view, std::int64_t* to);
void copyReals(const View& view, double* to);
std::vector<std::int64_t> integersOf(const View& view);
std::vector<double> realsOf(const View& view);

} // namespace arenascope::exec
