#include "sim/integrator/embedded_runge_kutta.hpp"

#include <numeric>

#include "sim/field/analytic_field.hpp"
#include "sim/force/field_potential.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

IntegratorChoice with_tolerance(const std::string& name, double tolerance) {
  MapSettings settings(0, {{"tolerance", tolerance}});
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
    const auto step = [&](double length) {
      return runge_kutta_step(tableau, motion.model, {length, motion.initial.t + length}, motion.initial);
    };
    const RungeKuttaStep coarse = step(h), fine = step(h / 2);
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
        CHECK(static_cast<std::size_t>(record.work.force_evaluations) >= record.substeps.size() * tableau.stages());
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
    CHECK(loose.state().x == runge_kutta_step(tableau, motion.model, {0.02, 0.02}, motion.initial).end.x);
  }
}

namespace {

/// Two oscillators about the origin, of these amplitudes [m], ω = 1/s and 1e-15 kg, from rest.
struct Oscillators {
  Model model;
  State start;
  Oscillators(double first, double second, const Vec3& center = {0, 0, 0}, const Vec3& flight = {0, 0, 0})
      : model({.particles = 4, .springs = {{0, 1}, {2, 3}}, .held = {}}, all(4, 1e-15), all(4, 0),
              {springs(2, 0.5e-15, 0)}),
        start{0, columns({{first, 0, 0}, {-first, 0, 0}, {0, second, 0}, {0, -second, 0}}).colwise() + center,
              columns({flight, flight, flight, flight})} {}
  /// Of an oscillator at time t, relative to its amplitude A [m].
  static double error(const State& s, Index axis, Index particle, double A) {
    const double distance = (s.x(axis, particle) - s.x(axis, particle + 1)) / 2;
    return std::abs(distance / A - std::cos(s.t));
  }
};

State end_of(const Model& model, const State& start, const IntegratorChoice& integrator, double h, int steps) {
  Stepper stepper(model, start, integrator, {}, h);
  for (int n = 0; n < steps; ++n) REQUIRE(stepper.advance().status == StepStatus::Ok);
  return stepper.state();
}

}  // namespace

TEST_CASE("embedded pairs: the tolerance is relative to the motion, be it of nanometers or of light years",
          "[sim][integrator][adaptive][scale]") {
  for (const RungeKuttaTableau& tableau : embedded_tableaux())
    for (const double h : {0.25, 2.5, 100.0})
      for (const double A : {1e-15, 1e-9, 1.0, 1e16}) {
        INFO(tableau.info.name << ", amplitude " << A << " m, h " << h << " s");
        const Oscillators two(A, A);
        const int steps = h > 10 ? 1 : static_cast<int>(10 / h);
        const State end = end_of(two.model, two.start, tableau.info.name, h, steps);
        // Up to thousands of substeps in a period of 2π, each with an error of 1e-7.
        CHECK(Oscillators::error(end, 0, 0, A) < (h > 10 ? 2e-3 : 2e-4));
      }
}

TEST_CASE("embedded pairs: substeps are the same in every system of units, to the last bit",
          "[sim][integrator][adaptive][scale]") {
  for (const RungeKuttaTableau& tableau : embedded_tableaux()) {
    INFO(tableau.info.name);
    const Oscillators plain(1, 0.3), small(std::pow(4.0, -20), 0.3 * std::pow(4.0, -20));
    Stepper a(plain.model, plain.start, tableau.info.name, {}, 1.25),
        b(small.model, small.start, tableau.info.name, {}, 1.25);
    for (int n = 0; n < 4; ++n) CHECK(a.advance().substeps == b.advance().substeps);
    CHECK(a.state().x == std::pow(4.0, 20) * b.state().x);
  }
}

TEST_CASE("embedded pairs: a small slow part beside a fast one, a body far away, and one in flight keep their motion",
          "[sim][integrator][adaptive][scale]") {
  for (const RungeKuttaTableau& tableau : embedded_tableaux()) {
    INFO(tableau.info.name);
    const double A = 1e-9;
    const Oscillators mixed(A, 1e-3);
    CHECK(Oscillators::error(end_of(mixed.model, mixed.start, tableau.info.name, 2.5, 4), 0, 0, A) < 1e-3);
    // Rounding of coordinates of 1 m is 2e-16 m.
    const Oscillators away(A, A, {1, 0, 0});
    CHECK(Oscillators::error(end_of(away.model, away.start, tableau.info.name, 2.5, 4), 0, 0, A) < 1e-3);
    const Oscillators flying(1, 1, {0, 0, 0}, {0, 0, 10});
    CHECK(Oscillators::error(end_of(flying.model, flying.start, tableau.info.name, 2.5, 4), 0, 0, 1) < 5e-3);
  }
}

TEST_CASE("embedded pairs: a body at rest, and one that a force takes out of rest, cost no more than they move",
          "[sim][integrator][adaptive]") {
  for (const RungeKuttaTableau& tableau : embedded_tableaux()) {
    INFO(tableau.info.name);
    const Model hung({.particles = 2, .springs = {{0, 1}}, .held = {{0, {}}}}, all(2, 1), all(2, 0),
                     {springs(1, 100, 1), std::make_shared<Gravity>(Vec3(0, 0, -9.81))});
    const State rest{0, columns({{0.3, 0.1, 0.7}, {0.3, 0.1, 0.7 - 1.0981}}), Points::Zero(3, 2)};
    Stepper resting(hung, rest, tableau.info.name, {}, 0.1);
    std::size_t substeps = 0;
    for (int n = 0; n < 10; ++n) {
      const StepRecord record = resting.advance();
      REQUIRE(record.status == StepStatus::Ok);
      substeps += record.substeps.size();
    }
    CHECK(substeps <= 20);
    CHECK((resting.state().x - rest.x).norm() < 1e-12);

    // A field that is 0 at first, and one that begins nearly at once: what is exact is known.
    for (const auto& [field, way] : {std::pair<std::string, double>("-x*sin(t)", 1 - std::sin(1.0)),
                                     {"-x*(1 + tanh((t - 0.31)/1e-6))/2", 0.69 * 0.69 / 2}}) {
      INFO(field);
      const Model driven({.particles = 1, .springs = {}, .held = {}}, all(1, 1), all(1, 0),
                         {std::make_shared<FieldPotential>(std::make_shared<AnalyticPotential>(field))});
      const State end = end_of(driven, {0, Points::Zero(3, 1), Points::Zero(3, 1)}, tableau.info.name, 1, 1);
      CHECK(end.x(0, 0) == Approx(way).epsilon(1e-3));
    }
  }
}

TEST_CASE("embedded pairs: the tolerance must be positive", "[sim][integrator][adaptive][error]") {
  CHECK_THROWS_WITH(with_tolerance("heun_euler", 0), Catch::Contains("tolerance: must be > 0"));
  CHECK_THROWS_WITH(with_tolerance("dormand_prince", -1), Catch::Contains("must be > 0"));
}
