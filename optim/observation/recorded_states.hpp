#pragma once
#include "diff/rollout/segmented_rollout.hpp"
#include "optim/observation/readings.hpp"

namespace pithball::optim {

/// States at the given steps estimated from a recording: the scenario runs from one of them to three frames beyond the
/// next, where every marker with samples in at least two of the seven frames around it (of the same piece) moves its
/// vertices by the straight line through its residuals, with the smallest possible change (one vertex: all of it). The
/// rest stays as simulated; held particles stay where they are held. `measurement`: for this scenario and
/// `observation`. Ends early, with fewer states, if a run fails.
diff::Segments states_from_recording(const diff::Scenario& scenario, const Observation& observation,
                                     const MeasurementModel& measurement, const std::vector<Index>& steps,
                                     diff::RolloutStatus& status);

}  // namespace pithball::optim
