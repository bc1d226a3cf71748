// SPDX-License-Identifier: MIT
#include "ui/panels/detail_panel.h"

#include "ui/item_lookup.h"
#include "ui/text.h"

#include <QTextBrowser>
#include <QVBoxLayout>

namespace arenascope::ui {

namespace {

QString tr(const char* text)
{
    return DetailPanel::tr(text);
}

QString escaped(std::string_view text)
{
    return toQString(text).toHtmlEscaped();
}

QString link(const char* kind, int id, const QString& text)
{
    return QStringLiteral("<a href=\"%1:%2\">%3</a>").arg(QLatin1String(kind)).arg(id).arg(text);
}

class Details {
public:
    Details(const Graph& graph, const PlanOutcome* outcome)
        : m_graph(graph)
        , m_outcome(outcome)
    {
    }

    QString about(Item item)
    {
        switch (item.kind) {
        case Item::Kind::Operator:
            aboutOperator(OpId(item.id));
            break;
        case Item::Kind::Tensor:
            aboutTensor(TensorId(item.id));
            break;
        case Item::Kind::Buffer:
            aboutBuffer(BufferId(item.id));
            break;
        case Item::Kind::Branch:
            aboutBranch(BranchId(item.id));
            break;
        case Item::Kind::None:
            return {};
        }
        return QStringLiteral("<h3>%1</h3><table cellspacing=\"0\" cellpadding=\"2\">%2</table>").arg(m_title, m_rows);
    }

private:
    void row(const QString& name, const QString& html)
    {
        if (!html.isEmpty())
            m_rows += QStringLiteral("<tr><td style=\"padding-right: 14px\"><i>%1</i></td><td>%2</td></tr>").arg(name, html);
    }

    QString tensorLink(TensorId id) const
    {
        const Tensor& tensor = m_graph.tensor(id);
        return QStringLiteral("%1 &nbsp; %2 %3 &nbsp; %4")
            .arg(link("tensor", id.value(), escaped(tensor.name)), escaped(elementTypeName(tensor.type)),
                escaped(toString(tensor.shape)), sizeText(tensor.bytes));
    }
    QString operatorLink(OpId id) const
    {
        const Operator& op = m_graph.op(id);
        return QStringLiteral("%1 (%2)").arg(link("op", id.value(), escaped(op.name)), escaped(op.kind));
    }

    template <class Ids, class Say>
    QString list(const Ids& ids, Say say) const
    {
        constexpr int kMost = 40;
        QStringList lines;
        for (const auto& id : ids) {
            if (lines.size() == kMost) {
                lines << tr("and more");
                break;
            }
            lines << say(id);
        }
        return lines.join(QStringLiteral("<br>"));
    }

    void bufferRows(TensorId id)
    {
        if (!m_outcome || !m_graph.tensor(id).isActivation())
            return;
        const BufferId buffer = m_outcome->study->bufferOf[id.index()];
        if (!buffer.isValid()) {
            row(tr("Buffer"), tr("none: outside the arena"));
            return;
        }
        row(tr("Buffer"), link("buffer", buffer.value(), escaped(m_outcome->study->problem.buffer(buffer).name)));
        if (const auto offset = tensorOffset(*m_outcome->study, m_outcome->plan, id))
            row(tr("Offset"), QStringLiteral("%1 (%2)").arg(sizeText(*offset), exactText(*offset)));
    }

