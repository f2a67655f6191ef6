#pragma once
#include "diff/rollout/segmented_rollout.hpp"
#include "optim/observation/readings.hpp"

namespace pithball::optim {

/// States at the given steps that a recording suggests: the scenario runs from one of them to three frames beyond the
/// next, and there every marker that is seen in at least two of the seven frames around it (of the same piece) moves
/// its vertices by the straight line through its residuals, by the least change that does so (one vertex: all of it).
/// What no marker sees stays as simulated; particles that are held stay where they are held. `measurement` looks at the
/// scenario as `observation` does. Ends early, with fewer states, if a run fails.
diff::Segments states_from_recording(const diff::Scenario& scenario, const Observation& observation,
                                     const MeasurementModel& measurement, const std::vector<Index>& steps,
                                     diff::RolloutStatus& status);

}  // namespace pithball::optim
