#include "sim/check/observed_order.hpp"

#include <cmath>

#include "sim/force/decorated_force.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;

TEST_CASE("integrators: orders and force evaluations measured on exact solutions are those that the registry states",
          "[sim][integrator][order]") {
  for (const auto& info : integrators()) {
    const MeasuredIntegrator measured = measure_integrator(info.name);
    INFO(info.name << ": " << measured.position_order << " and " << measured.velocity_order);
    CHECK(std::lround(measured.position_order) == info.position_order);
    CHECK(std::lround(measured.velocity_order) == info.velocity_order);
    CHECK(std::abs(measured.position_order - info.position_order) < order_margin(info.position_order));
    CHECK(std::abs(measured.velocity_order - info.velocity_order) < order_margin(info.velocity_order));
    CHECK(measured.force_evaluations == info.force_evaluations);
  }
}

TEST_CASE("measured orders: a run that fails has no errors", "[sim][integrator][order]") {
  const KnownMotion motion = oscillator(0);
  std::vector<State> wanted;
  for (int k = 1; k <= 4; ++k) wanted.push_back(motion.exact(1e3 * k));
  CHECK_FALSE(measure_errors({motion.model, motion.initial, 4e3, wanted}, "velocity_verlet", 400));
  CHECK(measure_errors({motion.model, motion.initial, 4e3, wanted}, "implicit_euler", 400));
}

TEST_CASE("counted force: counts what it is asked for and is otherwise the force itself", "[sim][force]") {
  const KnownMotion motion = elliptic_orbit();
  const auto count = std::make_shared<ForceCount>();
  const Model counted = motion.model.with_terms(
      [&](const std::shared_ptr<ForceTerm>& term) { return std::make_shared<CountedForce>(term, count); });
  const auto force = [&](const Model& model) {
    Points f = Points::Zero(3, 2);
    model.add_forces(motion.initial, f, every_term);
    return f;
  };
  REQUIRE(force(motion.model).norm() > 0.1);
  CHECK(force(counted) == force(motion.model));
  CHECK(count->sums == 1);
  CHECK(counted.terms()[0]->energy(counted, motion.initial) ==
        motion.model.terms()[0]->energy(motion.model, motion.initial));
  CHECK(count->products == 0);
  Variation d = Variation::zero(2, counted.values().size());
  d.x.setOnes();
  d.x(0, 0) = 2;
  Points plain = Points::Zero(3, 2), same = plain;
  counted.terms()[0]->add_jvp(counted, motion.initial, d, same);
  motion.model.terms()[0]->add_jvp(motion.model, motion.initial, d, plain);
  CHECK(same == plain);
  CHECK(plain.norm() > 0.1);
  CHECK(count->products == 1);
  CHECK(count->sums == 1);
}
