#include "sim/force/applied_force.hpp"

#include "sim/force/selected_force.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

Points force_on_three(std::shared_ptr<ForceTerm> term, double t = 0) {
  const Model model({.particles = 3, .springs = {}, .held = {}}, Vector::Ones(3), Vector::Zero(3), {std::move(term)});
  Points f = Points::Zero(3, 3);
  model.add_forces({t, Points::Zero(3, 3), Points::Zero(3, 3)}, f, every_term);
  return f;
}

}  // namespace

TEST_CASE("applied_force: on each particle, or a total shared by the selected ones", "[sim][force]") {
  const Vec3 F(3, -6, 9);
  using On = AppliedForce::On;
  CHECK(force_on_three(std::make_shared<AppliedForce>(On::Each, F)) == F.replicate(1, 3));
  CHECK(force_on_three(std::make_shared<AppliedForce>(On::Total, F)) == (F / 3).replicate(1, 3));
  const std::shared_ptr<ForceTerm> total = std::make_shared<AppliedForce>(On::Total, F);
  Points want = Points::Zero(3, 3);
  want.col(0) = want.col(2) = F / 2;
  CHECK(force_on_three(std::make_shared<SelectedForce>(total, std::vector<Index>{0, 2})) == want);
}

TEST_CASE("applied_force: a function of time drives a mass as its integrals say", "[sim][force][order]") {
  // F = 3 sin 2t: v = 3/(2m) (1 − cos 2t), x = 3/(2m) (t − sin(2t)/2).
  const double m = 0.7;
  const auto shake = std::make_shared<VectorInTime>(std::array<std::string, 3>{"3*sin(2*t)", "0", "0"});
  const Model model({.particles = 1, .springs = {}, .held = {}}, Vector::Constant(1, m), Vector::Zero(1),
                    {std::make_shared<AppliedForce>(AppliedForce::On::Each, shake)});
  const State start{0, Points::Zero(3, 1), Points::Zero(3, 1)};
  for (const char* integrator : {"imex_midpoint", "velocity_verlet", "theta"}) {
    const auto error = [&](Index steps) {
      const State end =
          simulate(model, start, {.integrator = integrator, .time_step = 1.6 / steps, .steps = steps, .stage = {}})
              .states.back();
      return std::abs(end.x(0, 0) - 1.5 / m * (1.6 - std::sin(3.2) / 2));
    };
    INFO(integrator << " " << error(100) << " " << error(200));
    CHECK(std::log2(error(100) / error(200)) == Approx(2).margin(0.1));
  }
  const Trajectory t = simulate(model, start, {.integrator = "rk4", .time_step = 0.02, .steps = 80, .stage = {}});
  CHECK(t.energy.back().losses[LossKind::Drivers] == Approx(-t.energy.back().kinetic).epsilon(1e-6));  // it does work
}

TEST_CASE("applied_force: an expression without a value at the start is rejected", "[sim][force][error]") {
  const auto none = std::make_shared<VectorInTime>(std::array<std::string, 3>{"1/t", "0", "0"});
  const Model model({.particles = 1, .springs = {}, .held = {}}, Vector::Ones(1), Vector::Zero(1),
                    {std::make_shared<AppliedForce>(AppliedForce::On::Each, none)});
  CHECK_THROWS_WITH(model.validate({0, Points::Zero(3, 1), Points::Zero(3, 1)}),
                    Catch::Contains("forces.applied_force: must have a finite value at the start"));
}
