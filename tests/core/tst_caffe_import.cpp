// SPDX-License-Identifier: MIT
// Caffe's networks: published figures, the same networks in ONNX, names that are written again, phases, and what is said of
// files that are wrong. Single layers are in tst_caffe_shapes.
#include "tests/support/caffe_text.h"
#include "tests/support/layered.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

QString sharedModel(const QString& file)
{
    return QStringLiteral(ARENASCOPE_SHARED_DIR "/models/") + file;
}

QList<qint64> sizesOf(const Graph& graph, std::string_view kind)
{
    QList<qint64> sizes;
    for (const Operator& op : graph.operators()) {
        if (op.kind == kind)
            sizes << graph.tensor(op.outputs.front()).bytes;
    }
    std::sort(sizes.begin(), sizes.end());
    return sizes;
}

/// Elements of the kernels of all layers of a kind.
QList<qint64> kernelsOf(const Graph& graph, std::string_view kind)
{
    QList<qint64> sizes;
    for (const Operator& op : graph.operators()) {
        if (op.kind == kind)
            sizes << graph.tensor(op.inputs.at(1)).shape.elementCount().value_or(-1);
    }
    std::sort(sizes.begin(), sizes.end());
    return sizes;
}

} // namespace

class TestCaffeImport : public QObject {
    Q_OBJECT

private slots:
    void weights();
    void writtenAgain();
    void phases();
    void firstGeneration();
    void training();
    void viewsAndParts();
    void bounds();
    void openSizes();
    void unknownKinds();
    void faults_data();
    void faults();
    void realFiles_data();
    void realFiles();
    void figures_data();
    void figures();
    void bytes_data();
    void bytes();
    void sameNetworkInOnnx_data();
    void sameNetworkInOnnx();
};

void TestCaffeImport::weights()
{
    const auto model = importText("net.prototxt", net(
        "layer { name: \"c\" type: \"Convolution\" bottom: \"x\" top: \"c\" convolution_param { num_output: 6 kernel_size: 3 group: 2 } }\n"
        "layer { name: \"b\" type: \"BatchNorm\" bottom: \"c\" top: \"c\" }\n"
        "layer { name: \"s\" type: \"Scale\" bottom: \"c\" top: \"c\" scale_param { bias_term: true } }\n"
        "layer { name: \"p\" type: \"PReLU\" bottom: \"c\" top: \"c\" }\n"
        "layer { name: \"f\" type: \"InnerProduct\" bottom: \"c\" top: \"f\" param { name: \"w\" } inner_product_param { num_output: 10 bias_term: false } }\n"
        "layer { name: \"g\" type: \"InnerProduct\" bottom: \"c\" top: \"g\" param { name: \"w\" } inner_product_param { num_output: 10 bias_term: false } }\n"));
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    const Graph& graph = *model->graph;
    // Kernels and biases; mean, variance and their correction; factors and shifts; slopes; one matrix that two layers share.
    QCOMPARE(graph.info().weightBytes, 4 * ((6 * 2 * 9 + 6) + (6 + 6 + 1) + (6 + 6) + 6 + 10 * 6 * 4 * 6));
    QCOMPARE(shapeOf(graph, "c.weight"), "6x2x3x3");
    QCOMPARE(shapeOf(graph, "w"), "10x144");
    QCOMPARE(graph.tensor(graph.findTensor("w")).consumers.size(), std::size_t(2));
    QCOMPARE(graph.info().format, std::string("Caffe"));
    QCOMPARE(graph.info().operatorsInFile, 6);
    const auto& attributes = graph.op(graph.findOperator("c")).attributes;
    QCOMPARE(std::get<std::int64_t>(attributes.at("num_output")), 6);
}

