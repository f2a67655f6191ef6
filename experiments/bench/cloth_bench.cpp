#include "experiments/bench/cloth_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "experiments/bench/stopwatch.hpp"
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::experiments {
namespace {

using sim::Points;
using sim::Vector;

/// Adds the duration of its scope to a total.
class Clock {
 public:
  explicit Clock(double& total) : total_(total) {}
  ~Clock() { total_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

 private:
  double& total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class TimedPlan final : public sim::CoulombSum::Plan {
 public:
  TimedPlan(std::unique_ptr<Plan> inner, double& seconds) : inner_(std::move(inner)), seconds_(seconds) {}
  void evaluate(const sim::CoulombSources& sources, const sim::CoulombResult& result) const override {
    const Clock clock(seconds_);
    inner_->evaluate(sources, result);
  }
  void force_jvp(const Vector& charge, const Points& dx, const Vector& dcharge, Points& df) const override {
    inner_->force_jvp(charge, dx, dcharge, df);
  }
  void force_vjp(const Vector& charge, const Points& w, Points& dx, Vector& dcharge) const override {
    inner_->force_vjp(charge, w, dx, dcharge);
  }

 private:
  std::unique_ptr<Plan> inner_;
  double& seconds_;
};

class LoopPlan final : public sim::CoulombSum::Plan {
 public:
  LoopPlan(const PlainLoop& loop, const Points& x) : loop_(loop), x_(x) {}
  void evaluate(const sim::CoulombSources& sources, const sim::CoulombResult& result) const override {
    if (!sources.charge || sources.dipole || !result.field || result.potential || result.field_gradient) reject();
    Points field(3, x_.cols());
    loop_.field(x_, *sources.charge, field);
    *result.field += field;
  }
  void force_jvp(const Vector&, const Points&, const Vector&, Points&) const override { reject(); }
  void force_vjp(const Vector&, const Points&, Points&, Vector&) const override { reject(); }

 private:
  [[noreturn]] void reject() const {
    throw std::logic_error("the plain loop '" + loop_.name + "' computes fields of charges and nothing else");
  }
  const PlainLoop& loop_;
  Points x_;
};

}  // namespace

std::shared_ptr<const sim::CoulombSum::Structure> TimedCoulombSum::make_structure(const Points& x) const {
  const Clock clock(seconds_.structure);
  return inner_->make_structure(x);
}

std::unique_ptr<sim::CoulombSum::Plan> TimedCoulombSum::make_plan(const Points& x,
                                                                  std::shared_ptr<const Structure> structure) const {
  const Clock clock(seconds_.plan);
  return std::make_unique<TimedPlan>(inner_->make_plan(x, std::move(structure)), seconds_.evaluation);
}

std::unique_ptr<sim::CoulombSum::Plan> LoopCoulombSum::make_plan(const Points& x,
                                                                 std::shared_ptr<const Structure>) const {
  return std::make_unique<LoopPlan>(loop_, x);
}

using namespace app;

namespace {

/// Durations of single steps [s].
struct Samples {
  std::vector<double> step, structure, plan, evaluation;
  StepSeconds medians() const {
    return {static_cast<Index>(step.size()),
            upper_median(step),
            {upper_median(structure), upper_median(plan), upper_median(evaluation)}};
  }
};

sim::Model with_coulomb(const sim::Model& model, std::shared_ptr<const sim::CoulombSum> sum) {
  auto terms = model.terms();
  terms.push_back(std::make_shared<sim::CoulombForce>(std::move(sum)));
  return {model.topology(), model.mass(), model.charge(), std::move(terms)};
}

/// A run of the cloth with one Coulomb sum.
class Contestant {
 public:
  Contestant(const diff::Scenario& scenario, std::string method, const std::shared_ptr<const sim::CoulombSum>& sum)
      : sum_(std::make_shared<TimedCoulombSum>(sum)),
        model_(with_coulomb(scenario.model, sum_)),
        stepper_(model_, scenario.initial, scenario.integrator, scenario.stage, scenario.time_step) {
    row_.method = std::move(method);
  }
  Contestant(const Contestant&) = delete;
  Contestant& operator=(const Contestant&) = delete;

  /// Advances by a step unless an earlier step failed.
  void advance() {
    if (row_.status != sim::StepStatus::Ok) return;
    const SumSeconds before = sum_->seconds();
    const auto start = std::chrono::steady_clock::now();
    const sim::StepRecord record = stepper_.advance();
    samples_.step.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    const SumSeconds& after = sum_->seconds();
    samples_.structure.push_back(after.structure - before.structure);
    samples_.plan.push_back(after.plan - before.plan);
    samples_.evaluation.push_back(after.evaluation - before.evaluation);
    row_.status = record.status;
    row_.linear_solves += record.work.linear_solves;
    row_.cg_iterations += record.work.cg_iterations;
  }

  const sim::Points& positions() const { return stepper_.state().x; }
  const std::string& linear_solver() const { return stepper_.integrator().linear_solver(); }
  StepSeconds seconds() const { return samples_.medians(); }

  /// Returns the figures, except for comparisons with other runs.
  ClothRow row() const {
    ClothRow row = row_;
    row.all = samples_.medians();
    const double n = std::max<Index>(row.all.steps, 1);
    row.linear_solves /= n;
    row.cg_iterations /= n;
    return row;
  }

 private:
  std::shared_ptr<const TimedCoulombSum> sum_;
  sim::Model model_;
  sim::Stepper stepper_;
  Samples samples_;
  ClothRow row_;
};

std::vector<std::unique_ptr<Contestant>> contestants(const diff::Scenario& scenario, double tolerance) {
  std::vector<std::unique_ptr<Contestant>> all;
  sim::CoulombOptions options;
  options.tolerance = tolerance;
  for (const char* method : {"auto", "direct"}) {
    options.method = method;
    all.push_back(std::make_unique<Contestant>(scenario, method, sim::make_coulomb_sum(options)));
  }
  for (const PlainLoop& loop : plain_loops())
    all.push_back(std::make_unique<Contestant>(scenario, loop.name, std::make_shared<LoopCoulombSum>(loop)));
  return all;
}

}  // namespace

ExperimentDocument cloth_document(Index vertices) {
  // Total mass, stiffness and charge, and therefore the motion, do not depend on the number of vertices. The cloth has
  // 150 g/m² and repels itself with about a tenth of its weight.
  const auto cells = std::max<Index>(std::lround(std::sqrt(vertices)) - 1, 1);
  const std::string text = fmt::format(R"(
name: bench-cloth
system:
  mesh:
    grid: {{size: [1, 1], segments: [{0}, {0}]}}
    rotate: {{axis: [1, 0, 0], angle: 60 degrees}}
  mass: {{total: 150 g}}
  charge: {{total: 3 uC}}
  pinned: [top_left, top_right]
  springs: {{stiffness: {{stretch: 200, shear: 50, bend: 5}}, damping: 0.001}}
forces:
  - gravity: [0, 0, -9.81]
simulation: {{integrator: imex_euler, time_step: 1 ms, duration: 100 ms}}
)",
                                       cells);
  return {parse_yaml(text, "bench cloth"), std::filesystem::current_path()};
}

ClothFigures measure_cloth(const diff::Scenario& scenario, double tolerance, Index common,
                           const std::function<void(double)>& progress) {
  const auto all = contestants(scenario, tolerance);
  Contestant& first = *all.front();
  common = std::min(common, scenario.steps);
  const auto steps = static_cast<double>(scenario.steps + common * static_cast<Index>(all.size() - 1));
  double made = 0;
  const auto advance = [&](Contestant& contestant) {
    progress(made++ / steps);
    contestant.advance();
  };
  for (Index n = 0; n < common; ++n)
    for (const auto& contestant : all) advance(*contestant);
  std::vector<ClothRow> rows(all.size());
  const double displacement = (first.positions() - scenario.initial.x).colwise().norm().maxCoeff();
  for (std::size_t k = 0; k < all.size(); ++k) {
    rows[k].common = all[k]->seconds();
    rows[k].difference = (all[k]->positions() - first.positions()).colwise().norm().maxCoeff() / displacement;
  }
  for (Index n = common; n < scenario.steps; ++n) advance(first);
  for (std::size_t k = 0; k < all.size(); ++k) {
    ClothRow row = all[k]->row();
    row.common = rows[k].common;
    row.difference = rows[k].difference;
    row.ratio = row.common.step / rows.front().common.step;
    rows[k] = std::move(row);
  }
  return {std::move(rows), first.linear_solver()};
}

}  // namespace pithball::experiments
