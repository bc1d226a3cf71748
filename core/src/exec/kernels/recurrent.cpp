// SPDX-License-Identifier: MIT
// LSTM, GRU and RNN (ONNX, opset 7 to 14). OpenCV's own layers take initial states as weights only, know no sequence lengths
// and lay their output out differently; so the time loop is here and OpenCV multiplies the matrices.
#include "core/src/exec/registry.h"
#include "core/src/exec/request.h"

#include <opencv2/core.hpp>

#include <algorithm>
#include <cmath>

namespace arenascope::exec {

namespace {

enum class Cell { Lstm, Gru, Rnn };

using Activation = float (*)(float);

float sigmoid(float x)
{
    return 1.0F / (1.0F + std::exp(-x));
}

constexpr std::pair<std::string_view, Activation> kActivations[] = {
    {"Sigmoid", sigmoid},
    {"Tanh", [](float x) { return std::tanh(x); }},
    {"Relu", [](float x) { return std::max(x, 0.0F); }},
    {"Softsign", [](float x) { return x / (1.0F + std::abs(x)); }},
    {"Softplus", [](float x) { return x > 0.0F ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }},
};

Activation activationOf(const Request& request, const std::string& name)
{
    for (const auto& [known, function] : kActivations) {
        if (name == known)
            return function;
    }
    request.refuse("activation '" + name + "' is not known");
}

struct Sizes {
    std::int64_t steps = 0;
    std::int64_t batch = 0;
    std::int64_t inputs = 0;
    std::int64_t hidden = 0;
    std::int64_t directions = 1;
    std::int64_t gates = 1;
    bool isBatchFirst = false; ///< layout 1
};

constexpr std::int64_t gatesOf(Cell cell)
{
    return cell == Cell::Lstm ? 4 : cell == Cell::Gru ? 3 : 1;
}

class RecurrentKernel : public Kernel {
public:
    Cell cell = Cell::Lstm;
    Sizes sizes;
    std::vector<Activation> activations; ///< as many a direction
    bool startsReversed = false;
    bool isLinearBeforeReset = false;
    float clip = 0.0F; ///< 0: not

    std::string engine() const override { return "gemm"; }
    /// Gates of the input and of the state, and both states, for one step of one direction.
    Bytes scratchBytes() const override
    {
        return sizes.batch * sizes.hidden * (2 * sizes.gates + 3) * static_cast<Bytes>(sizeof(float));
    }
    void run(const KernelIo& io) override
    {
        for (std::int64_t d = 0; d < sizes.directions; ++d)
            runDirection(io, d);
    }

private:
    struct State {
        float* fromInput; ///< batch x (gates * hidden)
        float* fromState;
        float* h;         ///< batch x hidden
        float* c;
        float* extra;     ///< GRU: the state times the reset gate
    };

    static cv::Mat matrix(const float* data, std::int64_t rows, std::int64_t columns, std::int64_t step = 0)
    {
        return cv::Mat(static_cast<int>(rows), static_cast<int>(columns), CV_32F, const_cast<float*>(data),
                       step == 0 ? static_cast<std::size_t>(cv::Mat::AUTO_STEP)
                                 : static_cast<std::size_t>(step) * sizeof(float));
    }

    static const float* given(const KernelIo& io, std::size_t i)
    {
        return i < io.in.size() && io.in[i].isGiven() ? io.in[i].as<float>() : nullptr;
    }

    /// Where [direction, batch] begins in a state tensor.
    std::int64_t stateAt(std::int64_t d, std::int64_t b) const
    {
        return (sizes.isBatchFirst ? b * sizes.directions + d : d * sizes.batch + b) * sizes.hidden;
    }

    void loadState(const float* from, std::int64_t d, float* to) const
    {
        for (std::int64_t b = 0; b < sizes.batch; ++b) {
            if (from != nullptr)
                std::copy_n(from + stateAt(d, b), sizes.hidden, to + b * sizes.hidden);
            else
                std::fill_n(to + b * sizes.hidden, sizes.hidden, 0.0F);
        }
    }