/// A name that is written again stands for another tensor from then on.
void TestCaffeImport::writtenAgain()
{
    const auto model = importText("net.prototxt", net(
        "layer { name: \"c\" type: \"Convolution\" bottom: \"x\" top: \"c\" convolution_param { num_output: 6 kernel_size: 1 } }\n"
        "layer { name: \"r\" type: \"ReLU\" bottom: \"c\" top: \"c\" }\n"
        "layer { name: \"d\" type: \"Dropout\" bottom: \"c\" top: \"c\" }\n"
        "layer { name: \"e\" type: \"TanH\" bottom: \"c\" top: \"y\" }\n"));
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    const Graph& graph = *model->graph;
    QCOMPARE(messages(model), QStringList());
    const auto made = [&](const char* op) { return graph.tensor(graph.op(graph.findOperator(op)).outputs[0]).name; };
    const auto read = [&](const char* op) { return graph.tensor(graph.op(graph.findOperator(op)).inputs[0]).name; };
    QCOMPARE(made("c"), std::string("c"));
    QCOMPARE(read("r"), std::string("c"));
    QCOMPARE(made("r"), std::string("c#2"));
    QCOMPARE(read("d"), std::string("c#2"));
    QCOMPARE(made("d"), std::string("c#3"));
    QCOMPARE(read("e"), std::string("c#3"));
    QCOMPARE(graph.outputs().size(), std::size_t(1));
    StudyOptions options;
    options.alias = AliasMode::InPlace;
    const auto study = makeStudy(model->graph, options);
    QCOMPARE((*study)->aliases.groups.size(), std::size_t(2)); // the input, and all others in one buffer
    options.alias = AliasMode::None;
    QCOMPARE((*makeStudy(model->graph, options))->aliases.groups.size(), std::size_t(5));

    const auto clash = importText("net.prototxt", net("layer { name: \"a\" type: \"TanH\" bottom: \"x\" top: \"y\" }\n"
                                                      "layer { name: \"b\" type: \"ReLU\" bottom: \"x\" top: \"y\" }\n"));
    QVERIFY(clash);
    QCOMPARE(messages(clash), QStringList{"layer 'b': Tensor 'y' is written by both 'a' and 'b'. Give each output a name of its own and "
                                          "export again."});
}

void TestCaffeImport::phases()
{
    const auto kept = [](const QByteArray& rules, const QByteArray& state = {}) {
        const auto model = importText("net.prototxt", net(state + layer("TanH") + "layer { name: \"z\" type: \"ReLU\" bottom: \"x\" top: \"z\" "
                                                          + rules + " }\n"));
        return model && model->graph->findOperator("z").isValid();
    };
    QVERIFY(kept(""));
    QVERIFY(kept("include { phase: TEST }"));
    QVERIFY(!kept("include { phase: TRAIN }"));
    QVERIFY(kept("include { phase: TRAIN } include { phase: TEST }"));
    QVERIFY(!kept("exclude { phase: TEST }"));
    QVERIFY(kept("exclude { phase: TRAIN }"));
    QVERIFY(!kept("phase: TRAIN"));
    QVERIFY(!kept("include { stage: \"deep\" }"));
    QVERIFY(kept("include { stage: \"deep\" }", "state { stage: \"deep\" }\n"));
    QVERIFY(!kept("include { not_stage: \"deep\" }", "state { stage: \"deep\" }\n"));
    QVERIFY(!kept("include { min_level: 2 }", "state { level: 1 }\n"));
    QVERIFY(kept("include { max_level: 2 }", "state { level: 1 }\n"));
}

/// Networks before 2015 say their kinds by constants.
void TestCaffeImport::firstGeneration()
{
    const auto model = importText("net.prototxt",
                                  "input: \"x\" input_dim: 1 input_dim: 3 input_dim: 8 input_dim: 8\n"
                                  "layers { name: \"c\" type: CONVOLUTION bottom: \"x\" top: \"c\" blobs_lr: 1 blobs_lr: 2 weight_decay: 1 "
                                  "convolution_param { num_output: 6 kernel_size: 3 } }\n"
                                  "layers { name: \"r\" type: RELU bottom: \"c\" top: \"c\" }\n"
                                  "layers { name: \"f\" type: INNER_PRODUCT bottom: \"c\" top: \"f\" inner_product_param { num_output: 10 } }\n"
                                  "layers { name: \"l\" type: SOFTMAX_LOSS bottom: \"f\" bottom: \"f\" top: \"l\" include { phase: TRAIN } }\n"
                                  "layers { name: \"s\" type: SOFTMAX bottom: \"f\" top: \"s\" }\n");
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    QStringList kinds;
    for (const Operator& op : model->graph->operators())
        kinds << QString::fromStdString(op.kind);
    QCOMPARE(kinds, (QStringList{"Convolution", "ReLU", "InnerProduct", "Softmax"}));
    QCOMPARE(shapeOf(*model->graph, "s"), "1x10");
    QCOMPARE(messages(importText("net.prototxt", "layers { layer { name: \"c\" type: \"conv\" } bottom: \"x\" top: \"y\" }\n")),
             QStringList{"error net.prototxt: Caffe networks of the first generation (layers { layer {) files cannot be read. Upgrade it "
                         "with Caffe's upgrade_net_proto_text."});
}

