#pragma once
#include <vector>

#include "optim/diagnosis/candidate.hpp"

namespace pithball::optim {

/// What may be wrong with how the recordings were made, with the derivatives of the residuals.
struct MeasurementChain {
  std::vector<CandidateEffect> effects;  ///< by recording
  Evaluation evaluation;                 ///< why there are none; ok on success
};

/// For each recording, candidates for what its fit holds:
///  - the values of its recording_frame that its readings depend on: clock, placement and the own values of its
///    instrument. Derivatives with respect to the clock are those of the readings with respect to time, so that a clock
///    whose shift leaves the simulated time is judged, too;
///  - the scale of recorded numbers (β: the factor by which they are too small, less 1), of kinds with a unit of SI and
///    no `placement_scale`: ∂r/∂β = −recorded/σ;
///  - smoothing, as of a mean over the square root T of β: h + T²/24 ∂²h/∂t², to leading order for any symmetric
///    window of the same variance T²/12, with ∂²h/∂t² from the rates of neighboring frames;
///  - a drift, β (t − t̄)/σ of every component, t̄ the mean time of the samples;
///  - with several markers, the offset of each, β/σ of its components.
/// One forward run. `fit` and the returned functions: the fit must outlive them.
MeasurementChain find_measurement_chain(const ResolvedFit& fit, const FittedEnd& end);

/// Where and how fast the body truly started, with the derivatives of the residuals.
struct StartStates {
  std::vector<CandidateEffect> effects;  ///< by recording: positions, then velocities
  Evaluation evaluation;                 ///< why there are none; ok on success
  EvaluationCounts counts;               ///< of the derivatives
};

/// Frames for each number of a start that is tested: the scatter of a score of q numbers is estimated from F frames
/// (`ScoreTester::test`), with F − q − 1 degrees of freedom.
inline constexpr Index frames_for_each_number = 5;

/// For each recording whose fit does not vary them, the start positions (or displacements from equilibrium) and the
/// start velocities as changes β of q numbers: of every coordinate of the free particles, if there are
/// `frames_for_each_number` frames for each; else of the six motions of a rigid body,
///    δx_i = e_k   and   δx_i = e_k × (x_i − x̄)/ρ,   ρ² the mean of |x_i − x̄|²,
/// so that all have one unit. One recorded run, and one tangent for each number.
StartStates find_start_states(const ResolvedFit& fit, const FittedEnd& end);

}  // namespace pithball::optim
