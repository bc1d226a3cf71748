// SPDX-License-Identifier: MIT
// Sizes that Caffe's layers make, worked out by hand from Caffe's formulas.
#include "tests/support/caffe_text.h"
#include "tests/support/layered.h"

using namespace arenascope;
using namespace arenascope::test;

class TestCaffeShapes : public QObject {
    Q_OBJECT

private slots:
    void shapes_data();
    void shapes();
    void severalOutputs();
    void inputs_data();
    void inputs();
};

void TestCaffeShapes::shapes_data()
{
    QTest::addColumn<QByteArray>("layers");
    QTest::addColumn<QString>("shape"); // of y
    const auto row = [](const char* name, const QByteArray& layers, const char* shape) {
        QTest::newRow(name) << layers << QString(shape);
    };
    const auto conv = [](const char* parameters) { return layer("Convolution", QByteArray("convolution_param { ") + parameters + " }"); };
    const auto pool = [](const char* parameters) { return layer("Pooling", QByteArray("pooling_param { ") + parameters + " }"); };
    row("a kernel of 1", conv("num_output: 5 kernel_size: 1"), "2x5x6x8");
    row("pads and strides", conv("num_output: 5 kernel_size: 3 pad: 1 stride: 2"), "2x5x3x4");
    row("sides of their own", conv("num_output: 5 kernel_h: 5 kernel_w: 3 pad_h: 2 pad_w: 0 stride_h: 2 stride_w: 1"), "2x5x3x6");
    row("one value a dimension", conv("num_output: 5 kernel_size: 5 kernel_size: 3 pad: 2 pad: 0"), "2x5x6x6");
    row("dilation", conv("num_output: 5 kernel_size: 3 dilation: 2"), "2x5x2x4");
    row("groups", conv("num_output: 8 kernel_size: 3 group: 4"), "2x8x4x6");
    row("transposed", layer("Deconvolution", "convolution_param { num_output: 5 kernel_size: 4 stride: 2 pad: 1 }"), "2x5x12x16");
    row("pooling rounds up", pool("pool: MAX kernel_size: 3 stride: 2"), "2x4x3x4");     // ceil(3/2)+1 by ceil(5/2)+1
    row("pooling with padding", pool("pool: AVE kernel_size: 2 stride: 2 pad: 1"), "2x4x4x5"); // 4 by 5
    row("pooling leaves out a window that begins in the padding behind", pool("pool: MAX kernel_size: 2 stride: 3 pad: 1"), "2x4x3x3"); // ceil(6/3)+1, ceil(8/3)+1=4 -> 3
    row("pooling rounds down", pool("pool: MAX kernel_size: 3 stride: 2 round_mode: FLOOR"), "2x4x2x3");
    row("pooling rounds down in another dialect", pool("pool: MAX kernel_size: 3 stride: 2 ceil_mode: false"), "2x4x2x3");
    row("pooling of all", pool("pool: AVE global_pooling: true"), "2x4x1x1");
    row("inner product", layer("InnerProduct", "inner_product_param { num_output: 10 }"), "2x10");
    row("inner product along the last axis", layer("InnerProduct", "inner_product_param { num_output: 10 axis: -1 }"), "2x4x6x10");
    row("element by element", layer("ReLU"), "2x4x6x8");
    row("flatten", layer("Flatten"), "2x192");
    row("flatten a part", layer("Flatten", "flatten_param { axis: 1 end_axis: 2 }"), "2x24x8");
    row("reshape", layer("Reshape", "reshape_param { shape { dim: 0 dim: -1 dim: 12 } }"), "2x16x12");
    row("reshape from an axis on", layer("Reshape", "reshape_param { shape { dim: 3 dim: -1 } axis: 2 num_axes: 1 }"), "2x4x3x2x8");
    row("reshape that adds an axis at the end", layer("Reshape", "reshape_param { shape { dim: 1 } axis: -1 num_axes: 0 }"), "2x4x6x8x1");
    row("permute", layer("Permute", "permute_param { order: 0 order: 2 order: 3 order: 1 }"), "2x6x8x4");
    row("permute names only the first", layer("Permute", "permute_param { order: 3 }"), "8x2x4x6");
    row("softmax keeps", layer("Softmax"), "2x4x6x8");
    row("local response normalisation keeps", layer("LRN", "lrn_param { local_size: 5 alpha: 0.0001 }"), "2x4x6x8");
    row("tiled", layer("Tile", "tile_param { axis: 1 tiles: 3 }"), "2x12x6x8");
    row("reduced to a number", layer("Reduction"), "scalar");
    row("reduced from an axis on", layer("Reduction", "reduction_param { axis: 2 }"), "2x4");
    row("the largest", layer("ArgMax", "argmax_param { top_k: 3 }"), "2x1x3x1");
    row("the largest along an axis", layer("ArgMax", "argmax_param { axis: 1 }"), "2x1x6x8");
    row("a pyramid", layer("SPP", "spp_param { pyramid_height: 3 }"), "2x84");
    row("interp to a size", layer("Interp", "interp_param { height: 5 width: 7 }"), "2x4x5x7");
    row("interp by a factor", layer("Interp", "interp_param { zoom_factor: 2 }"), "2x4x11x15");
    row("interp shrinks", layer("Interp", "interp_param { shrink_factor: 2 pad_end: -1 }"), "2x4x3x4");
    row("upsample", layer("Upsample", "upsample_param { scale: 2 pad_out_h: true }"), "2x4x11x16");
    row("space to depth", layer("Reorg", "reorg_param { stride: 2 }"), "2x16x3x4");
    row("words", layer("Embed", "embed_param { num_output: 16 input_dim: 100 }"), "2x4x6x8x16");
    row("an LSTM", layer("LSTM", "recurrent_param { num_output: 5 }"), "2x4x5");
    row("prior boxes", layer("PriorBox", "prior_box_param { min_size: 30 max_size: 60 aspect_ratio: 2 aspect_ratio: 0.5 aspect_ratio: 1 }"),
        "1x2x768"); // 48 cells, ratios 1, 2, 1/2 and one large box
    row("prior boxes without flips", layer("PriorBox", "prior_box_param { min_size: 30 min_size: 40 aspect_ratio: 2 flip: false }"),
        "1x2x768"); // 48 * 2 * 2 * 4
    row("two operands", "layer { name: \"r\" type: \"TanH\" bottom: \"x\" top: \"z\" }\n"
                        "layer { name: \"l\" type: \"Eltwise\" bottom: \"x\" bottom: \"z\" top: \"y\" eltwise_param { operation: SUM } }\n",
        "2x4x6x8");
    row("concat", "layer { name: \"r\" type: \"TanH\" bottom: \"x\" top: \"z\" }\n"
                  "layer { name: \"l\" type: \"Concat\" bottom: \"x\" bottom: \"z\" top: \"y\" }\n", "2x8x6x8");
    row("concat along another axis", "layer { name: \"r\" type: \"TanH\" bottom: \"x\" top: \"z\" }\n"
                                     "layer { name: \"l\" type: \"Concat\" bottom: \"x\" bottom: \"z\" top: \"y\" concat_param { axis: -1 } }\n",
        "2x4x6x16");
    row("concat as it was called", "layer { name: \"r\" type: \"TanH\" bottom: \"x\" top: \"z\" }\n"
                                   "layer { name: \"l\" type: \"Concat\" bottom: \"x\" bottom: \"z\" top: \"y\" concat_param { concat_dim: 0 } }\n",
        "4x4x6x8");
    row("crop to another blob", "layer { name: \"p\" type: \"Pooling\" bottom: \"x\" top: \"z\" pooling_param { kernel_size: 2 stride: 2 } }\n"
                                "layer { name: \"l\" type: \"Crop\" bottom: \"x\" bottom: \"z\" top: \"y\" crop_param { axis: 2 offset: 1 } }\n",
        "2x4x3x4");
    row("regions", "layer { name: \"r\" type: \"Input\" top: \"rois\" input_param { shape { dim: 50 dim: 5 } } }\n"
                   "layer { name: \"l\" type: \"ROIPooling\" bottom: \"x\" bottom: \"rois\" top: \"y\" roi_pooling_param { pooled_h: 5 pooled_w: 7 } }\n",
        "50x4x5x7");
    row("sensitive regions", "layer { name: \"r\" type: \"Input\" top: \"rois\" input_param { shape { dim: 50 dim: 5 } } }\n"
                             "layer { name: \"l\" type: \"PSROIPooling\" bottom: \"x\" bottom: \"rois\" top: \"y\" psroi_pooling_param "
                             "{ output_dim: 1 group_size: 2 } }\n",
        "50x1x2x2");
}

