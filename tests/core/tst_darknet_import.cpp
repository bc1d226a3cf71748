// SPDX-License-Identifier: MIT
// Darknet configurations: sizes worked out by hand from Darknet's formulas, published figures of real networks, views and
// parts, and what is said of files that are wrong.
#include "tests/support/layered.h"

#include <arenascope/executor.h>

#include <numeric>

using namespace arenascope;
using namespace arenascope::test;

namespace {

const QByteArray kNet = "[net]\nbatch=1\nwidth=8\nheight=6\nchannels=4\n";

std::shared_ptr<const Graph> graphOf(const QByteArray& text, const ImportOptions& options = {})
{
    const auto model = importText("net.cfg", text, options);
    if (!model)
        qWarning("%s", describe(model.error()).c_str());
    return model ? model->graph : nullptr;
}

QString sharedModel(const QString& file)
{
    return QStringLiteral(ARENASCOPE_SHARED_DIR "/models/") + file;
}

} // namespace

class TestDarknetImport : public QObject {
    Q_OBJECT

private slots:
    void shapes_data();
    void shapes();
    void connections();
    void weights();
    void recurrent();
    void viewsAndParts();
    void batch();
    void outputs();
    void unknownKinds();
    void faults_data();
    void faults();
    void realFiles_data();
    void realFiles();
    void figures_data();
    void figures();
    void bytes();
    void isPlannedNotRun();
};

void TestDarknetImport::shapes_data()
{
    QTest::addColumn<QByteArray>("layers");
    QTest::addColumn<QString>("shape"); // of the last layer; the input is 1x4x6x8
    const auto row = [](const char* name, const char* layers, const char* shape) {
        QTest::newRow(name) << QByteArray(layers) << QString(shape);
    };
    row("a kernel of 1 without padding", "[convolutional]\nfilters=7\n", "1x7x6x8");
    row("pad=1 is half the kernel", "[convolutional]\nfilters=5\nsize=5\npad=1\nstride=2\n", "1x5x3x4"); // (6+4-5)/2+1
    row("padding counts pixels", "[convolutional]\nfilters=5\nsize=3\npadding=2\n", "1x5x8x10");
    row("strides of their own", "[convolutional]\nfilters=5\nsize=3\npad=1\nstride_x=1\nstride_y=2\n", "1x5x3x8");
    row("dilation pads by as much more", "[convolutional]\nfilters=5\nsize=3\npad=1\ndilation=2\n", "1x5x6x8");
    row("groups", "[convolutional]\nfilters=6\nsize=3\ngroups=2\n", "1x6x4x6");
    row("a blur takes the stride", "[convolutional]\nfilters=6\nsize=3\npad=1\nstride=2\nantialiasing=1\n", "1x6x3x4");
    row("blanks and comments", "# one\n; two\n [convolutional] \n filters = 3 # three\n\tsize = 1\n", "1x3x6x8");
    row("Windows line ends", "[convolutional]\r\nfilters=3\r\nsize=1\r\n", "1x3x6x8");
    row("the first value of a key counts", "[convolutional]\nfilters=3\nfilters=9\n", "1x3x6x8");
    row("transposed", "[deconvolutional]\nfilters=2\nsize=4\nstride=2\npadding=1\n", "1x2x12x16"); // (6-1)*2+4-2
    row("maxpool halves", "[maxpool]\nsize=2\nstride=2\n", "1x4x3x4");
    row("maxpool 2 by 1 keeps the size", "[maxpool]\nsize=2\nstride=1\n", "1x4x6x8");
    row("maxpool 13 by 1 keeps the size", "[maxpool]\nsize=13\nstride=1\n", "1x4x6x8");
    row("maxpool 3 by 2 rounds up", "[maxpool]\nsize=3\nstride=2\n", "1x4x3x4"); // (6+2-3)/2+1
    row("maxpool without padding", "[maxpool]\nsize=3\nstride=2\npadding=0\n", "1x4x2x3");
    row("maxpool over channels", "[maxpool]\nmaxpool_depth=1\nout_channels=2\nsize=1\nstride=1\n", "1x2x6x8");
    row("average of all", "[avgpool]\n", "1x4x1x1");
    row("local averages", "[local_avgpool]\nsize=2\nstride=2\n", "1x4x3x4");
    row("upsampled", "[upsample]\nstride=3\n", "1x4x18x24");
    row("a negative stride shrinks", "[upsample]\nstride=-2\n", "1x4x3x4");
    row("space to depth", "[reorg]\nstride=2\n", "1x16x3x4");
    row("depth to space", "[reorg]\nstride=2\nreverse=1\n", "1x1x12x16");
    row("fully connected", "[connected]\noutput=10\n", "1x10");
    row("convolution over a row", "[connected]\noutput=10\n[convolutional]\nfilters=3\n", "1x3x1x1");
    row("softmax keeps", "[connected]\noutput=10\n[softmax]\n", "1x10");
    row("local weights with padding", "[local]\nfilters=3\nsize=3\nstride=2\npad=1\n", "1x3x3x4"); // (6-1)/2+1
    row("local weights without", "[local]\nfilters=3\nsize=3\nstride=2\n", "1x3x2x3");             // (6-3)/2+1
    row("crop", "[crop]\ncrop_height=4\ncrop_width=5\n", "1x4x4x5");
    row("yolo keeps its input", "[convolutional]\nfilters=14\n[yolo]\nmask=0,1\nclasses=2\n", "1x14x6x8");
    row("yolo without mask", "[convolutional]\nfilters=14\n[yolo]\nnum=2\nclasses=2\n", "1x14x6x8");
    row("Gaussian yolo has four numbers more", "[convolutional]\nfilters=22\n[Gaussian_yolo]\nmask=0,1\nclasses=2\n", "1x22x6x8");
    row("region", "[convolutional]\nfilters=14\n[region]\nnum=2\nclasses=2\ncoords=4\n", "1x14x6x8");
    row("detection", "[connected]\noutput=60\n[detection]\nside=2\nnum=2\nclasses=5\ncoords=4\n", "1x60"); // 4 (2*5+5)
    row("recurrent", "[rnn]\noutput=12\nhidden=5\n", "1x12");
    row("recurrent convolution", "[crnn]\noutput_filters=3\nhidden_filters=2\nsize=3\npad=1\n", "1x3x6x8");
    row("dropout keeps", "[dropout]\nprobability=.5\n", "1x4x6x8");
}

