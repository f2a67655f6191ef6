#pragma once
#include <optional>
#include <string>

#include "app/export/export_format.hpp"
#include "app/export/exported_motion.hpp"
#include "app/run_folder/run.hpp"

namespace pithball::app {

/// Selection of states of a run.
struct MotionChoice {
  std::string recording;       ///< for a fit; may be empty if it has only one recording
  Index every = 1;             ///< stride in snapshots, from the first
  std::optional<double> time;  ///< only the snapshot nearest to this time [s]
};

/// A motion of a run folder and the model that produced it. Throws InvalidArgument if the run has none or the selection
/// does not match it.
ExportedMotion read_motion(const Run& run, const MotionChoice& choice);

/// Drops the states of a diverged motion that the format cannot hold, from the first state with a number that is not
/// finite or too large for single precision. Returns a sentence that says so; empty if nothing was dropped. Throws
/// InvalidArgument if no state remains.
std::string drop_unholdable_states(const ExportFormat& format, ExportedMotion& motion);

}  // namespace pithball::app
