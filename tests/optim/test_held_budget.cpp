// What is held exactly: the effect of an error of a held value on the estimates.
#include <cmath>
#include <functional>

#include "optim/fit.hpp"
#include "optim/fit/held_budget.hpp"
#include "optim/fit/problem.hpp"
#include "optim/fit/scaled_fit.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;

namespace {

/// Lengths, times and masses of the chain, in units of those of a chain of 60 cm with masses of 60 g.
struct ChainScale {
  double length = 1, time = 1, mass = 1;
};

/// A chain of three masses below a pinned one, swinging, recorded 40 times a second with an error of 2 mm.
FitProblem swinging_chain(const ChainScale& by, double noise = 2e-3) {
  using namespace sim;
  State state;
  state.x.resize(3, 4);
  const Vec3 along = 0.2 * by.length * Vec3(1, 0.3, -0.8).normalized();
  for (Index i = 0; i < 4; ++i) state.x.col(i) = i * along;
  state.v = Points::Zero(3, 4);
  Topology topology;
  topology.particles = 4;
  for (Index i = 0; i < 3; ++i) topology.springs.push_back({i, i + 1});
  topology.held.push_back({0, {}});
  const double mass = 0.06 * by.mass, rate = by.mass / by.time;
  std::vector<std::shared_ptr<ForceTerm>> terms = {
      std::make_shared<SpringForce>(Vector::Constant(3, 30 * rate / by.time), Vector::Constant(3, 0.2 * by.length)),
      std::make_shared<SpringDamper>(Vector::Constant(3, 0.05 * rate)),
      std::make_shared<LinearDrag>(Vector::Constant(4, 0.03 * rate), std::make_shared<UniformField>(Vec3::Zero())),
      std::make_shared<Gravity>(Vec3(0, 0, -9.81 * by.length / (by.time * by.time)))};
  diff::Scenario scenario{.name = "chain",
                          .model = Model(topology, Vector::Constant(4, mass), Vector::Zero(4), terms),
                          .initial = state,
                          .integrator = "imex_midpoint",
                          .time_step = 5e-3 * by.time,
                          .steps = 420,
                          .stage = {}};
  FitProblem problem;
  problem.observations = {test::record(scenario, 5, noise * by.length, 3)};
  Observation& seen = problem.observations[0];
  seen.noise.sigma.setConstant(2e-3 * by.length);
  seen.times.resize(81);  // the run is a little longer than the recording, which may be late
  seen.positions.resize(81);
  problem.scenarios = {scenario};
  problem.parameters = {test::shared("stiffness"), test::shared("linear_drag")};
  problem.uncertainty.options.absolute_sigma = true;
  problem.search.minimizer.function_tolerance = 1e-14;
  return problem;
}

/// What the errors of a fit need, and its budget.
struct BudgetedFit {
  FitReport report;
  HeldBudget budget;
  Vector estimates, errors;

  explicit BudgetedFit(const FitProblem& problem) {
    const ResolvedFit resolved(problem);
    report = fit(resolved);
    REQUIRE(report.search.status == MinimizerStatus::Converged);
    const WholeRun run = run_whole(resolved.residual().trajectories(), problem.observations, report.theta, true);
    FitRows rows;
    REQUIRE(make_fit_rows(resolved, report.theta, run.r, run.J, report.scales.threshold, rows).ok());
    const BoundedErrors bounded = compute_bounded_errors(resolved, report.theta, std::move(rows), report.scales.data);
    budget = compute_held_budget(resolved, report.theta, bounded, run, report.goodness.quality.recordings);
    estimates = resolved.map().physical(report.theta);
    errors.resize(estimates.size());
    for (Index k = 0; k < errors.size(); ++k)
      errors[k] = bounded.errors.parameters[k].standard_error * resolved.map().physical_derivative(report.theta)[k];
  }

