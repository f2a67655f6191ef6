#include "sim/integrator/embedded_runge_kutta.hpp"

#include <numeric>

#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

Scheme with_tolerance(const std::string& name, double tolerance) {
  MapSettings settings(0, {{"position_tolerance", tolerance}, {"velocity_tolerance", tolerance}});
  return {name, settings};
}

/// Two charges of one sign fly at each other along a line and part again.
Motion head_on() {
  return {"head on",
          Model({.particles = 2, .springs = {}, .held = {}}, all(2, 0.1), all(2, 1e-6),
                {std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>())}),
          {0, columns({{-1, 0, 0}, {1, 0, 0}}), columns({{2, 0, 0}, {-2, 0, 0}})},
          1,
          {}};
}

}  // namespace

TEST_CASE("embedded pairs: the two results differ with the order of the lower one",
          "[sim][integrator][adaptive][order]") {
  const Motion motion = windy_triangle();
  for (const RungeKuttaTableau& tableau : embedded_tableaux()) {
    INFO(tableau.info.name);
    CHECK(std::accumulate(tableau.b.begin(), tableau.b.end(), 0.0) == Approx(1).epsilon(1e-15));
    CHECK(std::accumulate(tableau.lower.begin(), tableau.lower.end(), 0.0) == Approx(1).epsilon(1e-15));
    const double h = tableau.info.position_order > 3 ? 0.04 : 0.01;
    const RungeKuttaStep coarse = runge_kutta_step(tableau, motion.model, h, motion.initial),
                         fine = runge_kutta_step(tableau, motion.model, h / 2, motion.initial);
    REQUIRE(fine.velocity_error.norm() > 1e-12);
    CHECK(std::log2(coarse.velocity_error.norm() / fine.velocity_error.norm()) ==
          Approx(tableau.info.position_order).margin(0.4));
  }
}

TEST_CASE("embedded pairs: the error of a run follows the tolerance", "[sim][integrator][adaptive]") {
  const Motion motion = head_on();
  const State wanted = fine_state(motion, 1, 1e-5);
  for (const RungeKuttaTableau& tableau : embedded_tableaux()) {
    double before = 0;
    std::size_t substeps_before = 0;
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      INFO(tableau.info.name << " tolerance " << tolerance);
      Stepper stepper(motion.model, motion.initial, with_tolerance(tableau.info.name, tolerance), {}, 0.25);
      std::size_t substeps = 0;
      for (int n = 0; n < 4; ++n) {
        const StepRecord record = stepper.advance();
        REQUIRE(record.status == StepStatus::Ok);
        CHECK(std::accumulate(record.substeps.begin(), record.substeps.end(), 0.0) == Approx(0.25).epsilon(1e-12));
        CHECK(static_cast<std::size_t>(record.force_evaluations) >= record.substeps.size() * tableau.stages());
        substeps += record.substeps.size();
      }
      const double error = (stepper.state().x - wanted.x).norm();
      CHECK(error <
            1000 * tolerance);  // each of up to thousands of substeps may add one, and the encounter stretches them
      if (before > 0) {
        CHECK(error < before / 10);
        CHECK(substeps > substeps_before);
      }
      before = error;
      substeps_before = substeps;
    }
  }
}

TEST_CASE("embedded pairs: substeps are short where the charges are close", "[sim][integrator][adaptive]") {
  const Motion motion = head_on();
  Stepper stepper(motion.model, motion.initial, "dormand_prince", {}, 0.1);
  double nearest = 1e9, farthest = 0;
  std::size_t most = 0, least = 1000000;
  for (int n = 0; n < 10; ++n) {
    const StepRecord record = stepper.advance();
    const double gap = (stepper.state().x.col(0) - stepper.state().x.col(1)).norm();
    if (gap < nearest) {
      nearest = gap;
      most = std::max(most, record.substeps.size());
    }
    if (gap > farthest) {
      farthest = gap;
      least = std::min(least, record.substeps.size());
    }
  }
  CHECK(nearest < 0.2);
  CHECK(farthest > 1.5);
  CHECK(most > 3 * least);
}

TEST_CASE("embedded pairs: a step that tolerances let pass is the plain method's", "[sim][integrator][adaptive]") {
  const Motion motion = windy_triangle();
  for (const RungeKuttaTableau& tableau : embedded_tableaux()) {
    Stepper loose(motion.model, motion.initial, with_tolerance(tableau.info.name, 1e9), {}, 0.02);
    const StepRecord record = loose.advance();
    CHECK(record.substeps == std::vector<double>{0.02});
    CHECK(loose.state().x == runge_kutta_step(tableau, motion.model, 0.02, motion.initial).end.x);
  }
}

TEST_CASE("embedded pairs: tolerances must be positive", "[sim][integrator][adaptive][error]") {
  CHECK_THROWS_WITH(with_tolerance("heun_euler", 0), Catch::Contains("position_tolerance: must be > 0"));
  CHECK_THROWS_WITH(with_tolerance("dormand_prince", -1), Catch::Contains("must be > 0"));
}