    void storeState(const float* from, std::int64_t d, const KernelIo& io, std::size_t output) const
    {
        if (output >= io.out.size() || !io.out[output].isGiven())
            return;
        for (std::int64_t b = 0; b < sizes.batch; ++b)
            std::copy_n(from + b * sizes.hidden, sizes.hidden, io.out[output].as<float>() + stateAt(d, b));
    }

    std::int64_t lengthOf(const KernelIo& io, std::int64_t b) const
    {
        if (io.in.size() <= 4 || !io.in[4].isGiven())
            return sizes.steps;
        return std::clamp<std::int64_t>(io.in[4].as<std::int32_t>()[b], 0, sizes.steps);
    }

    void runDirection(const KernelIo& io, std::int64_t d) const
    {
        const std::int64_t plane = sizes.batch * sizes.hidden;
        auto* scratch = reinterpret_cast<float*>(io.scratch);
        const State state{scratch, scratch + plane * sizes.gates, scratch + 2 * plane * sizes.gates,
                          scratch + (2 * sizes.gates + 1) * plane, scratch + (2 * sizes.gates + 2) * plane};
        loadState(given(io, 5), d, state.h);
        loadState(cell == Cell::Lstm ? given(io, 6) : nullptr, d, state.c);
        if (io.out[0].isGiven())
            clearOutput(io, d);
        const bool isReverse = startsReversed || d == 1;
        for (std::int64_t s = 0; s < sizes.steps; ++s)
            step(io, d, s, isReverse, state);
        storeState(state.h, d, io, 1);
        if (cell == Cell::Lstm)
            storeState(state.c, d, io, 2);
    }

    float* outputAt(const KernelIo& io, std::int64_t d, std::int64_t t, std::int64_t b) const
    {
        const std::int64_t row = sizes.isBatchFirst ? (b * sizes.steps + t) * sizes.directions + d
                                                    : (t * sizes.directions + d) * sizes.batch + b;
        return io.out[0].as<float>() + row * sizes.hidden;
    }

    /// Steps behind the end of a short sequence are zero.
    void clearOutput(const KernelIo& io, std::int64_t d) const
    {
        for (std::int64_t b = 0; b < sizes.batch; ++b) {
            for (std::int64_t t = lengthOf(io, b); t < sizes.steps; ++t)
                std::fill_n(outputAt(io, d, t, b), sizes.hidden, 0.0F);
        }
    }

    void step(const KernelIo& io, std::int64_t d, std::int64_t s, bool isReverse, const State& state) const
    {
        const std::int64_t width = sizes.gates * sizes.hidden;
        const float* w = io.in[1].as<float>() + d * width * sizes.inputs;
        const float* r = io.in[2].as<float>() + d * width * sizes.hidden;
        // All sequences have their own time where they run backwards with their own lengths: row by row then.
        for (std::int64_t b = 0; b < sizes.batch; ++b) {
            const std::int64_t length = lengthOf(io, b);
            const std::int64_t t = isReverse ? std::max<std::int64_t>(length - 1 - s, 0) : s;
            const float* x = io.in[0].as<float>()
                + (sizes.isBatchFirst ? b * sizes.steps + t : t * sizes.batch + b) * sizes.inputs;
            cv::Mat to = matrix(state.fromInput + b * width, 1, width);
            cv::gemm(matrix(x, 1, sizes.inputs), matrix(w, width, sizes.inputs), 1.0, cv::noArray(), 0.0, to, cv::GEMM_2_T);
        }
        cv::Mat fromState = matrix(state.fromState, sizes.batch, width);
        cv::gemm(matrix(state.h, sizes.batch, sizes.hidden), matrix(r, width, sizes.hidden), 1.0, cv::noArray(), 0.0, fromState,
                 cv::GEMM_2_T);
        if (cell == Cell::Gru && !isLinearBeforeReset)
            resetBefore(io, d, r, state);
        for (std::int64_t b = 0; b < sizes.batch; ++b) {
            const std::int64_t length = lengthOf(io, b);
            if (s >= length)
                continue;
            update(io, d, b, state);
            const std::int64_t t = isReverse ? length - 1 - s : s;
            if (io.out[0].isGiven())
                std::copy_n(state.h + b * sizes.hidden, sizes.hidden, outputAt(io, d, t, b));
        }
    }

