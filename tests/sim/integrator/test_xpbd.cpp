#include "sim/integrator/xpbd.hpp"

#include "sim/constraint/distance_constraint.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"
#include "tests/support/rich_system.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

State end_of_run_by(const Model& model, const State& s, const IntegratorChoice& integrator, double h, int steps) {
  Stepper stepper(model, s, integrator, {}, h);
  for (int n = 0; n < steps; ++n) REQUIRE(stepper.advance().status == StepStatus::Ok);
  return stepper.state();
}

IntegratorChoice with(double substeps, const std::string& forces) {
  MapSettings settings(0, {{"substeps", substeps}, {"forces", forces}});
  return {"xpbd", settings};
}

/// Two springs and a charge each: no force depends on velocity, and none is linear.
struct Positional {
  Model model{{.particles = 3, .springs = {{0, 1}, {1, 2}}, .held = {{0, {}}}},
              Vector{{1, 0.5, 0.8}},
              Vector{{1e-6, 3e-6, 2e-6}},
              {springs(2, 30, 0.8), std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>())}};
  State start{0, columns({{0, 0, 0}, {1, 0.2, 0}, {1.5, 0.9, 0.3}}), columns({{0, 0, 0}, {0.4, 0, 1}, {0, -0.6, 0.2}})};
};

}  // namespace

TEST_CASE("xpbd: without constraints it is symplectic_euler in substeps", "[sim][integrator][equivalence]") {
  const Positional body;
  const State a = end_of_run_by(body.model, body.start, with(5, "every_substep"), 0.05, 20),
              b = end_of_run_by(body.model, body.start, "symplectic_euler", 0.01, 100);
  REQUIRE((a.x - body.start.x).norm() > 0.1);
  CHECK((a.x - b.x).norm() < 1e-12);  // the same operations but for rounding of times
  CHECK((a.v - b.v).norm() < 1e-12);
}

TEST_CASE("xpbd: with forces once a step it is drift, kick, drift", "[sim][integrator][equivalence]") {
  const Positional body;
  const double h = 0.02, n = 4, ahead = (1 - 1 / n) / 2;
  State s = body.start;
  for (int k = 0; k < 50; ++k) {
    s.x += ahead * h * s.v;
    Points f = Points::Zero(3, 3);
    body.model.add_forces(s, f, every_term);
    body.model.clear_held(f);
    s.v += h * f * body.model.mass().cwiseInverse().asDiagonal();
    s.x += (1 - ahead) * h * s.v;
  }
  const State a = end_of_run_by(body.model, body.start, with(n, "every_step"), h, 50);
  REQUIRE((a.x - body.start.x).norm() > 0.1);
  CHECK((a.x - s.x).norm() < 1e-12);
  CHECK((a.v - s.v).norm() < 1e-12);
  Stepper once(body.model, body.start, with(n, "every_step"), {}, h);
  CHECK(once.advance().work.force_evaluations == 1);
  CHECK(once.integrator().info().force_evaluations == 1);
  Stepper often(body.model, body.start, with(n, "every_substep"), {}, h);
  CHECK(often.advance().work.force_evaluations == 4);
}

TEST_CASE("xpbd: forces once a step converge to the same motion, flows, paths and fields in time included",
          "[sim][integrator][order]") {
  const diff::Scenario s = rich_scenario("xpbd", 0, 0);
  const State exact = end_of_run_by(s.model, s.initial, "rk4", 1e-3, 300);
  const auto error = [&](double h) {
    return distance(end_of_run_by(s.model, s.initial, with(5, "every_step"), h, static_cast<int>(std::lround(0.3 / h))),
                    exact);
  };
  const double coarse = error(0.004), fine = error(0.002);
  CHECK(fine < 0.05);
  CHECK(std::log2(coarse / fine) > 0.85);
}

TEST_CASE("xpbd: a link to a driven particle follows its path at every substep", "[sim][integrator][pinned]") {
  const Path path({0, 1}, {Vec3(0, 0, 0), Vec3(1, 0, 0)});
  const auto link = std::make_shared<DistanceConstraint>(std::vector<Spring>{{0, 1}}, Vector::Ones(1), Vector::Zero(1),
                                                         Vector::Zero(1));
  const Model model({.particles = 2, .springs = {}, .held = {{0, path}}}, Vector::Ones(2), Vector::Zero(2), {}, {link});
  const State start{0, columns({{0, 0, 0}, {-1, 0, 0}}), Points::Zero(3, 2)};
  const State end = end_of_run_by(model, start, "xpbd", 0.1, 10);
  CHECK((end.x.col(0) - Vec3(1, 0, 0)).norm() < 1e-14);
  CHECK((end.x.col(1) - Vec3(0, 0, 0)).norm() < 1e-12);  // towed in line
  CHECK((end.v.col(1) - Vec3(1, 0, 0)).norm() < 1e-11);
}

TEST_CASE("xpbd: sweeps add up to one multiplier, so that more of them converge to a stiffer body",
          "[sim][integrator]") {
  // A ring of six rods, struck at one corner: after one substep the largest error of a length.
  std::vector<Spring> ring;
  Points x(3, 6);
  for (Index i = 0; i < 6; ++i) {
    ring.push_back({i, (i + 1) % 6});
    x.col(i) = Vec3(std::cos(1.0471975511965976 * i), std::sin(1.0471975511965976 * i), 0);
  }
  for (const double alpha : {0.0, 1e-4}) {
    const Model model(
        {.particles = 6, .springs = {}, .held = {}}, Vector::Ones(6), Vector::Zero(6), {},
        {std::make_shared<DistanceConstraint>(ring, Vector::Ones(6), Vector::Constant(6, alpha), Vector::Zero(6))});
    State start{0, x, Points::Zero(3, 6)};
    start.v.col(0) = Vec3(1, 0, 0);
    const auto worst = [&](Index iterations) {
      Xpbd integrator({.substeps = 1, .iterations = iterations});
      State s = start;
      History history = integrator.start(model, s);
      integrator.step(model, {0.01, 0.01}, s, history);
      double error = 0;
      for (const RowForce& row : integrator.row_forces()) {
        const auto [i, j] = ring[row.row.item];
        error = std::max(error, std::abs((s.x.col(i) - s.x.col(j)).norm() - 1 + alpha * row.force));
      }
      return error;
    };
    INFO("compliance " << alpha);
    REQUIRE(worst(1) > 1e-4);
    CHECK(worst(8) < 0.3 * worst(1));
    CHECK(worst(200) < 1e-12);
  }
}

TEST_CASE("xpbd: settings that make no step are rejected", "[sim][integrator][error]") {
  for (const std::string key : {"substeps", "iterations"}) {
    MapSettings none(0, {{key, 0.0}}), many(0, {{key, 1e6 + 1}});
    CHECK_THROWS_WITH(IntegratorChoice("xpbd", none), Catch::Contains(key + ": must be 1 to 1000000, got 0"));
    CHECK_THROWS_WITH(IntegratorChoice("xpbd", many), Catch::Contains(key + ": must be 1 to 1000000, got 1000001"));
  }
  MapSettings settings(0, {{"forces", std::string("never")}});
  CHECK_THROWS_WITH(IntegratorChoice("xpbd", settings), Catch::Contains("forces"));
}