  const HeldEffect& effect(const std::string& name) const {
    const auto found = std::ranges::find(budget.effects, name, &HeldEffect::name);
    REQUIRE(found != budget.effects.end());
    return *found;
  }
};

using Change = std::function<void(FitProblem&, double)>;

/// Changes of the estimates between fits with a value held to an error of ±`size`, in standard errors, for one `size`.
Vector refitted(const FitProblem& problem, const BudgetedFit& at, const Change& change) {
  const double part = 0.1;  // of the step, where the estimates are linear in it
  Vector found[2];
  for (const int side : {0, 1}) {
    FitProblem other = problem;
    change(other, side == 0 ? part : -part);
    found[side] = BudgetedFit(other).estimates;
  }
  return ((found[0] - found[1]) / (2 * part)).cwiseQuotient(at.errors);
}

void multiply(FitProblem& problem, const std::string& name, double factor) {
  diff::Scenario& scenario = problem.scenarios[0];
  const sim::Values& values = scenario.model.values();
  Vector all = scenario.physical_values();
  for (const sim::ValueBlock& block : values.blocks())
    if (block.name == name) all.segment(block.offset, block.size) *= factor;
  scenario = scenario.with_physical_values(all);
}

}  // namespace

TEST_CASE("held budget: of a chain, the frame rate and the mass are worth several standard errors", "[optim][fit]") {
  const BudgetedFit at(swinging_chain({}));
  INFO(at.budget.sentence());
  const auto changes = [&](const char* name) {
    const HeldEffect& effect = at.effect(name);
    return std::pair(effect.changes[0].second, effect.changes[1].second);
  };
  // Of an independent simulation of this chain (DOP853) and its linearized least squares.
  CHECK(changes("mass").first == Approx(17).epsilon(0.05));
  CHECK(changes("mass").second == Approx(4.9).epsilon(0.05));
  CHECK(std::abs(changes("clock_scale").first) == Approx(6.9).epsilon(0.05));
  CHECK(std::abs(changes("clock_scale").second) == Approx(1.3).epsilon(0.05));
  CHECK(changes("scale").first == Approx(-17).epsilon(0.05));
  CHECK(changes("scale").second == Approx(1.5).epsilon(0.05));
  // What the motion does not depend on is not listed, nor what is fitted.
  for (const char* name : {"charge", "stiffness", "linear_drag", "focal_length"})
    CHECK(std::ranges::none_of(at.budget.effects, [&](const HeldEffect& effect) { return effect.name == name; }));
  CHECK(at.effect("placement_translation").unit == "m");
  CHECK(at.budget.sentence().starts_with("held exactly: rest_length (1 % = 36 standard errors of stiffness), "));
  CHECK(at.budget.sentence().ends_with("; a prior lets the error of such a value count"));
}

TEST_CASE("held budget: effects are those of refits, at every scale", "[optim][fit][fd]") {
  for (const ChainScale& by : {ChainScale{}, ChainScale{1e-3, 1e-3, 1e-3}, ChainScale{1e3, 1e3, 1e3}}) {
    const FitProblem problem = swinging_chain(by);
    const BudgetedFit at(problem);
    const std::vector<std::pair<std::string, Change>> all = {
        {"mass", [](FitProblem& p, double size) { multiply(p, "mass", 1 + 1e-2 * size); }},
        {"rest_length", [](FitProblem& p, double size) { multiply(p, "rest_length", 1 + 1e-2 * size); }},
        {"clock_scale",
         [](FitProblem& p, double size) { p.observations[0].recording_frame.clock_scale += 1e-3 * size; }},
        {"clock_offset",
         [&](FitProblem& p, double size) {
           // The first frame stays within the run.
           p.observations[0].recording_frame.clock_offset += (0.025 * 0.01 * size + 0.001) * by.time;
         }},
        {"scale",
         [](FitProblem& p, double size) {
           for (sim::Points& frame : p.observations[0].positions) frame *= 1 + 1e-2 * size;
         }},
    };
    for (const auto& [name, change] : all) {
      const Vector expected = refitted(problem, at, change);
      const HeldEffect& effect = at.effect(name);
      INFO(name << " at " << by.length << ": " << effect.changes[0].second << " " << effect.changes[1].second
                << ", refitted " << expected.transpose());
      const double tolerance = 0.03 * expected.cwiseAbs().maxCoeff();
      for (Index k = 0; k < 2; ++k)
        CHECK(effect.changes[k].second == Approx(expected[k]).epsilon(0.03).margin(tolerance));
    }
  }
}