    /// The hidden gate reads the state that the reset gate has let through.
    void resetBefore(const KernelIo& io, std::int64_t d, const float* r, const State& state) const
    {
        const std::int64_t n = sizes.hidden;
        for (std::int64_t b = 0; b < sizes.batch; ++b) {
            for (std::int64_t i = 0; i < n; ++i)
                state.extra[b * n + i] = state.h[b * n + i] * activation(d, 0, gate(io, d, b, 1, i, state));
        }
        // cv::gemm into a part of each row: the part has a step of its own.
        cv::Mat to = matrix(state.fromState + 2 * n, sizes.batch, n, sizes.batch == 1 ? 0 : 3 * n);
        cv::gemm(matrix(state.extra, sizes.batch, n), matrix(r + 2 * n * n, n, n), 1.0, cv::noArray(), 0.0, to, cv::GEMM_2_T);
    }

    float activation(std::int64_t d, std::size_t which, float x) const
    {
        const std::size_t each = activations.size() / static_cast<std::size_t>(sizes.directions);
        const float bounded = clip > 0.0F ? std::clamp(x, -clip, clip) : x;
        return activations[static_cast<std::size_t>(d) * each + which](bounded);
    }

    float bias(const KernelIo& io, std::int64_t d, std::int64_t at) const
    {
        const float* b = given(io, 3);
        return b == nullptr ? 0.0F : b[d * 2 * sizes.gates * sizes.hidden + at];
    }

    float gate(const KernelIo& io, std::int64_t d, std::int64_t b, std::int64_t g, std::int64_t i, const State& state) const
    {
        const std::int64_t width = sizes.gates * sizes.hidden;
        const std::int64_t at = g * sizes.hidden + i;
        return state.fromInput[b * width + at] + state.fromState[b * width + at] + bias(io, d, at) + bias(io, d, width + at);
    }

    float peephole(const KernelIo& io, std::int64_t d, std::int64_t which, std::int64_t i) const
    {
        const float* p = given(io, 7);
        return p == nullptr ? 0.0F : p[(d * 3 + which) * sizes.hidden + i];
    }

    void update(const KernelIo& io, std::int64_t d, std::int64_t b, const State& state) const
    {
        float* h = state.h + b * sizes.hidden;
        float* c = state.c + b * sizes.hidden;
        for (std::int64_t i = 0; i < sizes.hidden; ++i) {
            if (cell == Cell::Rnn) {
                h[i] = activation(d, 0, gate(io, d, b, 0, i, state));
            } else if (cell == Cell::Gru) {
                const float z = activation(d, 0, gate(io, d, b, 0, i, state));
                h[i] = (1.0F - z) * hiddenGate(io, d, b, i, state) + z * h[i];
            } else { // gates in the order input, output, forget, cell
                const float in = activation(d, 0, gate(io, d, b, 0, i, state) + peephole(io, d, 0, i) * c[i]);
                const float forget = activation(d, 0, gate(io, d, b, 2, i, state) + peephole(io, d, 2, i) * c[i]);
                c[i] = forget * c[i] + in * activation(d, 1, gate(io, d, b, 3, i, state));
                const float out = activation(d, 0, gate(io, d, b, 1, i, state) + peephole(io, d, 1, i) * c[i]);
                h[i] = out * activation(d, 2, c[i]);
            }
        }
    }

