#pragma once
#include <string>

#include "app/run_folder/gradient_record.hpp"
#include "app/run_folder/run_folder.hpp"
#include "app/spec/experiment.hpp"
#include "diff/check/gradient_check.hpp"

namespace pithball::app {

/// How a gradient check ended.
struct GradientRun {
  diff::GradientCheck check;
  diff::GradientCheckOptions tolerances;
  bool ok = false;      ///< the run came to its end, and every block agrees
  std::string verdict;  ///< "passed", "failed", or why there was nothing to compare
  double seconds = 0;
  GradientRecord record;  ///< gradient.json
};

/// Checks the derivatives of the experiment's first `steps` steps; all of them if that is 0. The experiment is
/// shortened to those steps. `progress`: draw a bar.
GradientRun run_gradient_check(Experiment& experiment, Index steps, bool progress);

/// Leaves a run folder of the check with run.yaml, gradient.json and summary.json.
void write_gradient_run(const GradientRun& run, const Experiment& experiment, const RunOrder& order);

}  // namespace pithball::app
