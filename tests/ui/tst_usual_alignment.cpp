// SPDX-License-Identifier: MIT
// The alignment follows the network's format until the user chooses another.
#include "ui/document.h"
#include "ui/usual_alignment.h"

#include <arenascope/graph_builder.h>

#include <QtTest>

using namespace arenascope;
using namespace arenascope::ui;

class TestUsualAlignment : public QObject {
    Q_OBJECT

private slots:
    void followsTheFormat();
    void keepsWhatTheUserChose();
    void keepsWhatWasGiven();

private:
    static std::shared_ptr<const Graph> network(const char* format)
    {
        GraphBuilder builder;
        builder.addOutput(builder.addSimple("Relu", { builder.addInput("x", ElementType::Int8, Shape::of({ 16 })) }, "y", 16));
        ModelInfo info;
        info.format = format;
        builder.setInfo(info);
        return *std::move(builder).build();
    }
};

void TestUsualAlignment::followsTheFormat()
{
    Document document;
    const UsualAlignment* usual = UsualAlignment::of(&document);
    QCOMPARE(document.studyOptions().problem.alignment, Bytes(64));
    document.setGraph(network("TensorFlow Lite"), "a.tflite");
    QCOMPARE(document.studyOptions().problem.alignment, Bytes(16));
    QCOMPARE(usual->optionsToKeep().problem.alignment, Bytes(64)); // the next session begins as this one
    document.setGraph(network("ONNX"), "a.onnx");
    QCOMPARE(document.studyOptions().problem.alignment, Bytes(64));
}

void TestUsualAlignment::keepsWhatTheUserChose()
{
    Document document;
    const UsualAlignment* usual = UsualAlignment::of(&document);
    StudyOptions options;
    options.problem.alignment = 128;
    document.setStudyOptions(options);
    document.setGraph(network("TensorFlow Lite"), "a.tflite");
    QCOMPARE(document.studyOptions().problem.alignment, Bytes(128));
    QCOMPARE(usual->optionsToKeep().problem.alignment, Bytes(128));
}

void TestUsualAlignment::keepsWhatWasGiven()
{
    Document document;
    UsualAlignment::of(&document)->keep(); // --align 64
    document.setGraph(network("TensorFlow Lite"), "a.tflite");
    QCOMPARE(document.studyOptions().problem.alignment, Bytes(64));
}

QTEST_MAIN(TestUsualAlignment)
#include "tst_usual_alignment.moc"
