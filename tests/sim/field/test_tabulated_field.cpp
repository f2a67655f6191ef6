#include "sim/field/tabulated_field.hpp"

#include "sim/core/error.hpp"
#include "sim/force/electric_field.hpp"
#include "sim/model/model.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

using Table = std::shared_ptr<const TabulatedField>;
using Outside = TabulatedField::Outside;

/// φ = 50 s² V at 41 nodes s = −0.2 … 0.2 m along x from `center`: the field −100 s V/m, in which 2 kg with 0.5 C swing
/// with ω = 5/s. (A natural spline is straight at its ends; what that costs falls by 0.27 from node to node and is
/// below 1e-5 of the field where |s| ≤ 0.12 m.)
Table trap(const TabulatedField::Span& span = {}, double center = 0, Outside outside = Outside::Fail) {
  const Vector s = Vector::LinSpaced(41, -0.2, 0.2);
  return std::make_shared<TabulatedField>(
      std::make_shared<LineField>(CubicSpline(s, 50 * s.cwiseAbs2()), LineField::Quantity::Potential,
                                  Vec3(center, 0, 0), Vec3(2, 0, 0)),
      outside, span);
}

Model model(const std::vector<Table>& tables, double charge = 0.5) {
  std::vector<std::shared_ptr<ForceTerm>> terms;
  for (const Table& table : tables) terms.push_back(std::make_shared<ElectricField>(table));
  return {Topology{1, {}, {}}, Vector::Constant(1, 2.0), Vector::Constant(1, charge), terms};
}

State at(double x, double v = 0, double t = 0) { return {t, Points(Vec3(x, 0.3, -0.2)), Points(Vec3(v, 0, 0))}; }

double force(const Model& m, const State& s) {
  Points f = Points::Zero(3, 1);
  for (const auto& term : m.terms()) term->add_force(m, s, f);
  CHECK(f(1) == 0);
  CHECK(f(2) == 0);
  return f(0);
}

/// The trap that is moved by 5 cm at 0.3 s.
std::vector<Table> moved_trap(double time_constant) {
  return {trap({.until = 0.3, .time_constant = time_constant}),
          trap({.from = 0.3, .time_constant = time_constant}, 0.05)};
}

}  // namespace

TEST_CASE("tabulated_field: pulls as the field and has the energy of its potential", "[sim][field]") {
  const Model m = model({trap()});
  CHECK(force(m, at(0.07)) == Approx(-0.5 * 100 * 0.07).epsilon(1e-5));
  const auto energy = [&](double x) { return m.terms()[0]->energy(m, at(x)).value(); };
  CHECK(energy(0.05) - energy(0) == Approx(0.5 * 50 * 0.0025).epsilon(1e-5));
}

TEST_CASE("tabulated_field: a table of the field acts as that of its potential", "[sim][field]") {
  const Vector s = Vector::LinSpaced(41, -0.2, 0.2);
  const auto line =
      std::make_shared<LineField>(CubicSpline(s, -100 * s), LineField::Quantity::Field, Vec3::Zero(), Vec3::UnitX());
  const Model by_field = model({std::make_shared<TabulatedField>(line, Outside::Fail, TabulatedField::Span{})});
  const Model by_potential = model({trap()});
  CHECK(force(by_field, at(0.123)) == Approx(-0.5 * 100 * 0.123).epsilon(1e-13));  // a straight line: rounding
  const auto energy = [](const Model& m, double x) { return m.terms()[0]->energy(m, at(x)).value(); };
  CHECK(energy(by_field, 0.06) - energy(by_field, -0.02) ==
        Approx(energy(by_potential, 0.06) - energy(by_potential, -0.02)).epsilon(1e-5));
}

TEST_CASE("tabulated_field: acts from one time until another, or hands over with a time constant", "[sim][field]") {
  const Model sudden = model(moved_trap(0)), gradual = model(moved_trap(0.2));
  for (const double t : {-5.0, 0.0, 0.2999, 0.3, 0.45, 7.0}) {
    INFO(t);
    const double before = -0.5 * 100 * 0.02, after = 0.5 * 100 * 0.03;
    CHECK(force(sudden, at(0.02, 0, t)) == Approx(t < 0.3 ? before : after).epsilon(1e-5));
    const double risen = t < 0.3 ? 0 : 1 - std::exp(-(t - 0.3) / 0.2);
    CHECK(force(gradual, at(0.02, 0, t)) == Approx(before + risen * (after - before)).epsilon(1e-5));
  }
}

