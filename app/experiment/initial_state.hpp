#pragma once
#include <string>
#include <utility>
#include <vector>

#include "app/yaml/node.hpp"
#include "diff/rollout/rollout.hpp"
#include "optim/observation/local_start.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::app {

/// Initial state of a recording's simulation.
enum class InitialStateKind {
  FromSystem,     ///< as written under `system`
  FromRecording,  ///< estimated from the first frames: parameters with a prior from them, or held values with their
                  ///< error
  Free,  ///< positions and velocities are parameters of this recording, starting from the recording where it contains
         ///< them
  Equilibrium,  ///< the model's static equilibrium near the written state, with velocity 0
};

/// How particles without a marker of their own follow the markers, with InitialStateKind::FromRecording.
enum class InitialShape {
  Rigid,   ///< the body as written under `system`, moved rigidly
  Smooth,  ///< the same, deflected smoothly (start_estimate.hpp)
};

/// Estimate of one component of a particle's initial state from the first frames, as the width of a prior around the
/// scenario's.
struct StartBelief {
  Index particle = 0;             ///< number of the particle
  int component = 0;              ///< 0, 1, 2: x, y, z
  double position_deviation = 0,  ///< standard deviation of the position [m]
      velocity_deviation = 0;     ///< of the velocity [m/s]
};

/// How the simulation of a recording begins.
struct InitialState {
  InitialStateKind kind = InitialStateKind::FromSystem;  ///< `initial_state`
  InitialShape shape = InitialShape::Rigid;              ///< `initial_shape`, with FromRecording
  bool refers_to_rest = false;                           ///< `reference: rest` (recording.hpp)
  /// FromRecording: parts of the initial state that are fitted; empty: the state is held.
  std::vector<StartBelief> beliefs = {};

  /// Whether it is that under `system`, or the equilibrium near it.
  bool is_written() const { return kind == InitialStateKind::FromSystem || kind == InitialStateKind::Equilibrium; }
};

/// Reads `initial_state`, `reference` and `initial_shape` of a recording; `rest`: the recording's own rest, empty
/// without `rest_frames`. Throws InvalidArgument if they contradict one another, or a planned recording.
InitialState read_initial_state(Node& recording_node, bool is_planned, const Points& rest);

/// Sets the initial state of a scenario, except for FromRecording (started_recordings.hpp). With Free, particles
/// without a marker of their own keep their state.
void set_initial_state(InitialStateKind kind, const optim::Observation& seen, diff::Scenario& scenario);

/// Value and slope at time 0 of the least-squares polynomial of this degree through samples at these times, as weights
/// of the samples (2×n); of a lower degree if there are too few. `times` must not be empty.
Eigen::MatrixXd value_and_slope_weights(const std::vector<double>& times, Index degree);

/// The components that the recording contains, "xy" for a planar track; the others cannot be free.
std::string seen_components(const optim::Observation& seen);

/// Throws InvalidArgument at the recording's node if its frames are too far apart to determine the initial state.
void reject_coarse_start(const Node& recording_node, const optim::LocalStarts& starts);

}  // namespace pithball::app
