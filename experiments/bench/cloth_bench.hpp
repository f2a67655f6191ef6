#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/experiment/experiment.hpp"
#include "diff/rollout/rollout.hpp"
#include "experiments/bench/coulomb_plain_loops.hpp"
#include "sim/coulomb/coulomb_sum.hpp"

namespace pithball::experiments {

/// Time spent in the parts of a sum [s].
struct SumSeconds {
  double structure = 0;  ///< `make_structure`: tree and lists
  double plan = 0;       ///< `make_plan`: positions filled in
  double evaluation = 0;
  double total() const { return structure + plan + evaluation; }
};

/// Another sum, with a clock around everything but its Jacobian products. To be called from one thread.
class TimedCoulombSum final : public sim::CoulombSum {
 public:
  explicit TimedCoulombSum(std::shared_ptr<const CoulombSum> inner) : inner_(std::move(inner)) {}
  std::string name() const override { return inner_->name(); }
  std::shared_ptr<const Structure> make_structure(const sim::Points& x) const override;
  using CoulombSum::make_plan;
  std::unique_ptr<Plan> make_plan(const sim::Points& x, std::shared_ptr<const Structure> structure) const override;

  const SumSeconds& seconds() const { return seconds_; }  ///< so far

 private:
  std::shared_ptr<const CoulombSum> inner_;
  mutable SumSeconds seconds_;
};

/// A plain loop as a sum: fields of charges, without softening, and nothing else. Everything else throws
/// std::logic_error.
class LoopCoulombSum final : public sim::CoulombSum {
 public:
  explicit LoopCoulombSum(PlainLoop loop) : loop_(std::move(loop)) {}
  std::string name() const override { return loop_.name; }
  using CoulombSum::make_plan;
  std::unique_ptr<Plan> make_plan(const sim::Points& x, std::shared_ptr<const Structure> structure) const override;

 private:
  PlainLoop loop_;
};

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
/// They take turns, a step each, so that whatever else the machine does affects them alike; after `common` steps `auto`
/// continues alone to the scenario's last step. `progress` is called before each step with the share of steps made.
ClothFigures measure_cloth(const diff::Scenario& scenario, double tolerance, sim::Index common,
                           const std::function<void(double)>& progress);

}  // namespace pithball::experiments
