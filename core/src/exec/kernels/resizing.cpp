// SPDX-License-Identifier: MIT
// Resize and Upsample (ONNX, opset 7 to 19): nearest, linear and cubic along any dimensions. OpenCV's Resize has few of ONNX's
// coordinate modes, so each dimension gets a table of source elements and their weights, one dimension after the other.
#include "core/src/exec/registry.h"
#include "core/src/exec/request.h"

#include <algorithm>
#include <cmath>

namespace arenascope::exec {

namespace {

/// What one output index along a dimension is made of.
struct Taps {
    std::int64_t count = 1;             ///< a output element
    std::vector<std::int64_t> from;     ///< count a output index; -1: outside, the extrapolation value
    std::vector<float> weights;         ///< as many
};

struct Mode {
    std::string interpolation;  ///< "nearest", "linear", "cubic"
    std::string coordinates;    ///< coordinate_transformation_mode
    std::string nearest;        ///< nearest_mode
    double cubic = -0.75;       ///< cubic_coeff_a
    bool excludesOutside = false;
};

struct Line {
    std::int64_t in = 0;
    std::int64_t out = 0;
    double scale = 1.0;
    double roiStart = 0.0;
    double roiEnd = 1.0;
};

double sourceOf(const Mode& mode, const Line& line, std::int64_t i)
{
    const auto x = static_cast<double>(i);
    const auto in = static_cast<double>(line.in);
    const double length = line.scale * in; // of the output, before rounding
    if (mode.coordinates == "asymmetric")
        return x / line.scale;
    if (mode.coordinates == "align_corners")
        return line.out == 1 ? 0.0 : x * (in - 1.0) / (length - 1.0);
    if (mode.coordinates == "pytorch_half_pixel")
        return line.out > 1 ? (x + 0.5) / line.scale - 0.5 : 0.0;
    if (mode.coordinates == "tf_half_pixel_for_nn")
        return (x + 0.5) / line.scale;
    if (mode.coordinates == "tf_crop_and_resize") {
        if (line.out == 1)
            return 0.5 * (line.roiStart + line.roiEnd) * (in - 1.0);
        return line.roiStart * (in - 1.0)
            + x * (line.roiEnd - line.roiStart) * (in - 1.0) / static_cast<double>(line.out - 1);
    }
    if (mode.coordinates == "half_pixel_symmetric") {
        const double adjustment = static_cast<double>(line.out) / length;
        const double centre = in / 2.0;
        return centre * (1.0 - adjustment) + (x + 0.5) / line.scale - 0.5;
    }
    return (x + 0.5) / line.scale - 0.5; // half_pixel
}

std::int64_t nearestOf(const std::string& mode, double x)
{
    if (mode == "floor")
        return static_cast<std::int64_t>(std::floor(x));
    if (mode == "ceil")
        return static_cast<std::int64_t>(std::ceil(x));
    if (mode == "round_prefer_ceil")
        return static_cast<std::int64_t>(std::floor(x + 0.5));
    return static_cast<std::int64_t>(std::ceil(x - 0.5)); // round_prefer_floor
}

/// Keys's kernel (1981) at a distance of 0 to 2.
double cubicAt(double a, double distance)
{
    const double d = std::abs(distance);
    if (d <= 1.0)
        return ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0;
    return d < 2.0 ? ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a : 0.0;
}

void addTaps(const Mode& mode, const Line& line, double x, Taps& taps)
{
    const auto inside = [&line](std::int64_t i) { return std::clamp<std::int64_t>(i, 0, line.in - 1); };
    if (mode.coordinates == "tf_crop_and_resize" && (x < 0.0 || x > static_cast<double>(line.in - 1))) {
        taps.from.insert(taps.from.end(), static_cast<std::size_t>(taps.count), -1);
        taps.weights.insert(taps.weights.end(), static_cast<std::size_t>(taps.count), 0.0F);
        return;
    }
    if (mode.interpolation == "nearest") {
        taps.from.push_back(inside(nearestOf(mode.nearest, x)));
        taps.weights.push_back(1.0F);
        return;
    }
    const double floor = std::floor(x);
    const double share = x - floor;
    const auto first = static_cast<std::int64_t>(floor);
    if (mode.interpolation == "linear") {
        taps.from.insert(taps.from.end(), {inside(first), inside(first + 1)});
        taps.weights.insert(taps.weights.end(), {static_cast<float>(1.0 - share), static_cast<float>(share)});
        return;
    }
    double weights[4];
    double sum = 0.0;
    for (std::int64_t k = 0; k < 4; ++k) {
        const std::int64_t at = first - 1 + k;
        const bool isOutside = at < 0 || at >= line.in;
        weights[k] = mode.excludesOutside && isOutside ? 0.0 : cubicAt(mode.cubic, share + 1.0 - static_cast<double>(k));
        sum += weights[k];
        taps.from.push_back(inside(at));
    }
    for (const double weight : weights)
        taps.weights.push_back(static_cast<float>(mode.excludesOutside ? weight / sum : weight));
}

Taps tapsOf(const Mode& mode, const Line& line)
{
    Taps taps;
    taps.count = mode.interpolation == "nearest" ? 1 : mode.interpolation == "linear" ? 2 : 4;
    for (std::int64_t i = 0; i < line.out; ++i)
        addTaps(mode, line, sourceOf(mode, line, i), taps);
    return taps;
}

/// One dimension after the other, through scratch memory where there are several.
class ResizeKernel : public Kernel {
public:
    struct Pass {
        std::int64_t outer = 1;
        std::int64_t in = 1;
        std::int64_t out = 1;
        std::int64_t inner = 1;
        Taps taps;
    };
    std::vector<Pass> passes;
    float outside = 0.0F;
    ElementType type = ElementType::Float32;

