#pragma once
#include <string>

#include "app/experiment/experiment.hpp"
#include "app/result/gradient_record.hpp"
#include "app/run_folder/run_folder.hpp"
#include "diff/check/gradient_check.hpp"

namespace pithball::app {

/// Result of a gradient check.
struct GradientRun {
  diff::GradientCheck check;              ///< result for each block
  diff::GradientCheckOptions tolerances;  ///< defaults, with the memory of the experiment
  bool ok = false;                        ///< the run completed, and every block agrees
  std::string verdict;                    ///< "passed", "failed", or why nothing could be compared
  double seconds = 0;                     ///< duration of the check, by the wall clock [s]
  GradientRecord record;                  ///< gradient.json
};

/// Checks the derivatives of the experiment's first `steps` steps; of all steps if that is 0. The experiment is
/// shortened accordingly. `progress`: show a progress bar.
GradientRun run_gradient_check(Experiment& experiment, Index steps, bool progress);

/// Why derivatives of these runs are not those of their motion (diff/check/gradient_doubts.hpp), one sentence each.
std::vector<std::string> doubts_of_gradients(const std::vector<diff::Scenario>& scenarios);

/// Leaves a run folder of the check with run.yaml, gradient.json and summary.json.
void write_gradient_run(const GradientRun& run, const Experiment& experiment, const RunOrder& order);

}  // namespace pithball::app
