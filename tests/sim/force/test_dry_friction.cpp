#include "sim/force/dry_friction.hpp"

#include "sim/kernel/dry_friction.hpp"
#include "sim/model/model.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

Trajectory slide(const Model& model, const State& from, const std::string& integrator, double duration, Index steps) {
  return simulate(model, from, {.integrator = integrator, .time_step = duration / steps, .steps = steps, .stage = {}});
}

}  // namespace

TEST_CASE("dry_friction: far above the smooth speed the force is constant, far below it is linear", "[sim][force]") {
  const Model model({.particles = 1, .springs = {}, .held = {}}, Vector::Ones(1), Vector::Zero(1),
                    {std::make_shared<DryFriction>(Vector::Constant(1, 0.3), 0.01)});
  const auto force = [&](const Vec3& v) {
    Points f = Points::Zero(3, 1);
    model.terms()[0]->add_force(model, {0, Points::Zero(3, 1), Points(v)}, f);
    return Vec3(f.col(0));
  };
  const Vec3 e = Vec3(2, -1, 2) / 3;
  CHECK((force(5 * e) + 0.3 * e).norm() < 1e-15);           // tanh 500 is 1
  CHECK((force(1e-6 * e) + 30 * 1e-6 * e).norm() < 1e-12);  // tanh a = a − a³/3, a = 1e-4
  CHECK(force(Vec3::Zero()).isZero(0));
}

TEST_CASE("dry_friction: its flow is exact where sinh overflows, and where it does not", "[sim][force]") {
  for (const double a : {1e-9, 0.3, 5.0, 19.9, 20.1, 25.0, 900.0})
    for (const double b : {1e-6, 0.5, 4.9, 24.0, 899.0, 3000.0}) {
      INFO(a << " " << b);
      // log sinh a′ = log sinh a − b, written so that nothing overflows.
      const auto log_sinh = [](double z) { return z + std::log(-std::expm1(-2 * z) / 2); };
      const double after = kernel::dry_friction_flow(a, b);
      CHECK(after <= a);
      if (after > 1e-300) CHECK(log_sinh(after) == Approx(log_sinh(a) - b).epsilon(1e-13).margin(1e-13));
    }
}

TEST_CASE("dry_friction: a mass on a spring loses 4 f/k of its amplitude in a period", "[sim][force]") {
  // Coulomb's result for s → 0; with s a thousandth of the speeds the loss falls short by about s/(ωA).
  const double k = 40, m = 0.5, f = 0.2, period = 2 * M_PI / std::sqrt(k / m), amplitude = 0.3;
  const Model model({.particles = 2, .springs = {{0, 1}}, .held = {{0, {}}}}, Vector::Constant(2, m), Vector::Zero(2),
                    {tests::springs(1, k, 1), std::make_shared<DryFriction>(Vector::Constant(2, f), 2e-3)});
  const State start{0, tests::columns({{0, 0, 0}, {1 + amplitude, 0, 0}}), Points::Zero(3, 2)};
  for (const char* integrator : {"imex_midpoint", "velocity_verlet", "rk4"}) {
    INFO(integrator);
    const State end = slide(model, start, integrator, 3 * period, 6000).states.back();
    CHECK(end.x(0, 1) - 1 == Approx(amplitude - 3 * 4 * f / k).margin(0.005 * amplitude));
  }
}

TEST_CASE("dry_friction: a weight that it can hold creeps at the speed where it balances", "[sim][force]") {
  // f tanh(v/s) = m g sin α: v = s artanh(m g sin α/f), reached exponentially.
  const double m = 0.7, f = 2, pull = 1.2, s = 0.01;
  const Model model(
      {.particles = 1, .springs = {}, .held = {}}, Vector::Constant(1, m), Vector::Zero(1),
      {std::make_shared<Gravity>(Vec3(pull / m, 0, 0)), std::make_shared<DryFriction>(Vector::Constant(1, f), s)});
  const State start{0, Points::Zero(3, 1), Points::Zero(3, 1)};
  const auto creep = [&](Index steps) {
    return slide(model, start, "imex_midpoint", 0.2, steps).states.back().v(0, 0);
  };
  CHECK(creep(4000) == Approx(s * std::atanh(pull / f)).epsilon(1e-3));  // kicks in turn: an error of order h²
}
