// SPDX-License-Identifier: MIT
// Inside of NetworkView: what is shown, where, and in which state.
#pragma once

#include "ui/views/background_painter.h"
#include "ui/views/minimap.h"
#include "ui/views/network_scene.h"
#include "ui/views/network_view.h"
#include "ui/views/related.h"

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
    static std::shared_ptr<const Built> build(const NetworkSnapshot& snapshot, const BufferColours* colours, ColourBy by,
                                              const Theme& theme);
    void rebuildScene();
    void startBuild();
    void install(std::shared_ptr<const Built> fresh);
    void rebuildColours();
    void light(double blend);
    void movePlayhead(Step step);
    void relate(Item item, std::vector<std::int32_t>& nodes, std::vector<std::int32_t>& edges) const;
    void updateHighlights();
    const Scene& scene() const { return built->network.scene; }
    /// What is shown is drawn, not a drawing before it.
    bool isCurrent() const { return shown.drawn && built->network.nodes.size() == shown.drawn->nodes.size(); }
    std::int32_t nodeOf(Item item) const;
    QRectF rectOfItem(Item item) const;

    // network_view.cpp, network_view_canvas.cpp: events, transform
    void setTransform(double scale, QPointF origin); ///< view = scene * scale + origin
    void zoomAt(QPointF view, double factor);
    void centreOn(QPointF scene, bool glide);
    void fit(const QRectF& scene, double mostScale);
    void startView();
    void syncScrollBars();
    void follow();
    void hoverAt(QPointF view);
    bool coversBox(const QRectF& map) const; ///< `map` in view coordinates
    QRectF visible() const;
    QPointF toScene(QPointF view) const { return (view - origin) / scale; }
    QPointF toView(QPointF scene) const { return scene * scale + origin; }
    double leastScale() const;
    bool glides() const;

    // network_view_paint.cpp
    /// All that a picture of the network needs; whoever paints it owns it.
    struct Canvas;
    std::shared_ptr<Canvas> canvas(double ratio) const;
    static void paintCanvas(Canvas& canvas);
    void take(const Canvas& canvas);
    void paintBase(double ratio);
    void paintHighlights(QPainter& painter);
    Scene legendNow(QRectF& frame) const; ///< `frame` in view coordinates; empty: none
    void paintLegend(QPainter& painter);
    void paintEmpty(QPainter& painter);

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
    std::shared_ptr<const Built> built = std::make_shared<const Built>(); ///< in full colours, whatever the playhead does
    /// A copy of its scene in the colours of a step. Only whoever paints touches it: one at a time.
    struct Lit {
        std::shared_ptr<const Built> of;
        NetworkScene network;
        std::uint64_t serial = 0;
    };
    std::shared_ptr<Lit> lit = std::make_shared<Lit>();
    QFutureWatcher<std::shared_ptr<const Built>> building; ///< large scenes are built on a worker
    bool buildAgain = false;
    bool startsView = false;            ///< the next scene is a first one: it is shown from its start
    StepState state, stateBefore;
    double blend = 1.0;                 ///< of the way from `stateBefore`
    std::uint64_t lightSerial = 0;      ///< counts changes of what is lit
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

    QImage base;                        ///< the scene as last painted
    bool baseIsStale = true;
    double baseScale = 1.0;
    QPointF baseOrigin;
    BackgroundPainter painting;         ///< large scenes are painted on a worker
    Minimap minimap;
    std::vector<std::int32_t> selectedNodes, selectedEdges, hoveredNodes, hoveredEdges;

    enum class Drag { None, Press, Pan, Minimap } drag = Drag::None;
    QPoint dragFrom;
    QPointF dragOrigin;
};

} // namespace arenascope::ui