void TestDarknetImport::shapes()
{
    QFETCH(QByteArray, layers);
    QFETCH(QString, shape);
    const auto graph = graphOf(kNet + layers);
    QVERIFY(graph);
    QCOMPARE(QString::fromStdString(toString(graph->tensor(graph->outputs().back()).shape)), shape);
    QVERIFY(graph->tensorsOfUnknownSize().empty());
}

void TestDarknetImport::connections()
{
    const auto graph = graphOf(kNet
                              + "[convolutional]\nfilters=4\nactivation=leaky\n"
                                "[convolutional]\nfilters=4\nactivation=linear\n"
                                "[shortcut]\nfrom=-2\nactivation=relu\n"
                                "[route]\nlayers=-1,0\n"
                                "[route]\nlayers=-1\ngroups=2\ngroup_id=1\n"
                                "[avgpool]\n"
                                "[scale_channels]\nfrom=4\n"
                                "[sam]\nfrom=4\n");
    QVERIFY(graph);
    const auto readBy = [&](int index) {
        QStringList names;
        for (const TensorId input : graph->operators()[std::size_t(index)].inputs) {
            if (graph->tensor(input).isActivation())
                names << QString::fromStdString(graph->tensor(input).name);
        }
        return names.join(' ');
    };
    QCOMPARE(readBy(2), "convolutional_1 convolutional_0");
    QCOMPARE(readBy(3), "shortcut_2 convolutional_0");
    QCOMPARE(readBy(4), "route_3");
    QCOMPARE(readBy(6), "avgpool_5 route_4");
    QCOMPARE(readBy(7), "scale_channels_6 route_4");
    QCOMPARE(shapeOf(*graph, "route_3"), "1x8x6x8");
    QCOMPARE(shapeOf(*graph, "route_4"), "1x4x6x8");
    QCOMPARE(shapeOf(*graph, "scale_channels_6"), "1x4x6x8");
    QCOMPARE(graph->operators()[0].fusedActivation, std::string("leaky"));
    QCOMPARE(graph->operators()[1].fusedActivation, std::string());
    QCOMPARE(graph->operators()[2].fusedActivation, std::string("relu"));
    QCOMPARE(graph->info().format, std::string("Darknet"));
    QCOMPARE(graph->info().operatorsInFile, 8);
}

