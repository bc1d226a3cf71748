// SPDX-License-Identifier: MIT
// Inside of NetworkView: what is shown, where, and in which state.
#pragma once

#include "ui/views/minimap.h"
#include "ui/views/network_scene.h"
#include "ui/views/network_view.h"
#include "ui/views/related.h"

#include <QBasicTimer>
#include <QElapsedTimer>
#include <QFutureWatcher>
#include <QPointer>
#include <QVariantAnimation>

namespace arenascope::ui {

struct NetworkView::Private {
    explicit Private(NetworkView* view) : q(view) {}

    // network_view_state.cpp: from snapshots to scenes
    void takeFromDocument();
    void adopt(const NetworkSnapshot& fresh);
    /// A scene with all that is looked up in it.
    struct Built {
        NetworkScene network;
        SceneIndex index;
        std::vector<std::int32_t> nodeOfOp;                   ///< by OpId
        std::vector<std::vector<std::int32_t>> edgesOfTensor; ///< by TensorId
    };
    static Built build(const NetworkSnapshot& snapshot, const BufferColours* colours, ColourBy by, const Theme& theme);
    void rebuildScene();
    void startBuild();
    void install(Built&& built);
    void rebuildColours();
    void light(double blend);
    void movePlayhead(Step step);
    void relate(Item item, std::vector<std::int32_t>& nodes, std::vector<std::int32_t>& edges) const;
    void updateHighlights();
    NetworkInput input() const;
    std::int32_t nodeOf(Item item) const;
    QRectF rectOfItem(Item item) const;

    // network_view.cpp: transform, events, painting
    void setTransform(double scale, QPointF origin); ///< view = scene * scale + origin
    void zoomAt(QPointF view, double factor);
    void centreOn(QPointF scene, bool glide);
    void fit(const QRectF& scene, double mostScale);
    void startView();
    void syncScrollBars();
    void follow();
    void hoverAt(QPointF view);
    void paintBase(double ratio);
    void paintHighlights(QPainter& painter);
    Scene legendNow(QRectF& frame) const; ///< `frame` in view coordinates; empty: none
    void paintLegend(QPainter& painter);
    void paintEmpty(QPainter& painter);
    QRectF visible() const;
    QPointF toScene(QPointF view) const { return (view - origin) / scale; }
    QPointF toView(QPointF scene) const { return scene * scale + origin; }
    double leastScale() const;
    bool glides() const;

    NetworkView* q;
    QPointer<Document> document;
    Selection* selection = nullptr;
    Theme theme = Theme::light();
    ColourBy colourBy = ColourBy::Buffer;
    bool motion = true;
    bool showsMinimap = true;
    bool showsLegend = true;
    bool legendIsFolded = false;

    NetworkSnapshot shown;
    std::vector<LiveRange> ranges;      ///< by TensorId
    std::shared_ptr<const BufferColours> colours; ///< of the outcome shown, else null
    ColourKeeper* keeper = nullptr;
    NetworkScene network;
    SceneIndex index;
    std::vector<std::int32_t> nodeOfOp; ///< by OpId
    std::vector<std::vector<std::int32_t>> edgesOfTensor; ///< by TensorId
    QFutureWatcher<std::shared_ptr<Built>> building; ///< large scenes are built on a worker
    bool buildAgain = false;
    bool startsView = false;            ///< the next scene is a first one: it is shown from its start
    StepState state, stateBefore;
    bool playheadIsActive = false;      ///< full colours until the user first moves the playhead

    double scale = 1.0;
    QPointF origin;
    bool userMoved = false;             ///< a growing layout no longer moves the view
    bool syncing = false;
    QElapsedTimer sincePan;
    QElapsedTimer sincePlayhead;
    QVariantAnimation fade;
    QVariantAnimation glide;
    QPointF glideFrom, glideTo;

    QPixmap base;                       ///< the scene as last painted
    bool baseIsStale = true;
    bool onlyMoved = false;             ///< stale for no other reason than the transform
    double baseScale = 1.0;
    QPointF baseOrigin;
    qint64 baseCost = 0;                ///< milliseconds of the last painting
    QBasicTimer rest;
    Minimap minimap;
    std::vector<std::int32_t> selectedNodes, selectedEdges, hoveredNodes, hoveredEdges;

    enum class Drag { None, Press, Pan, Minimap } drag = Drag::None;
    QPoint dragFrom;
    QPointF dragOrigin;
};

} // namespace arenascope::ui
