// SPDX-License-Identifier: MIT
// Who lays out which piece.
#pragma once

#include "core/src/layout/helper_process.h"
#include "core/src/layout/layered_piece.h"

#include <arenascope/layout.h>

#include <string>
#include <unordered_map>

namespace arenascope::layout {

/// Orders the ranks of a piece and places what is in them. The own order is improved by Graphviz in the helper process
/// where it has crossings and the piece is small. Pieces of the same structure and widths are laid out once.
class PieceEngine {
public:
    PieceEngine(LayoutEngine engine, const std::filesystem::path& helper, std::stop_token stop);

    /// x of the centre of each element, the spine at 0. What it returns after a stop is of no use.
    std::vector<double> place(const LayeredPiece& piece);

private:
    bool isForGraphviz(const LayeredPiece& piece, const RankOrder& own);
    std::optional<RankOrder> orderByHelper(const LayeredPiece& piece, const Links& links);

    LayoutEngine m_engine;
    std::filesystem::path m_helperPath; ///< empty: no Graphviz
    std::stop_token m_stop;
    HelperProcess m_helper;
    int m_failures = 0; ///< of the helper process
    std::size_t m_spent = 0; ///< by Graphviz: squares of elements
    std::unordered_map<std::string, std::vector<double>> m_known; ///< by structure; looked up only
};

} // namespace arenascope::layout
