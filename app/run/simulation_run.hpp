#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/experiment/experiment.hpp"
#include "app/result/summary.hpp"
#include "app/run_folder/run_folder.hpp"
#include "optim/verdict/run_verdict.hpp"

namespace pithball::app {

/// Result of a simulation run.
struct RunResult {
  /// "ok"; "doubtful": it completed, but the error of the energy exceeds a tenth of the exchanged energy; or
  /// "diverged", "not_converged", "interrupted", "failed" (in emitters or sinks).
  optim::RunVerdict verdict;
  std::vector<std::string> notes;  ///< further notes on the run, one sentence each
  std::filesystem::path folder;    ///< its final folder, or the partial one after an interruption
  Summary summary;                 ///< summary.json with its outcome; the folder is the one above
  SimulationOutcome outcome;       ///< further content of summary.json
};

/// Simulates the experiment and leaves a run folder with run.yaml, trajectory.h5, energy.csv and summary.json. A
/// resumed run continues from the last snapshot; its costs and notes cover only the last part. Throws InvalidArgument,
/// with nothing written, if the folder cannot be used.
RunResult run_simulation(const Experiment& experiment, const RunOrder& order);

}  // namespace pithball::app
