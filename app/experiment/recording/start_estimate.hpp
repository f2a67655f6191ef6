#pragma once
#include <string>
#include <vector>

#include "app/experiment/recording/recording.hpp"
#include "optim/observation/local_start.hpp"

namespace pithball::app {

/// Sets the initial state of a recording with `reference: rest` from displacements and velocities estimated from its
/// first frames and those before them. Particles without a marker of their own follow the shape of least energy through
/// the markers (sim/run/equilibrium.hpp), for the values in the file. The errors of the first frames and of the rest
/// are held with it (`KnownValues::errors`).
void start_displaced(const Node& recording_node, Recording& recording);

/// What the first frames of a recording say about the initial state.
struct SeenStart {
  sim::State given;                  ///< as written under `system`
  optim::LocalStarts starts;         ///< of every marker
  std::vector<std::size_t> markers;  ///< the markers that show all of `components`
  std::string components;            ///< the components in the recording, "xy" for a planar track
  Index followers = 0;               ///< free particles without a marker of their own
};

/// Sets the initial state of all free particles to the smooth shape of the body through the markers
/// (optim/observation/smooth_shape.hpp), with the velocities that the same map gives for theirs, and adds the error
/// that the markers' errors cause through this map, to first order. Components that are not recorded are those under
/// `system` at the markers. Returns a note for the user. Throws InvalidArgument at the recording's node if there is no
/// such shape.
std::string start_smoothly(const Node& recording_node, const SeenStart& seen, Recording& recording);

}  // namespace pithball::app
