#pragma once
#include <string>
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// Consecutive frames of a recording at equal intervals, each with the state of the whole body.
struct BodyTrack {
  double interval = 0;             ///< between frames, in simulated time [s]
  std::vector<sim::State> frames;  ///< at least three
};

/// The motion of a body as recorded, without a simulation.
struct RecordedBody {
  std::vector<BodyTrack> tracks;  ///< in the order of time
  Vector sigma;                   ///< N, of a free particle's coordinates [m]
  std::string missing;            ///< why there is no track, in a phrase; empty: there is one
};

/// Reads the states of the whole body from the fitted frames of a recording of positions. Every free particle must have
/// a marker of its own (one vertex of weight 1). Frames in which a free particle was not seen completely divide the
/// recording into tracks, and so do intervals that differ by more than 1 %. Held particles are where the model holds
/// them. Velocities, if any force depends on them, are differences of fourth order,
///    v_n = (8 (x_{n+1} − x_{n−1}) − (x_{n+2} − x_{n−2})) / (12 h),
/// and the two frames at either end of a track are then left out; otherwise velocities are 0.
RecordedBody read_recorded_body(const diff::Scenario& scenario, const Observation& observation);

}  // namespace pithball::optim
