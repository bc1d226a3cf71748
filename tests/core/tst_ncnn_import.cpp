// SPDX-License-Identifier: MIT
// ncnn's networks: sizes worked out by hand, the sizes that the files themselves note down, the same network in ONNX, and what
// is said of files that are wrong.
#include "tests/support/layered.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

/// A network of these lines; their number and that of their blobs are counted.
QByteArray param(const QByteArray& lines)
{
    int layers = 0;
    int blobs = 0;
    for (const QByteArray& line : lines.split('\n')) {
        const QList<QByteArray> words = line.simplified().split(' ');
        if (words.size() < 4)
            continue;
        ++layers;
        blobs += words[3].toInt();
    }
    return "7767517\n" + QByteArray::number(layers) + " " + QByteArray::number(blobs) + "\n" + lines;
}

QString sharedModel(const QString& file)
{
    return QStringLiteral(ARENASCOPE_SHARED_DIR "/models/") + file;
}

/// Sizes of what convolutions make, by the number of their elements.
QList<qint64> convolutionSizes(const Graph& graph, bool (*isConvolution)(const Operator&))
{
    QList<qint64> sizes;
    for (const Operator& op : graph.operators()) {
        if (isConvolution(op))
            sizes << graph.tensor(op.outputs.front()).bytes;
    }
    std::sort(sizes.begin(), sizes.end());
    return sizes;
}

} // namespace

class TestNcnnImport : public QObject {
    Q_OBJECT

private slots:
    void shapes_data();
    void shapes();
    void severalOutputs_data();
    void severalOutputs();
    void weights();
    void openInputs();
    void bounds();
    void viewsAndParts();
    void notes();
    void unknownKinds();
    void faults_data();
    void faults();
    void realFiles_data();
    void realFiles();
    void sameNetworkInOnnx();
};

