// SPDX-License-Identifier: MIT
// Real networks of Caffe and Darknet, layer by layer, against the sizes that OpenCV's own readers of these formats work out.
#include "tests/support/layered.h"

#include <opencv2/dnn.hpp>

using namespace arenascope;
using namespace arenascope::test;

namespace {

QString sharedModel(const QString& file)
{
    return QStringLiteral(ARENASCOPE_SHARED_DIR "/models/") + file;
}

QString text(const cv::dnn::MatShape& shape)
{
    QStringList extents;
    for (const int extent : shape)
        extents << QString::number(extent);
    return extents.join('x');
}

/// OpenCV's name of a layer of Darknet, "conv_12", as it is called here: "convolutional_12". What it makes several layers of
/// is left out.
QString darknetName(const QString& name)
{
    const QStringList parts = name.split('_');
    const QHash<QString, QString> kinds = {{"conv", "convolutional"}, {"pool", "maxpool"}, {"shortcut", "shortcut"},
                                           {"concat", "route"}, {"upsample", "upsample"}};
    return parts.size() == 2 && kinds.contains(parts[0]) ? kinds[parts[0]] + "_" + parts[1] : QString();
}

/// How many layers have the same size in both; what differs goes into `faults`.
int compare(cv::dnn::Net net, const Graph& graph, bool isDarknet, QStringList& faults)
{
    const Shape& input = graph.tensor(graph.inputs().front()).shape;
    const cv::dnn::MatShape inputShape(input.dims.begin(), input.dims.end());
    std::vector<int> ids;
    std::vector<std::vector<cv::dnn::MatShape>> in;
    std::vector<std::vector<cv::dnn::MatShape>> out;
    net.getLayersShapes(inputShape, ids, in, out);
    int same = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const QString theirs = QString::fromStdString(net.getLayer(ids[i])->name);
        const OpId id = graph.findOperator((isDarknet ? darknetName(theirs) : theirs).toStdString());
        if (!id.isValid() || out[i].empty())
            continue;
        const QString ours = QString::fromStdString(toString(graph.tensor(graph.op(id).outputs.front()).shape));
        if (ours == text(out[i].front()))
            ++same;
        else
            faults << theirs + ": " + ours + ", OpenCV " + text(out[i].front());
    }
    return same;
}

} // namespace

class TestOpencvShapes : public QObject {
    Q_OBJECT

private slots:
    void sameSizes_data();
    void sameSizes();
};

void TestOpencvShapes::sameSizes_data()
{
    QTest::addColumn<QString>("network");
    QTest::addColumn<QString>("weights");
    QTest::addColumn<int>("atLeast"); // layers that both name
    for (const char* name : {"mtcnn_det1", "mtcnn_det2", "wechat_qr_detect", "wechat_qr_sr", "ultraface_RFB-320"}) {
        const QString base = QStringLiteral("caffe/") + name;
        QTest::newRow(name) << base + ".prototxt" << base + ".caffemodel" << (base.contains("mtcnn") ? 10 : 20);
    }
    for (const char* name : {"yoloface-50k", "mbv2-yolo-fastest-voc-v2", "yolo-fastest-1.1"}) {
        const QString base = QStringLiteral("darknet/") + name;
        QTest::newRow(name) << base + ".cfg" << base + ".weights" << 20;
    }
}

void TestOpencvShapes::sameSizes()
{
    QFETCH(QString, network);
    QFETCH(QString, weights);
    QFETCH(int, atLeast);
    if (!QFile::exists(sharedModel(network)) || !QFile::exists(sharedModel(weights)))
        QSKIP("the model files are missing (set ARENASCOPE_SHARED_DIR)");
    const auto model = importModel(sharedModel(network).toStdString());
    QVERIFY2(model, model ? "" : describe(model.error()).c_str());
    const bool isDarknet = network.endsWith(".cfg");
    const std::string path = sharedModel(network).toStdString();
    const std::string data = sharedModel(weights).toStdString();
    QStringList faults;
    int same = 0;
    try {
        const cv::dnn::Net net = isDarknet ? cv::dnn::readNetFromDarknet(path, data) : cv::dnn::readNetFromCaffe(path, data);
        same = compare(net, *model->graph, isDarknet, faults);
    } catch (const cv::Exception& e) {
        QSKIP(e.what());
    }
    QCOMPARE(faults, QStringList());
    QVERIFY2(same >= atLeast, qPrintable(QString::number(same)));
}

QTEST_GUILESS_MAIN(TestOpencvShapes)
#include "tst_opencv_shapes.moc"
