#pragma once
#include <limits>
#include <vector>

#include "optim/diagnosis/candidate.hpp"

namespace pithball::optim {

/// Where and how fast the body truly started, with the derivatives of the residuals.
struct StartStates {
  std::vector<CandidateEffect> effects;  ///< by recording: positions, then velocities
  Evaluation evaluation;                 ///< why there are none; ok on success
  EvaluationCounts counts;               ///< of the derivatives
};

/// Frames for each number of a start that is tested: the scatter of a score of q numbers is estimated from F frames
/// (`ScoreTester::test`), with F − q − 1 degrees of freedom.
inline constexpr Index frames_for_each_number = 5;

/// For each recording the start positions (or displacements from equilibrium) and the start velocities that its fit
/// does not vary, such as those along an axis that no recording sees, unless the file's parameters say which of them it
/// varies, as changes β of q numbers: of every such coordinate of the free particles, if there are
/// `frames_for_each_number` frames for each and they are at most `most_numbers`; else of the six motions of a rigid
/// body,
///    δx_i = e_k   and   δx_i = e_k × (x_i − x̄)/ρ,   ρ² the mean of |x_i − x̄|²,
/// so that all have one unit. One recorded run, and one tangent for each number.
StartStates find_start_states(const ResolvedFit& fit, const FittedEnd& end,
                              Index most_numbers = std::numeric_limits<Index>::max());

}  // namespace pithball::optim