void TestCaffeShapes::shapes()
{
    QFETCH(QByteArray, layers);
    QFETCH(QString, shape);
    const auto model = importText("net.prototxt", net(layers));
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    QCOMPARE(shapeOf(*model->graph, "y"), shape);
}

void TestCaffeShapes::severalOutputs()
{
    const auto shapesOf = [](const QByteArray& type, const QByteArray& parameters) {
        const auto model = importText("net.prototxt", net("layer { name: \"l\" type: \"" + type + "\" bottom: \"x\" top: \"a\" top: \"b\" "
                                                          + parameters + " }\n"));
        if (!model)
            return QString::fromStdString(describe(model.error()));
        return shapeOf(*model->graph, "a") + " " + shapeOf(*model->graph, "b");
    };
    QCOMPARE(shapesOf("Slice", ""), "2x2x6x8 2x2x6x8");
    QCOMPARE(shapesOf("Slice", "slice_param { axis: 3 slice_point: 3 }"), "2x4x6x3 2x4x6x5");
    QCOMPARE(shapesOf("Slice", "slice_param { slice_dim: 0 }"), "1x4x6x8 1x4x6x8");
    QCOMPARE(shapesOf("Split", ""), "2x4x6x8 2x4x6x8");
    QCOMPARE(shapesOf("Pooling", "pooling_param { kernel_size: 2 stride: 2 }"), "2x4x3x4 2x4x3x4"); // with its mask
}