    void aboutOperator(OpId id)
    {
        const Operator& op = m_graph.op(id);
        m_title = QStringLiteral("%1 <span style=\"font-weight: normal\">%2</span>").arg(escaped(op.kind), escaped(op.name));
        if (!op.domain.empty())
            row(tr("Domain"), escaped(op.domain));
        if (m_outcome) {
            const Study& study = *m_outcome->study;
            const Step step = study.schedule.stepOf[id.index()];
            row(tr("Step"), tr("%1, with %2 alive").arg(step).arg(sizeText(study.profile.liveBytes[static_cast<std::size_t>(step)])));
            const BranchId branch = study.branches.branchOf[id.index()];
            if (branch.isValid()) {
                const auto unit = static_cast<std::size_t>(study.branches.unitOf[id.index()]);
                const Branch& whole = study.branches.branches[branch.index()];
                QString words = link("branch", branch.value(), tr("Branch %1").arg(branch.value() + 1));
                words += tr(", unit %1 of %2").arg(unit + 1).arg(whole.units.size());
                if (whole.units[unit].side != PingPongSide::None)
                    words += tr(", writes its %1 memory").arg(sideTitle(whole.units[unit].side).toLower());
                if (static_cast<std::size_t>(whole.designatedUnit) == unit)
                    words += tr(" (designated unit)");
                row(tr("Branch"), words);
            }
        }
        std::vector<TensorId> activations;
        std::vector<TensorId> constants;
        for (const TensorId input : op.inputs) {
            if (input.isValid())
                (m_graph.tensor(input).isActivation() ? activations : constants).push_back(input);
        }
        activations.insert(activations.end(), op.captures.begin(), op.captures.end());
        std::vector<TensorId> outputs;
        for (const TensorId output : op.outputs) {
            if (output.isValid())
                outputs.push_back(output);
        }
        const auto say = [this](TensorId tensor) { return tensorLink(tensor); };
        row(tr("Reads"), list(activations, say));
        row(tr("Writes"), list(outputs, say));
        row(tr("Weights"), list(constants, say));
        if (op.workspace > 0)
            row(tr("Workspace"), sizeText(op.workspace));
        if (!op.fusedActivation.empty())
            row(tr("Fused"), escaped(op.fusedActivation));
        if (op.isDead)
            row(tr("Note"), tr("Nothing that it makes reaches an output of the network; it runs all the same."));
        row(tr("Attributes"), attributesOf(op));
    }

    static QString attributesOf(const Operator& op)
    {
        QStringList lines;
        for (const auto& [name, value] : op.attributes)
            lines << QStringLiteral("%1 = %2").arg(escaped(name), std::visit([](const auto& v) { return valueText(v); }, value));
        return lines.join(QStringLiteral("<br>"));
    }
    static QString valueText(std::int64_t value) { return QString::number(value); }
    static QString valueText(double value) { return QString::number(value, 'g', 9); }
    static QString valueText(const std::string& value) { return escaped(value.substr(0, 200)); }
    static QString valueText(const TensorValue& value)
    {
        return QStringLiteral("%1 %2").arg(escaped(elementTypeName(value.type)), escaped(toString(value.shape)));
    }
    template <class T>
    static QString valueText(const std::vector<T>& values)
    {
        constexpr std::size_t kMost = 32;
        QStringList words;
        for (std::size_t i = 0; i < std::min(values.size(), kMost); ++i)
            words << valueText(values[i]);
        if (values.size() > kMost)
            words << QStringLiteral("\u2026");
        return QStringLiteral("[%1]").arg(words.join(QStringLiteral(", ")));
    }

    void aboutTensor(TensorId id)
    {
        const Tensor& tensor = m_graph.tensor(id);
        m_title = escaped(tensor.name);
        row(tr("Role"), tensor.isOutput ? tr("%1, network output").arg(roleTitle(tensor.role)) : roleTitle(tensor.role));
        row(tr("Type"), QStringLiteral("%1 %2").arg(escaped(elementTypeName(tensor.type)), escaped(toString(tensor.shape))));
        row(tr("Size"), QStringLiteral("%1 (%2)").arg(sizeText(tensor.bytes), exactText(tensor.bytes)));
        row(tr("Formula"), formulaOf(tensor));
        bufferRows(id);
        if (tensor.producer.isValid())
            row(tr("Made by"), operatorLink(tensor.producer));
        row(tr("Read by"), list(tensor.consumers, [this](OpId reader) { return operatorLink(reader); }));
    }

    static QString formulaOf(const Tensor& tensor)
    {
        const auto count = tensor.shape.elementCount();
        const int bits = bitsPerElement(tensor.type);
        if (!count || bits == 0 || tensor.bytes < 0)
            return {};
        if (bits % 8 == 0)
            return tr("%1 elements \u00d7 %2 bytes").arg(*count).arg(bits / 8);
        return tr("%1 elements \u00d7 %2 bits, rounded up to bytes").arg(*count).arg(bits);
    }

