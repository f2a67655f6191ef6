#pragma once
#include <functional>
#include <string>
#include <vector>

#include "app/spec/experiment.hpp"
#include "diff/rollout/rollout.hpp"
#include "experiments/bench/cloth_sums.hpp"

namespace pithball::experiments {

/// A square cloth of about that many vertices, tilted and hung by two corners, with a charge at every vertex but no
/// Coulomb force yet: it swings down calmly.
app::ExperimentDocument cloth_document(sim::Index vertices);

/// Medians over some steps.
struct StepSeconds {
  sim::Index steps = 0;
  double step = 0;  ///< a whole step [s]
  SumSeconds sum;   ///< the Coulomb sum within a step [s], part by part
  double rest() const { return step - sum.total(); }
};

/// The cloth with one way to do its Coulomb sum.
struct ClothRow {
  std::string method;     ///< "auto", "direct", or the name of a plain loop
  StepSeconds common;     ///< over the first steps, which all methods make
  StepSeconds all;        ///< over all steps that this method makes
  double ratio = 0;       ///< common.step / that of the first row, `auto`
  double difference = 0;  ///< max |x − x of the first row| / max |displacement|, after the common steps
  double linear_solves = 0, cg_iterations = 0;   ///< mean of a step
  sim::StepStatus status = sim::StepStatus::Ok;  ///< of the last step made
};

struct ClothFigures {
  std::vector<ClothRow> rows;
  std::string linear_solver;  ///< that `auto` of the stage problems chose
};

/// Steps the scenario with Coulomb forces added whose sum is `auto` at the tolerance, `direct`, and each plain loop.
/// They take turns, a step each, so that whatever else the machine does meets them alike; after `common` steps `auto`
/// goes on alone to the scenario's last. `progress` is called before each step with the share of steps made.
ClothFigures measure_cloth(const diff::Scenario& scenario, double tolerance, sim::Index common,
                           const std::function<void(double)>& progress);

}  // namespace pithball::experiments