void TestNcnnImport::shapes_data()
{
    QTest::addColumn<QByteArray>("layers");
    QTest::addColumn<QString>("shape"); // of blob "y"; "x" is 4x6x8, "m" 6x8, "r" 8
    const auto row = [](const char* name, const char* layers, const char* shape) {
        QTest::newRow(name) << QByteArray(layers) << QString(shape);
    };
    row("a kernel of 1", "Convolution c 1 1 x y 0=5 1=1 6=20\n", "5x6x8");
    row("pads and strides", "Convolution c 1 1 x y 0=5 1=3 3=2 4=1 5=1 6=180\n", "5x3x4"); // (6+2-3)/2+1
    row("a height of its own", "Convolution c 1 1 x y 0=5 1=3 11=5 13=2 14=2 6=300\n", "5x3x6");
    row("an asymmetric pad", "Convolution c 1 1 x y 0=5 1=3 4=0 15=2 14=0 16=1 6=180\n", "5x5x8");
    row("dilation", "Convolution c 1 1 x y 0=5 1=3 2=2 6=180\n", "5x2x4");
    row("as many pads as needed", "Convolution c 1 1 x y 0=5 1=3 3=2 4=-233 6=180\n", "5x3x4");
    row("a convolution of a row", "Convolution c 1 1 r y 0=5 1=1 6=40\n", "5");
    row("depth-wise", "ConvolutionDepthWise c 1 1 x y 0=4 1=3 4=1 6=36 7=4\n", "4x6x8");
    row("in one dimension", "Convolution1D c 1 1 m y 0=5 1=3 6=90\n", "5x6");
    row("transposed", "Deconvolution c 1 1 x y 0=5 1=4 3=2 4=1 6=320\n", "5x12x16"); // (6-1)*2+4-2
    row("transposed with a pad of the output", "Deconvolution c 1 1 x y 0=5 1=3 3=2 4=1 18=1 6=180\n", "5x12x16");
    row("transposed to a size", "Deconvolution c 1 1 x y 0=5 1=3 3=2 4=-233 20=16 21=12 6=180\n", "5x12x16");
    row("pooling takes a last window that is cut off", "Pooling p 1 1 x y 0=0 1=3 2=2\n", "4x3x4"); // ceil(3/2)+1, ceil(5/2)+1
    row("pooling without it", "Pooling p 1 1 x y 0=0 1=3 2=2 5=1\n", "4x2x3");
    row("pooling with as many pads as needed", "Pooling p 1 1 x y 0=0 1=3 2=2 5=2\n", "4x3x4");
    row("pooling of all", "Pooling p 1 1 x y 0=1 4=1\n", "4");
    row("adaptive pooling", "Pooling p 1 1 x y 0=1 7=1 8=3 18=2\n", "4x2x3");
    row("adaptive pooling keeps a side", "Pooling p 1 1 x y 0=1 7=1 8=-233 18=1\n", "4x1x8");
    row("a pyramid", "SPP p 1 1 x y 1=3\n", "84"); // 4 (1+4+16)
    row("inner product", "InnerProduct f 1 1 x y 0=10 1=1 2=1920\n", "10");
    row("inner product of rows", "InnerProduct f 1 1 m y 0=10 1=0 2=80\n", "6x10");
    row("flatten", "Flatten f 1 1 x y\n", "192");
    row("reshape to a row", "Reshape r 1 1 x y 0=-1\n", "192");
    row("reshape to two", "Reshape r 1 1 x y 0=21 1=-1\n", "missing"); // 192 / 21: no file
    row("reshape with what is kept", "Reshape r 1 1 x y 0=0 1=-1 2=2\n", "2x12x8");
    row("reshape to four", "Reshape r 1 1 x y 0=8 1=3 11=2 2=-1\n", "4x2x3x8");
    row("permute 3: channels innermost", "Permute p 1 1 x y 0=3\n", "6x8x4");
    row("permute 5: turned round", "Permute p 1 1 x y 0=5\n", "8x6x4");
    row("permute 1: height and width", "Permute p 1 1 x y 0=1\n", "4x8x6");
    row("permute 2: height and channels", "Permute p 1 1 x y 0=2\n", "6x4x8");
    row("permute 4", "Permute p 1 1 x y 0=4\n", "8x4x6");
    row("permute of two", "Permute p 1 1 m y 0=1\n", "8x6");
    row("padding of all sides", "Padding p 1 1 x y 0=1 1=2 2=3 3=4 7=5 8=6\n", "15x9x15");
    row("crop by offsets and sizes", "Crop c 1 1 x y 0=1 1=2 2=0 3=4 4=3 5=-233\n", "4x3x4");
    row("crop to the end", "Crop c 1 1 x y 0=1 1=2 2=1 3=-233 4=-233 5=-233 6=1 7=0 8=1\n", "2x4x6");
    row("crop by starts and ends", "Crop c 1 1 x y -23309=2,1,2 -23310=2,3,-1 -23311=2,0,2\n", "2x6x5");
    row("interp by factors", "Interp i 1 1 x y 0=2 1=2.0 2=1.5\n", "4x12x12");
    row("interp to a size", "Interp i 1 1 x y 0=2 3=5 4=7\n", "4x5x7");
    row("interp of a row", "Interp i 1 1 r y 0=2 3=5 4=7\n", "8x5x7");
    row("pixel shuffle", "PixelShuffle p 1 1 x y 0=2\n", "1x12x16");
    row("space to depth", "Reorg p 1 1 x y 0=2\n", "16x3x4");
    row("mean over axes", "Reduction r 1 1 x y 0=3 1=0 -23303=2,1,2 4=1\n", "4x1x1");
    row("mean over axes, dropped", "Reduction r 1 1 x y 0=3 1=0 -23303=2,-1,-2 4=0\n", "4");
    row("mean of all", "Reduction r 1 1 x y 0=3\n", "1");
    row("squeezed", "Convolution c 1 1 x z 0=1 1=1 6=4\nSqueeze s 1 1 z y -23303=1,0\n", "6x8");
    row("expanded", "ExpandDims e 1 1 m y -23303=1,0\n", "1x6x8");
    row("tiled", "Tile t 1 1 x y 0=0 1=3\n", "12x6x8");
    row("an operand for each channel", "Pooling p 1 1 x z 0=1 4=1\nBinaryOp b 2 1 x z y 0=2\n", "4x6x8");
    row("an operand for each column", "BinaryOp b 2 1 x r y 0=0\n", "4x6x8");
    row("an operand that is a number", "BinaryOp b 1 1 x y 0=0 1=1 2=3.0\n", "4x6x8");
    row("shuffled channels", "ShuffleChannel s 1 1 x y 0=2\n", "4x6x8");
    row("matrices", "Permute p 1 1 m n 0=1\nMatMul g 2 1 m n y\n", "6x6");
    row("an LSTM of both directions", "LSTM l 1 1 m y 0=5 1=320 2=2\n", "6x10");
    row("words", "Embed e 1 1 r y 0=16 1=100 2=0 3=1600\n", "8x16");
    row("prior boxes with ratios and flips", "PriorBox p 2 1 x i y -23300=1,60.0 -23301=1,90.0 -23302=2,2.0,3.0 7=1\n", "2x1152"); // 4*48*6
    row("prior boxes without flips", "PriorBox p 2 1 x i y -23300=1,60.0 -23302=1,2.0 7=0\n", "2x384");
    row("regions", "ROIPooling r 2 1 x r y 0=7 1=5\n", "4x5x7");
    row("the largest", "ArgMax a 1 1 r y 0=0 1=3\n", "3");
    row("the largest with values", "ArgMax a 1 1 r y 0=1 1=3\n", "2x3");
}

