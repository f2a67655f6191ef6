#include "optim/residual/whole_run.hpp"

#include <cmath>
#include <map>

#include "optim/fit.hpp"
#include "optim/fit/problem.hpp"
#include "sim/run/stepper.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::make_body;
using pithball::test::shared;

namespace {

/// Acts on nothing, and counts the runs that begin with it.
class StartCounter final : public sim::ForceTerm {
 public:
  const sim::ForceTraits& traits() const override {
    static const sim::ForceTraits traits{.name = "start_counter", .energy = sim::EnergyKind::External};
    return traits;
  }
  void validate(const sim::Model&, const sim::State&) const override { ++starts; }
  void add_force(const sim::Model&, const sim::State&, sim::Points&) const override {}
  std::optional<double> energy(const sim::Model&, const sim::State&) const override { return 0; }
  void add_jvp(const sim::Model&, const sim::State&, const sim::Variation&, sim::Points&) const override {}
  void add_vjp(const sim::Model&, const sim::State&, const sim::Points&, sim::Variation&) const override {}
  mutable long starts = 0;
};

/// Two recordings of a body, with charge and stiffness free; the first is forecast from its middle on, and runs on
/// behind its last frame.
FitProblem two_recordings(const std::string& integrator, const std::shared_ptr<sim::ForceTerm>& further = nullptr,
                          double noise = 2e-3) {
  FitProblem problem;
  for (const char* name : {"a", "b"}) {
    diff::Scenario scenario = make_body(name, {.integrator = integrator});
    if (further) {
      const sim::Model& m = scenario.model;
      auto terms = m.terms();
      terms.push_back(further);
      scenario.model = sim::Model(m.topology(), m.mass(), m.charge(), terms);
    }
    problem.observations.push_back(test::record(scenario, 3, noise, 5));
    scenario.steps += 7;
    problem.scenarios.push_back(scenario);
  }
  problem.observations[0].validation.from = 0.5;
  problem.parameters = {shared("charge", 5e-6), shared("stiffness", 10)};
  return problem;
}

}  // namespace

TEST_CASE("whole run: residuals, derivatives, tracks and states are those of separate runs", "[optim][fit]") {
  for (const char* integrator : {"imex_midpoint", "velocity_verlet", "leapfrog"}) {
    INFO(integrator);
    const ResolvedFit fit(two_recordings(integrator));
    const FitProblem& problem = fit.problem();
    const Vector theta = fit.map().initial();
    const TrajectoryResidual& residual = fit.residual().trajectories();
    Vector r;
    Eigen::MatrixXd J;
    REQUIRE(residual.evaluate(theta, r, &J).ok());
    REQUIRE(J.norm() > 0);
    std::vector<std::map<Index, sim::State>> seen(2);
    const WholeRun run = run_whole(residual, problem.observations, theta, true,
                                   [&](std::size_t s, const diff::Scenario&, const sim::Stepper& at) {
                                     seen[s].emplace(at.n(), at.synchronized());
                                   });
    REQUIRE(run.evaluation.ok());
    CHECK(run.r == r);
    CHECK(run.J == J);
    for (std::size_t s = 0; s < 2; ++s) {
      const diff::Scenario fitted = fit.map().scatter(theta, s);
      const MarkerTracks tracks = compute_tracks(fitted, problem.observations[s]);
      REQUIRE(tracks.model.size() == problem.observations[s].times.size());
      CHECK(run.tracks[s].model == tracks.model);
      CHECK(run.tracks[s].recorded == tracks.recorded);
      CHECK(run.tracks[s].parts == tracks.parts);
      CHECK(run.tracks[s].failure.empty());
      REQUIRE(static_cast<Index>(seen[s].size()) == fitted.steps + 1);
      sim::Stepper alone(fitted.model, fitted.initial, fitted.integrator, fitted.stage, fitted.time_step);
      while (alone.n() < fitted.steps) REQUIRE(alone.advance().status == sim::StepStatus::Ok);
      CHECK(seen[s].at(fitted.steps).x == alone.synchronized().x);
      CHECK(seen[s].at(fitted.steps).v == alone.synchronized().v);
    }
    // Without derivatives: the same residuals.
    const WholeRun plain = run_whole(residual, problem.observations, theta, false);
    CHECK(plain.r == r);
    CHECK(plain.J.size() == 0);
  }
}

TEST_CASE("whole run: a motion that fails in the forecast is fitted all the same, and one that fails before is not",
          "[optim][fit]") {
  for (const double validation_from : {0.1, 10.0}) {
    FitProblem problem = two_recordings("velocity_verlet");
    problem.scenarios.pop_back();
    problem.observations.pop_back();
    problem.observations[0].validation.from = validation_from;
    const ResolvedFit fit(problem);
    // 1000 N/m: ωh is about 2.3, above the limit of 2, so that the motion grows threefold a step.
    const Vector theta = fit.map().initial() + Vector{{0, std::log(100)}};
    const WholeRun run = run_whole(fit.residual().trajectories(), problem.observations, theta, true);
    CHECK(run.evaluation.ok() == (validation_from < 1));
    CHECK_FALSE(run.tracks[0].failure.empty());
    CHECK(run.tracks[0].model.front().allFinite());
    CHECK(run.tracks[0].model.back().array().isNaN().all());
    Vector r;
    Eigen::MatrixXd J;
    CHECK(fit.residual().trajectories().evaluate(theta, r, &J).failure == run.evaluation.failure);
  }
}

TEST_CASE("fit: parameters are resolved once, and the model runs once after the search", "[optim][fit]") {
  const auto counter = std::make_shared<StartCounter>();
  // With so much noise that the error of the step is not seen beside it, and nothing is lacking.
  const FitProblem problem = two_recordings("imex_midpoint", counter, 3e-2);
  const long resolved = ParameterMap::resolutions();
  const ResolvedFit fit_once(problem);
  CHECK(counter->starts == 2);  // the recordings above, and nothing since
  const FitReport report = fit(fit_once);
  REQUIRE(report.search.status == MinimizerStatus::Converged);
  // What the model may lack is declared twice: values of the body, and starts.
  constexpr long of_candidates = 2;
  CHECK(ParameterMap::resolutions() - resolved == 1 + of_candidates);
  // Two recordings for each evaluation of the search, once more after it, and three times for these candidates and
  // those of the measurement.
  CHECK(counter->starts - 2 == 2 * (report.search.evaluations.forward + report.search.evaluations.tangent + 1 + 3));
  CHECK(report.tracks.size() == 2);
  CHECK(report.estimates.parameters[0].standard_error > 0);

  // A stage of the search reuses what is resolved.
  FitProblem staged = problem;
  staged.search.stages.push_back({.horizon = 0.3});
  const long before = ParameterMap::resolutions();
  fit(ResolvedFit(staged));
  CHECK(ParameterMap::resolutions() - before == 1 + of_candidates);
}
