#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/experiment.hpp"
#include "experiments/run/run_folder.hpp"

namespace pithball::experiments {

/// How a run ended.
struct RunResult {
  bool ok = false;          ///< every step was made
  std::string status;       ///< "ok", "diverged", "not_converged", "interrupted"; "failed": emitters or sinks did
  std::string explanation;  ///< one sentence where not ok, naming the step
  Index steps = 0;          ///< made
  double seconds = 0;
  nlohmann::ordered_json summary;  ///< as in summary.json
};

/// Runs the experiment forward and leaves a run folder with run.yaml, trajectory.h5, energy.csv and summary.json. With
/// `resume`, goes on from the last kept state of an incomplete folder of the same experiment. Throws InvalidArgument,
/// with nothing written, if the folder cannot be used.
RunResult run_simulation(const Experiment& experiment, const std::filesystem::path& target, Provenance provenance,
                         bool resume, bool progress);

}  // namespace pithball::experiments