void TestDarknetImport::weights()
{
    // 3x3 kernels of 4 / 2 channels for 6 filters, biases, and three more of batch normalisation; then 6*4*6 x 10 and biases.
    const auto graph = graphOf(kNet + "[convolutional]\nfilters=6\nsize=3\ngroups=2\nbatch_normalize=1\n[connected]\noutput=10\n");
    QVERIFY(graph);
    QCOMPARE(graph->info().weightBytes, 4 * (6 * 2 * 9 + 4 * 6 + 6 * 4 * 6 * 10 + 10));
    QCOMPARE(shapeOf(*graph, "convolutional_0.weights"), "6x2x3x3");
    QCOMPARE(shapeOf(*graph, "connected_1.weights"), "10x144");
    QVERIFY(graph->tensor(graph->findTensor("convolutional_0.rolling_mean")).role == TensorRole::Weight);
    const auto shared = graphOf(kNet + "[convolutional]\nfilters=4\n[convolutional]\nfilters=4\nshare_index=0\n");
    QVERIFY(shared);
    QCOMPARE(shared->info().weightBytes, 4 * (4 * 4 + 4));
}

void TestDarknetImport::recurrent()
{
    const auto graph = graphOf("[net]\ninputs=3\nbatch=1\n[lstm]\noutput=5\n[gru]\noutput=4\n");
    QVERIFY(graph);
    QCOMPARE(shapeOf(*graph, "data"), "1x3");
    QCOMPARE(shapeOf(*graph, "lstm_0"), "1x5");
    QCOMPARE(shapeOf(*graph, "gru_1"), "1x4");
    // Four gates over 3 and four over 5 inputs, three over 5 and three over 4, each with biases.
    QCOMPARE(graph->info().weightBytes, 4 * (4 * (3 * 5 + 5) + 4 * (5 * 5 + 5) + 3 * (5 * 4 + 4) + 3 * (4 * 4 + 4)));
    QVERIFY(graph->tensor(graph->findTensor("lstm_0.cell")).role == TensorRole::Variable);
    QVERIFY(!graph->findTensor("gru_1.cell").isValid());
}

void TestDarknetImport::viewsAndParts()
{
    // a --> b: a route of one layer is a view, of a group a part, of several a join.
    const auto graph = graphOf(kNet
                               + "[convolutional]\nfilters=4\n"                 // 0: 768 bytes
                                 "[route]\nlayers=-1\n"                         // 1: view
                                 "[route]\nlayers=-1\ngroups=2\ngroup_id=1\n"   // 2: upper half of it
                                 "[convolutional]\nfilters=2\n"                 // 3
                                 "[route]\nlayers=-1,-2\n"                      // 4: 3, 2
                                 "[dropout]\n"                                  // 5: view
                                 "[convolutional]\nfilters=1\n");
    QVERIFY(graph);
    const auto groupsOf = [&](AliasMode mode) {
        StudyOptions options;
        options.alias = mode;
        return (*makeStudy(graph, options))->aliases;
    };
    const auto reasonOf = [&](const AliasGroups& groups, const char* name) {
        const TensorId id = graph->findTensor(name);
        for (const AliasMember& member : groups.groups[std::size_t(groups.groupOf[id.index()])].members) {
            if (member.tensor == id)
                return member.reason;
        }
        return AliasReason::Alone;
    };
    const AliasGroups views = groupsOf(AliasMode::Views);
    QVERIFY(reasonOf(views, "route_1") == AliasReason::View);
    QVERIFY(reasonOf(views, "dropout_5") == AliasReason::View);
    QVERIFY(reasonOf(views, "route_2") == AliasReason::Alone);
    QVERIFY(reasonOf(views, "route_4") == AliasReason::Alone);
    const AliasGroups all = groupsOf(AliasMode::All);
    bool isCut = false;
    for (const Elision& elision : all.elisions) {
        if (elision.part == graph->findTensor("route_2") && elision.reason == AliasReason::SplitPart) {
            isCut = true;
            QCOMPARE(elision.offset, 2 * 6 * 8 * 4);
            QCOMPARE(elision.bytes, 2 * 6 * 8 * 4);
        }
    }
    QVERIFY(isCut);
    QCOMPARE(faultsOfPlans(graph), QString());
    // A shortcut is written over the layer before it, whose last reader it is.
    const auto residual = graphOf(kNet + "[convolutional]\nfilters=4\n[convolutional]\nfilters=4\n[shortcut]\nfrom=-2\n"
                                         "[convolutional]\nfilters=1\n");
    StudyOptions options;
    options.alias = AliasMode::InPlace;
    const auto study = makeStudy(residual, options);
    QVERIFY(study);
    const auto& groups = (*study)->aliases;
    QCOMPARE(groups.groupOf[residual->findTensor("shortcut_2").index()],
             groups.groupOf[residual->findTensor("convolutional_1").index()]);
}

