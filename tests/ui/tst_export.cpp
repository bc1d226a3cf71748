// SPDX-License-Identifier: MIT
#include "tests/support/tiny_plan.h"
#include "ui/export/page.h"
#include "ui/export/picture.h"
#include "ui/export/scene_cut.h"

#include <QImage>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <QtTest>

using namespace arenascope;
using namespace arenascope::ui;

class TstExport : public QObject {
    Q_OBJECT
private slots:
    void init();
    void svgIsWellFormedAndItsTextIsText_data();
    void svgIsWellFormedAndItsTextIsText();
    void sameRequestSameSvg();
    void pngHasTheChosenSize();
    void pngTooLargeIsRefused();
    void pdfOfALongNetworkHasSeveralPages();
    void dataFilesComeFromCore();
    void unknownSuffixNamesTheKnownOnes();
    void failureLeavesTheOldFileWhole();
    void breaksLeaveBoxesWhole();
    void cutEdgesAreFoundAgain();

private:
    QString path(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    static QByteArray contentOf(const QString& file);

    QTemporaryDir m_folder;
    PictureRequest m_request;
};

namespace {

PictureRequest chainRequest(int operators)
{
    GraphBuilder builder;
    TensorId last = builder.addInput("x", ElementType::Float32, Shape::of({16}));
    for (int i = 0; i < operators; ++i)
        last = builder.addSimple("Relu", {last}, "t" + std::to_string(i), 64);
    builder.addOutput(last);
    const auto study = makeStudy(*std::move(builder).build(), {});
    PictureRequest request;
    request.outcome = *planStudy(*study, "naive");
    const auto drawing = test::columnOf(**study);
    request.drawn = drawing.drawn;
    request.layout = drawing.layout;
    request.date = QDateTime(QDate(2024, 2, 29), QTime(12, 0));
    return request;
}

} // namespace

void TstExport::init()
{
    m_request = {};
    m_request.outcome = test::tinyOutcome();
    const auto drawing = test::columnOf(*m_request.outcome->study);
    m_request.drawn = drawing.drawn;
    m_request.layout = drawing.layout;
    m_request.date = QDateTime(QDate(2024, 2, 29), QTime(12, 0));
}

QByteArray TstExport::contentOf(const QString& file)
{
    QFile in(file);
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

void TstExport::svgIsWellFormedAndItsTextIsText_data()
{
    QTest::addColumn<int>("content");
    QTest::addColumn<QStringList>("words");
    const QStringList title{QStringLiteral("by-hand"), QStringLiteral("2024-02-29"), QStringLiteral("320 B")};
    QTest::newRow("network: kinds and names") << int(PictureContent::Network) << title + QStringList{"Conv", "first", "Gemm", "last", "Input", "Output"};
    QTest::newRow("arena: buffers, bound and arena") << int(PictureContent::Arena) << title + QStringList{"lower bound", "256 B", "step", "address in the arena"};
    QTest::newRow("curve: peak") << int(PictureContent::Curve) << title + QStringList{"peak", "live bytes"};
    QTest::newRow("sheet: all of it") << int(PictureContent::Sheet) << title + QStringList{"Conv", "lower bound", "live bytes"};
}

void TstExport::svgIsWellFormedAndItsTextIsText()
{
    QFETCH(int, content);
    QFETCH(QStringList, words);
    m_request.content = static_cast<PictureContent>(content);
    const QString file = path("picture.svg");
    QVERIFY(exportFile(m_request, file).hasValue());
    QXmlStreamReader xml(contentOf(file));
    QString all;
    int shapes = 0;
    while (!xml.atEnd()) {
        xml.readNext();
        if (xml.isCharacters())
            all += xml.text();
        if (xml.isStartElement() && (xml.name() == QLatin1String("rect") || xml.name() == QLatin1String("path")))
            ++shapes;
    }
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    for (const QString& word : words)
        QVERIFY2(all.contains(word), qPrintable(word + QStringLiteral(" is not in: ") + all));
    QVERIFY(shapes >= 4);
}

void TstExport::sameRequestSameSvg()
{
    QVERIFY(exportFile(m_request, path("one.svg")).hasValue());
    QVERIFY(exportFile(m_request, path("two.svg")).hasValue());
    QCOMPARE(contentOf(path("one.svg")), contentOf(path("two.svg")));
    qputenv("SOURCE_DATE_EPOCH", "86400");
    m_request.date = {};
    QVERIFY(pictureSubtitle(m_request).endsWith(QStringLiteral("1970-01-02")));
    qunsetenv("SOURCE_DATE_EPOCH");
}

void TstExport::pngHasTheChosenSize()
{
    m_request.pixelSize = QSize(640, 360);
    QVERIFY(exportFile(m_request, path("a.png")).hasValue());
    QCOMPARE(QImage(path("a.png")).size(), QSize(640, 360));
    m_request.pixelSize = {};
    m_request.dark = true;
    m_request.content = PictureContent::Arena;
    QVERIFY(exportFile(m_request, path("b.png")).hasValue());
    const QImage image(path("b.png"));
    QVERIFY(image.width() >= 1200);
    QCOMPARE(image.pixelColor(2, 2), Theme::darkTheme().canvas);
}

void TstExport::pngTooLargeIsRefused()
{
    m_request.pixelSize = QSize(20000, 100);
    const Status status = exportFile(m_request, path("c.png"));
    QVERIFY(!status.hasValue());
    QCOMPARE(status.error().code, ErrorCode::TooLarge);
    QVERIFY(!QFile::exists(path("c.png")));
}

void TstExport::pdfOfALongNetworkHasSeveralPages()
{
    PictureRequest request = chainRequest(60);
    request.content = PictureContent::Network;
    const QString file = path("long.pdf");
    QVERIFY(exportFile(request, file).hasValue());
    static const QRegularExpression page(QStringLiteral("/Type\\s*/Page[^s]"));
    const QString pdf = QString::fromLatin1(contentOf(file));
    QVERIFY(pdf.startsWith(QLatin1String("%PDF")));
    const auto parts = preparePicture(request);
    const auto pages = picturePages(*parts);
    QVERIFY(pages.size() >= 4);
    QCOMPARE(pdf.count(page), static_cast<qsizetype>(pages.size()));
    for (const Scene& scene : pages)
        QCOMPARE(scene.bounds.size(), pages.front().bounds.size());

    const QString tool = QStandardPaths::findExecutable(QStringLiteral("pdftotext"));
    if (tool.isEmpty())
        QSKIP("pdftotext is not installed: the words of the PDF are not looked at");
    QProcess reader;
    reader.start(tool, {QStringLiteral("-layout"), file, QStringLiteral("-")});
    QVERIFY(reader.waitForFinished());
    const QString words = QString::fromUtf8(reader.readAllStandardOutput());
    for (const char* word : {"Relu_0", "Relu_59", "strategy naive", "goes on on page 2", "from page 1"})
        QVERIFY2(words.contains(QLatin1String(word)), word);
}

void TstExport::dataFilesComeFromCore()
{
    QVERIFY(exportFile(m_request, path("plan.json")).hasValue());
    QCOMPARE(contentOf(path("plan.json")).toStdString(), planToJson(*m_request.outcome));
    PictureRequest withDims = m_request;
    withDims.imported.dims["batch"] = 4;
    QVERIFY(exportFile(withDims, path("dims.json")).hasValue());
    QCOMPARE(contentOf(path("dims.json")).toStdString(), planToJson(*withDims.outcome, withDims.imported));
    QVERIFY(contentOf(path("dims.json")) != contentOf(path("plan.json")));
    QVERIFY(exportFile(m_request, path("plan.CSV")).hasValue());
    QCOMPARE(contentOf(path("plan.CSV")).toStdString(), planToCsv(*m_request.outcome));
    QVERIFY(exportFile(m_request, path("plan.dot")).hasValue());
    QCOMPARE(contentOf(path("plan.dot")).toStdString(), planToDot(*m_request.outcome));
}

void TstExport::unknownSuffixNamesTheKnownOnes()
{
    const Status status = exportFile(m_request, path("plan.xyz"));
    QVERIFY(!status.hasValue());
    QCOMPARE(status.error().code, ErrorCode::BadOption);
    QVERIFY(describe(status.error()).find(".svg") != std::string::npos);
}

void TstExport::failureLeavesTheOldFileWhole()
{
    const Status status = exportFile(m_request, m_folder.filePath(QStringLiteral("no/such/folder/a.svg")));
    QVERIFY(!status.hasValue());
    QCOMPARE(status.error().code, ErrorCode::FileNotWritable);
    QVERIFY(!status.error().args.empty());
}

void TstExport::breaksLeaveBoxesWhole()
{
    // Boxes at 0..60, 100..160, ... 900..960; pieces of at most 250: cuts at 200 - 4, not through 200..260.
    Scene scene;
    std::vector<SceneRect> boxes;
    for (int i = 0; i < 10; ++i) {
        SceneRect box;
        box.rect = QRectF(0, 100 * i, 100, 60);
        boxes.push_back(box);
    }
    scene.bounds = QRectF(0, 0, 100, 960);
    const auto breaks = breaksOf(scene, boxes, 250);
    QCOMPARE(breaks, (std::vector<double>{0, 196, 396, 596, 796, 960}));
    // A wall without gaps must be cut all the same.
    boxes.resize(1);
    boxes[0].rect = QRectF(0, 0, 100, 960);
    QCOMPARE(breaksOf(scene, boxes, 500), (std::vector<double>{0, 500, 960}));
}

void TstExport::cutEdgesAreFoundAgain()
{
    Scene scene;
    scene.layers.resize(1);
    ScenePath path;
    path.points = {{10, 0}, {10, 100}, {50, 300}};
    path.arrow = true;
    path.item = Item::of(TensorId(7));
    scene.layers[0].paths.push_back(path);
    scene.bounds = QRectF(0, 0, 100, 300);
    const ScenePiece upper = cutPiece(scene, 0, 200), lower = cutPiece(scene, 200, 300);
    QCOMPARE(upper.scene.layers[0].paths.at(0).points, (std::vector<QPointF>{{10, 0}, {10, 100}, {30, 200}}));
    QVERIFY(!upper.scene.layers[0].paths.at(0).arrow);
    QCOMPARE(lower.scene.layers[0].paths.at(0).points, (std::vector<QPointF>{{30, 200}, {50, 300}}));
    QVERIFY(lower.scene.layers[0].paths.at(0).arrow);
    QCOMPARE(upper.crossings.size(), std::size_t(1));
    QVERIFY(upper.crossings[0].leaves);
    QCOMPARE(upper.crossings[0].x, lower.crossings.at(0).x);
    QVERIFY(!lower.crossings[0].leaves);
}

QTEST_MAIN(TstExport)
#include "tst_export.moc"
