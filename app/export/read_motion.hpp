#pragma once
#include <optional>
#include <string>

#include "app/export/exported_motion.hpp"
#include "app/run_folder/run.hpp"

namespace pithball::app {

/// Which states of a run are wanted.
struct MotionChoice {
  std::string recording;       ///< of a fit; may be empty where it has one only
  Index every = 1;             ///< every so many snapshots, from the first on
  std::optional<double> time;  ///< instead only the snapshot nearest to this time [s]
};

/// A motion of a run folder, with the model that made it. Throws InvalidArgument if the run has none, or the choice
/// does not fit it.
ExportedMotion read_motion(const Run& run, const MotionChoice& choice);

}  // namespace pithball::app