    Bytes scratchBytes() const override
    {
        Bytes sum = 0;
        for (std::size_t i = 0; i + 1 < passes.size(); ++i)
            sum += stage(passes[i]);
        return sum;
    }
    void run(const KernelIo& io) override
    {
        const float* in = io.in[0].as<float>();
        std::byte* scratch = io.scratch;
        if (passes.empty())
            std::copy_n(in, io.out[0].count, io.out[0].as<float>());
        for (std::size_t i = 0; i < passes.size(); ++i) {
            const bool isLast = i + 1 == passes.size();
            float* out = isLast ? io.out[0].as<float>() : reinterpret_cast<float*>(scratch);
            resize(passes[i], in, out);
            in = out;
            scratch += isLast ? 0 : stage(passes[i]);
        }
    }

private:
    static Bytes stage(const Pass& pass)
    {
        return simdAligned(pass.outer * pass.out * pass.inner * static_cast<Bytes>(sizeof(float)));
    }
    void resize(const Pass& pass, const float* in, float* out) const
    {
        const Taps& taps = pass.taps;
        for (std::int64_t o = 0; o < pass.outer; ++o) {
            const float* plane = in + o * pass.in * pass.inner;
            for (std::int64_t i = 0; i < pass.out; ++i, out += pass.inner) {
                const auto first = static_cast<std::size_t>(i * taps.count);
                if (taps.from[first] < 0) {
                    std::fill_n(out, pass.inner, outside);
                    continue;
                }
                if (taps.count == 1) {
                    std::copy_n(plane + taps.from[first] * pass.inner, pass.inner, out);
                    continue;
                }
                std::fill_n(out, pass.inner, 0.0F);
                for (std::size_t k = first; k < first + static_cast<std::size_t>(taps.count); ++k) {
                    const float* row = plane + taps.from[k] * pass.inner;
                    const float weight = taps.weights[k];
                    for (std::int64_t x = 0; x < pass.inner; ++x)
                        out[x] += weight * row[x];
                }
            }
        }
    }
};

/// Scales by dimension: from an attribute, an input, or the sizes.
std::vector<double> scalesOf(const Request& request, std::span<const std::size_t> axes, bool& isBySizes)
{
    std::vector<double> given = request.reals("scales");
    if (request.op().kind == "Upsample" && given.empty())
        given = request.constantReals(1);
    const std::size_t input = request.opset() > 0 && request.opset() < 11 ? 1 : 2;
    if (given.empty() && request.hasInput(input) && request.input(input).bytes > 0)
        given = request.constantReals(input);
    const Dims& in = request.dims(0);
    std::vector<double> scales(in.size(), 1.0);
    isBySizes = given.empty();
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t d = axes[i];
        if (!isBySizes && i < given.size())
            scales[d] = given[i];
        else if (isBySizes && in[d] > 0)
            scales[d] = static_cast<double>(request.outputDims()[d]) / static_cast<double>(in[d]);
    }
    return scales;
}

Mode modeOf(const Request& request)
{
    const bool isOld = request.op().kind == "Upsample" || (request.opset() > 0 && request.opset() < 11);
    Mode mode;
    mode.interpolation = request.text("mode", "nearest");
    if (mode.interpolation == "bilinear")
        mode.interpolation = "linear";
    mode.coordinates = request.text("coordinate_transformation_mode", isOld ? "asymmetric" : "half_pixel");
    mode.nearest = request.text("nearest_mode", isOld ? "floor" : "round_prefer_floor");
    mode.cubic = request.real("cubic_coeff_a", -0.75);
    mode.excludesOutside = request.integer("exclude_outside", 0) != 0;
    if (mode.interpolation != "nearest" && mode.interpolation != "linear" && mode.interpolation != "cubic")
        request.refuse("mode '" + mode.interpolation + "' is not known");
    if (request.integer("antialias", 0) != 0 && mode.interpolation != "nearest")
        request.refuse("it smooths while it shrinks (antialias)");
    return mode;
}

std::unique_ptr<Kernel> makeResize(const Request& request)
{
    request.requireFloatInput(0);
    request.requireFloatOutput();
    const Dims& in = request.dims(0);
    const Dims& out = request.outputDims();
    if (in.size() != out.size() || product(in) == 0)
        request.refuse("its sizes do not fit");
    std::vector<std::size_t> axes;
    for (const std::int64_t axis : request.integers("axes"))
        axes.push_back(request.axis(axis, in.size()));
    for (std::size_t d = 0; d < in.size() && !request.has("axes"); ++d)
        axes.push_back(d);
    const Mode mode = modeOf(request);
    bool isBySizes = false;
    const std::vector<double> scales = scalesOf(request, axes, isBySizes);
    const bool hasRoi = mode.coordinates == "tf_crop_and_resize";
    const std::vector<double> roi = hasRoi ? request.constantReals(1) : std::vector<double>();
    auto kernel = std::make_unique<ResizeKernel>();
    kernel->outside = static_cast<float>(request.real("extrapolation_value", 0.0));
    Dims now = in;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t d = axes[i];
        Line line{in[d], out[d], scales[d], 0.0, 1.0};
        if (roi.size() == 2 * axes.size()) {
            line.roiStart = roi[i];
            line.roiEnd = roi[axes.size() + i];
        }
        const bool isWhole = line.in == line.out && (!hasRoi || (line.roiStart == 0.0 && line.roiEnd == 1.0));
        if (isWhole)
            continue;
        ResizeKernel::Pass pass{product(now, 0, d), in[d], out[d], product(now, d + 1, now.size()), tapsOf(mode, line)};
        kernel->passes.push_back(std::move(pass));
        now[d] = out[d];
    }
    if (now != out)
        request.refuse("its sizes do not fit");
    return kernel;
}

constexpr KernelEntry kEntries[] = {
    {"Resize", makeResize},
    {"Upsample", makeResize},
};

} // namespace

std::span<const KernelEntry> resizingKernels()
{
    return kEntries;
}

} // namespace arenascope::exec