/// What is only for training goes; labels, losses and accuracies of the test phase stay.
void TestCaffeImport::training()
{
    const auto model = importText("net.prototxt",
        "layer { name: \"d\" type: \"Data\" top: \"data\" top: \"label\" include { phase: TRAIN } data_param { batch_size: 256 } "
        "transform_param { crop_size: 16 force_color: true } }\n"
        "layer { name: \"d\" type: \"Data\" top: \"data\" top: \"label\" include { phase: TEST } data_param { batch_size: 10 source: \"x\" backend: "
        "LMDB } transform_param { crop_size: 16 force_color: true } }\n"
        "layer { name: \"f\" type: \"InnerProduct\" bottom: \"data\" top: \"f\" inner_product_param { num_output: 5 weight_filler { type: "
        "\"xavier\" } } }\n"
        "layer { name: \"a\" type: \"Accuracy\" bottom: \"f\" bottom: \"label\" top: \"a\" include { phase: TEST } }\n"
        "layer { name: \"l\" type: \"SoftmaxWithLoss\" bottom: \"f\" bottom: \"label\" }\n"
        "layer { name: \"s\" type: \"Silence\" bottom: \"label\" }\n");
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    QCOMPARE(shapeOf(*model->graph, "data"), "10x3x16x16");
    QCOMPARE(shapeOf(*model->graph, "a"), "scalar");
    QCOMPARE(shapeOf(*model->graph, "l"), "scalar");
    QStringList omitted;
    for (const Omission& omission : model->graph->omissions())
        omitted << QString::fromStdString(omission.name + ": " + omission.reason);
    QCOMPARE(omitted, (QStringList{"d: not in phase TEST", "d: input of the network", "s: it makes nothing"}));
    QCOMPARE(messages(importText("solver.prototxt", "net: \"models/train_val.prototxt\"\nbase_lr: 0.01\n")),
             QStringList{"error solver.prototxt: Caffe solvers files cannot be read. Open the network that it names: "
                         "models/train_val.prototxt."});
}

void TestCaffeImport::viewsAndParts()
{
    const QByteArray text = "input: \"x\" input_shape { dim: 1 dim: 4 dim: 6 dim: 8 }\n"
        "layer { name: \"c\" type: \"Convolution\" bottom: \"x\" top: \"c\" convolution_param { num_output: 4 kernel_size: 1 } }\n"
        "layer { name: \"s\" type: \"Split\" bottom: \"c\" top: \"c1\" top: \"c2\" }\n"
        "layer { name: \"cut\" type: \"Slice\" bottom: \"c1\" top: \"h1\" top: \"h2\" }\n"
        "layer { name: \"k\" type: \"Convolution\" bottom: \"h1\" top: \"k\" convolution_param { num_output: 2 kernel_size: 1 } }\n"
        "layer { name: \"join\" type: \"Concat\" bottom: \"k\" bottom: \"h2\" top: \"j\" }\n"
        "layer { name: \"sum\" type: \"Eltwise\" bottom: \"j\" bottom: \"c2\" top: \"e\" }\n"
        "layer { name: \"flat\" type: \"Flatten\" bottom: \"e\" top: \"v\" }\n"
        "layer { name: \"f\" type: \"InnerProduct\" bottom: \"v\" top: \"f\" inner_product_param { num_output: 3 } }\n";
    const auto model = importText("net.prototxt", text);
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    const Graph& graph = *model->graph;
    const auto aliasesOf = [&](AliasMode mode) {
        StudyOptions options;
        options.alias = mode;
        return (*makeStudy(model->graph, options))->aliases;
    };
    const auto groupOf = [&](const AliasGroups& groups, const char* name) { return groups.groupOf[graph.findTensor(name).index()]; };
    const AliasGroups views = aliasesOf(AliasMode::Views);
    QCOMPARE(groupOf(views, "c1"), groupOf(views, "c"));
    QCOMPARE(groupOf(views, "c2"), groupOf(views, "c"));
    QCOMPARE(groupOf(views, "v"), groupOf(views, "e"));
    QVERIFY(groupOf(views, "h1") != groupOf(views, "c"));
    const AliasGroups inPlace = aliasesOf(AliasMode::InPlace);
    QCOMPARE(groupOf(inPlace, "e"), groupOf(inPlace, "j"));
    QVERIFY(!aliasesOf(AliasMode::All).elisions.empty());
    QCOMPARE(faultsOfPlans(model->graph), QString());
}

