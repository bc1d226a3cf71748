// SPDX-License-Identifier: MIT
// What the user points at, in one place, shared by all views.
#pragma once

#include <arenascope/types.h>

#include <QObject>
#include <QString>

namespace arenascope::ui {

/// One thing that can be selected or hovered.
struct Item {
    enum class Kind : std::uint8_t { None, Operator, Tensor, Buffer, Branch } kind = Kind::None;
    std::int32_t id = -1;

    bool isNone() const { return kind == Kind::None; }
    static Item of(OpId id) { return {Kind::Operator, id.value()}; }
    static Item of(TensorId id) { return {Kind::Tensor, id.value()}; }
    static Item of(BufferId id) { return {Kind::Buffer, id.value()}; }
    static Item of(BranchId id) { return {Kind::Branch, id.value()}; }
    friend bool operator==(const Item&, const Item&) = default;
};

/// Selected item, hovered item, playhead and filter. Setters emit only on change.
class Selection : public QObject {
    Q_OBJECT
public:
    explicit Selection(QObject* parent = nullptr) : QObject(parent) {}

    Step playhead() const { return m_playhead; }
    Step stepCount() const { return m_stepCount; }
    Item selected() const { return m_selected; }
    Item hovered() const { return m_hovered; }
    QString filter() const { return m_filter; }

public slots:
    void setPlayhead(arenascope::Step step);        ///< clamped to [0, stepCount)
    void setStepCount(arenascope::Step count);      ///< clamps the playhead
    void select(arenascope::ui::Item item);
    void hover(arenascope::ui::Item item);
    void setFilter(const QString& text);
    void clear();                                   ///< selection and hover, keeps the playhead

signals:
    void playheadChanged(arenascope::Step step);
    void stepCountChanged(arenascope::Step count);
    void selectedChanged(arenascope::ui::Item item);
    void hoveredChanged(arenascope::ui::Item item);
    void filterChanged(const QString& text);
    /// The user asked to see an item (double click in a table, a find result): views scroll to it.
    void revealRequested(arenascope::ui::Item item);

private:
    Step m_playhead = 0;
    Step m_stepCount = 0;
    Item m_selected;
    Item m_hovered;
    QString m_filter;
};

} // namespace arenascope::ui