void TestNcnnImport::shapes()
{
    QFETCH(QByteArray, layers);
    QFETCH(QString, shape);
    const QByteArray inputs = "Input x 0 1 x 0=8 1=6 2=4\nInput m 0 1 m 0=8 1=6\nInput r 0 1 r 0=8\nInput i 0 1 i 0=300 1=300 2=3\n";
    const auto model = importText("net.param", param(inputs + layers));
    if (shape == "missing") {
        QVERIFY(!model);
        return;
    }
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    QCOMPARE(shapeOf(*model->graph, "y"), shape);
}

void TestNcnnImport::severalOutputs_data()
{
    QTest::addColumn<QByteArray>("layer");
    QTest::addColumn<QString>("shapes"); // of a, b, c; the input is 9x6x8
    const auto row = [](const char* name, const char* layer, const char* shapes) {
        QTest::newRow(name) << QByteArray(layer) << QString(shapes);
    };
    row("split", "Split s 1 3 x a b c\n", "9x6x8 9x6x8 9x6x8");
    row("sizes", "Slice s 1 3 x a b c -23300=3,2,4,3\n", "2x6x8 4x6x8 3x6x8");
    row("equal shares", "Slice s 1 3 x a b c -23300=3,-233,-233,-233\n", "3x6x8 3x6x8 3x6x8");
    row("a size and the rest", "Slice s 1 3 x a b c -23300=3,1,4,-233\n", "1x6x8 4x6x8 4x6x8");
    row("along the width", "Slice s 1 3 x a b c -23300=3,2,2,4 1=2\n", "9x6x2 9x6x2 9x6x4");
    row("at borders", "Slice s 1 3 x a b c -23302=2,2,-1 1=0\n", "2x6x8 6x6x8 1x6x8");
}

void TestNcnnImport::severalOutputs()
{
    QFETCH(QByteArray, layer);
    QFETCH(QString, shapes);
    const auto model = importText("net.param", param("Input x 0 1 x 0=8 1=6 2=9\n" + layer));
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    QCOMPARE(shapeOf(*model->graph, "a") + " " + shapeOf(*model->graph, "b") + " " + shapeOf(*model->graph, "c"), shapes);
}

void TestNcnnImport::weights()
{
    const auto model = importText("net.param", param("Input x 0 1 x 0=8 1=6 2=4\n"
                                                     "Convolution conv 1 1 x a 0=5 1=3 5=1 6=180 9=1\n"
                                                     "BatchNorm bn 1 1 a b 0=5\n"
                                                     "MemoryData k 0 1 k 0=6 1=4 2=5\n"
                                                     "BinaryOp add 2 1 b k c 0=0\n"));
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    const Graph& graph = *model->graph;
    QCOMPARE(graph.info().weightBytes, 4 * (180 + 5 + 4 * 5 + 5 * 4 * 6));
    QCOMPARE(shapeOf(graph, "conv.weight"), "5x4x3x3");
    QVERIFY(graph.tensor(graph.findTensor("k")).role == TensorRole::Weight);
    QCOMPARE(shapeOf(graph, "c"), "5x4x6");
    QCOMPARE(graph.op(graph.findOperator("conv")).fusedActivation, std::string("ReLU"));
    QCOMPARE(graph.info().format, std::string("ncnn"));
    QCOMPARE(graph.info().operatorsInFile, 5);
    QCOMPARE(graph.inputs().size(), std::size_t(1));
    QCOMPARE(graph.outputs().size(), std::size_t(1));
}

