#include <cmath>

#include "optim/fit.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/torus.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::shared;

TEST_CASE("fit: charge and stiffness of the large torus together, from starts a factor 5 off, without weights",
          "[optim][fit][recovery]") {
  constexpr double charge = 60e-6, stiffness = 10;
  const auto torus = [](double q, double k, double h) {
    const tests::Torus body{.major = 30, .minor = 12, .mass = 0.1, .stiffness = k, .charge = q};
    const sim::Model whole = body.model();
    sim::Topology topology = whole.topology();
    for (Index i = 0; i < 5; ++i) topology.held.push_back({i, {}});  // one ring is pinned
    return diff::Scenario{.name = "torus",
                          .model = sim::Model(topology, whole.mass(), whole.charge(), whole.terms()),
                          .initial = body.state(),
                          .integrator = "imex_midpoint",
                          .time_step = h,
                          .steps = static_cast<Index>(std::lround(1 / h)),
                          .stage = {}};
  };
  const diff::Scenario truth = torus(charge, stiffness, 0.01);
  const Observation seen = test::record(test::refined(truth), 100, 0, 1);  // ten steps of the fit from frame to frame
  for (const double q : {charge / 5, charge * 5})
    for (const double k : {stiffness / 5, stiffness * 5}) {
      INFO("from " << q << " C, " << k << " N/m");
      FitProblem problem;
      problem.scenarios = {torus(q, k, 0.01)};
      problem.observations = {seen};
      problem.parameters = {shared("charge"), shared("stiffness")};
      // From the given start alone, one corner runs off to a body so stiff and so charged that it hardly moves.
      problem.search.starts = {.count = 6, .factor = 5, .seed = 1};
      problem.search.stages = {{.horizon = 0.2, .max_iterations = 8, .keep = 2}, {.horizon = 0.5}};
      const FitReport report = fit(problem);
      CHECK(report.search.status == MinimizerStatus::Converged);
      CHECK(report.estimates.parameters[0].estimate == Approx(charge).epsilon(0.01));
      CHECK(report.estimates.parameters[1].estimate == Approx(stiffness).epsilon(0.01));
      CHECK(report.estimates.condition < 100);
    }
}
