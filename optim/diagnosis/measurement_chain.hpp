#pragma once
#include <limits>
#include <vector>

#include "optim/diagnosis/candidate.hpp"
#include "optim/diagnosis/marker_clocks.hpp"

namespace pithball::optim {

/// What may be wrong with how the recordings were made, with the derivatives of the residuals.
struct MeasurementChain {
  std::vector<CandidateEffect> effects;  ///< by recording
  std::vector<MarkerClocks> clocks;      ///< of recordings with several markers, by recording
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
///  - with several markers, but at most `most_offsets`, the offset of each, β/σ of its components.
/// One forward run. `fit` and the returned functions: the fit must outlive them.
MeasurementChain find_measurement_chain(const ResolvedFit& fit, const FittedEnd& end,
                                        Index most_offsets = std::numeric_limits<Index>::max());

}  // namespace pithball::optim