/// Where a file does not say what it is fed, the first convolution tells the channels, and the rest must be given.
void TestNcnnImport::openInputs()
{
    const QByteArray text = param("Input in 0 1 in\nSplit s 1 2 in in1 in2\nConvolution c 1 1 in2 y 0=5 1=3 6=135\nReLU r 1 1 in1 z\n");
    const auto open = importText("net.param", text);
    QVERIFY(open);
    QCOMPARE(messages(open), QStringList{"tensor 'in': Tensor 'in', made by 'Input', has no fixed size. Give it with --shape in=3xNxN "
                                         "(with numbers for N)."});
    QCOMPARE(shapeOf(*open->graph, "y"), "5x?x?");
    const auto study = makeStudy(open->graph, {});
    QVERIFY(!study);
    QVERIFY(study.error().code == ErrorCode::UnknownShape);
    ImportOptions options;
    options.shapes["in"] = {3, 10, 12};
    const auto given = importText("net.param", text, options);
    QVERIFY(given);
    QCOMPARE(messages(given), QStringList());
    QCOMPARE(shapeOf(*given->graph, "y"), "5x8x10");
    options.shapes["in"] = {1, 3, 10, 12};
    QVERIFY(!importText("net.param", text, options));
    const auto partly = importText("net.param", param("Input in 0 1 in 0=0 1=0 2=3\nConvolution c 1 1 in y 0=5 1=3 6=135\n"));
    QVERIFY(partly);
    QCOMPARE(shapeOf(*partly->graph, "in"), "3x?x?");
}

void TestNcnnImport::bounds()
{
    const QByteArray text = param("Input a 0 1 a 0=40\nInput b 0 1 b 0=210\nInput p 0 1 p 0=40 1=2\n"
                                  "DetectionOutput d 3 1 a b p out 0=21 1=0.45 2=100 3=50 4=0.25\n");
    const auto model = importText("net.param", text);
    QVERIFY(model);
    QCOMPARE(shapeOf(*model->graph, "out"), "50x6");
    QCOMPARE(messages(model), QStringList{"line 6, layer 'd': Dimension 0 of 'out', which hangs on the data, is not fixed in the file; 50 "
                                          "(keep_top_k) is assumed. Give another with --shape out=Nx6."});
    ImportOptions options;
    options.shapes["out"] = {7, 6};
    const auto given = importText("net.param", text, options);
    QVERIFY(given);
    QCOMPARE(shapeOf(*given->graph, "out"), "7x6");
    QCOMPARE(messages(given), QStringList());
}

void TestNcnnImport::viewsAndParts()
{
    const auto model = importText("net.param", param("Input x 0 1 x 0=8 1=6 2=4\n"
                                                     "Convolution c0 1 1 x a 0=4 1=1 6=16\n"
                                                     "Split s 1 2 a a0 a1\n"
                                                     "Slice cut 1 2 a0 h0 h1 -23300=2,-233,-233\n"
                                                     "Convolution c1 1 1 h0 k 0=2 1=1 6=4\n"
                                                     "Concat join 3 1 k h1 a1 y 0=0\n"
                                                     "Reshape v 1 1 y z 0=-1\n"
                                                     "Softmax sm 1 1 z out 0=0\n"));
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    const Graph& graph = *model->graph;
    const auto aliasesOf = [&](AliasMode mode) {
        StudyOptions options;
        options.alias = mode;
        return (*makeStudy(model->graph, options))->aliases;
    };
    const AliasGroups views = aliasesOf(AliasMode::Views);
    const auto groupOf = [&](const AliasGroups& groups, const char* name) { return groups.groupOf[graph.findTensor(name).index()]; };
    QCOMPARE(groupOf(views, "a0"), groupOf(views, "a"));
    QCOMPARE(groupOf(views, "a1"), groupOf(views, "a")); // not only the first output
    QCOMPARE(groupOf(views, "z"), groupOf(views, "y"));
    QVERIFY(groupOf(views, "h0") != groupOf(views, "a"));
    const AliasGroups all = aliasesOf(AliasMode::All);
    QCOMPARE(groupOf(all, "h0"), groupOf(all, "a"));
    QCOMPARE(faultsOfPlans(model->graph), QString());
}

