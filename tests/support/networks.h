// SPDX-License-Identifier: MIT
// Well-known networks as hand-made descriptions: float32, batch 1, batch normalisation and activation fused into their
// convolution, the Relu after an Add fused into it. One tensor an operator; weights are left out.
#pragma once

#include <arenascope/graph_builder.h>

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

namespace arenascope::test {

/// A picture-shaped value while a network is being described.
struct Map {
    TensorId id;
    std::int64_t channels = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
};

class NetworkMaker {
public:
    Map input(std::int64_t channels, std::int64_t size)
    {
        const TensorId id = m_builder.addInput("input", ElementType::Float32, Shape::of({1, channels, size, size}));
        return {id, channels, size, size};
    }
    Map make(const char* kind, std::vector<TensorId> inputs, std::int64_t channels, std::int64_t height, std::int64_t width)
    {
        Operator op;
        op.kind = kind;
        op.inputs = std::move(inputs);
        op.outputs = {m_builder.tensor("t" + std::to_string(m_count++))};
        const TensorId id = op.outputs.front();
        m_builder.describe(id, ElementType::Float32, Shape::of({1, channels, height, width}));
        m_builder.addOperator(std::move(op));
        return {id, channels, height, width};
    }
    Map conv(const Map& x, std::int64_t channels, int kernel = 1, int stride = 1, int padding = -1, int otherKernel = 0)
    {
        const int kernelWidth = otherKernel ? otherKernel : kernel;
        const int padH = padding < 0 ? kernel / 2 : padding;
        const int padW = padding < 0 ? kernelWidth / 2 : padding;
        return make("Conv", {x.id}, channels, extent(x.height, kernel, stride, padH, false), extent(x.width, kernelWidth, stride, padW, false));
    }
    Map depthwise(const Map& x, int stride) { return conv(x, x.channels, 3, stride); }
    Map pool(const Map& x, int kernel, int stride, int padding = 0, bool ceil = false)
    {
        return make("MaxPool", {x.id}, x.channels, extent(x.height, kernel, stride, padding, ceil), extent(x.width, kernel, stride, padding, ceil));
    }
    Map globalPool(const Map& x) { return make("GlobalAveragePool", {x.id}, x.channels, 1, 1); }
    Map dense(const Map& x, std::int64_t channels) { return make("Gemm", {x.id}, channels, 1, 1); }
    Map same(const char* kind, const Map& x) { return make(kind, {x.id}, x.channels, x.height, x.width); }
    Map add(const Map& a, const Map& b) { return make("Add", {a.id, b.id}, a.channels, a.height, a.width); }
    Map scale(const char* kind, const Map& x, std::int64_t channels) { return make(kind, {x.id}, channels, 2 * x.height, 2 * x.width); }
    Map concat(std::initializer_list<Map> parts)
    {
        std::vector<TensorId> ids;
        std::int64_t channels = 0;
        for (const Map& part : parts) {
            ids.push_back(part.id);
            channels += part.channels;
        }
        return make("Concat", std::move(ids), channels, parts.begin()->height, parts.begin()->width);
    }
    /// Class scores and their Softmax, the end of most classifiers here.
    std::shared_ptr<const Graph> classify(const Map& scores) { return finish(same("Softmax", scores)); }
    /// The same with the scores reshaped before.
    std::shared_ptr<const Graph> reshapeAndClassify(const Map& scores) { return classify(same("Reshape", scores)); }
    std::shared_ptr<const Graph> finish(const Map& output)
    {
        m_builder.addOutput(output.id);
        auto graph = std::move(m_builder).build();
        if (!graph) {
            std::fprintf(stderr, "network: %s\n", describe(graph.error()).c_str());
            std::abort();
        }
        return *std::move(graph);
    }

private:
    static std::int64_t extent(std::int64_t size, int kernel, int stride, int padding, bool ceil)
    {
        const std::int64_t room = size + 2 * padding - kernel + (ceil ? stride - 1 : 0);
        const std::int64_t count = room / stride + 1;
        // A window that would begin in the padding behind the picture does not count.
        return ceil && (count - 1) * stride >= size + padding ? count - 1 : count;
    }

