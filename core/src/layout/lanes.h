// SPDX-License-Identifier: MIT
// Long edges run along the side of the pieces, as buses: one line a tensor, with a branch to each far reader.
//
//      [ a ]--.        y of a gap: out of the row above (outer lines higher up), then into the row below (inner lines
//      higher up) [ b ]  | [ c ]  |        x: the shortest lines are nearest to the boxes; each hugs what stands in its
//      rows [ d ]<-'
#pragma once

#include "core/src/layout/rows.h"
#include "core/src/layout/skeleton.h"

namespace arenascope::layout {

class Lanes {
public:
    /// Bundles the withheld edges of a component.
    Lanes(const DrawnGraph& graph, const Skeleton& skeleton, const Component& component);

    /// Horizontal lines that gap `gap` must hold.
    std::int32_t trackCount(std::size_t gap) const { return m_tracks[gap]; }
    static constexpr double kTrackGap = 7; ///< between two horizontal lines

    /// Polylines in the order of Component::withheld. `x` are centres by node; `gapMargin` is free above and below the
    /// tracks of a gap. Places are found with a tree of maxima over the contour: O(lanes log rows + edges log edges).
    std::vector<std::vector<Point>> route(
        const std::vector<double>& x, const Rows& rows, double gapMargin, const Contour& contour);

private:
    struct Lane {
        std::int32_t from = -1;
        std::vector<std::int32_t> edges; ///< positions in Component::withheld
        std::size_t firstGap = 0;
        std::size_t lastGap = 0;
        bool isLeft = false;
        double x = 0;
        double outY = 0;
        std::size_t length() const { return lastGap - firstGap; }
    };
    /// A horizontal line from a lane to boxes of the row above (out) or below.
    struct Track {
        std::size_t gap = 0;
        bool isIn = false;
        std::int32_t lane = -1;
        double y = 0;
    };

    const LayoutEdge& edge(std::int32_t i) const;
    std::size_t rankOf(std::int32_t node) const;
    void placeLanes(const std::vector<double>& x, const Contour& contour);
    void placeTracks(const Rows& rows, double gapMargin);
    void placePorts(const std::vector<double>& x);
    double trackY(std::size_t gap, std::int32_t lane) const;

    const DrawnGraph& m_graph;
    const Skeleton& m_skeleton;
    const Component& m_component;
    std::vector<Lane> m_lanes; ///< by source, then tensor
    std::vector<std::int32_t> m_laneOf; ///< by position in Component::withheld
    std::vector<Track> m_trackList; ///< sorted by gap, isIn, lane
    std::vector<std::int32_t> m_tracks; ///< by gap
    std::vector<double> m_startX; ///< by lane
    std::vector<double> m_endX; ///< by position in Component::withheld
};

} // namespace arenascope::layout