/// Sizes that the converter noted down stand in for rules that are missing, and are compared with the others.
void TestNcnnImport::notes()
{
    const auto strange = importText("net.param", param("Input x 0 1 x 0=8 1=6 2=4\nHologram h 1 1 x y -23330=4,3,5,6,7\n"));
    QVERIFY(strange);
    QCOMPARE(shapeOf(*strange->graph, "y"), "7x6x5");
    QCOMPARE(messages(strange), QStringList());
    const auto other = importText("net.param", param("Input x 0 1 x 0=8 1=6 2=4\nReLU r 1 1 x y -23330=4,3,5,6,7\n"));
    QVERIFY(other);
    QCOMPARE(shapeOf(*other->graph, "y"), "4x6x8");
    QCOMPARE(messages(other), QStringList{"line 4, layer 'r': The shape of 'y' is not valid: the file notes 7x6x5, and its layers make it "
                                          "4x6x8, which is taken. Give another with --shape or --dim."});
    ImportOptions options;
    options.shapes["x"] = {4, 12, 16};
    const auto larger = importText("net.param", param("Input x 0 1 x 0=8 1=6 2=4\nReLU r 1 1 x y -23330=4,3,8,6,4\n"), options);
    QVERIFY(larger);
    QCOMPARE(messages(larger), QStringList());
}

void TestNcnnImport::unknownKinds()
{
    const auto model = importText("net.param", param("Input x 0 1 x 0=8 1=6 2=4\nHologram h 1 1 x y\nReLU r 1 1 y z\n"));
    QVERIFY(model);
    QCOMPARE(messages(model),
             (QStringList{"line 4, layer 'h': Layer kind 'Hologram' is not supported. The shapes of what it makes are not known; give "
                          "them with --shape.",
                          "tensor 'y': Tensor 'y', made by 'h', has no fixed size. Give it with --shape y=NxNxN (with numbers for N)."}));
}

