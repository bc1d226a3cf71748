// SPDX-License-Identifier: MIT
// Pictures as network inputs.
#pragma once

#include <arenascope/executor.h>

#include <array>
#include <filesystem>
#include <string>

namespace arenascope {

enum class ChannelOrder { Rgb, Bgr };

/// How a picture becomes a tensor: element = (value of 0 to 255 - mean) * scale, channel by channel.
struct ImageOptions {
    std::array<double, 3> mean{0.0, 0.0, 0.0}; ///< in the order of the channels in the tensor
    std::array<double, 3> scale{1.0, 1.0, 1.0};
    ChannelOrder order = ChannelOrder::Rgb;
};

/// Reads a picture (PNG, JPEG and whatever else OpenCV reads) for a network input: resized to its height and width, as
/// NxCxHxW or NxHxWxC, whichever has 1 or 3 channels (the first where both have), the same picture N times. One channel is
/// grey. Rounded and clipped for uint8 and int8.
/// Errors: FileNotFound, FileUnreadable, WrongInput (no such shape, or neither float32, uint8 nor int8), TooLarge.
Result<TensorContent> readImage(const std::filesystem::path& path, const std::string& input, const Shape& shape, ElementType type,
                                const ImageOptions& options);

} // namespace arenascope
