// SPDX-License-Identifier: MIT
// The network as a graph, coloured by the bytes that it uses.
#pragma once

#include "ui/buffer_colours.h"
#include "ui/selection.h"
#include "ui/theme.h"

#include <arenascope/layout.h>
#include <arenascope/study.h>

#include <QAbstractScrollArea>

#include <memory>

namespace arenascope::ui {

class Document;
struct Matches;
struct RunRecord;

/// What the view shows, for use without a Document (pictures of samples, tests). Any pointer may be null.
struct NetworkSnapshot {
    std::shared_ptr<const Graph> graph;
    std::shared_ptr<const DrawnGraph> drawn;
    std::shared_ptr<const GraphLayout> layout;
    std::shared_ptr<const PlanOutcome> outcome;
    std::shared_ptr<const Matches> matches = {}; ///< what is not lit is dimmed
    std::shared_ptr<const RunRecord> run = {};   ///< for ColourBy::Time
};

/// Wheel zooms at the pointer, dragging pans, a double click fits what is under it, F fits all, hovering tells.
class NetworkView : public QAbstractScrollArea {
    Q_OBJECT
public:
    /// `document` may be null: then setSnapshot() feeds it.
    explicit NetworkView(Document* document, QWidget* parent = nullptr);
    ~NetworkView() override;

    void setTheme(const Theme& theme);
    void setColourBy(ColourBy by);
    ColourBy colourBy() const;
    /// Off: no fades, no gliding. Follows the style's own hint until set.
    void setMotion(bool on);
    void setMinimapVisible(bool on);
    void setLegendVisible(bool on);
    void setSnapshot(const NetworkSnapshot& snapshot);
    Selection* selection() const;
    /// Whether the user has moved the playhead in this network: until then everything is in full colour.
    bool isPlayheadActive() const;

    /// Everything is painted as it is now: nothing is still being built or painted elsewhere.
    bool isSettled() const;
    double zoom() const;                 ///< view pixels a layout unit
    QRectF visibleScene() const;         ///< in layout coordinates
    QRectF minimapRect() const;          ///< in the viewport; empty: there is none
    QRectF sceneBounds() const;          ///< of what is drawn; empty until there is a layout and its scene is built
    QPointF toView(QPointF scene) const;
    QPointF toScene(QPointF view) const;

public slots:
    void fitAll();
    void fitWidth(); ///< the zoom of a first view: readable, from the top
    void reveal(arenascope::ui::Item item);
    void zoomBy(double factor); ///< at the middle of the view

signals:
    void zoomChanged(double zoom);

protected:
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace arenascope::ui
