#include "sim/force/newtonian_gravity.hpp"

#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/coulomb/fmm/fmm_coulomb_sum.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/model/model.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

Points sum_of_forces(const Model& model, const State& s) {
  Points f = Points::Zero(3, model.particles());
  model.terms()[0]->add_force(model, s, f);
  return f;
}

}  // namespace

TEST_CASE("newtonian_gravity: the Earth's year", "[sim][force]") {
  // Kepler's third law, T² = 4π² a³/(G (M + m)).
  const double M = 1.98841e30, m = 5.9722e24, a = 1.495978707e11,
               speed = std::sqrt(NewtonianGravity::nature * (M + m) / a);
  const double year = 2 * M_PI * a / speed;
  CHECK(year == Approx(365.25 * 86400).epsilon(1e-3));  // what is left is of the rounded constants
  const Model model({.particles = 2, .springs = {}, .held = {}}, Vector{{M, m}}, Vector::Zero(2),
                    {std::make_shared<NewtonianGravity>(std::make_shared<DirectCoulombSum>())});
  const State start{0, tests::columns({{0, 0, 0}, {a, 0, 0}}),
                    tests::columns({{0, -speed * m / (M + m), 0}, {0, speed * M / (M + m), 0}})};
  const Trajectory run =
      simulate(model, start, {.integrator = "rk4", .time_step = year / 2000, .steps = 2000, .stage = {}});
  // The method's phase error after one turn is 2π (2π/2000)⁴/120 = 5e-12.
  CHECK((run.states.back().x - start.x).norm() < 1e-10 * a);
  CHECK(run.energy.back().interaction == Approx(-NewtonianGravity::nature * M * m / a).epsilon(1e-9));
}

TEST_CASE("newtonian_gravity: is Coulomb's law with the sign turned, by every method", "[sim][force]") {
  constexpr Index n = 300;
  State s{0, Points(3, n), Points::Zero(3, n)};
  for (Index k = 0; k < s.x.size(); ++k) s.x.data()[k] = std::sin(1.7 * (k * k) + 0.3);
  const Vector w = Vector::LinSpaced(n, 0.5, 2.5);
  const Topology topology{.particles = n, .springs = {}, .held = {}};
  const Model charged(topology, Vector::Ones(n), w,
                      {std::make_shared<CoulombForce>(std::make_shared<DirectCoulombSum>())});
  const Points coulomb = sum_of_forces(charged, s);
  for (const char* method : {"direct", "fmm"}) {
    INFO(method);
    CoulombOptions options;
    options.method = method;
    options.tolerance = 1e-9;
    const Model heavy(topology, w, Vector::Zero(n),
                      {std::make_shared<NewtonianGravity>(make_coulomb_sum(options), coulomb_constant)});
    CHECK((sum_of_forces(heavy, s) + coulomb).norm() <
          (std::string(method) == "direct" ? 1e-14 : 1e-9) * coulomb.norm());
    CHECK(*heavy.terms()[0]->energy(heavy, s) == Approx(-*charged.terms()[0]->energy(charged, s)).epsilon(1e-9));
  }
}

TEST_CASE("newtonian_gravity: masses in one place are rejected", "[sim][force][error]") {
  const Model model({.particles = 2, .springs = {}, .held = {}}, Vector::Ones(2), Vector::Zero(2),
                    {std::make_shared<NewtonianGravity>(std::make_shared<DirectCoulombSum>())});
  CHECK_THROWS_WITH(model.validate({0, Points::Zero(3, 2), Points::Zero(3, 2)}),
                    Catch::Contains("forces.newtonian_gravity: needs masses at different positions"));
}
