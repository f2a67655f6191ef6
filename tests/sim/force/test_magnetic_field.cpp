#include "sim/force/magnetic_field.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "sim/force/electric_field.hpp"
#include "sim/kernel/rotation.hpp"
#include "sim/model/model.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

const Vec3 ion_field(0.3, -0.2, 0.6);           // [T]
const double ion_mass = 0.8, ion_charge = 2.0;  // [kg], [C]: some turns per second
const double ion_rate = ion_charge / ion_mass * ion_field.norm();

Model charged_in_field(std::vector<std::shared_ptr<ForceTerm>> more = {}) {
  more.push_back(std::make_shared<MagneticField>(std::make_shared<UniformField>(ion_field)));
  return Model({.particles = 1, .springs = {}, .held = {}}, Vector::Constant(1, ion_mass),
               Vector::Constant(1, ion_charge), std::move(more));
}

/// A start on a circle: the velocity is across B.
State on_circle() {
  const Vec3 across = ion_field.cross(Vec3(1, 1, 0)).normalized();
  return {0, Points(Vec3(0.4, -0.1, 0.2)), Points(1.7 * across)};
}

Trajectory gyrate(const Model& model, const State& from, const std::string& integrator, double angle, Index steps) {
  return simulate(model, from,
                  {.integrator = integrator, .time_step = angle / ion_rate / steps, .steps = steps, .stage = {}});
}

}  // namespace

TEST_CASE("magnetic_field: the force is q v × B, across both", "[sim][force]") {
  const Model model = charged_in_field();
  Points f = Points::Zero(3, 1);
  const Vec3 v(1, 2, -1);
  model.terms()[0]->add_force(model, {0, Points::Zero(3, 1), Points(v)}, f);
  CHECK((Vec3(f.col(0)) - ion_charge * Vec3(2 * 0.6 - 1 * 0.2, -0.3 - 0.6, -0.2 - 0.6)).norm() < 1e-15);
  CHECK(std::abs(f.col(0).dot(v)) < 1e-15);
}

TEST_CASE("magnetic_field: an integrator that splits preserves the speed at any step", "[sim][force][conservation]") {
  for (const double angle : {0.01, 0.7, 3.0, 50.0, 1e4}) {
    INFO("turn in a step: " << angle);
    const State start{0, Points(Vec3(0.4, -0.1, 0.2)), Points(Vec3(0.5, 1.5, -0.7))};
    const Trajectory t = gyrate(charged_in_field(), start, "imex_midpoint", 200 * angle, 200);
    double worst = 0;
    for (const State& s : t.states) worst = std::max(worst, std::abs(s.v.norm() / start.v.norm() - 1));
    CHECK(worst < 1e-12);
  }
}

TEST_CASE("magnetic_field: radius and phase have the integrator's order", "[sim][force][order]") {
  // On a circle the position after one turn is that at the start; the center is x + v × B m/(q B²).
  const State start = on_circle();
  const double radius = start.v.norm() / ion_rate;
  const Vec3 center =
      start.x.col(0) + Vec3(start.v.col(0)).cross(ion_field) / ion_field.norm() * (radius / start.v.norm());
  struct Errors {
    double radius, phase;
  };
  const auto errors = [&](const std::string& integrator, Index steps) {
    const State end = gyrate(charged_in_field(), start, integrator, 2.0, steps).states.back();
    const Vec3 from = start.x.col(0) - center, to = end.x.col(0) - center;
    const double turned = std::atan2(ion_field.normalized().dot(to.cross(from)), from.dot(to));
    return Errors{std::abs(to.norm() - radius) / radius, std::abs(turned - 2.0)};
  };
  for (const auto& [integrator, order] : std::vector<std::pair<std::string, int>>{{"imex_midpoint", 2},
                                                                                  {"velocity_verlet", 2},
                                                                                  {"leapfrog", 2},
                                                                                  {"theta", 2},
                                                                                  {"imex_bdf2", 2},
                                                                                  {"rk4", 4},
                                                                                  {"imex_euler", 1}}) {
    const Index steps = order == 1 ? 400 : order == 2 ? 80 : 40;
    const Errors coarse = errors(integrator, steps), fine = errors(integrator, 2 * steps);
    INFO(integrator << ": radius " << coarse.radius << " and " << fine.radius << ", phase " << coarse.phase << " and "
                    << fine.phase);
    const auto order_of = [](double a, double b) { return std::log2(a / b); };
    REQUIRE(fine.radius + fine.phase > 1e-12);
    // Each error is zero for some integrators, by symmetry, or of a higher order.
    if (fine.radius > 1e-12) CHECK(order_of(coarse.radius, fine.radius) > order - 0.1);
    if (fine.phase > 1e-12) CHECK(order_of(coarse.phase, fine.phase) > order - 0.1);
    CHECK(order_of(coarse.radius + coarse.phase, fine.radius + fine.phase) < order + 1.1);
  }
}

