// SPDX-License-Identifier: MIT
#include "ui/matches.h"
#include "ui/network_run.h"
#include "ui/views/legend.h"
#include "ui/views/network_view_p.h"

#include <QPainter>

#include <algorithm>

namespace arenascope::ui {

struct NetworkView::Private::Canvas {
    NetworkSnapshot shown;
    std::shared_ptr<const BufferColours> colours;
    ColourBy colourBy = ColourBy::Buffer;
    Theme theme;
    std::shared_ptr<const Built> built;
    std::shared_ptr<Lit> lit;
    StepState state, before;
    double blend = 1.0;
    std::uint64_t lightSerial = 0;
    bool isLit = false;      ///< some of it is not in its full colour
    bool isSearched = false; ///< because something is searched for
    double scale = 1.0;
    QPointF origin;
    QRectF visible;
    QSize mapPixels;      ///< of the minimap's picture, empty: there is one

    QImage picture, map;  ///< the result; blank before
};

std::shared_ptr<NetworkView::Private::Canvas> NetworkView::Private::canvas(double ratio) const
{
    auto result = std::make_shared<Canvas>();
    result->shown = shown;
    result->colours = shown.outcome ? colours : nullptr;
    result->colourBy = colourBy;
    result->theme = theme;
    result->built = built;
    result->lit = lit;
    result->state = state;
    result->before = stateBefore;
    result->blend = blend;
    result->lightSerial = lightSerial;
    result->isSearched = isCurrent() && shown.matches && shown.matches->isActive;
    result->isLit = result->isSearched || (isCurrent() && (state.isActive() || stateBefore.isActive()));
    result->scale = scale;
    result->origin = origin;
    result->visible = visible();
    if (showsMinimap)
        result->mapPixels = minimap.missingPixels(scene(), result->visible, q->viewport()->size(), ratio);
    result->picture = blankPicture(q->viewport()->size(), ratio, theme.canvas);
    return result;
}

void NetworkView::Private::paintCanvas(Canvas& canvas)
{
    const NetworkScene* network = &canvas.built->network;
    if (canvas.isLit) {
        Lit& lit = *canvas.lit;
        if (lit.of != canvas.built) {
            lit.of = canvas.built;
            lit.network = canvas.built->network;
            lit.serial = 0;
        }
        const NetworkInput input { canvas.shown.graph.get(), canvas.shown.drawn.get(), canvas.shown.layout.get(),
                                   canvas.shown.outcome.get(), canvas.colours.get(), canvas.colourBy, canvas.shown.run.get(),
                                   canvas.shown.matches.get() };
        // The map shows what is found, and all colours in full, whatever is alive.
        if (canvas.isSearched && !canvas.mapPixels.isEmpty()) {
            lightNetwork(lit.network, input, {}, canvas.theme);
            lit.serial = 0;
            canvas.map = Minimap::picture(lit.network.scene, canvas.mapPixels);
        }
        if (lit.serial != canvas.lightSerial) {
            lightNetwork(lit.network, input, canvas.state, canvas.theme, canvas.before.isActive() ? &canvas.before : nullptr, canvas.blend);
            lit.serial = canvas.lightSerial;
        }
        network = &lit.network;
    }
    if (canvas.map.isNull() && !canvas.mapPixels.isEmpty())
        canvas.map = Minimap::picture(canvas.built->network.scene, canvas.mapPixels);
    QPainter painter(&canvas.picture);
    painter.translate(canvas.origin);
    painter.scale(canvas.scale, canvas.scale);
    paintScene(painter, network->scene, canvas.built->index, canvas.visible, canvas.scale * canvas.picture.devicePixelRatio());
}

void NetworkView::Private::take(const Canvas& canvas)
{
    if (canvas.shown.graph != shown.graph)
        return; // closed, or another one, in the meantime
    base = canvas.picture;
    baseScale = canvas.scale;
    baseOrigin = canvas.origin;
    if (!canvas.map.isNull() && canvas.built == built && canvas.shown.matches == shown.matches)
        minimap.setPicture(canvas.map);
}

void NetworkView::Private::paintBase(double ratio)
{
    constexpr std::size_t kMostAtOnce = 4000; // boxes and lines; a few milliseconds
    const bool isResized = base.size() != (QSizeF(q->viewport()->size()) * ratio).toSize();
    const bool isAtOnce = built->network.nodes.size() + built->network.edges.size() <= kMostAtOnce;
    // Also what is painted at once waits: both may light the same copy.
    if ((!baseIsStale && !isResized) || painting.isBusy() || q->viewport()->size().isEmpty())
        return; // whoever is painting asks again when done
    baseIsStale = false;
    const auto fresh = canvas(ratio);
    if (isAtOnce) {
        paintCanvas(*fresh);
        take(*fresh);
        return;
    }
    painting.start([fresh] { paintCanvas(*fresh); },
                   [this, fresh] {
                       take(*fresh);
                       q->viewport()->update();
                   });
}

void NetworkView::paintEvent(QPaintEvent*)
{
    d->paintBase(viewport()->devicePixelRatioF());
    QPainter painter(viewport());
    // A picture that is still to come follows the hand as the one before it.
    const double grown = d->scale / d->baseScale;
    const QPointF moved = d->origin - d->baseOrigin * grown;
    const bool isMoved = grown != 1.0 || !moved.isNull() || d->base.deviceIndependentSize() != QSizeF(viewport()->size());
    if (isMoved || d->base.isNull())
        painter.fillRect(viewport()->rect(), d->theme.canvas);
    painter.save();
    if (isMoved) {
        painter.translate(moved);
        painter.scale(grown, grown);
    }
    painter.drawImage(0, 0, d->base);
    painter.restore();
    d->paintHighlights(painter);
    if (d->scene().bounds.isEmpty())
        d->paintEmpty(painter);
    if (d->showsLegend)
        d->paintLegend(painter);
    if (!minimapRect().isEmpty())
        d->minimap.paint(painter, d->scene(), d->visible(), viewport()->size(), d->theme);
}

void NetworkView::Private::paintHighlights(QPainter& painter)
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    const QRectF seen = visible();
    const NetworkScene& network = built->network;
    const auto mark = [&](const std::vector<std::int32_t>& nodes, const std::vector<std::int32_t>& edges, const QColor& colour,
                          double width) {
        painter.setBrush(Qt::NoBrush);
        for (const std::int32_t edge : edges) {
            const std::int32_t at = network.edges[static_cast<std::size_t>(edge)].path;
            if (at < 0)
                continue;
            const ScenePath& path = network.scene.layers[NetworkScene::Edges].paths[static_cast<std::size_t>(at)];
            QPolygonF line;
            for (const QPointF& p : path.points)
                line << toView(p);
            painter.setPen(QPen(colour, std::max(width, path.width * scale), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            painter.drawPolyline(line);
        }
        for (const std::int32_t node : nodes) {
            const std::int32_t at = network.nodes[static_cast<std::size_t>(node)].box;
            if (at < 0)
                continue;
            const SceneRect& box = network.scene.layers[NetworkScene::Boxes].rects[static_cast<std::size_t>(at)];
            if (!box.rect.intersects(seen))
                continue;
            const double gap = width / 2 + (scale > kDetailScale ? 2.0 : 0.0);
            const QRectF frame = QRectF(toView(box.rect.topLeft()), box.rect.size() * scale).adjusted(-gap, -gap, gap, gap);
            painter.setPen(QPen(colour, width));
            painter.drawRoundedRect(frame, box.radius * scale + 2, box.radius * scale + 2);
        }
    };
    mark(hoveredNodes, hoveredEdges, theme.hover, 2.0);
    mark(selectedNodes, selectedEdges, theme.selection, 3.0);
}

/// A strip along the lower edge, or, folded by a click, a word in the corner.
Scene NetworkView::Private::legendNow(QRectF& frame) const
{
    const QSizeF view = q->viewport()->size();
    frame = {};
    if (!showsLegend || !shown.outcome || view.height() < 300 || view.width() < 260)
        return {};
    Scene legend;
    if (legendIsFolded) {
        legend.layers.resize(1);
        legend.bounds = QRectF(0, 0, 52, 16);
        legend.layers[0].texts.push_back({legend.bounds, NetworkView::tr("Legend"), theme.mutedText, 11.0, false, Qt::AlignCenter, 0.0, {}});
    } else {
        LegendOptions options;
        options.isPingPong = colours->isPingPong;
        options.colourBy = colourBy;
        options.longest = shown.run ? shown.run->longest() : 0.0;
        options.playhead = state.isActive();
        options.mostWidth = view.width() - 40;
        legend = legendScene(options, theme);
    }
    frame = QRectF(8, view.height() - legend.bounds.height() - 16, legend.bounds.width() + 18, legend.bounds.height() + 8);
    return legend;
}

void NetworkView::Private::paintLegend(QPainter& painter)
{
    QRectF frame;
    const Scene legend = legendNow(frame);
    if (frame.isEmpty())
        return;
    QColor ground = theme.panel;
    ground.setAlphaF(0.92f);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(ground);
    painter.drawRoundedRect(frame, 4, 4);
    painter.save();
    painter.translate(frame.topLeft() + QPointF(9, 4));
    paintScene(painter, legend, legend.bounds, 1.0);
    painter.restore();
}

void NetworkView::Private::paintEmpty(QPainter& painter)
{
    if (!shown.graph)
        return;
    painter.setPen(theme.mutedText);
    painter.drawText(q->viewport()->rect(), Qt::AlignCenter, NetworkView::tr("Laying out %n operator(s)", nullptr,
                     static_cast<int>(shown.graph->operators().size())));
}

} // namespace arenascope::ui