void TestDarknetImport::batch()
{
    const QByteArray text = "[net]\nbatch=64\nwidth=8\nheight=8\nchannels=3\n[convolutional]\nfilters=2\n";
    const auto plain = importText("net.cfg", text);
    QVERIFY(plain);
    QCOMPARE(shapeOf(*plain->graph, "convolutional_0"), "1x2x8x8");
    QCOMPARE(messages(plain),
             QStringList{"line 1 [net]: Dimension 'batch' of input 'data', which is 64 while training, is not fixed in the file; 1 (one "
                         "item at a time) is assumed. Give another with --dim batch=N."});
    ImportOptions four;
    four.dims["batch"] = 4;
    const auto given = importText("net.cfg", text, four);
    QVERIFY(given);
    QCOMPARE(shapeOf(*given->graph, "convolutional_0"), "4x2x8x8");
    QCOMPARE(messages(given), QStringList());
    ImportOptions shape;
    shape.shapes["data"] = {2, 3, 16, 32};
    const auto larger = importText("net.cfg", text, shape);
    QVERIFY(larger);
    QCOMPARE(shapeOf(*larger->graph, "convolutional_0"), "2x2x16x32");
    ImportOptions wrong;
    wrong.dims["height"] = 4;
    QCOMPARE(messages(importText("net.cfg", text, wrong)),
             QStringList{"error net.cfg, --dim: There is no dimension 'height'. Known: batch."});
    ImportOptions rank;
    rank.shapes["data"] = {3, 16};
    QCOMPARE(messages(importText("net.cfg", text, rank)).front().left(49), QString("error net.cfg, --shape: The shape of 'data' is no"));
}

/// Detections and the last layer that does something; what else nobody reads is dead.
void TestDarknetImport::outputs()
{
    const auto graph = graphOf(kNet + "[convolutional]\nfilters=7\n[yolo]\nmask=0\nclasses=2\n[route]\nlayers=0\n"
                                      "[convolutional]\nfilters=3\n[route]\nlayers=0\n[softmax]\n[cost]\n");
    QVERIFY(graph);
    QStringList names;
    for (const TensorId output : graph->outputs())
        names << QString::fromStdString(graph->tensor(output).name);
    QCOMPARE(names, (QStringList{"yolo_1", "softmax_5"}));
    QVERIFY(graph->op(graph->findOperator("convolutional_3")).isDead);
    QCOMPARE(graph->omissions().size(), std::size_t(1));
    QCOMPARE(graph->omissions()[0].reason, std::string("only used while training"));
    QCOMPARE(graph->info().operatorsInFile, 7);
}

void TestDarknetImport::unknownKinds()
{
    const auto model = importText("net.cfg", kNet + "[convolutional]\nfilters=2\n[hologram]\n[convolutional]\nfilters=3\n");
    QVERIFY(model);
    QCOMPARE(messages(model),
             (QStringList{"line 8 [hologram], layer 1: Layer kind 'hologram' is not supported. The shapes of what it makes are not "
                          "known; give them with --shape.",
                          "tensor 'hologram_1': Tensor 'hologram_1', made by 'hologram_1', has no fixed size. Give it with --shape "
                          "hologram_1=NxNxN (with numbers for N)."}));
    ImportOptions options;
    options.shapes["hologram_1"] = {1, 5, 4, 4};
    const auto given = importText("net.cfg", kNet + "[convolutional]\nfilters=2\n[hologram]\n[convolutional]\nfilters=3\n", options);
    QVERIFY(given);
    QCOMPARE(shapeOf(*given->graph, "convolutional_2"), "1x3x4x4");
    QCOMPARE(shapeOf(*given->graph, "convolutional_2.weights"), "3x5x1x1");
}

