// SPDX-License-Identifier: MIT
// Pictures as network inputs.
#include <arenascope/image_input.h>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <cstring>

namespace arenascope {

namespace {

constexpr std::int64_t kMostSide = 1 << 15;
constexpr std::int64_t kMostImages = 1 << 12;
constexpr Bytes kMostBytes = Bytes(1) << 31;

/// Where a tensor's dimensions hold a picture.
struct Layout {
    std::int64_t images = 1;
    std::int64_t channels = 1;
    std::int64_t height = 1;
    std::int64_t width = 1;
    bool isPlanar = true; ///< one channel after the other
};

std::optional<Layout> layoutOf(const Shape& shape)
{
    if (!shape.isStatic() || shape.dims.size() < 2 || shape.dims.size() > 4)
        return std::nullopt;
    std::vector<std::int64_t> dims = shape.dims;
    Layout layout;
    if (dims.size() == 4) {
        layout.images = dims.front();
        dims.erase(dims.begin());
    }
    if (dims.size() == 2)
        dims.insert(dims.begin(), 1);
    const auto isColour = [](std::int64_t extent) { return extent == 1 || extent == 3; };
    layout.isPlanar = isColour(dims[0]);
    if (!layout.isPlanar && !isColour(dims[2]))
        return std::nullopt;
    layout.channels = layout.isPlanar ? dims[0] : dims[2];
    layout.height = layout.isPlanar ? dims[1] : dims[0];
    layout.width = layout.isPlanar ? dims[2] : dims[1];
    const bool fits = layout.images >= 1 && layout.images <= kMostImages && layout.height >= 1 && layout.height <= kMostSide
        && layout.width >= 1 && layout.width <= kMostSide;
    return fits ? std::optional(layout) : std::nullopt;
}

/// Height x width x channels of float, in the wanted order of channels.
cv::Mat pixelsOf(const cv::Mat& read, const Layout& layout, const ImageOptions& options)
{
    cv::Mat sized;
    const cv::Size size(static_cast<int>(layout.width), static_cast<int>(layout.height));
    const bool shrinks = read.cols > size.width || read.rows > size.height;
    cv::resize(read, sized, size, 0.0, 0.0, shrinks ? cv::INTER_AREA : cv::INTER_LINEAR);
    if (layout.channels == 3 && options.order == ChannelOrder::Rgb)
        cv::cvtColor(sized, sized, cv::COLOR_BGR2RGB); // OpenCV reads the other way round
    cv::Mat pixels;
    sized.convertTo(pixels, CV_32F);
    return pixels;
}

template <class T>
void store(const cv::Mat& pixels, const Layout& layout, const ImageOptions& options, std::vector<std::byte>& bytes)
{
    const auto count = static_cast<std::size_t>(layout.channels * layout.height * layout.width);
    std::vector<T> elements(count);
    for (int y = 0; y < pixels.rows; ++y) {
        const float* row = pixels.ptr<float>(y);
        for (std::int64_t x = 0; x < layout.width; ++x) {
            for (std::int64_t c = 0; c < layout.channels; ++c) {
                const auto channel = static_cast<std::size_t>(c);
                const double value = (row[x * layout.channels + c] - options.mean[channel]) * options.scale[channel];
                const std::int64_t at = layout.isPlanar ? (c * layout.height + y) * layout.width + x
                                                        : (y * layout.width + x) * layout.channels + c;
                elements[static_cast<std::size_t>(at)] = cv::saturate_cast<T>(value);
            }
        }
    }
    bytes.resize(count * sizeof(T) * static_cast<std::size_t>(layout.images));
    for (std::size_t image = 0; image < static_cast<std::size_t>(layout.images); ++image)
        std::memcpy(bytes.data() + image * count * sizeof(T), elements.data(), count * sizeof(T));
}

Result<cv::Mat> readPicture(const std::filesystem::path& path, bool isColour)
{
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        return Error{ErrorCode::FileNotFound, path.string(), {"no such file"}};
    cv::Mat read;
    try {
        read = cv::imread(path.string(), isColour ? cv::IMREAD_COLOR : cv::IMREAD_GRAYSCALE);
    } catch (const cv::Exception&) { // a damaged file, or one of too many pixels
    }
    if (read.empty())
        return Error{ErrorCode::FileUnreadable, path.string(), {"it is no picture that can be read"}};
    return read;
}

} // namespace

Result<TensorContent> readImage(const std::filesystem::path& path, const std::string& input, const Shape& shape, ElementType type,
                                const ImageOptions& options)
{
    const auto layout = layoutOf(shape);
    if (!layout)
        return Error{ErrorCode::WrongInput, path.string(), {input, "a picture needs NxCxHxW or NxHxWxC with 1 or 3 channels, not " + toString(shape)}};
    if (type != ElementType::Float32 && type != ElementType::UInt8 && type != ElementType::Int8)
        return Error{ErrorCode::WrongInput, path.string(),
                     {input, "a picture becomes float32, uint8 or int8, not " + std::string(elementTypeName(type))}};
    const auto count = shape.elementCount();
    if (!count || *count > kMostBytes / 4)
        return Error{ErrorCode::TooLarge, path.string(), {"the picture as a tensor", std::to_string(kMostBytes) + " bytes"}};
    const auto read = readPicture(path, layout->channels == 3);
    if (!read)
        return read.error();
    try {
        const cv::Mat pixels = pixelsOf(*read, *layout, options);
        TensorContent content{type, shape, {}};
        if (type == ElementType::Float32)
            store<float>(pixels, *layout, options, content.bytes);
        else if (type == ElementType::UInt8)
            store<std::uint8_t>(pixels, *layout, options, content.bytes);
        else
            store<std::int8_t>(pixels, *layout, options, content.bytes);
        return content;
    } catch (const std::exception& exception) { // cv::Exception is one, std::bad_alloc too
        return Error{ErrorCode::FileUnreadable, path.string(), {exception.what()}};
    }
}

} // namespace arenascope