void TestCaffeImport::bounds()
{
    const QByteArray inputs = "input: \"loc\" input_shape { dim: 2 dim: 40 } input: \"conf\" input_shape { dim: 2 dim: 210 } "
                              "input: \"prior\" input_shape { dim: 1 dim: 2 dim: 40 }\n";
    const auto detect = [&](const QByteArray& parameters, const ImportOptions& options = {}) {
        return importText("net.prototxt", inputs + "layer { name: \"d\" type: \"DetectionOutput\" bottom: \"loc\" bottom: \"conf\" bottom: "
                                                   "\"prior\" top: \"out\" detection_output_param { num_classes: 21 " + parameters + " } }\n",
                          options);
    };
    const auto kept = detect("keep_top_k: 50 nms_param { top_k: 100 }");
    QVERIFY(kept);
    QCOMPARE(shapeOf(*kept->graph, "out"), "1x1x100x7"); // of two pictures
    QCOMPARE(messages(kept), QStringList{"layer 'd': Dimension 2 of 'out', which hangs on the data, is not fixed in the file; 100 (keep_top_k) "
                                         "is assumed. Give another with --shape out=1x1xNx7."});
    QCOMPARE(shapeOf(*detect("nms_param { top_k: 100 }")->graph, "out"), "1x1x4200x7");
    const auto open = detect("");
    QVERIFY(open);
    QCOMPARE(messages(open), QStringList{"tensor 'out': Tensor 'out', made by 'd', has no fixed size. Give it with --shape out=1x1xNx7 (with "
                                         "numbers for N)."});
    ImportOptions options;
    options.shapes["out"] = {1, 1, 9, 7};
    QCOMPARE(shapeOf(*detect("keep_top_k: 50", options)->graph, "out"), "1x1x9x7");
    const auto proposal = importText("net.prototxt", net("layer { name: \"p\" type: \"Proposal\" bottom: \"x\" bottom: \"x\" bottom: \"x\" top: "
                                                         "\"rois\" top: \"scores\" proposal_param { post_nms_topn: 20 } }\n"));
    QVERIFY(proposal);
    QCOMPARE(shapeOf(*proposal->graph, "rois") + " " + shapeOf(*proposal->graph, "scores"), "20x5 20x1");
}

void TestCaffeImport::openSizes()
{
    const QByteArray text = "layer { name: \"in\" type: \"Data\" top: \"a\" data_param { batch_size: 8 } transform_param { crop_size: 27 } }\n"
                            "layer { name: \"c\" type: \"Convolution\" bottom: \"a\" top: \"y\" convolution_param { num_output: 6 kernel_size: 3 } }\n";
    const auto open = importText("net.prototxt", text);
    QVERIFY(open);
    QCOMPARE(messages(open), QStringList{"tensor 'a': Tensor 'a', made by 'Input', has no fixed size. Give it with --shape a=8xNx27x27 (with "
                                         "numbers for N)."});
    QCOMPARE(shapeOf(*open->graph, "y"), "8x6x25x25"); // all that is read has a size, so the weights only are open
    ImportOptions options;
    options.shapes["a"] = {1, 3, 227, 227};
    const auto given = importText("net.prototxt", text, options);
    QVERIFY(given);
    QCOMPARE(shapeOf(*given->graph, "y"), "1x6x225x225");
    QCOMPARE(shapeOf(*given->graph, "c.weight"), "6x3x3x3");
    options.shapes["b"] = {1};
    QCOMPARE(messages(importText("net.prototxt", text, options)),
             QStringList{"error net.prototxt, --shape: There is no input or tensor 'b'. Known: a."});
}