TEST_CASE("tabulated_field: a pulse behind a resistor has the impulse of the circuit, whatever its width",
          "[sim][field]") {
  // τ V' = u − V with V = 0 at first and at last: ∫V dt = ∫u dt, the width of the pulse u.
  const double tau = 0.2, from = 0.3;
  for (const double width : {1e-9 * tau, 0.1 * tau, tau, 10 * tau}) {
    INFO("width " << width / tau << " τ");
    const double until = from + width;
    const Table pulse = trap({.from = from, .until = until, .time_constant = tau});
    const Vec3 x(0.07, 0, 0);
    const double full = trap()->value(x, 0)[0];
    const auto voltage = [&](double t) { return pulse->value(x, t)[0] / full; };
    const double end = 1 - std::exp(-width / tau);
    CHECK(voltage(from) == 0);
    CHECK(voltage(from + width / 3) == Approx(-std::expm1(-width / 3 / tau)).epsilon(1e-6));
    for (const double later : {0.0, 0.3, 1.0, 5.0})
      CHECK(voltage(until + later * tau) == Approx(end * std::exp(-later)).epsilon(1e-6).margin(1e-300));
    const auto integral = [&](double a, double b) {  // Simpson's rule
      const int pieces = 2000;
      double sum = 0;
      for (int k = 0; k < pieces; ++k) {
        const double l = a + (b - a) * k / pieces, r = a + (b - a) * (k + 1) / pieces;
        sum += (r - l) / 6 * (voltage(l) + 4 * voltage((l + r) / 2) + voltage(r));
      }
      return sum;
    };
    CHECK(integral(from, until) + integral(until, until + 40 * tau) == Approx(width).epsilon(1e-6));
  }
}

TEST_CASE("tabulated_field: a particle swings about another center after the switch", "[sim][field]") {
  const double x = 0.04 * std::cos(1.5), v = -0.2 * std::sin(1.5);  // ω = 5/s, at 0.3 s
  const double want = 0.05 + (x - 0.05) * std::cos(1) + v / 5 * std::sin(1);
  const auto error = [&](const char* integrator, Index steps) {
    const Trajectory run = simulate(model(moved_trap(0)), at(0.04),
                                    {.integrator = integrator, .time_step = 0.5 / steps, .steps = steps, .stage = {}});
    return std::abs(run.states.back().x(0, 0) - want);
  };
  // A step ends at the switch, and keeps its second order.
  CHECK(error("velocity_verlet", 500) < 1e-6);
  CHECK(error("velocity_verlet", 500) / error("velocity_verlet", 5000) == Approx(100).epsilon(0.1));
  // Steps of one length: the force evaluation at 0.3 s sees the table after it, half a step too early, by the jump of
  // the acceleration 1.25 m/s² · h/2 in velocity, and sin(1)/5 of that in position.
  CHECK(error("leapfrog", 500) == Approx(1.25 * 0.5e-3 * std::sin(1) / 5).epsilon(0.2));
  CHECK(error("leapfrog", 500) / error("leapfrog", 5000) == Approx(10).epsilon(0.2));
}

TEST_CASE("tabulated_field: a charge that leaves the table ends the run, in every kind of integrator",
          "[sim][field][error]") {
  const Model m = model({trap()});
  for (const char* integrator : {"velocity_verlet", "leapfrog", "rk4", "imex_euler", "imex_midpoint"}) {
    INFO(integrator);  // the amplitude would be 0.4 m, and 0.2 m are passed after 0.1 s
    const Trajectory run =
        simulate(m, at(0, 2), {.integrator = integrator, .time_step = 0.005, .steps = 100, .stage = {}});
    CHECK(run.status != StepStatus::Ok);
    CHECK(run.states.size() < 40);
  }
  CHECK_THROWS_WITH(m.validate(at(0.21)), Catch::Contains("must have a value at every charged particle"));
  CHECK_NOTHROW(m.validate(at(0.19)));
  const Model neutral = model({trap()}, 0);  // without charge there is no force to know
  CHECK(force(neutral, at(0.4)) == 0);
  const Model open = model({trap({}, 0, Outside::Linear)});
  CHECK(force(open, at(0.4)) == Approx(force(open, at(0.2))).epsilon(1e-14));
  CHECK(force(open, at(0.4)) < -9);
}

TEST_CASE("tabulated_field: its strength is a value of the model", "[sim][field]") {
  const Model m = model({trap()});
  Vector values = m.values().data();
  m.values().of(values, m.values().find("electric_field").value())[0] = 1.7;
  CHECK(force(m.with_values(values), at(0.1)) == Approx(1.7 * force(m, at(0.1))).epsilon(1e-14));
}

TEST_CASE("tabulated_field: times and axes that make no sense are rejected", "[sim][field][error]") {
  CHECK_THROWS_WITH(trap({.from = 2, .until = 2}), Catch::Contains("until: must be later than `from`"));
  CHECK_THROWS_WITH(trap({.time_constant = -1}), Catch::Contains("time_constant: must be >= 0 s"));
  const Vector s{{0, 1}};
  CHECK_THROWS_WITH(LineField(CubicSpline(s, s), LineField::Quantity::Potential, Vec3::Zero(), Vec3::Zero()),
                    Catch::Contains("axis: must be a direction"));
}
