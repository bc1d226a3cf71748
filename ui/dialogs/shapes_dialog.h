// SPDX-License-Identifier: MIT
// Shapes of the network's inputs and values of its symbolic dimensions.
#pragma once

#include <arenascope/importer.h>

#include <QDialog>

#include <map>

class QDialogButtonBox;
class QLabel;
class QLineEdit;

namespace arenascope::ui {

/// What the dialog asks for: names of symbolic dimensions that inputs or activations have, sorted, with their current values.
std::map<std::string, std::optional<std::int64_t>> dimensionsOf(const Graph& graph, const ImportOptions& options);

class ShapesDialog : public QDialog {
    Q_OBJECT
public:
    ShapesDialog(const Graph& graph, const ImportOptions& options, QWidget* parent = nullptr);

    /// The options with what was changed; only valid input can be accepted.
    ImportOptions importOptions() const;

private:
    struct Field {
        std::string name;
        QString original;
        QLineEdit* edit = nullptr;
    };
    void check();
    bool isGood(const Field& field, bool isShape) const;

    ImportOptions m_options;
    std::vector<Field> m_shapes;
    std::vector<Field> m_dims;
    QLabel* m_problem;
    QDialogButtonBox* m_buttons;
};

} // namespace arenascope::ui