void TestCaffeImport::unknownKinds()
{
    const auto model = importText("net.prototxt", net(layer("Hologram", "hologram_param { depth: 3 inner { a: [1, 2] } }")));
    QVERIFY(model);
    QCOMPARE(messages(model),
             (QStringList{"layer 'l': Layer kind 'Hologram' is not supported. The shapes of what it makes are not known; give them with "
                          "--shape.",
                          "tensor 'y': Tensor 'y', made by 'l', has no fixed size. Give it with --shape y=NxNxN (with numbers for N)."}));
}

void TestCaffeImport::faults_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const QByteArray& text, const char* message) {
        QTest::newRow(name) << text << "error net.prototxt" + QString(message);
    };
    const auto damaged = [](const char* place, const char* what) {
        return QByteArray(place) + ": The file is damaged: " + what + ". Copy, download or export it again.";
    };
    const auto conv = [](const char* parameters) { return net(layer("Convolution", QByteArray("convolution_param { ") + parameters + " }")); };
    row("cut short", "layer { name: \"a\" type: \"ReLU\"", damaged(", line 1", "Expected identifier, got: "));
    row("no layers", "name: \"n\"\n", damaged("", "it describes no network: there is no layer in it"));
    row("a layer without type", net("layer { name: \"l\" bottom: \"x\" top: \"y\" }"), damaged(", layer 'l'", "it has no type"));
    row("messages in messages without end", QByteArray("layer ") + QByteArray("{ a ").repeated(100),
        damaged(", line 1", "messages lie more than 32 deep in each other"));
    row("a word where a number belongs", conv("num_output: many"), damaged(", line 4", "Expected integer, got: many"));
    row("no outputs", conv("kernel_size: 1"), damaged(", layer 'l'", "num_output is 0, not from 1 to 2147483647"));
    row("outputs beyond all bounds", conv("num_output: 4000000000 kernel_size: 1"),
        damaged(", layer 'l'", "num_output is 4000000000, not from 1 to 2147483647"));
    row("no kernel", conv("num_output: 3"), damaged(", layer 'l'", "the kernel's size is 0, not from 1 to 2147483647"));
    row("a stride of 0", conv("num_output: 3 kernel_size: 1 stride: 0"), damaged(", layer 'l'", "the stride is 0, not from 1 to 2147483647"));
    row("a negative pad", conv("num_output: 3 kernel_size: 1 pad: -1"), damaged(", layer 'l'", "the padding is -1, not from 0 to 2147483647"));
    row("more strides than dimensions", conv("num_output: 3 kernel_size: 1 stride: 1 stride: 1 stride: 1"),
        damaged(", layer 'l'", "it has 3 values of stride for 2 dimensions"));
    row("an axis that is not there", net(layer("Flatten", "flatten_param { axis: 7 }")),
        damaged(", layer 'l'", "axis 7 is none of a tensor with 4 dimensions"));
    row("a kernel larger than the picture", conv("num_output: 3 kernel_size: 9"),
        ", layer 'l': Operator 'l' does not fit its inputs: its kernel reaches over 9 of only 6 (padding included). Check the input shapes "
        "(--shape, --dim).");
    row("groups that do not come out even", conv("num_output: 3 kernel_size: 1 group: 2"),
        ", layer 'l': Operator 'l' does not fit its inputs: num_output by groups: 3 cannot be divided by 2. Check the input shapes "
        "(--shape, --dim).");
    row("elements that do not come out even", net(layer("Reshape", "reshape_param { shape { dim: -1 dim: 5 } }")),
        ", layer 'l': Operator 'l' does not fit its inputs: elements by the other extents: 384 cannot be divided by 5. Check the input "
        "shapes (--shape, --dim).");
    row("a blob from nowhere", net("layer { name: \"l\" type: \"ReLU\" bottom: \"q\" top: \"y\" }"),
        ", layer 'l': Tensor 'q', read by 'l', is neither written by an operator nor an input or weight. Export the model again.");
    row("a cycle", net("layer { name: \"a\" type: \"Eltwise\" bottom: \"x\" bottom: \"z\" top: \"y\" }\nlayer { name: \"b\" type: \"ReLU\" "
                       "bottom: \"y\" top: \"z\" }"),
        ", layer 'a': Tensor 'z', read by 'a', is neither written by an operator nor an input or weight. Export the model again.");
    row("too few inputs", net(layer("Eltwise")),
        ", layer 'l': Operator 'l' does not fit its inputs: it reads 1 blobs and needs 2. Check the input shapes (--shape, --dim).");
    row("input_dim that does not go with the inputs", "input: \"x\" input_dim: 1 input_dim: 2\n" + layer("ReLU"),
        damaged(", input", "there are 1 inputs of four dimensions and 2 numbers in input_dim"));
    row("sizes that do not fit 63 bits", "input: \"x\" input_shape { dim: 2000000000 dim: 2000000000 dim: 2000000000 }\n" + layer("ReLU"),
        ", tensor 'x': The size of 'x' does not fit 63 bits. Check the shapes that the file or the options give.");
}