TEST_CASE("held budget: a vector counts in its worst direction, whatever the axes", "[optim][fit]") {
  const FitProblem problem = swinging_chain({});
  const BudgetedFit at(problem);
  double largest = 0;
  for (Index a = 0; a < 3; ++a) {
    const Vector along = refitted(problem, at, [&](FitProblem& p, double size) {
      p.observations[0].recording_frame.translation[a] += at.effect("placement_translation").size * size;
    });
    largest += along[0] * along[0];
  }
  CHECK(at.effect("placement_translation").changes[0].second == Approx(std::sqrt(largest)).epsilon(0.03));

  // The same recording in a frame of reference that is turned by more than a right angle.
  FitProblem turned = problem;
  RecordingFrame& frame = turned.observations[0].recording_frame;
  frame.rotation = Vec3(0.4, -1.2, 1.5);
  for (Points& seen : turned.observations[0].positions) seen = frame.to_recorded(seen);
  const BudgetedFit there(turned);
  for (const char* name : {"placement_translation", "placement_rotation", "mass", "scale"})
    for (const std::size_t k : {0, 1})
      CHECK(there.effect(name).changes[k].second == Approx(at.effect(name).changes[k].second).epsilon(1e-3));
}

TEST_CASE("held budget: what is fitted, or has a known error, is not held exactly", "[optim][fit]") {
  FitProblem problem = swinging_chain({});
  problem.parameters.push_back(test::shared("placement_translation"));
  problem.parameters.back().is_nuisance = true;
  const auto lists = [](const BudgetedFit& fit, const char* name) {
    return std::ranges::any_of(fit.budget.effects, [&](const HeldEffect& effect) { return effect.name == name; });
  };
  const BudgetedFit free(problem);
  CHECK_FALSE(lists(free, "placement_translation"));
  CHECK(lists(free, "clock_scale"));
  CHECK(free.effect("mass").changes.size() == 2);  // nuisance values were not asked for

  problem = swinging_chain({});
  const diff::Scenario& scenario = problem.scenarios[0];
  problem.value_errors = {{{{scenario.position_offset() + 3}, Eigen::MatrixXd::Constant(1, 1, 1e-4)}}};
  const BudgetedFit started(problem);  // its start comes from its own frames
  for (const char* name : {"clock_offset", "placement_translation", "scale"}) CHECK_FALSE(lists(started, name));
  CHECK(lists(started, "mass"));
}

TEST_CASE("held budget: a sentence names the largest, those of one standard error or more", "[optim][fit]") {
  HeldBudget budget;
  CHECK(budget.sentence().empty());
  budget.effects = {{"mass", "model", "1 %", 1e-2, "", {{"k", 17.2}, {"c", -3}}},
                    {"clock_scale", "clock", "0.1 %", 1e-3, "", {{"k", -6.88}, {"c", 0}}},
                    {"gravity", "model", "1 %", 1e-2, "", {{"k", 0.5}, {"c", -1.04}}},
                    {"charge", "model", "1 %", 1e-2, "", {{"k", 0.9}, {"c", 0.1}}}};
  CHECK(
      budget.sentence() ==
      "held exactly: mass (1 % = 17 standard errors of k), clock_scale (0.1 % = 6.9), gravity (1 % = 1 of c); a prior "
      "lets the error of such a value count");
  budget.effects.erase(budget.effects.begin(), budget.effects.begin() + 3);
  CHECK(budget.sentence().empty());
}