void TestCaffeShapes::inputs_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("shapes");
    const QByteArray relu = "layer { name: \"r\" type: \"ReLU\" bottom: \"a\" top: \"y\" }\n";
    QTest::newRow("numbers") << "input: \"a\"\ninput_dim: 1\ninput_dim: 3\ninput_dim: 5\ninput_dim: 7\n" + relu << "a=1x3x5x7";
    QTest::newRow("numbers of two") << "input: \"a\" input: \"b\"\ninput_dim: [1,3,5,7,1,1,2,2]\n" + relu << "a=1x3x5x7 b=1x1x2x2";
    QTest::newRow("shapes") << "input: \"a\"\ninput_shape { dim: [1, 9] }\n" + relu << "a=1x9";
    QTest::newRow("a layer") << "layer { name: \"in\" type: \"Input\" top: \"a\" top: \"b\" input_param { shape { dim: 1 dim: 3 } shape { dim: 4 } } }\n" + relu
                             << "a=1x3 b=4";
    QTest::newRow("one shape for all") << "layer { name: \"in\" type: \"Input\" top: \"a\" top: \"b\" input_param { shape { dim: 1 dim: 3 } } }\n" + relu
                                       << "a=1x3 b=1x3";
    QTest::newRow("from memory") << "layer { name: \"in\" type: \"MemoryData\" top: \"a\" top: \"b\" memory_data_param { batch_size: 2 channels: 3 "
                                    "height: 5 width: 7 } }\n" + relu
                                 << "a=2x3x5x7 b=2";
    QTest::newRow("a database with crops") << "layer { name: \"in\" type: \"Data\" top: \"a\" top: \"b\" data_param { batch_size: 8 } transform_param { "
                                              "crop_size: 27 mean_file: \"m\" } }\n" + relu
                                           << "a=8x?x27x27 b=8";
    QTest::newRow("filler") << "layer { name: \"in\" type: \"DummyData\" top: \"a\" dummy_data_param { num: 2 channels: 3 height: 5 width: 7 } }\n" + relu
                            << "a=2x3x5x7";
    QTest::newRow("an unknown batch") << "input: \"a\"\ninput_shape { dim: 0 dim: 9 }\n" + relu << "a=1x9";
}

void TestCaffeShapes::inputs()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, shapes);
    const auto model = importText("net.prototxt", text);
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    QStringList found;
    for (const TensorId input : model->graph->inputs()) {
        const QString name = QString::fromStdString(model->graph->tensor(input).name);
        found << name + "=" + shapeOf(*model->graph, name);
    }
    QCOMPARE(found.join(' '), shapes);
}

QTEST_GUILESS_MAIN(TestCaffeShapes)
#include "tst_caffe_shapes.moc"