void TestCaffeImport::faults()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    QCOMPARE(messages(importText("net.prototxt", text)), QStringList{message});
}

void TestCaffeImport::realFiles_data()
{
    addRowsOfFiles("caffe", "*.prototxt");
}

void TestCaffeImport::realFiles()
{
    QFETCH(QString, file);
    const auto model = importModel(sharedModel(file).toStdString());
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    QVERIFY(model->graph->tensorsOfUnknownSize().empty());
    for (const QString& line : messages(model))
        QVERIFY2(line.contains("hangs on the data"), qPrintable(line));
    QCOMPARE(faultsOfPlans(model->graph), QString());
}

void TestCaffeImport::figures_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("expected"); // tensor=shape
    const auto row = [](const char* file, const char* expected) { QTest::newRow(file) << QString(file) << QString(expected); };
    // As published with the networks; batches as in the files.
    row("caffe/noweights/bvlc_alexnet.prototxt",
        "conv1=10x96x55x55 pool1=10x96x27x27 conv2=10x256x27x27 pool2=10x256x13x13 conv5=10x256x13x13 pool5=10x256x6x6 fc6=10x4096 "
        "prob=10x1000");
    row("caffe/noweights/bvlc_googlenet.prototxt",
        "conv1/7x7_s2=10x64x112x112 pool1/3x3_s2=10x64x56x56 conv2/3x3=10x192x56x56 inception_3a/output=10x256x28x28 "
        "inception_4e/output=10x832x14x14 inception_5b/output=10x1024x7x7 pool5/7x7_s1=10x1024x1x1 prob=10x1000");
    row("caffe/noweights/squeezenet_v1.1.prototxt",
        "conv1=10x64x113x113 pool1=10x64x56x56 fire9/concat=10x512x14x14 conv10=10x1000x14x14 pool10=10x1000x1x1");
    row("caffe/noweights/mobilenet_ssd.prototxt",
        "conv11=1x512x19x19 conv13=1x1024x10x10 mbox_loc=1x7668 mbox_priorbox=1x2x7668 mbox_conf_reshape=1x1917x21");
    row("caffe/mtcnn_det1.prototxt", "conv1=1x10x10x10 pool1=1x10x5x5 conv3=1x32x1x1 conv4-2=1x4x1x1");
    row("caffe/mtcnn_det2.prototxt", "conv1=1x28x22x22 pool1=1x28x11x11 conv2=1x48x9x9 pool2=1x48x4x4 conv3=1x64x3x3 conv4=1x128");
}

void TestCaffeImport::figures()
{
    QFETCH(QString, file);
    QFETCH(QString, expected);
    if (!QFile::exists(sharedModel(file)))
        QSKIP("the model files are missing (set ARENASCOPE_SHARED_DIR)");
    const auto model = importModel(sharedModel(file).toStdString());
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    QCOMPARE(shapesAsIn(expected, *model->graph), expected);
}

