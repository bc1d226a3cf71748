// SPDX-License-Identifier: MIT
#include "ui/dialogs/shapes_dialog.h"

#include "ui/text.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace arenascope::ui {

namespace {

QLabel* makeHeading(const QString& text)
{
    auto* label = new QLabel(text);
    QFont font = label->font();
    font.setBold(true);
    label->setFont(font);
    label->setContentsMargins(0, 8, 0, 2);
    return label;
}

QString shapeText(const Shape& shape)
{
    return shape.rankKnown ? toQString(toString(shape)) : QString();
}

QLabel* nameLabel(const QString& name, const QString& toolTip)
{
    auto* label = new QLabel;
    label->setTextFormat(Qt::PlainText);
    label->setText(label->fontMetrics().elidedText(name, Qt::ElideMiddle, 240));
    label->setToolTip(toolTip);
    return label;
}

} // namespace

std::map<std::string, std::optional<std::int64_t>> dimensionsOf(const Graph& graph, const ImportOptions& options)
{
    std::map<std::string, std::optional<std::int64_t>> dims;
    for (const Tensor& tensor : graph.tensors()) {
        if (!tensor.isActivation())
            continue;
        for (std::size_t i = 0; i < tensor.shape.symbols.size(); ++i) {
            const std::string& symbol = tensor.shape.symbols[i];
            if (symbol.empty())
                continue;
            const std::int64_t extent = i < tensor.shape.dims.size() ? tensor.shape.dims[i] : kUnknownDim;
            auto& value = dims[symbol];
            if (!value && extent != kUnknownDim)
                value = extent;
        }
    }
    for (const auto& [name, value] : options.dims)
        dims[name] = value;
    return dims;
}

ShapesDialog::ShapesDialog(const Graph& graph, const ImportOptions& options, QWidget* parent)
    : QDialog(parent)
    , m_options(options)
    , m_problem(new QLabel(this))
    , m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this))
{
    setWindowTitle(tr("Shapes and dimensions"));
    auto* content = new QWidget;
    auto* form = new QFormLayout(content);
    form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);

    const auto dims = dimensionsOf(graph, options);
    if (!dims.empty())
        form->addRow(makeHeading(tr("Dimensions")));
    for (const auto& [name, value] : dims) {
        Field field { name, value ? QString::number(*value) : QString(), new QLineEdit };
        field.edit->setObjectName(QStringLiteral("dim:") + toQString(name));
        field.edit->setText(field.original);
        field.edit->setPlaceholderText(tr("unknown"));
        form->addRow(nameLabel(toQString(name), toQString(name)), field.edit);
        m_dims.push_back(std::move(field));
    }
    form->addRow(makeHeading(tr("Inputs")));
    for (const TensorId id : graph.inputs()) {
        const Tensor& tensor = graph.tensor(id);
        Field field { tensor.name, shapeText(tensor.shape), new QLineEdit };
        field.edit->setObjectName(QStringLiteral("shape:") + toQString(tensor.name));
        field.edit->setText(field.original);
        field.edit->setPlaceholderText(QStringLiteral("1x3x224x224"));
        form->addRow(nameLabel(toQString(tensor.name), tr("%1, %2").arg(toQString(tensor.name), toQString(elementTypeName(tensor.type)))),
            field.edit);
        m_shapes.push_back(std::move(field));
    }

    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(content);
    auto* explanation = new QLabel(tr("Sizes follow from these. The file is read again with what you change."), this);
    explanation->setWordWrap(true);
    m_problem->setWordWrap(true);
    m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Read again"));
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(explanation);
    layout->addWidget(scroll, 1);
    layout->addWidget(m_problem);
    layout->addWidget(m_buttons);
    resize(520, std::min(560, 190 + 34 * static_cast<int>(m_shapes.size() + m_dims.size())));

    for (const auto* fields : { &m_dims, &m_shapes }) {
        for (const Field& field : *fields)
            connect(field.edit, &QLineEdit::textChanged, this, &ShapesDialog::check);
    }
    connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    check();
}

bool ShapesDialog::isGood(const Field& field, bool isShape) const
{
    const QString text = field.edit->text().trimmed();
    if (text == field.original || text.isEmpty())
        return true;
    if (isShape)
        return parseShape(text).has_value();
    bool isNumber = false;
    return text.toLongLong(&isNumber) > 0 && isNumber;
}

void ShapesDialog::check()
{
    QString problem;
    for (const Field& field : m_dims) {
        if (!isGood(field, false))
            problem = tr("%1: give a whole number above 0.").arg(toQString(field.name));
    }
    for (const Field& field : m_shapes) {
        if (!isGood(field, true))
            problem = tr("%1: give a shape such as 1x3x224x224.").arg(toQString(field.name));
    }
    m_problem->setText(problem);
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(problem.isEmpty());
}

ImportOptions ShapesDialog::importOptions() const
{
    ImportOptions options = m_options;
    for (const Field& field : m_dims) {
        const QString text = field.edit->text().trimmed();
        if (text == field.original)
            continue;
        if (text.isEmpty())
            options.dims.erase(field.name);
        else
            options.dims[field.name] = text.toLongLong();
    }
    for (const Field& field : m_shapes) {
        const QString text = field.edit->text().trimmed();
        if (text == field.original)
            continue;
        const auto shape = parseShape(text);
        if (text.isEmpty() || !shape)
            options.shapes.erase(field.name);
        else
            options.shapes[field.name] = *shape;
    }
    return options;
}

} // namespace arenascope::ui
