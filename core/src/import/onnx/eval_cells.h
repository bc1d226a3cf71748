// SPDX-License-Identifier: MIT
// Contents of small tensors while they are worked out: one 64-bit cell an element, some of which may be unknown.
#pragma once

#include "core/src/import/onnx/shape_context.h"

#include <bit>

namespace arenascope::onnx_import {

/// Floating-point results above this are not kept: shape arithmetic is short, and weights need no value.
inline constexpr std::int64_t kMaxKeptFloats = 4096;

struct Cells {
    ElementType type = ElementType::Undefined;
    Dims dims;                      ///< all known
    std::vector<std::int64_t> bits; ///< integers and booleans as such (uint64 wrapped), others as a double's bits;
                                    ///< 16-bit floats as their own bits: they can be moved, not computed with
    std::vector<bool> known;        ///< empty: all are

    std::size_t size() const { return bits.size(); }
    bool isKnownAt(std::size_t i) const { return known.empty() || known[i]; }
    bool isAllKnown() const;
    void setUnknown(std::size_t i);
    double real(std::size_t i) const { return std::bit_cast<double>(bits[i]); }
    void setReal(std::size_t i, double value) { bits[i] = std::bit_cast<std::int64_t>(value); }
    /// Elements of a fully known integer tensor.
    std::optional<std::vector<std::int64_t>> integers() const;
};

bool isIntegerType(ElementType type); ///< signed, unsigned and Bool, of at least 8 bits
bool isRealType(ElementType type);    ///< Float32 and Float64
/// Whether `count` elements of that type are worth keeping and can be.
bool canKeep(ElementType type, std::int64_t count);

/// Number of elements of known extents where it is at most kMaxKeptElements.
std::optional<std::size_t> keptCount(std::span<const std::int64_t> dims);
/// All cells zero and known; the extents' product must be kept.
Cells zeroCells(ElementType type, const Dims& dims);
/// What is known of a value's content; nothing where it is not tracked.
std::optional<Cells> cellsOf(const ValueInfo& value);
/// Rounds or wraps cell i to its type, as storing it would.
void normalize(Cells& cells, std::size_t i);
/// Puts the content into a value of the same type and shape: as `value` where all is known and constant is set, as
/// `partialValue` where it is an integer vector or scalar with some known elements.
void storeCells(const Cells& cells, bool constant, ValueInfo& into);

/// Distance in elements between neighbours along each dimension, row-major.
std::vector<std::int64_t> stridesOf(std::span<const std::int64_t> dims);
/// Copies from `source` as an array of extents `dims` whose neighbours are `strides` elements apart, from `offset` on.
/// Every element so addressed must lie in the source.
Cells stridedCopy(const Cells& source, const Dims& dims, std::span<const std::int64_t> strides, std::int64_t offset);
/// Stretched to extents that it can be broadcast to; fails otherwise.
Cells broadcastTo(const Cells& source, const Dims& dims);

} // namespace arenascope::onnx_import