void TestCaffeImport::bytes_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<qlonglong>("naive");
    QTest::addColumn<qlonglong>("bound");
    QTest::addColumn<qlonglong>("boundInPlace");
    // Elements: input 432, conv1 and its slopes' output 1000 each, pool1 250, conv2 144 twice, conv3 32 twice, 2, 4 and 2. Most is
    // live at PReLU1; in place, at conv1, which reads the input.
    QTest::newRow("caffe/mtcnn_det1.prototxt") << "caffe/mtcnn_det1.prototxt" << 4 * 3042LL << 4 * 2000LL << 4 * 1432LL;
    // Of ten pictures: 154,587; three of 290,400; 69,984; three of 186,624; 43,264; four of 64,896; two of 43,264; 9,216; six of
    // 4,096; two of 1,000. Relu1 and, since it cannot run in place, norm1 hold two of the largest.
    QTest::newRow("caffe/noweights/bvlc_alexnet.prototxt")
        << "caffe/noweights/bvlc_alexnet.prototxt" << 40 * 2080811LL << 40 * 580800LL << 40 * 580800LL;
}

void TestCaffeImport::bytes()
{
    QFETCH(QString, file);
    QFETCH(qlonglong, naive);
    QFETCH(qlonglong, bound);
    QFETCH(qlonglong, boundInPlace);
    if (!QFile::exists(sharedModel(file)))
        QSKIP("the model files are missing (set ARENASCOPE_SHARED_DIR)");
    const auto model = importModel(sharedModel(file).toStdString());
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    StudyOptions options;
    options.problem.alignment = 1;
    const auto plain = makeStudy(model->graph, options);
    options.alias = AliasMode::InPlace;
    const auto inPlace = makeStudy(model->graph, options);
    QVERIFY(plain && inPlace);
    QCOMPARE((*plain)->naive, naive);
    QCOMPARE((*plain)->lowerBound(), bound);
    QCOMPARE((*inPlace)->lowerBound(), boundInPlace);
}

void TestCaffeImport::sameNetworkInOnnx_data()
{
    QTest::addColumn<QString>("caffe");
    QTest::addColumn<QString>("onnx");
    QTest::addColumn<QList<qlonglong>>("shape");
    // The ONNX file of GoogLeNet rounds its pooling down, so that only kernels can be compared.
    QTest::newRow("GoogLeNet") << "caffe/noweights/bvlc_googlenet.prototxt" << "onnx/light_inception_v1.onnx" << QList<qlonglong>{1, 3, 224, 224};
    QTest::newRow("UltraFace") << "caffe/ultraface_RFB-320.prototxt" << "onnx/ultraface_RFB-320.onnx" << QList<qlonglong>{1, 3, 240, 320};
}

void TestCaffeImport::sameNetworkInOnnx()
{
    QFETCH(QString, caffe);
    QFETCH(QString, onnx);
    QFETCH(QList<qlonglong>, shape);
    const auto theirs = importModel(sharedModel(onnx).toStdString());
    if (!theirs)
        QSKIP("the model files are missing (set ARENASCOPE_SHARED_DIR)");
    const auto plain = importModel(sharedModel(caffe).toStdString());
    QVERIFY2(plain, plain ? "" : describe(plain.error()).c_str());
    ImportOptions options;
    options.shapes[plain->graph->tensor(plain->graph->inputs().front()).name] = {shape.begin(), shape.end()};
    const auto ours = importModel(sharedModel(caffe).toStdString(), options);
    QVERIFY2(ours, ours ? "" : describe(ours.error()).c_str());
    QVERIFY(sizesOf(*ours->graph, "Convolution").size() > 20);
    QCOMPARE(kernelsOf(*ours->graph, "Convolution"), kernelsOf(*theirs->graph, "Conv"));
    if (caffe.contains("ultraface"))
        QCOMPARE(sizesOf(*ours->graph, "Convolution"), sizesOf(*theirs->graph, "Conv"));
}

QTEST_GUILESS_MAIN(TestCaffeImport)
#include "tst_caffe_import.moc"
