// SPDX-License-Identifier: MIT
// Writes the sample models that lie beside this file: arenascope-make-samples FOLDER
#include "samples/model_writer.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

using arenascope::samples::ModelWriter;

namespace {

using Conv = ModelWriter::ConvOptions;

// A plain chain: the case for which two memories are all it takes.
std::string chain()
{
    ModelWriter net("chain", ModelWriter::Weights::Random);
    std::string x = net.input("image", {1, 1, 64, 64});
    for (const std::int64_t width : {8, 16, 16, 32}) {
        x = net.relu(net.conv(x, width, Conv{}));
        x = net.maxPool(x, 2, 2);
    }
    x = net.linear(net.flatten(net.globalAveragePool(x)), 10);
    net.output(net.softmax(x), {1, 10});
    return net.serialize();
}

std::string residualBlock(ModelWriter& net, const std::string& x, std::int64_t width, std::int64_t stride)
{
    const std::string shortcut = stride == 1 && net.channels(x) == width
        ? x : net.conv(x, width, Conv{.kernel = 1, .stride = stride});
    const std::string inner = net.relu(net.conv(x, width, Conv{.stride = stride}));
    return net.relu(net.add(net.conv(inner, width, Conv{}), shortcut));
}

// ResNet-8 for 32 x 32 pictures: skips that a path through the network would overwrite.
std::string residual()
{
    ModelWriter net("residual", ModelWriter::Weights::Random);
    std::string x = net.relu(net.conv(net.input("image", {1, 3, 32, 32}), 16, Conv{}));
    x = residualBlock(net, x, 16, 1);
    x = residualBlock(net, x, 32, 2);
    x = residualBlock(net, x, 64, 2);
    x = net.linear(net.flatten(net.globalAveragePool(x)), 10);
    net.output(net.softmax(x), {1, 10});
    return net.serialize();
}

std::string inceptionBlock(ModelWriter& net, const std::string& x, std::int64_t width)
{
    const std::string one = net.relu(net.conv(x, width, Conv{.kernel = 1}));
    const std::string three = net.relu(net.conv(net.relu(net.conv(x, width, Conv{.kernel = 1})), width * 2, Conv{}));
    const std::string five = net.relu(net.conv(net.relu(net.conv(x, width / 2, Conv{.kernel = 1})), width, Conv{.kernel = 5}));
    const std::string pool = net.relu(net.conv(net.maxPool(x, 3, 1), width, Conv{.kernel = 1}));
    return net.concat({one, three, five, pool});
}

// Four branches between each fork and join.
std::string inception()
{
    ModelWriter net("inception", ModelWriter::Weights::Random);
    std::string x = net.relu(net.conv(net.input("image", {1, 3, 64, 64}), 16, Conv{.stride = 2}));
    x = inceptionBlock(net, x, 8);
    x = net.maxPool(inceptionBlock(net, x, 8), 2, 2);
    x = inceptionBlock(net, x, 12);
    x = net.linear(net.flatten(net.globalAveragePool(x)), 10);
    net.output(net.softmax(x), {1, 10});
    return net.serialize();
}

std::string twoConvs(ModelWriter& net, const std::string& x, std::int64_t width)
{
    return net.relu(net.conv(net.relu(net.conv(x, width, Conv{})), width, Conv{}));
}

// Long skips: what is written first is read last.
std::string unet()
{
    ModelWriter net("unet", ModelWriter::Weights::Random);
    std::string x = net.input("image", {1, 3, 128, 128});
    std::vector<std::string> skips;
    std::int64_t width = 8;
    for (int level = 0; level < 3; ++level, width *= 2) {
        x = twoConvs(net, x, width);
        skips.push_back(x);
        x = net.maxPool(x, 2, 2);
    }
    x = twoConvs(net, x, width);
    for (; !skips.empty(); skips.pop_back()) {
        width /= 2;
        x = net.concat({skips.back(), net.transposedConv(x, width)});
        x = twoConvs(net, x, width);
    }
    net.output(net.conv(x, 2, Conv{.kernel = 1}), {1, 2, 128, 128});
    return net.serialize();
}

std::string invertedResidual(ModelWriter& net, const std::string& x, std::int64_t width, std::int64_t stride, std::int64_t expansion)
{
    const std::int64_t inside = net.channels(x) * expansion;
    std::string y = x;
    if (expansion != 1)
        y = net.relu6(net.conv(y, inside, Conv{.kernel = 1}));
    y = net.relu6(net.conv(y, inside, Conv{.stride = stride, .groups = inside}));
    y = net.conv(y, width, Conv{.kernel = 1});
    return stride == 1 && net.channels(x) == width ? net.add(x, y) : y;
}

// MobileNetV2 as in its paper (arXiv 1801.04381, table 2), width 1.0, batch normalisation folded into the convolutions.
std::string mobilenetV2()
{
    struct Row {
        std::int64_t expansion, channels, repeats, stride;
    };
    constexpr std::array<Row, 7> kRows = {{{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1},
                                           {6, 160, 3, 2}, {6, 320, 1, 1}}};
    ModelWriter net("mobilenet_v2", ModelWriter::Weights::Light);
    std::string x = net.relu6(net.conv(net.input("image", {1, 3, 224, 224}), 32, Conv{.stride = 2}));
    for (const Row& row : kRows) {
        for (std::int64_t i = 0; i < row.repeats; ++i)
            x = invertedResidual(net, x, row.channels, i == 0 ? row.stride : 1, row.expansion);
    }
    x = net.relu6(net.conv(x, 1280, Conv{.kernel = 1}));
    x = net.linear(net.flatten(net.globalAveragePool(x)), 1000);
    net.output(net.softmax(x), {1, 1000});
    return net.serialize();
}

// What is left of a model after a download that broke off.
std::string broken()
{
    const std::string whole = chain();
    return whole.substr(0, whole.size() / 3);
}

bool write(const std::filesystem::path& path, const std::string& content)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    file.close();
    if (!file)
        std::fprintf(stderr, "cannot write %s\n", path.c_str());
    return static_cast<bool>(file);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: arenascope-make-samples FOLDER\n");
        return 2;
    }
    const std::filesystem::path folder = argv[1];
    const std::array<std::pair<const char*, std::function<std::string()>>, 6> samples = {
        {{"chain.onnx", chain}, {"residual.onnx", residual}, {"inception.onnx", inception}, {"unet.onnx", unet},
         {"mobilenet_v2.onnx", mobilenetV2}, {"broken.onnx", broken}}};
    for (const auto& [name, make] : samples) {
        if (!write(folder / name, make()))
            return 2;
    }
    return 0;
}