    GraphBuilder m_builder;
    int m_count = 0;
};

inline std::shared_ptr<const Graph> mobileNetV1()
{
    NetworkMaker n;
    Map x = n.conv(n.input(3, 224), 32, 3, 2);
    struct Block { int channels, stride; };
    for (const Block b : {Block{64, 1}, {128, 2}, {128, 1}, {256, 2}, {256, 1}, {512, 2}, {512, 1}, {512, 1}, {512, 1}, {512, 1},
                          {512, 1}, {1024, 2}, {1024, 1}})
        x = n.conv(n.depthwise(x, b.stride), b.channels);
    return n.reshapeAndClassify(n.dense(n.globalPool(x), 1000));
}

inline std::shared_ptr<const Graph> mobileNetV2()
{
    NetworkMaker n;
    Map x = n.conv(n.input(3, 224), 32, 3, 2);
    struct Stage { int expansion, channels, repeats, stride; };
    for (const Stage s : {Stage{1, 16, 1, 1}, {6, 24, 2, 2}, {6, 32, 3, 2}, {6, 64, 4, 2}, {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}}) {
        for (int i = 0; i < s.repeats; ++i) {
            const Map wide = s.expansion > 1 ? n.conv(x, x.channels * s.expansion) : x;
            const int stride = i == 0 ? s.stride : 1;
            const Map narrow = n.conv(n.depthwise(wide, stride), s.channels);
            x = stride == 1 && x.channels == s.channels ? n.add(x, narrow) : narrow;
        }
    }
    return n.classify(n.dense(n.globalPool(n.conv(x, 1280)), 1000));
}

inline std::shared_ptr<const Graph> vgg16()
{
    NetworkMaker n;
    Map x = n.input(3, 224);
    struct Stage { int channels, repeats; };
    for (const Stage s : {Stage{64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}}) {
        for (int i = 0; i < s.repeats; ++i)
            x = n.conv(x, s.channels, 3);
        x = n.pool(x, 2, 2);
    }
    return n.classify(n.dense(n.dense(n.dense(x, 4096), 4096), 1000));
}

inline std::shared_ptr<const Graph> resNet18()
{
    NetworkMaker n;
    Map x = n.pool(n.conv(n.input(3, 224), 64, 7, 2), 3, 2, 1);
    for (const int channels : {64, 128, 256, 512}) {
        for (int i = 0; i < 2; ++i) {
            const int stride = i == 0 && channels > 64 ? 2 : 1;
            const Map body = n.conv(n.conv(x, channels, 3, stride), channels, 3);
            const Map skip = stride == 2 ? n.conv(x, channels, 1, 2) : x;
            x = n.add(body, skip);
        }
    }
    return n.classify(n.dense(n.globalPool(x), 1000));
}

inline std::shared_ptr<const Graph> resNet50()
{
    NetworkMaker n;
    Map x = n.pool(n.conv(n.input(3, 224), 64, 7, 2), 3, 2, 1);
    struct Stage { int channels, repeats; };
    for (const Stage s : {Stage{64, 3}, {128, 4}, {256, 6}, {512, 3}}) {
        for (int i = 0; i < s.repeats; ++i) {
            const int stride = i == 0 && s.channels > 64 ? 2 : 1;
            const Map body = n.conv(n.conv(n.conv(x, s.channels), s.channels, 3, stride), 4 * s.channels);
            const Map skip = i == 0 ? n.conv(x, 4 * s.channels, 1, stride) : x;
            x = n.add(body, skip);
        }
    }
    return n.classify(n.dense(n.globalPool(x), 1000));
}

inline std::shared_ptr<const Graph> squeezeNet11()
{
    NetworkMaker n;
    const auto fire = [&n](const Map& x, int squeeze, int expand) {
        const Map s = n.conv(x, squeeze);
        const Map one = n.conv(s, expand);
        const Map three = n.conv(s, expand, 3);
        return n.concat({one, three});
    };
    Map x = n.pool(n.conv(n.input(3, 224), 64, 3, 2, 0), 3, 2, 0, true);
    x = n.pool(fire(fire(x, 16, 64), 16, 64), 3, 2, 0, true);
    x = n.pool(fire(fire(x, 32, 128), 32, 128), 3, 2, 0, true);
    x = fire(fire(fire(fire(x, 48, 192), 48, 192), 64, 256), 64, 256);
    return n.classify(n.globalPool(n.conv(x, 1000)));
}

inline std::shared_ptr<const Graph> googLeNet()
{
    NetworkMaker n;
    struct Block { int one, reduce3, three, reduce5, five, pool; };
    const auto inception = [&n](const Map& x, const Block& b) {
        const Map p1 = n.conv(x, b.one);
        const Map p3 = n.conv(n.conv(x, b.reduce3), b.three, 3);
        const Map p5 = n.conv(n.conv(x, b.reduce5), b.five, 5);
        const Map pp = n.conv(n.pool(x, 3, 1, 1), b.pool);
        return n.concat({p1, p3, p5, pp});
    };
    Map x = n.pool(n.conv(n.input(3, 224), 64, 7, 2), 3, 2, 0, true);
    x = n.pool(n.conv(n.conv(x, 64), 192, 3), 3, 2, 0, true);
    x = inception(inception(x, {64, 96, 128, 16, 32, 32}), {128, 128, 192, 32, 96, 64});
    x = n.pool(x, 3, 2, 0, true);
    for (const Block b : {Block{192, 96, 208, 16, 48, 64}, {160, 112, 224, 24, 64, 64}, {128, 128, 256, 24, 64, 64},
                          {112, 144, 288, 32, 64, 64}, {256, 160, 320, 32, 128, 128}})
        x = inception(x, b);
    x = n.pool(x, 3, 2, 0, true);
    x = inception(inception(x, {256, 160, 320, 32, 128, 128}), {384, 192, 384, 48, 128, 128});
    return n.classify(n.dense(n.globalPool(x), 1000));
}

namespace inception_v3 {

inline Map blockA(NetworkMaker& n, const Map& x, int poolChannels)
{
    const Map p1 = n.conv(x, 64);
    const Map p5 = n.conv(n.conv(x, 48), 64, 5);
    const Map p3 = n.conv(n.conv(n.conv(x, 64), 96, 3), 96, 3);
    const Map pp = n.conv(n.pool(x, 3, 1, 1), poolChannels);
    return n.concat({p1, p5, p3, pp});
}
inline Map blockB(NetworkMaker& n, const Map& x)
{
    const Map p3 = n.conv(x, 384, 3, 2, 0);
    const Map pd = n.conv(n.conv(n.conv(x, 64), 96, 3), 96, 3, 2, 0);
    return n.concat({p3, pd, n.pool(x, 3, 2)});
}
inline Map blockC(NetworkMaker& n, const Map& x, int c)
{
    const Map p1 = n.conv(x, 192);
    const Map p7 = n.conv(n.conv(n.conv(x, c), c, 1, 1, -1, 7), 192, 7, 1, -1, 1);
    Map pd = n.conv(n.conv(x, c), c, 7, 1, -1, 1);
    pd = n.conv(n.conv(n.conv(pd, c, 1, 1, -1, 7), c, 7, 1, -1, 1), 192, 1, 1, -1, 7);
    const Map pp = n.conv(n.pool(x, 3, 1, 1), 192);
    return n.concat({p1, p7, pd, pp});
}
inline Map blockD(NetworkMaker& n, const Map& x)
{
    const Map p3 = n.conv(n.conv(x, 192), 320, 3, 2, 0);
    const Map p7 = n.conv(n.conv(n.conv(n.conv(x, 192), 192, 1, 1, -1, 7), 192, 7, 1, -1, 1), 192, 3, 2, 0);
    return n.concat({p3, p7, n.pool(x, 3, 2)});
}
inline Map blockE(NetworkMaker& n, const Map& x)
{
    const Map p1 = n.conv(x, 320);
    const Map s3 = n.conv(x, 384);
    const Map p3 = n.concat({n.conv(s3, 384, 1, 1, -1, 3), n.conv(s3, 384, 3, 1, -1, 1)});
    const Map sd = n.conv(n.conv(x, 448), 384, 3);
    const Map pd = n.concat({n.conv(sd, 384, 1, 1, -1, 3), n.conv(sd, 384, 3, 1, -1, 1)});
    const Map pp = n.conv(n.pool(x, 3, 1, 1), 192);
    return n.concat({p1, p3, pd, pp});
}

} // namespace inception_v3

inline std::shared_ptr<const Graph> inceptionV3()
{
    using namespace inception_v3;
    NetworkMaker n;
    Map x = n.conv(n.conv(n.conv(n.input(3, 299), 32, 3, 2, 0), 32, 3, 1, 0), 64, 3);
    x = n.pool(n.conv(n.conv(n.pool(x, 3, 2), 80), 192, 3, 1, 0), 3, 2);
    x = blockB(n, blockA(n, blockA(n, blockA(n, x, 32), 64), 64));
    x = blockC(n, blockC(n, blockC(n, blockC(n, x, 128), 160), 160), 192);
    x = blockE(n, blockE(n, blockD(n, x)));
    return n.reshapeAndClassify(n.dense(n.globalPool(x), 1000));
}

/// Pre-activation: batch normalisation with its Relu stands before each convolution and is a tensor of its own.
inline std::shared_ptr<const Graph> denseNet121()
{
    NetworkMaker n;
    Map x = n.pool(n.conv(n.input(3, 224), 64, 7, 2), 3, 2, 1);
    for (const int layers : {6, 12, 24, 16}) {
        for (int i = 0; i < layers; ++i) {
            const Map narrow = n.conv(n.same("BatchNormalization", x), 128);
            x = n.concat({x, n.conv(narrow, 32, 3)});
        }
        x = n.same("BatchNormalization", x);
        if (layers != 16)
            x = n.pool(n.conv(x, x.channels / 2), 2, 2);
    }
    return n.finish(n.dense(n.globalPool(x), 1000));
}

/// Four levels, 64 channels at 256x256, padded convolutions, resize and convolution on the way up, two classes.
inline std::shared_ptr<const Graph> uNet256()
{
    NetworkMaker n;
    Map x = n.input(3, 256);
    std::vector<Map> skips;
    for (const int channels : {64, 128, 256, 512}) {
        skips.push_back(n.conv(n.conv(x, channels, 3), channels, 3));
        x = n.pool(skips.back(), 2, 2);
    }
    x = n.conv(n.conv(x, 1024, 3), 1024, 3);
    while (!skips.empty()) {
        const std::int64_t channels = skips.back().channels;
        const Map up = n.conv(n.scale("Resize", x, x.channels), channels, 3);
        x = n.conv(n.conv(n.concat({skips.back(), up}), channels, 3), channels, 3);
        skips.pop_back();
    }
    return n.finish(n.conv(x, 2));
}

} // namespace arenascope::test