TEST_CASE("magnetic_field: a charge drifts across an electric field with E × B/B²", "[sim][force]") {
  const Vec3 E = 0.4 * ion_field.cross(Vec3(0.2, 1, 0.3));  // [V/m], across B
  const Vec3 drift = E.cross(ion_field) / ion_field.squaredNorm();
  const State start{0, Points::Zero(3, 1), Points::Zero(3, 1)};
  const Model model = charged_in_field({std::make_shared<ElectricField>(std::make_shared<UniformField>(E))});
  for (const char* integrator : {"imex_midpoint", "rk4", "velocity_verlet"}) {
    INFO(integrator);
    const auto mean = [&](Index steps) {  // over three whole turns
      const State end = gyrate(model, start, integrator, 6 * M_PI, steps).states.back();
      return Vec3((end.x.col(0) - start.x.col(0)) / end.t);
    };
    CHECK((mean(3000) - drift).norm() < 1e-4 * drift.norm());
    CHECK((mean(6000) - drift).norm() < 0.3 * (mean(3000) - drift).norm() + 1e-12 * drift.norm());
  }
}

TEST_CASE("magnetic_field: its work is not booked, so that an error of the integrator shows", "[sim][force][energy]") {
  const Model model = charged_in_field();
  const Trajectory splitting = gyrate(model, on_circle(), "imex_midpoint", 60, 100);
  const Trajectory predicted = gyrate(model, on_circle(), "velocity_verlet", 60, 100);
  for (const Trajectory* t : {&splitting, &predicted}) CHECK(t->energy.back().losses.sum() == 0);
  CHECK(std::abs(splitting.energy.back().numerical) < 1e-12 * splitting.energy.front().kinetic);
  const double gained = predicted.energy.back().kinetic - predicted.energy.front().kinetic;
  REQUIRE(gained > 0.1 * predicted.energy.front().kinetic);  // (ωh)⁴/4 of it in each step
  CHECK(predicted.energy.back().numerical == Approx(-gained).epsilon(1e-12));
}

TEST_CASE("magnetic_field: a charge outside a field's domain is rejected", "[sim][force][error]") {
  class Nowhere final : public VectorField {
   public:
    Vec3 value(const Vec3&, double) const override { return Vec3::Constant(NAN); }
    Mat3 jacobian(const Vec3&, double) const override { return Mat3::Constant(NAN); }
  };
  const Model model({.particles = 2, .springs = {}, .held = {}}, Vector::Ones(2), Vector{{0, 1}},
                    {std::make_shared<MagneticField>(std::make_shared<Nowhere>())});
  CHECK_THROWS_WITH(model.validate({0, Points::Zero(3, 2), Points::Zero(3, 2)}),
                    Catch::Contains("forces.magnetic_field: must have a value at every charged particle") &&
                        Catch::Contains("particle 1"));
}

TEST_CASE("rotation: exact for any angle, with its derivative", "[sim][kernel][fd]") {
  const Vec3 axis = Vec3(2, -1, 2) / 3, v(0.3, -0.7, 1.1), d(0.4, 0.2, -0.9);
  for (const double angle : {0.0, 1e-9, 1e-3, 0.09, 0.11, 2.0, 40.0}) {
    INFO(angle);
    const Vec3 phi = angle * axis, turned = kernel::rotate(phi, v);
    CHECK((turned - Eigen::AngleAxisd(angle, axis) * v).norm() < 1e-14);
    const auto at = [&](double e) { return kernel::rotate(phi + e * d, v); };
    const Vec3 want = (8 * (at(1e-3) - at(-1e-3)) - (at(2e-3) - at(-2e-3))) / 12e-3;
    const Vec3 got = kernel::turn_by_change(phi, d).cross(turned);
    CHECK((got - want).norm() < 1e-10);  // fifth derivatives near 1, times (1e-3)⁴, and rounding
    CHECK(kernel::turn_by_change(phi, d).dot(v) ==
          Approx(d.dot(kernel::turn_by_change(-phi, v))).epsilon(1e-13));  // the transpose
  }
}
