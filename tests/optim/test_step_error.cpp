// The error of the time step among what a diagnosis tests.

#include "optim/diagnosis/model_candidates.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "optim/diagnosis/diagnosis.hpp"
#include "optim/fit.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using namespace pithball::test;
namespace sim = pithball::sim;
namespace diff = pithball::diff;

namespace {

BodyOptions stepped_by(const std::string& integrator, double time_step) {
  return {.gravity = true,
          .time_step = time_step,
          .steps = static_cast<sim::Index>(2.5 / time_step),
          .integrator = integrator};
}

/// The fit of stiffness and mass to a recording of the same body at a much finer step, 25 frames a second.
FitProblem coarse_fit(const std::string& integrator, double time_step, double noise, unsigned seed) {
  const diff::Scenario model = make_body("body", stepped_by(integrator, time_step));
  const diff::Scenario truth = refined(make_body("body", stepped_by(integrator, 0.005)));
  FitProblem problem;
  problem.scenarios = {model};
  problem.observations = {record(truth, 80, noise, seed)};
  problem.parameters = {shared("stiffness")};
  problem.parameters.back().factor = true;
  return problem;
}

Diagnosis diagnosis_of(const FitProblem& problem) {
  const ResolvedFit resolved(problem);
  const FitReport report = fit(resolved);
  REQUIRE(report.search.status == MinimizerStatus::Converged);
  return diagnose(resolved, resolved, report.theta, report.scales, {});
}

bool names_step(const Diagnosis& diagnosis) {
  return std::ranges::any_of(diagnosis.lacking(),
                             [](const TestedCandidate* one) { return one->candidate.concern == Concern::Computation; });
}

}  // namespace

TEST_CASE("step error: a step that is too long stands first, before what it looks like", "[optim][diagnosis]") {
  struct Row {
    const char* integrator;
    double time_step, noise;
  };
  const Row row =
      GENERATE(Row{"velocity_verlet", 0.04, 1e-3}, Row{"velocity_verlet", 0.04, 1e-2}, Row{"imex_midpoint", 0.04, 1e-3},
               Row{"imex_midpoint", 0.04, 1e-2}, Row{"explicit_euler", 0.005, 0.1});
  CAPTURE(row.integrator, row.noise);
  const FitProblem problem = coarse_fit(row.integrator, row.time_step, row.noise, 3);
  const Diagnosis diagnosis = diagnosis_of(problem);
  REQUIRE(diagnosis.ok());
  REQUIRE(!diagnosis.lacking().empty());
  const TestedCandidate& first = *diagnosis.lacking().front();
  CHECK(first.candidate.name == "time_step");
  CHECK_FALSE(first.explained <= 0.5);
  CHECK(first.candidate.key.starts_with("simulation.time_step: "));
  // At the step that is written nothing of it is left.
  const double step = sufficient_step(first.test, problem.scenarios.front());
  CHECK_FALSE(names_step(diagnosis_of(coarse_fit(row.integrator, step, row.noise, 3))));
}

TEST_CASE("step error: neither noise nor a wrong clock is taken for it", "[optim][diagnosis]") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    FitProblem problem = coarse_fit("velocity_verlet", 0.01, 2e-3, seed);
    CHECK_FALSE(names_step(diagnosis_of(problem)));
    for (double& t : problem.observations.front().times) t *= 0.992;
    CHECK_FALSE(names_step(diagnosis_of(problem)));
  }
}

TEST_CASE("step error: the cause of a fit that is off by it, with the step to write", "[optim][fit][quality]") {
  const FitReport report = fit(coarse_fit("velocity_verlet", 0.04, GENERATE(1e-3, 3e-3, 5e-3), 5));
  INFO(report.verdict.why << " -- " << report.verdict.remedy);
  CHECK(report.verdict.status == RunStatus::Doubtful);
  CHECK(report.verdict.remedy.find("simulation.time_step: ") != std::string::npos);
}