    float hiddenGate(const KernelIo& io, std::int64_t d, std::int64_t b, std::int64_t i, const State& state) const
    {
        if (!isLinearBeforeReset)
            return activation(d, 1, gate(io, d, b, 2, i, state));
        const std::int64_t width = 3 * sizes.hidden;
        const std::int64_t at = 2 * sizes.hidden + i;
        const float reset = activation(d, 0, gate(io, d, b, 1, i, state));
        const float inner = state.fromState[b * width + at] + bias(io, d, width + at);
        return activation(d, 1, state.fromInput[b * width + at] + bias(io, d, at) + reset * inner);
    }
};

template <Cell cell>
std::unique_ptr<Kernel> makeRecurrent(const Request& request)
{
    for (std::size_t i = 0; i < request.inputCount(); ++i) {
        if (i != 4 && request.hasInput(i))
            request.requireFloatInput(i);
    }
    if (request.hasInput(4) && request.input(4).type != ElementType::Int32)
        request.refuse("its sequence lengths are not int32");
    if (request.rank(0) != 3 || request.rank(1) != 3 || request.rank(2) != 3)
        request.refuse("its operands do not fit");
    if (request.integer("input_forget", 0) != 0)
        request.refuse("its input and forget gates are coupled");
    auto kernel = std::make_unique<RecurrentKernel>();
    kernel->cell = cell;
    Sizes& s = kernel->sizes;
    s.isBatchFirst = request.integer("layout", 0) != 0;
    s.steps = request.dims(0)[s.isBatchFirst ? 1 : 0];
    s.batch = request.dims(0)[s.isBatchFirst ? 0 : 1];
    s.inputs = request.dims(0)[2];
    s.directions = request.dims(1)[0];
    s.gates = gatesOf(cell);
    s.hidden = request.dims(2)[2];
    const std::string direction = request.text("direction", "forward");
    kernel->startsReversed = direction == "reverse";
    if (s.directions != (direction == "bidirectional" ? 2 : 1) || request.dims(1)[1] != s.gates * s.hidden
        || request.dims(2)[1] != s.gates * s.hidden || request.dims(1)[2] != s.inputs)
        request.refuse("its operands do not fit");
    const std::int64_t states = s.directions * s.batch * s.hidden;
    const std::pair<std::size_t, std::int64_t> counts[] = {
        {3, s.directions * 2 * s.gates * s.hidden}, {4, s.batch}, {5, states}, {6, states}, {7, s.directions * 3 * s.hidden}};
    for (const auto& [operand, count] : counts) {
        if (request.hasInput(operand))
            request.requireInputCount(operand, count);
    }
    for (std::size_t o = 0; o < request.outputCount(); ++o) {
        if (!request.hasOutput(o))
            continue;
        request.requireFloatOutput(o);
        request.requireCount(o == 0 ? s.steps * states : states, o);
    }
    if (request.dims(2)[0] != s.directions)
        request.refuse("its operands do not fit");
    kernel->isLinearBeforeReset = request.integer("linear_before_reset", 0) != 0;
    kernel->clip = static_cast<float>(request.real("clip", 0.0));
    std::vector<std::string> names = request.texts("activations");
    const std::size_t each = cell == Cell::Lstm ? 3 : cell == Cell::Gru ? 2 : 1;
    if (names.empty()) {
        for (std::int64_t d = 0; d < s.directions; ++d) {
            const std::vector<std::string> usual = cell == Cell::Rnn
                ? std::vector<std::string>{"Tanh"}
                : std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"};
            names.insert(names.end(), usual.begin(), usual.begin() + static_cast<std::ptrdiff_t>(each));
        }
    }
    if (names.size() != each * static_cast<std::size_t>(s.directions))
        request.refuse("its activations do not fit");
    for (const std::string& name : names)
        kernel->activations.push_back(activationOf(request, name));
    return kernel;
}

constexpr KernelEntry kEntries[] = {
    {"LSTM", makeRecurrent<Cell::Lstm>},
    {"GRU", makeRecurrent<Cell::Gru>},
    {"RNN", makeRecurrent<Cell::Rnn>},
};

} // namespace

std::span<const KernelEntry> recurrentKernels()
{
    return kEntries;
}

} // namespace arenascope::exec
