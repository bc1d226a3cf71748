// SPDX-License-Identifier: MIT
// Tensors as small pictures.
#include "core/src/exec/elements.h"
#include "core/src/exec/view.h"

#include <arenascope/executor.h>

#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

namespace arenascope {

namespace {

using namespace exec;

constexpr std::int64_t kGap = 1;   ///< pixels between tiles
constexpr std::int64_t kMaxTiles = 4096;

/// Channels as tiles of rows x columns elements, `across` of them in a row.
struct Tiling {
    std::int64_t tiles = 1;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t across = 1;
    std::int64_t shrink = 1; ///< elements a pixel, along both sides of a tile

    std::int64_t tileWidth() const { return (columns + shrink - 1) / shrink; }
    std::int64_t tileHeight() const { return (rows + shrink - 1) / shrink; }
    std::int64_t width() const { return across * (tileWidth() + kGap) - kGap; }
    std::int64_t down() const { return (tiles + across - 1) / across; }
    std::int64_t height() const { return down() * (tileHeight() + kGap) - kGap; }
};

Tiling tilingOf(const Dims& dims, std::int64_t maxSide)
{
    Tiling t;
    const std::size_t rank = dims.size();
    const bool isVectors = rank >= 2 && dims[rank - 1] == 1 && dims[rank - 2] == 1; // pooled away: one row of channels
    if (rank >= 1)
        t.columns = isVectors ? product(dims) : dims[rank - 1];
    if (rank >= 2 && !isVectors) {
        t.rows = dims[rank - 2];
        t.tiles = product(dims, 0, rank - 2);
    }
    if (t.rows == 1 && t.tiles == 1 && t.columns > maxSide) { // a long vector goes on in the next row
        t.tiles = (t.columns + maxSide - 1) / maxSide;
        t.columns = maxSide;
    }
    t.tiles = std::min(t.tiles, kMaxTiles);
    const auto fit = [&t] {
        const double ratio = static_cast<double>(t.tileHeight() + kGap) / static_cast<double>(t.tileWidth() + kGap);
        const auto square = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(t.tiles) * ratio)));
        t.across = std::clamp<std::int64_t>(square, 1, t.tiles);
    };
    fit();
    while ((t.width() > maxSide || t.height() > maxSide) && t.shrink < std::max(t.rows, t.columns)) {
        t.shrink *= 2;
        fit();
    }
    t.across = std::clamp<std::int64_t>((maxSide + kGap) / (t.tileWidth() + kGap), 1, t.across);
    const std::int64_t rowsThatFit = std::max<std::int64_t>((maxSide + kGap) / (t.tileHeight() + kGap), 1);
    t.tiles = std::min(t.tiles, t.across * rowsThatFit);
    return t;
}

/// A tensor's elements where they are: a copy would be counted as memory that the network takes.
template <class T>
struct Elements {
    std::span<const std::byte> bytes;

    std::size_t size() const { return bytes.size() / sizeof(T); }
    double operator[](std::size_t i) const
    {
        T value;
        std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
        return static_cast<double>(value);
    }
};

template <class T>
std::pair<double, double> rangeOf(const Elements<T>& values)
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double value = values[i];
        if (std::isfinite(value)) {
            low = std::min(low, value);
            high = std::max(high, value);
        }
    }
    return {low, high};
}

template <class T>
cv::Mat grayTiles(const Tiling& t, const Elements<T>& values, cv::Mat& isNumber)
{
    const auto [low, high] = rangeOf(values);
    cv::Mat gray(static_cast<int>(t.height()), static_cast<int>(t.width()), CV_8U, cv::Scalar(0));
    isNumber = cv::Mat(gray.size(), CV_8U, cv::Scalar(0));
    for (std::int64_t tile = 0; tile < t.tiles; ++tile) {
        const auto left = static_cast<int>(tile % t.across * (t.tileWidth() + kGap));
        const auto top = static_cast<int>(tile / t.across * (t.tileHeight() + kGap));
        for (std::int64_t y = 0; y < t.tileHeight(); ++y) {
            for (std::int64_t x = 0; x < t.tileWidth(); ++x) {
                const auto at = static_cast<std::size_t>((tile * t.rows + y * t.shrink) * t.columns + x * t.shrink);
                if (at >= values.size())
                    continue;
                const double found = values[at];
                const double value = std::isfinite(found) ? found : low;
                const double share = high > low ? (value - low) / (high - low) : 0.5;
                gray.at<std::uint8_t>(top + static_cast<int>(y), left + static_cast<int>(x))
                    = static_cast<std::uint8_t>(std::lround(255.0 * share));
                isNumber.at<std::uint8_t>(top + static_cast<int>(y), left + static_cast<int>(x))
                    = std::isnan(found) ? 2 : 1;
            }
        }
    }
    return gray;
}

Picture coloured(const cv::Mat& gray, const cv::Mat& kinds)
{
    cv::Mat colours;
    cv::applyColorMap(gray, colours, cv::COLORMAP_VIRIDIS);
    cv::cvtColor(colours, colours, cv::COLOR_BGR2RGB);
    colours.setTo(cv::Scalar(255, 0, 255), kinds == 2);
    colours.setTo(cv::Scalar(0, 0, 0), kinds == 0);
    Picture picture{colours.cols, colours.rows, {}};
    picture.rgb.assign(colours.datastart, colours.dataend);
    return picture;
}

} // namespace

Result<Picture> tensorPicture(ElementType type, const Shape& shape, std::span<const std::byte> bytes, int maxSide)
{
    const auto count = shape.elementCount();
    if (!isNumber(type) || !count || *count == 0)
        return Error{ErrorCode::Unsupported, {}, {"A picture of " + std::string(elementTypeName(type)) + " "
                                                  + toString(shape), "Pictures are made of tensors of numbers."}};
    if (std::ssize(bytes) / elementBytes(type) < *count)
        return Error{ErrorCode::WrongInput, {}, {"picture", "there are fewer bytes than the shape says"}};
    try {
        const auto whole = bytes.first(static_cast<std::size_t>(*count * elementBytes(type)));
        const Tiling tiling = tilingOf(shape.dims, std::max(maxSide, 1));
        return withNumber(type, [&](auto number) {
            cv::Mat kinds;
            const cv::Mat gray = grayTiles(tiling, Elements<decltype(number)>{whole}, kinds);
            return coloured(gray, kinds);
        });
    } catch (const std::exception& e) {
        return Error{ErrorCode::Internal, {}, {e.what()}};
    }
}

} // namespace arenascope
