// A uniform electric field that is switched: exact motions, and what its settings forbid.
#include "sim/force/switched_field.hpp"

#include "sim/core/error.hpp"
#include "sim/force/drag.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

const Vec3 field(0, 0, 300);
const SwitchedField::Course twice{Vector{{0.5, 2.0, -1.0}}, Vector{{0.4, 1.1}}, 0.2};  // on, and back

Model charged(const SwitchedField::Course& course, double mass, double charge, double drag) {
  std::vector<std::shared_ptr<ForceTerm>> terms{std::make_shared<SwitchedField>(field, course)};
  if (drag > 0)
    terms.push_back(
        std::make_shared<LinearDrag>(Vector::Constant(1, drag), std::make_shared<UniformField>(Vec3::Zero())));
  return Model({.particles = 1, .springs = {}, .held = {}}, Vector::Constant(1, mass), Vector::Constant(1, charge),
               terms);
}

State run_to(const Model& model, const std::string& integrator, double step, double end) {
  const auto steps = static_cast<Index>(std::llround(end / step));
  return simulate(model, {0, Points::Zero(3, 1), Points::Zero(3, 1)},
                  {.integrator = integrator, .time_step = step, .steps = steps, .every = steps, .stage = {}})
      .states.back();
}

}  // namespace

TEST_CASE("switched field: a free charge moves as by the integrals of its factor", "[sim][force]") {
  const double m = 0.3, q = 2e-3, a = q * field[2] / m, end = 1.9;
  // After each rise ϑ, v is that of a jump, and x that of a jump and a Δf ϑ²/56, the variance ϑ²/28 of its slope
  // halved.
  double v = twice.factors[0] * end, x = twice.factors[0] * end * end / 2;
  for (Index k = 0; k < 2; ++k) {
    const double jump = twice.factors[k + 1] - twice.factors[k], since = end - twice.times[k];
    v += jump * since;
    x += jump * (since * since / 2 + twice.rise * twice.rise / 56);
  }
  const State s = run_to(charged(twice, m, q, 0), "rk4", 1e-3, end);
  CHECK(s.v(2, 0) == Approx(a * v).epsilon(1e-9));
  CHECK(s.x(2, 0) == Approx(a * x).epsilon(1e-9));
}

TEST_CASE("switched field: in a medium that forgets velocities at once, a charge moves at the speed of the field",
          "[sim][force]") {
  const double m = 1e-5, q = 2e-3, c = 0.1, end = 1.9, speed = q * field[2] / c, memory = m / c;
  REQUIRE(memory < 1e-2 * twice.rise);
  double way = twice.factors[0] * (end - memory);
  for (Index k = 0; k < 2; ++k) way += (twice.factors[k + 1] - twice.factors[k]) * (end - twice.times[k] - memory);
  // At ten steps in a rise, wherever the switches lie in a step.
  for (const double shift : {0.0, 0.003, 0.011, 0.017}) {
    SwitchedField::Course moved = twice;
    moved.times.array() += shift;
    const State s = run_to(charged(moved, m, q, c), "imex_midpoint", 0.02, end);
    const double expected = speed * (way - shift * (twice.factors[2] - twice.factors[0]));
    CHECK(s.x(2, 0) == Approx(expected).epsilon(2e-3));
  }
}

TEST_CASE("switched field: one factor for each span, times in order, and a rise that steps resolve",
          "[sim][force][error]") {
  const auto made = [](Vector factors, Vector times, double rise) {
    return [=] { SwitchedField(field, {factors, times, rise}); };
  };
  CHECK_THROWS_AS(made(Vector{{0, 1}}, Vector{{1, 2}}, 0.1)(), InvalidArgument);
  CHECK_THROWS_AS(made(Vector{{0, 1, 0}}, Vector{{2, 1}}, 0.1)(), InvalidArgument);
  CHECK_THROWS_AS(made(Vector{{0, 1, 0}}, Vector{{1, 1.05}}, 0.1)(), InvalidArgument);
  CHECK_THROWS_AS(made(Vector{{0, 1}}, Vector{{1}}, 0.0)(), InvalidArgument);
  CHECK_NOTHROW(made(Vector{{0, 1, 0}}, Vector{{1, 1.1}}, 0.1)());
  const Model model = charged(twice, 1, 1, 0);
  CHECK_NOTHROW(require_resolved_rise(model.values(), twice.rise / 4));
  CHECK_THROWS_AS(require_resolved_rise(model.values(), twice.rise / 3.9), InvalidArgument);
}
