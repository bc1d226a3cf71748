// SPDX-License-Identifier: MIT
// What a rule for a kind of layer sees, and the arithmetic that such rules share.
#pragma once

#include "core/src/import/layered/network.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace arenascope::layered {

using Dims = std::vector<std::int64_t>;

/// One layer while its outputs are worked out.
struct Layer {
    Network& net;
    Operator op;             ///< inputs are set before the rule runs; the rule adds weights through weight()
    std::string where;       ///< "layer 'conv1'", for messages
    std::vector<Shape> in;   ///< shapes of the blobs that it reads
    std::vector<std::string> outputs; ///< names of the blobs that it writes
    bool isBounded = false;  ///< its outputs hang on data: see bounded()

    /// The file says something that cannot be: FileCorrupt.
    [[noreturn]] void bad(const std::string& what) const;
    /// The layer does not go with what it reads: ShapeMismatch.
    [[noreturn]] void mismatch(const std::string& what) const;
    /// This dimension of an output hangs on data: it takes its largest value, which comes from `parameter`.
    void bounded(std::size_t output, const Shape& shape, std::size_t axis, const std::string& parameter);

    /// Says that no rule knows this kind; its outputs have no shape.
    void unknownKind();

    /// The shape of the i-th input; mismatch() where there are too few.
    const Shape& input(std::size_t i) const;
    /// A weight of this layer, named "<layer>.<suffix>", added to what the operator reads.
    void weight(const std::string& suffix, const Dims& dims, ElementType type = ElementType::Float32);
    /// Throws bad() unless low <= value <= high.
    std::int64_t inRange(const std::string& name, std::int64_t value, std::int64_t low, std::int64_t high = kLargestExtent) const;
};

/// kUnknownDim where one of them is; Layer::mismatch where the product does not fit.
std::int64_t product(const Layer& layer, const Dims& dims);
/// The same for the extents from `begin` to `end`.
std::int64_t product(const Layer& layer, const Shape& shape, std::size_t begin, std::size_t end);
/// f(dim), or kUnknownDim.
std::int64_t mapped(std::int64_t dim, const std::function<std::int64_t(std::int64_t)>& f);
/// a, b or, where only one is known, that one; mismatch() where they differ.
std::int64_t agreed(const Layer& layer, std::int64_t a, std::int64_t b);
/// dim / divisor; bad() where it does not come out even.
std::int64_t divided(const Layer& layer, std::int64_t dim, std::int64_t divisor, const std::string& what);
/// Axis in 0 .. rank - 1, counted from the end where negative; bad() otherwise.
std::size_t axisOf(const Layer& layer, std::int64_t axis, std::size_t rank);
bool isKnown(std::int64_t dim);
Shape unknownShape();
/// Rank known, all extents open.
Shape openShape(std::size_t rank);

/// A window that slides along one dimension.
struct Window {
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t padBegin = 0;
    std::int64_t padEnd = 0;

    std::int64_t reach() const { return dilation * (kernel - 1) + 1; }
};
/// bad() unless kernel, stride and dilation are positive, pads not negative and all of them fit 32 bits.
void check(const Layer& layer, const Window& window);
/// How often the window fits: floor((extent + pads - reach) / stride) + 1; mismatch() where not even once.
std::int64_t slid(const Layer& layer, std::int64_t extent, const Window& window);
/// The same with a last window that may be cut off.
std::int64_t slidUp(const Layer& layer, std::int64_t extent, const Window& window);
/// As a transposed convolution: stride * (extent - 1) + reach - pads.
std::int64_t spread(const Layer& layer, std::int64_t extent, const Window& window);

/// Shape of what is read under new extents: the one that is `open` takes what the others leave of `total` elements; bad() where that does
/// not come out even, mismatch() where none is open and the numbers differ.
Shape reshaped(const Layer& layer, Dims dims, std::optional<std::size_t> open, std::int64_t total);

/// All inputs end to end along the axis; mismatch() where other extents differ.
Shape concatenated(const Layer& layer, std::size_t axis);

/// Reads a file, and catches Failure.
Result<ImportedModel> readLayered(const std::function<ImportedModel()>& read);

} // namespace arenascope::layered
