// SPDX-License-Identifier: MIT
#include "core/src/exec/window.h"

#include "core/src/exec/strided.h"

#include <algorithm>

namespace arenascope::exec {

namespace {

constexpr Bytes kAlignment = 64;

Dims listOr(const Request& request, std::string_view name, std::size_t rank, std::int64_t fallback)
{
    Dims list = request.integers(name);
    if (list.empty())
        list.assign(rank, fallback);
    if (list.size() != rank || std::ranges::any_of(list, [](std::int64_t value) { return value < 1; }))
        request.refuse("'" + std::string(name) + "' does not fit " + std::to_string(rank) + " spatial dimensions");
    return list;
}

void padAutomatically(Window& window, const std::string& mode, std::span<const std::int64_t> spatial)
{
    for (std::size_t i = 0; i < window.rank(); ++i) {
        const std::int64_t out = (spatial[i] + window.strides[i] - 1) / window.strides[i];
        const std::int64_t total = std::max<std::int64_t>((out - 1) * window.strides[i] + window.reach(i) - spatial[i], 0);
        const std::int64_t smaller = total / 2;
        window.padsBegin[i] = mode == "SAME_UPPER" ? smaller : total - smaller;
        window.padsEnd[i] = total - window.padsBegin[i];
    }
}

class PaddedInputKernel : public Kernel {
public:
    PaddedInputKernel(std::unique_ptr<Kernel> kernel, Dims dims, Dims begin, const Dims& end, float value)
        : m_kernel(std::move(kernel)), m_dims(std::move(dims)), m_begin(std::move(begin)), m_value(value)
    {
        for (std::size_t i = 0; i < m_dims.size(); ++i)
            m_paddedDims.push_back(m_dims[i] + m_begin[i] + end[i]);
        const Bytes bytes = product(m_paddedDims) * static_cast<Bytes>(sizeof(float));
        m_paddedBytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    }

    void load(ConstantStore& constants) override { m_kernel->load(constants); }
    bool keepsInput(std::size_t i) const override { return m_kernel->keepsInput(i); }
    Bytes scratchBytes() const override { return m_paddedBytes + m_kernel->scratchBytes(); }
    std::string engine() const override { return m_kernel->engine(); }

    void bind(const KernelIo& io) override
    {
        const std::vector<View> in = padded(io);
        m_kernel->bind({in, io.out, io.scratch + m_paddedBytes});
    }

    void run(const KernelIo& io) override
    {
        const std::vector<View> in = padded(io);
        std::fill_n(in[0].as<float>(), in[0].count, m_value);
        const Dims strides = stridesOf(m_paddedDims);
        std::int64_t corner = 0;
        for (std::size_t i = 0; i < strides.size(); ++i)
            corner += strides[i] * m_begin[i];
        copyStrided(ElementType::Float32, m_dims, reinterpret_cast<std::byte*>(in[0].as<float>() + corner), strides,
                    io.in[0].data, stridesOf(m_dims));
        m_kernel->run({in, io.out, io.scratch + m_paddedBytes});
    }

private:
    std::vector<View> padded(const KernelIo& io) const
    {
        std::vector<View> in(io.in.begin(), io.in.end());
        const std::int64_t count = product(m_paddedDims);
        in[0] = {io.scratch, ElementType::Float32, m_paddedDims, count, count * static_cast<Bytes>(sizeof(float))};
        return in;
    }

    std::unique_ptr<Kernel> m_kernel;
    Dims m_dims;
    Dims m_begin;
    Dims m_paddedDims;
    float m_value;
    Bytes m_paddedBytes = 0;
};

} // namespace

Window windowOf(const Request& request, Dims kernel, std::span<const std::int64_t> spatial)
{
    Window window;
    const Dims given = request.integers("kernel_shape");
    window.kernel = given.empty() ? std::move(kernel) : given;
    const std::size_t rank = spatial.size();
    if (window.kernel.size() != rank || std::ranges::any_of(window.kernel, [](std::int64_t k) { return k < 1; }))
        request.refuse("the kernel does not fit " + std::to_string(rank) + " spatial dimensions");
    window.strides = listOr(request, "strides", rank, 1);
    window.dilations = listOr(request, "dilations", rank, 1);
    window.padsBegin.assign(rank, 0);
    window.padsEnd.assign(rank, 0);
    const std::string mode = request.text("auto_pad", "NOTSET");
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
        padAutomatically(window, mode, spatial);
        return window;
    }
    const Dims pads = request.integers("pads");
    if (pads.empty() || mode == "VALID")
        return window;
    if (pads.size() != 2 * rank || std::ranges::any_of(pads, [](std::int64_t pad) { return pad < 0; }))
        request.refuse("its pads do not fit");
    std::copy_n(pads.begin(), rank, window.padsBegin.begin());
    std::copy_n(pads.begin() + static_cast<std::ptrdiff_t>(rank), rank, window.padsEnd.begin());
    return window;
}

std::unique_ptr<Kernel> withPaddedInput(std::unique_ptr<Kernel> kernel, Dims dims, Dims padsBegin, Dims padsEnd, float value)
{
    return std::make_unique<PaddedInputKernel>(std::move(kernel), std::move(dims), std::move(padsBegin), padsEnd, value);
}

} // namespace arenascope::exec
