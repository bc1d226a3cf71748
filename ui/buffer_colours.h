// SPDX-License-Identifier: MIT
// Which colour stands for which bytes.
#pragma once

#include "ui/theme.h"

#include <arenascope/study.h>

#include <QColor>
#include <QObject>

#include <memory>
#include <vector>

namespace arenascope::ui {

enum class ColourBy { Buffer, Branch, Time };

/// A colour apart from any theme: what hue() takes, and the cues that say the same without colour.
struct ColourKey {
    int hue = -1; ///< -1: neutral (no bytes of the arena, or a network input beside the branches' memories)
    int tone = 0; ///< 0 plain, 1 dark, 2 light; see hue()
    friend bool operator==(const ColourKey&, const ColourKey&) = default;
};

/// Colours of one outcome. With ping-pong strategies the hue is the branch, the dark tone its first memory and the light
/// tone its second; with offset strategies the hue is the buffer.
struct BufferColours {
    bool isPingPong = false;
    std::vector<ColourKey> buffers;    ///< by BufferId
    std::vector<ColourKey> branches;   ///< by BranchId
    std::vector<char> designated;      ///< by OpId: 1 for operators of a branch's designated unit
    std::vector<PingPongSide> sides;   ///< by BufferId: which memory of its branch it lies in
};

/// Pairs of buffers that see each other in the arena map: one above the other with nothing between them at some step, or
/// one after the other in the same bytes with nothing between them. Sorted, first < second. O(n log n + pairs).
std::vector<std::pair<BufferId, BufferId>> arenaNeighbours(const PlacementProblem& problem, const Plan& plan);

/// Neighbours (arenaNeighbours()) never share a colour of offset strategies. A buffer keeps the colour that a buffer of
/// its name had in `previous` where that is still possible. Deterministic, O(n log n).
BufferColours bufferColours(const PlanOutcome& outcome, const BufferColours* previous = nullptr,
                            const PlanOutcome* previousOutcome = nullptr);

/// The colour of what an operator writes: of its first output's buffer, or of its branch.
/// Not for ColourBy::Time, which needs a run: heatKey().
ColourKey operatorColour(const PlanOutcome& outcome, const BufferColours& colours, OpId op, ColourBy by);
ColourKey tensorColour(const PlanOutcome& outcome, const BufferColours& colours, TensorId tensor, ColourBy by);

/// Keeps the colours of the shown plan, so that all views, tables and exports of a document agree, and so that a buffer
/// keeps its colour from one plan to the next.
class ColourKeeper : public QObject {
    Q_OBJECT
public:
    /// The one that belongs to `owner` (a Document), made on first use.
    static ColourKeeper* of(QObject* owner);

    /// Never null. Worked out once an outcome, unless it was kept before.
    std::shared_ptr<const BufferColours> coloursOf(const std::shared_ptr<const PlanOutcome>& outcome);

    /// What a job needs to work colours out for the next plan on its own thread; then keep() them.
    struct Before {
        std::shared_ptr<const PlanOutcome> outcome;
        std::shared_ptr<const BufferColours> colours;
    };
    Before before() const { return {m_outcome, m_colours}; }
    static std::shared_ptr<const BufferColours> workOut(const PlanOutcome& outcome, const Before& before);
    void keep(std::shared_ptr<const PlanOutcome> outcome, std::shared_ptr<const BufferColours> colours);

private:
    explicit ColourKeeper(QObject* owner) : QObject(owner) {}

    std::shared_ptr<const PlanOutcome> m_outcome;
    std::shared_ptr<const BufferColours> m_colours;
};

/// A key of the scale from little (pale) to much (dark), for `share` of the most, in [0, 1]: by its root, so that small shares
/// still differ. Steps are few, and each is darker than the one before: it reads without hues, too.
ColourKey heatKey(double share);
inline constexpr int kHeatLevels = 9;

/// hue() of the key, a step of the heat scale, or the neutral colour of operators.
QColor colourOf(ColourKey key, const Theme& theme);
/// A quarter of `colour` over `background`: what is not alive at the playhead.
QColor faded(const QColor& colour, const QColor& background, double share = 0.25);

} // namespace arenascope::ui