void TestDarknetImport::faults_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const QByteArray& text, const char* message) {
        QTest::newRow(name) << text << "error net.cfg" + QString(message);
    };
    const char* again = " Copy, download or export it again.";
    const auto damaged = [&](const char* place, const char* what) {
        return QByteArray(", ") + place + ": The file is damaged: " + what + "." + again;
    };
    row("no [net]", "[convolutional]\nfilters=1\n", damaged("line 1 [convolutional]", "it does not begin with a section [net]"));
    row("text before a section", "filters=1\n", damaged("line 1", "it begins with no [section]"));
    row("an open bracket", "[net]\n[convolutional\n", damaged("line 2", "'[convolutional' is no [section]"));
    row("neither key nor section", kNet + "[maxpool]\nsize\n", damaged("line 7", "'size' is neither a [section] nor key=value"));
    row("no number", kNet + "[convolutional]\nfilters=many\n",
        damaged("line 7", "'filters=many' should have a whole number of at most 31 bits"));
    row("too many filters", kNet + "[convolutional]\nfilters=4000000000\n",
        damaged("line 7", "'filters=4000000000' should have a whole number of at most 31 bits"));
    row("a kernel of 0", kNet + "[convolutional]\nsize=0\n", damaged("line 6 [convolutional], layer 0", "size is 0, not from 1 to 2147483647"));
    row("a stride of 0", kNet + "[maxpool]\nstride=0\nsize=2\n", damaged("line 6 [maxpool], layer 0", "stride is 0, not from 1 to 2147483647"));
    row("a negative padding", kNet + "[convolutional]\npadding=-3\n",
        damaged("line 6 [convolutional], layer 0", "padding is -3, not from 0 to 2147483647"));
    row("a route into the future", kNet + "[convolutional]\n[route]\nlayers=5\n",
        damaged("line 7 [route], layer 1", "layers names layer 5, but only layers 0 to 0 come before it"));
    row("a route to itself", kNet + "[convolutional]\n[route]\nlayers=1\n",
        damaged("line 7 [route], layer 1", "layers names layer 1, but only layers 0 to 0 come before it"));
    row("a route to before the start", kNet + "[convolutional]\n[route]\nlayers=-2\n",
        damaged("line 7 [route], layer 1", "layers names layer -2, but only layers 0 to 0 come before it"));
    row("a route to nowhere", kNet + "[route]\n", damaged("line 6 [route], layer 0", "it does not say which layers it reads (layers)"));
    row("pictures of two sizes", kNet + "[convolutional]\n[maxpool]\nstride=2\nsize=2\n[route]\nlayers=0,1\n",
        ", line 10 [route], layer 2: Operator 'route_2' does not fit its inputs: extents of 6 and 3 should be equal. Check the input "
        "shapes (--shape, --dim).");
    row("attention of another size", kNet + "[convolutional]\nfilters=4\n[avgpool]\n[sam]\nfrom=0\n",
        ", line 9 [sam], layer 2: Operator 'sam_2' does not fit its inputs: extents of 1 and 6 should be equal. Check the input shapes "
        "(--shape, --dim).");
    row("channels that cannot be grouped", kNet + "[convolutional]\ngroups=3\nfilters=3\n",
        ", line 6 [convolutional], layer 0: Operator 'convolutional_0' does not fit its inputs: channels by groups: 4 cannot be divided "
        "by 3. Check the input shapes (--shape, --dim).");
    row("yolo with other channels", kNet + "[yolo]\nmask=0\nclasses=3\n",
        ", line 6 [yolo], layer 0: Operator 'yolo_0' does not fit its inputs: it wants 8 channels (1 boxes of 8 numbers) and gets 4. "
        "Check the input shapes (--shape, --dim).");
    row("a kernel larger than the picture", kNet + "[convolutional]\nsize=9\n",
        ", line 6 [convolutional], layer 0: Operator 'convolutional_0' does not fit its inputs: its kernel reaches over 9 of only 6 "
        "(padding included). Check the input shapes (--shape, --dim).");
    row("only [net]", kNet, ": The network has no operators. Check that the right file was exported.");
    row("sizes that do not fit 63 bits",
        "[net]\nwidth=2000000000\nheight=2000000000\nchannels=2000000000\n[convolutional]\n",
        ", tensor 'data': The size of 'data' does not fit 63 bits. Check the shapes that the file or the options give.");
}

void TestDarknetImport::faults()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, message);
    QCOMPARE(messages(importText("net.cfg", text)), QStringList{message});
}

void TestDarknetImport::realFiles_data()
{
    addRowsOfFiles("darknet", "*.cfg");
}