    void aboutBuffer(BufferId id)
    {
        if (!m_outcome)
            return;
        const PlacementProblem& problem = m_outcome->study->problem;
        const Buffer& buffer = problem.buffer(id);
        const Placement& placement = m_outcome->plan.placements[id.index()];
        m_title = tr("Buffer %1").arg(escaped(buffer.name));
        row(tr("Size"), tr("%1 (%2), reserved %3").arg(sizeText(buffer.size), exactText(buffer.size), exactText(problem.reserved(id))));
        row(tr("Offset"), tr("%1 to %2").arg(exactText(placement.offset), exactText(placement.offset + problem.reserved(id))));
        row(tr("Alive"), tr("steps %1 to %2").arg(buffer.live.begin).arg(buffer.live.end - 1));
        const QString region = regionTitle(*m_outcome, id);
        row(tr("Memory"), region.isEmpty() ? sideTitle(placement.side) : region.toHtmlEscaped());
        row(tr("Tensors"), list(buffer.tensors, [this](const AliasMember& member) { return tensorLink(member.tensor); }));
    }

    void aboutBranch(BranchId id)
    {
        if (!m_outcome)
            return;
        const Branch& branch = m_outcome->study->branches.branches[id.index()];
        m_title = tr("Branch %1").arg(id.value() + 1);
        row(tr("First memory"), QStringLiteral("%1 (%2)").arg(sizeText(branch.firstMemory), exactText(branch.firstMemory)));
        row(tr("Second memory"), QStringLiteral("%1 (%2)").arg(sizeText(branch.secondMemory), exactText(branch.secondMemory)));
        row(tr("Units"), list(branch.units, [this](const BranchUnit& unit) {
            return QStringLiteral("%1 &nbsp; %2 &nbsp; %3")
                .arg(sideTitle(unit.side), operatorLink(unit.operators.front()), sizeText(unit.bytes));
        }));
    }

    const Graph& m_graph;
    const PlanOutcome* m_outcome;
    QString m_title;
    QString m_rows;
};

} // namespace

QString detailHtml(const Graph& graph, const PlanOutcome* outcome, Item item)
{
    return Details(graph, outcome).about(item);
}

Item itemOfLink(const QString& link)
{
    const qsizetype colon = link.indexOf(u':');
    bool isNumber = false;
    const int id = link.mid(colon + 1).toInt(&isNumber);
    if (colon < 0 || !isNumber || id < 0)
        return {};
    const QString kind = link.left(colon);
    if (kind == QLatin1String("op"))
        return Item::of(OpId(id));
    if (kind == QLatin1String("tensor"))
        return Item::of(TensorId(id));
    if (kind == QLatin1String("buffer"))
        return Item::of(BufferId(id));
    if (kind == QLatin1String("branch"))
        return Item::of(BranchId(id));
    return {};
}

DetailPanel::DetailPanel(Document* document, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_browser(new QTextBrowser(this))
{
    m_browser->setObjectName(QStringLiteral("details"));
    m_browser->setFrameShape(QFrame::NoFrame);
    m_browser->setOpenLinks(false);
    m_browser->setPlaceholderText(tr("Select an operator, a tensor, a buffer or a branch."));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_browser);

    connect(m_browser, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
        const Item item = itemOfLink(url.toString());
        m_document->selection()->select(item);
        emit m_document->selection()->revealRequested(item);
    });
    connect(document->selection(), &Selection::selectedChanged, this, &DetailPanel::refresh);
    connect(document, &Document::outcomeChanged, this, &DetailPanel::refresh);
    connect(document, &Document::graphChanged, this, &DetailPanel::refresh);
}

void DetailPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

void DetailPanel::refresh()
{
    if (!isVisible())
        return;
    const auto graph = m_document->graph();
    const Item item = m_document->selection()->selected();
    if (!graph || item.isNone()) {
        m_browser->clear();
        return;
    }
    m_browser->setHtml(detailHtml(*graph, m_document->outcome().get(), item));
}

} // namespace arenascope::ui
