#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/run/run_verdict.hpp"
#include "app/run_folder/run_folder.hpp"
#include "app/run_folder/summary.hpp"
#include "app/spec/experiment.hpp"

namespace pithball::app {

/// How a run ended.
struct RunResult {
  /// "ok"; "doubtful": every step was made, but the energy is off by more than a tenth of what moves; or "diverged",
  /// "not_converged", "interrupted", "failed" (emitters or sinks did).
  RunVerdict verdict;
  std::vector<std::string> notes;  ///< what else to know of the run, in sentences
  std::filesystem::path folder;    ///< where the run is found: under its name, or an interrupted one perhaps beside it
  Summary summary;                 ///< summary.json, with its outcome; the folder is where the run is found
  SimulationOutcome outcome;
};

/// Runs the experiment forward and leaves a run folder with run.yaml, trajectory.h5, energy.csv and summary.json. A run
/// that is resumed goes on from the last snapshot; its costs and notes are those of its last part. Throws
/// InvalidArgument, with nothing written, if the folder cannot be used.
RunResult run_simulation(const Experiment& experiment, const RunOrder& order);

}  // namespace pithball::app