void TestNcnnImport::faults_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const QByteArray& text, const char* message) {
        QTest::newRow(name) << text << "error net.param, " + QString(message);
    };
    const QByteArray x = "Input x 0 1 x 0=8 1=6 2=4\n";
    const auto damaged = [](const char* place, const char* what) {
        return QByteArray(place) + ": The file is damaged: " + what + ". Copy, download or export it again.";
    };
    const auto short_ = [](const char* place, const char* what) {
        return QByteArray(place) + ": The file ends too early: " + what + ". Copy or download it again.";
    };
    row("another number in front", "7767518\n1 1\n" + x, damaged("line 1", "it does not begin with the number 7767517"));
    row("the format before 2017", "1 1\n" + x,
        damaged("line 1", "it is written in ncnn's format before 2017, without the number 7767517 in front; upgrade it with ncnn's tools"));
    row("layers that are missing", "7767517\n3 1\n" + x, short_("line 3", "it has 1 of the 3 layers that line 2 promises"));
    row("layers too many", "7767517\n1 2\n" + x + "ReLU r 1 1 x y\n",
        damaged("line 2", "it promises 1 layers and 2 blobs, there are 2 and 2"));
    row("a wrong number of blobs", "7767517\n1 7\n" + x, damaged("line 2", "it promises 1 layers and 7 blobs, there are 1 and 1"));
    row("numbers beyond all bounds", "7767517\n99999999999999999999 1\n" + x,
        damaged("line 2", "the number of layers should be a number from 0 on, not '99999999999999999999'"));
    row("a layer cut short", "7767517\n2 2\n" + x + "ReLU r 1 1 x\n", short_("line 4", "the layer names 0 of its 1 blobs"));
    row("a layer that promises blobs", "7767517\n2 2\n" + x + "ReLU r 2000000000 1 x y\n",
        short_("line 4", "the layer names 2 of its 2000000000 blobs"));
    row("no parameter", param(x + "ReLU r 1 1 x y zero\n"), damaged("line 4, layer 'r'", "'zero' is no parameter (number=value)"));
    row("a parameter that is no number", param(x + "Convolution r 1 1 x y 0=many\n"), damaged("line 4, layer 'r'", "parameter 0 is no number"));
    row("a parameter beyond 32 bits", param(x + "Convolution r 1 1 x y 0=4000000000\n"),
        damaged("line 4, layer 'r'", "parameter 0 does not fit 32 bits"));
    row("an array that lies about its length", param(x + "Slice r 1 1 x y -23300=4,1\n"),
        damaged("line 4, layer 'r'", "array -23300 does not have as many values as it says in front"));
    row("no outputs", param(x + "Convolution r 1 1 x y 0=0 1=1 6=0\n"),
        damaged("line 4, layer 'r'", "num_output (0=) is 0, not from 1 to 2147483647"));
    row("a stride of 0", param(x + "Convolution r 1 1 x y 0=2 1=1 3=0 6=8\n"),
        damaged("line 4, layer 'r'", "stride (3=) is 0, not from 1 to 2147483647"));
    row("a negative pad", param(x + "Convolution r 1 1 x y 0=2 1=1 4=-5 6=8\n"),
        damaged("line 4, layer 'r'", "pad is -5, not from 0 to 2147483647"));
    row("weights for other channels", param(x + "Convolution r 1 1 x y 0=2 1=1 6=6\n"),
        "line 4, layer 'r': Operator 'r' does not fit its inputs: its weights are for 3 channels, and its input has 4. Check the input "
        "shapes (--shape, --dim).");
    row("a blob from nowhere", param(x + "ReLU r 1 1 q y\n"),
        "line 4, layer 'r': Tensor 'q', read by 'r', is neither written by an operator nor an input or weight. Export the model again.");
    row("a blob that is made twice", param(x + "ReLU r 1 1 x y\nReLU s 1 1 x y\n"),
        "line 5, layer 's': There are two of the blob 'y'. Give each a name of its own.");
    row("a cycle", param(x + "Eltwise a 2 1 x q y 0=1\nReLU b 1 1 y q\n"),
        "line 4, layer 'a': Tensor 'q', read by 'a', is neither written by an operator nor an input or weight. Export the model again.");
    row("an axis that is not there", param(x + "Concat c 1 1 x y 0=5\n"),
        damaged("line 4, layer 'c'", "axis 5 is none of a tensor with 3 dimensions"));
    row("sizes that do not fit 63 bits", param("Input x 0 1 x 0=2000000000 1=2000000000 2=2000000000\nReLU r 1 1 x y\n"),
        "tensor 'x': The size of 'x' does not fit 63 bits. Check the shapes that the file or the options give.");
}

void TestNcnnImport::faults()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    QCOMPARE(messages(importText("net.param", text)), QStringList{message});
}

void TestNcnnImport::realFiles_data()
{
    addRowsOfFiles("ncnn", "*.param");
}

/// Where a file notes down sizes, the reader compares them with its own, and would say so.
void TestNcnnImport::realFiles()
{
    QFETCH(QString, file);
    ImportOptions options;
    if (file.contains("FastestDet"))
        options.shapes["input.1"] = {3, 352, 352};
    const auto model = importModel(sharedModel(file).toStdString(), options);
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    QVERIFY(model->graph->tensorsOfUnknownSize().empty());
    for (const QString& line : messages(model))
        QVERIFY2(line.contains("keep_top_k"), qPrintable(line));
    QCOMPARE(faultsOfPlans(model->graph), QString());
}

void TestNcnnImport::sameNetworkInOnnx()
{
    ImportOptions options;
    options.shapes["input.1"] = {3, 352, 352};
    const auto ncnn = importModel(sharedModel("ncnn/FastestDet.param").toStdString(), options);
    const auto onnx = importModel(sharedModel("onnx/fastestdet_op11.onnx").toStdString());
    if (!ncnn || !onnx)
        QSKIP("the model files are missing (set ARENASCOPE_SHARED_DIR)");
    const auto ours = convolutionSizes(*ncnn->graph, [](const Operator& op) { return op.kind.starts_with("Convolution"); });
    const auto theirs = convolutionSizes(*onnx->graph, [](const Operator& op) { return op.kind == "Conv"; });
    QVERIFY(ours.size() > 50);
    QCOMPARE(ours, theirs);
}

QTEST_GUILESS_MAIN(TestNcnnImport)
#include "tst_ncnn_import.moc"
