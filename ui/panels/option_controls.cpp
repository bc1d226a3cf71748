// SPDX-License-Identifier: MIT
#include "ui/panels/option_controls.h"

#include "ui/text.h"

#include <functional>

namespace arenascope::ui {

namespace {

QString tr(const char* text)
{
    return Document::tr(text);
}

void addChoice(QComboBox* combo, const QString& title, const QVariant& value, const QString& toolTip)
{
    combo->addItem(title, value);
    combo->setItemData(combo->count() - 1, toolTip, Qt::ToolTipRole);
}

// Joins a combo with an option: `read` gives the value of the document, `write` changes it.
QComboBox* join(QComboBox* combo, Document* document, const QString& name, const QString& toolTip,
    std::function<QVariant()> read, std::function<void(const QVariant&)> write)
{
    combo->setObjectName(name);
    combo->setToolTip(toolTip);
    combo->setAccessibleName(toolTip);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    const auto show = [combo, read] {
        const int index = combo->findData(read());
        combo->setCurrentIndex(index);
    };
    show();
    // `activated` is the user's choice only: showing the document's own value must not write it back.
    QObject::connect(combo, &QComboBox::activated, document, [combo, write](int index) { write(combo->itemData(index)); });
    QObject::connect(document, &Document::optionsChanged, combo, show);
    return combo;
}

QComboBox* joinStudy(QComboBox* combo, Document* document, const QString& name, const QString& toolTip,
    std::function<QVariant(const StudyOptions&)> read, std::function<void(StudyOptions&, const QVariant&)> write)
{
    const auto enable = [document, combo] { combo->setEnabled(!document->isBare()); };
    QObject::connect(document, &Document::graphChanged, combo, enable);
    enable();
    return join(
        combo, document, name, toolTip, [document, read] { return read(document->studyOptions()); },
        [document, write](const QVariant& value) {
            StudyOptions options = document->studyOptions();
            write(options, value);
            document->setStudyOptions(options);
        });
}

} // namespace

QComboBox* makeStrategyCombo(Document* document, QWidget* parent)
{
    auto* combo = new QComboBox(parent);
    // The choice of the best comes first, whatever its place on the ladder.
    const QString automatic = toQString(kDefaultStrategy);
    if (findPlanner(kDefaultStrategy))
        addChoice(combo, strategyTitle(automatic), automatic, strategySummary(automatic));
    for (const Planner* planner : planners()) {
        const QString id = toQString(planner->info().id);
        if (id != automatic)
            addChoice(combo, strategyTitle(id), id, strategySummary(id));
    }
    // The plan of a file is one more choice, while there is one.
    const QString opened = toQString(kOpenedStrategy);
    const auto offerOpened = [combo, document, opened] {
        if (const int index = combo->findData(opened); index >= 0)
            combo->removeItem(index);
        const auto plan = document->openedPlan();
        if (!plan || !plan->outcome)
            return;
        combo->insertItem(0, strategyTitle(opened), opened);
        combo->setItemData(0, plan->format, Qt::ToolTipRole);
    };
    QObject::connect(document, &Document::graphChanged, combo, offerOpened);
    offerOpened();
    return join(
        combo, document, QStringLiteral("strategyCombo"), tr("Strategy: how offsets are chosen"),
        [document] { return QVariant(document->strategy()); },
        [document](const QVariant& value) { document->setStrategy(value.toString()); });
}

QComboBox* makeAliasCombo(Document* document, QWidget* parent)
{
    auto* combo = new QComboBox(parent);
    const auto add = [combo](AliasMode mode, const QString& toolTip) {
        addChoice(combo, aliasTitle(mode), static_cast<int>(mode), toolTip);
    };
    add(AliasMode::None, tr("Every tensor has its own bytes"));
    add(AliasMode::Views, tr("Reshape, Flatten, Squeeze and kin share their input's bytes"));
    add(AliasMode::InPlace, tr("Views, and element-wise operators write over an input whose last use it is"));
    add(AliasMode::All, tr("In place, and parts of Concat, Split and Slice lie where the whole wants them: nothing is copied"));
    return joinStudy(
        combo, document, QStringLiteral("aliasCombo"), tr("Alias: which tensors share bytes on purpose"),
        [](const StudyOptions& options) { return QVariant(static_cast<int>(options.alias)); },
        [](StudyOptions& options, const QVariant& value) { options.alias = static_cast<AliasMode>(value.toInt()); });
}

QComboBox* makeScheduleCombo(Document* document, QWidget* parent)
{
    auto* combo = new QComboBox(parent);
    const auto add = [combo](ScheduleKind kind, const QString& toolTip) {
        addChoice(combo, scheduleTitle(kind), static_cast<int>(kind), toolTip);
    };
    add(ScheduleKind::File, tr("As the operators are written in the file"));
    add(ScheduleKind::DepthFirst, tr("Each chain is finished before the next is begun"));
    add(ScheduleKind::MinPeak, tr("The order with the smallest peak of live bytes"));
    return joinStudy(
        combo, document, QStringLiteral("scheduleCombo"), tr("Order: in which the operators run"),
        [](const StudyOptions& options) { return QVariant(static_cast<int>(options.schedule)); },
        [](StudyOptions& options, const QVariant& value) { options.schedule = static_cast<ScheduleKind>(value.toInt()); });
}

QComboBox* makeIoCombo(Document* document, QWidget* parent)
{
    auto* combo = new QComboBox(parent);
    enum { Inputs = 1, Outputs = 2 };
    addChoice(combo, tr("In the arena"), Inputs | Outputs, tr("Network inputs and outputs take bytes of the arena"));
    addChoice(combo, tr("Inputs outside"), Outputs, tr("The caller keeps the inputs; outputs lie in the arena"));
    addChoice(combo, tr("Outputs outside"), Inputs, tr("The caller keeps the outputs; inputs lie in the arena"));
    addChoice(combo, tr("Both outside"), 0, tr("The caller keeps network inputs and outputs"));
    return joinStudy(
        combo, document, QStringLiteral("ioCombo"), tr("Inputs and outputs: where they live"),
        [](const StudyOptions& options) {
            const IoPlacement& io = options.problem.io;
            return QVariant((io.inputsInArena ? Inputs : 0) | (io.outputsInArena ? Outputs : 0));
        },
        [](StudyOptions& options, const QVariant& value) {
            options.problem.io.inputsInArena = (value.toInt() & Inputs) != 0;
            options.problem.io.outputsInArena = (value.toInt() & Outputs) != 0;
        });
}

QComboBox* makeAlignmentCombo(Document* document, QWidget* parent)
{
    auto* combo = new QComboBox(parent);
    for (qlonglong alignment = 1; alignment <= 4096; alignment *= 2)
        addChoice(combo, exactText(alignment), alignment, {});
    return joinStudy(
        combo, document, QStringLiteral("alignmentCombo"), tr("Alignment: sizes are rounded up to it, offsets are multiples of it"),
        [](const StudyOptions& options) { return QVariant(static_cast<qlonglong>(options.problem.alignment)); },
        [](StudyOptions& options, const QVariant& value) { options.problem.alignment = value.toLongLong(); });
}

QComboBox* makeConcurrencyCombo(Document* document, QWidget* parent)
{
    auto* combo = new QComboBox(parent);
    const auto add = [combo](Concurrency concurrency, const QString& toolTip) {
        addChoice(combo, concurrencyTitle(concurrency), static_cast<int>(concurrency), toolTip);
    };
    add(Concurrency::Sequential, tr("The runtime keeps the order: bytes are free once the last operator that reads them has run"));
    add(Concurrency::Parallel,
        tr("Bytes are shared only where the network itself orders their uses: safe for threads and for every other order"));
    return joinStudy(
        combo, document, QStringLiteral("concurrencyCombo"), tr("Runtime: how much of the order it keeps"),
        [](const StudyOptions& options) { return QVariant(static_cast<int>(options.problem.concurrency)); },
        [](StudyOptions& options, const QVariant& value) {
            options.problem.concurrency = static_cast<Concurrency>(value.toInt());
        });
}

QComboBox* makeJoinCombo(Document* document, QWidget* parent)
{
    auto* combo = new QComboBox(parent);
    const auto add = [combo](JoinRule rule, const QString& title, const QString& toolTip) {
        addChoice(combo, title, static_cast<int>(rule), toolTip);
    };
    add(JoinRule::Longest, tr("The longest chain goes on"), tr("Counted through earlier joins; on a tie the one scheduled last"));
    add(JoinRule::LastScheduled, tr("The chain scheduled last goes on"), {});
    add(JoinRule::None, tr("A join begins a branch"), {});
    return joinStudy(
        combo, document, QStringLiteral("joinCombo"), tr("Joins: which incoming branch goes on through one"),
        [](const StudyOptions& options) { return QVariant(static_cast<int>(options.branches.join)); },
        [](StudyOptions& options, const QVariant& value) { options.branches.join = static_cast<JoinRule>(value.toInt()); });
}

} // namespace arenascope::ui