void TestDarknetImport::realFiles()
{
    QFETCH(QString, file);
    const auto model = importModel(sharedModel(file).toStdString());
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    QVERIFY(model->graph->tensorsOfUnknownSize().empty());
    for (const QString& line : messages(model))
        QVERIFY2(line.contains("while training"), qPrintable(line));
    QCOMPARE(faultsOfPlans(model->graph), QString());
}

void TestDarknetImport::figures_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("expected"); // tensor=shape
    QTest::addColumn<int>("layers");       // as Darknet numbers them
    const auto row = [](const char* file, const char* expected, int layers) {
        QTest::newRow(file) << QString(file) << QString(expected) << layers;
    };
    // The grids of the detection heads at the size that the file says, as the authors publish them.
    row("darknet/noweights/yolov3.cfg", "yolo_82=1x255x13x13 yolo_94=1x255x26x26 yolo_106=1x255x52x52", 107);
    row("darknet/noweights/yolov3-tiny.cfg", "yolo_16=1x255x13x13 yolo_23=1x255x26x26", 24);
    row("darknet/noweights/yolov4.cfg", "yolo_139=1x255x76x76 yolo_150=1x255x38x38 yolo_161=1x255x19x19", 162);
    row("darknet/noweights/yolov4-tiny.cfg", "yolo_30=1x255x13x13 yolo_37=1x255x26x26", 38);
    row("darknet/noweights/darknet53.cfg", "shortcut_74=1x1024x8x8 avgpool_75=1x1024x1x1 convolutional_76=1x1000x1x1", 78);
    row("darknet/noweights/resnet50.cfg", "convolutional_0=1x64x128x128 maxpool_1=1x64x64x64 shortcut_65=1x2048x8x8 convolutional_66=1x1000x8x8 avgpool_67=1x1000x1x1", 70);
    row("darknet/noweights/lstm.train.cfg", "data=1x256 lstm_2=1x1024 connected_3=1x256", 6);
}

void TestDarknetImport::figures()
{
    QFETCH(QString, file);
    QFETCH(QString, expected);
    QFETCH(int, layers);
    if (!QFile::exists(sharedModel(file)))
        QSKIP("the model files are missing (set ARENASCOPE_SHARED_DIR)");
    const auto model = importModel(sharedModel(file).toStdString());
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    QCOMPARE(model->graph->info().operatorsInFile, layers);
    QCOMPARE(shapesAsIn(expected, *model->graph), expected);
}

/// yolov3-tiny at 416 x 416, elements by layer from its published table. Most is live at the first maxpool.
void TestDarknetImport::bytes()
{
    const QString file = sharedModel("darknet/noweights/yolov3-tiny.cfg");
    if (!QFile::exists(file))
        QSKIP("the model files are missing (set ARENASCOPE_SHARED_DIR)");
    const auto model = importModel(file.toStdString());
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    const std::vector<qint64> elements = {
        3 * 416 * 416, 16 * 416 * 416, 16 * 208 * 208, 32 * 208 * 208, 32 * 104 * 104, 64 * 104 * 104, 64 * 52 * 52, 128 * 52 * 52,
        128 * 26 * 26, 256 * 26 * 26, 256 * 13 * 13, 512 * 13 * 13, 512 * 13 * 13, 1024 * 13 * 13, 256 * 13 * 13, 512 * 13 * 13,
        255 * 13 * 13, 255 * 13 * 13, 256 * 13 * 13, 128 * 13 * 13, 128 * 26 * 26, 384 * 26 * 26, 256 * 26 * 26, 255 * 26 * 26,
        255 * 26 * 26};
    StudyOptions options;
    options.problem.alignment = 1;
    const auto study = makeStudy(model->graph, options);
    QVERIFY(study);
    QCOMPARE((*study)->naive, 4 * std::accumulate(elements.begin(), elements.end(), qint64(0)));
    QCOMPARE((*study)->lowerBound(), 4 * (elements[1] + elements[2]));
}

/// Softmax is also a kind of ONNX's: it must not be run as that.
void TestDarknetImport::isPlannedNotRun()
{
    const auto graph = graphOf(kNet + "[connected]\noutput=10\n[softmax]\n");
    QVERIFY(graph);
    const RunSupport support = runSupport(*graph);
    QCOMPARE(support.refusals.size(), std::size_t(2));
    QVERIFY(support.refusals[1].error.args.at(2).find("format of Darknet") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestDarknetImport)
#include "tst_darknet_import.moc"
