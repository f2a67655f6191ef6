// How particles with a thermostat move: how far they spread, drift and stay near each other.
#include <cmath>
#include <string>

#include "sim/constraint/distance_constraint.hpp"
#include "sim/core/counter_noise.hpp"
#include "sim/core/error.hpp"
#include "sim/field/analytic_field.hpp"
#include "sim/force/brownian.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/field_potential.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/langevin.hpp"
#include "sim/force/selected_force.hpp"
#include "sim/force/velocity_rescaling.hpp"
#include "sim/model/heavy_model.hpp"
#include "sim/model/model.hpp"
#include "sim/run/energy_balance.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

constexpr double heat = 0.7;  // k_B T [J]

using Forces = std::vector<std::shared_ptr<ForceTerm>>;

/// n particles of masses 0.5 … 2 kg at rest in one place.
struct Cloud {
  Cloud(Index n, Forces forces, std::vector<std::shared_ptr<Constraint>> constraints = {})
      : model({.particles = n, .springs = {}, .held = {}}, Vector::LinSpaced(n, 0.5, 2), Vector::Zero(n),
              std::move(forces), std::move(constraints)),
        start{0, Points::Zero(3, n), Points::Zero(3, n)} {}
  Model model;
  State start;
  Trajectory run(Index steps, double h, const IntegratorChoice& integrator) const {
    return simulate(model, start, {.integrator = integrator, .time_step = h, .steps = steps, .stage = {}});
  }
};

/// The integrators that take a thermostat with friction in a model without constraints.
std::vector<std::string> thermal_integrators() {
  std::vector<std::string> names;
  for (const IntegratorInfo& info : integrators())
    if (info.startup_steps == 0 && (info.position_order >= 2 || info.supports.constraints)) names.push_back(info.name);
  return names;
}

/// ⟨x²⟩ of a particle of mass 1 in each direction at time t, started at rest, over k_B T/m (Uhlenbeck and Ornstein
/// 1930).
double spread(double rate, double t) {
  return 2 / (rate * rate) * (rate * t - 1.5 + 2 * std::exp(-rate * t) - 0.5 * std::exp(-2 * rate * t));
}

void check_einstein(Index n, double tolerance) {
  for (const double rate : {0.1, 1.0, 10.0, 100.0}) {
    INFO(rate);  // times the step of 1 s
    const Cloud cloud(n, {std::make_shared<Langevin>(heat, rate, 3)});
    const Index steps = rate < 1 ? 200 : 60;
    const State end = cloud.run(steps, 1, "velocity_verlet").states.back();
    const double mean = (end.x * cloud.model.mass().cwiseSqrt().asDiagonal()).squaredNorm() / (3 * n) / heat;
    CHECK(mean == Approx(spread(rate, steps)).epsilon(tolerance));
  }
}

/// n particles of 2 kg in equilibrium in a trap whose stiffness is a hundredth of m γ/h, for half of the time in which
/// they forget their place. `tolerance` is that of this time.
void check_trap(Index n, double tolerance) {
  constexpr double mass = 2;
  constexpr Index steps = 50;
  const CounterNoise noise(5, 77);
  const double deviations = 4 * std::sqrt(2.0 / (3 * n));
  for (const double rate : {4.0, 40.0}) {  // γ h
    const double k = 0.01 * mass * rate;
    Cloud trapped(n, {std::make_shared<Langevin>(heat, rate, 3),
                      std::make_shared<FieldPotential>(
                          std::make_shared<AnalyticPotential>(std::to_string(k / 2) + "*(x^2 + y^2 + z^2)"))});
    Vector data = trapped.model.values().data();
    data.head(n).setConstant(mass);
    trapped.model = trapped.model.with_values(data);
    for (Index i = 0; i < n; ++i)
      for (int a = 0; a < 3; ++a) {
        trapped.start.x(a, i) = std::sqrt(heat / k) * noise.normal(0, i, a);
        trapped.start.v(a, i) = std::sqrt(heat / mass) * noise.normal(1, i, a);
      }
    // ⟨x(t) x(0)⟩ of the damped oscillator, of two real roots.
    const double gap = std::sqrt(rate * rate / 4 - k / mass), slow = rate / 2 - gap, fast = rate / 2 + gap;
    const double exact = (fast * std::exp(-slow * steps) - slow * std::exp(-fast * steps)) / (fast - slow);
    for (const char* name : {"velocity_verlet", "imex_midpoint"}) {
      INFO(name << " at " << rate);
      const State end = trapped.run(steps, 1, name).states.back();
      CHECK(end.x.squaredNorm() / (3 * n) * k / heat == Approx(1).epsilon(deviations + 0.005));
      CHECK(end.v.squaredNorm() / (3 * n) * mass / heat == Approx(1).epsilon(deviations));
      const double kept = end.x.cwiseProduct(trapped.start.x).sum() / trapped.start.x.squaredNorm();
      CHECK(std::log(kept) == Approx(std::log(exact)).epsilon(tolerance));
    }
  }
}

}  // namespace

TEST_CASE("thermal motion: langevin spreads by Einstein's constant, whatever the rate in a step", "[sim][force]") {
  check_einstein(4000, 4 * std::sqrt(2.0 / 12000));  // four deviations of a mean square: 5 %
}

TEST_CASE("thermal motion: langevin spreads by Einstein's constant within 2 %", "[sim][force][slow]") {
  check_einstein(40000, 0.02);  // four deviations: 1.6 %
}

TEST_CASE("thermal motion: free particles with langevin move alike in every integrator", "[sim][force]") {
  for (const double rate : {0.1, 1.0, 10.0, 100.0}) {
    const Cloud cloud(7, {std::make_shared<Langevin>(heat, rate, 3)});
    const Points end = cloud.run(30, 1, "velocity_verlet").states.back().x;
    for (const std::string& name : thermal_integrators()) {
      INFO(name << " at " << rate);
      CHECK((cloud.run(30, 1, name).states.back().x - end).norm() < 1e-11 * end.norm());  // rounding of 30 steps
    }
  }
}

TEST_CASE("thermal motion: under a constant force particles drift with F/(m γ), whatever the rate in a step",
          "[sim][force]") {
  const double g = 9.81;
  for (const double rate : {0.1, 1.0, 10.0, 100.0}) {
    const Cloud cloud(5, {std::make_shared<Langevin>(0, rate, 3), std::make_shared<Gravity>(Vec3(0, 0, -g))});
    for (const std::string& name : thermal_integrators()) {
      INFO(name << " at " << rate);
      const Index steps = 5 + std::ceil(30 / rate);  // velocities of the start are forgotten to e⁻³⁰
      const Trajectory run = cloud.run(steps, 1, name);
      const Points drift = run.states[steps].x - run.states[steps - 1].x;
      // xpbd moves by a force half a substep ahead, as its page says.
      const double ahead = name == "xpbd" ? 1 + std::tanh(rate / 2) / 10 : 1;
      for (Index i = 0; i < 5; ++i) CHECK(drift(2, i) == Approx(-g / rate * ahead).epsilon(1e-9));
    }
  }
}

TEST_CASE("thermal motion: in a trap langevin keeps spread, heat and the time in which places are forgotten",
          "[sim][force]") {
  check_trap(4000, 0.09);  // four deviations of the logarithm of a correlation: 4 (1 − e⁻¹)/√(3 n e⁻¹)/0.5 = 8 %
}

TEST_CASE("thermal motion: in a trap the time in which places are forgotten is right within 3 %",
          "[sim][force][slow]") {
  check_trap(60000, 0.03);  // four deviations: 2 %; the step adds k h/(2 m γ) = 0.5 %
}

TEST_CASE("thermal motion: velocities of a free gas are forgotten as e^{-γ t}", "[sim][force]") {
  constexpr Index n = 12000;
  for (const double rate : {0.1, 1.0}) {
    const Cloud cloud(n, {std::make_shared<Langevin>(heat, rate, 3)});
    const Index settled = std::ceil(8 / rate), later = std::ceil(0.5 / rate);
    const Trajectory run = cloud.run(settled + later, 1, "velocity_verlet");
    const Points weighted = run.states[settled].v * cloud.model.mass().asDiagonal();
    const double kept =
        weighted.cwiseProduct(run.states.back().v).sum() / weighted.cwiseProduct(run.states[settled].v).sum();
    CHECK(kept == Approx(std::exp(-rate * later)).margin(4 / std::sqrt(3.0 * n)));  // four deviations
  }
}

TEST_CASE("thermal motion: a selection has the thermostat alone, and a rate in time that of its time", "[sim][force]") {
  const Cloud part(4, {std::make_shared<SelectedForce>(std::shared_ptr<ForceTerm>(std::make_shared<Langevin>(0, 50, 3)),
                                                       std::vector<Index>{1, 3}),
                       std::make_shared<Gravity>(Vec3(0, 0, -2))});
  const Trajectory run = part.run(20, 1, "velocity_verlet");
  const Points drift = run.states[20].x - run.states[19].x;
  for (const Index i : {1, 3}) CHECK(drift(2, i) == Approx(-2.0 / 50).epsilon(1e-9));
  for (const Index i : {0, 2}) CHECK(run.states[20].x(2, i) == Approx(-400).epsilon(1e-12));  // free fall

  Cloud all(3, {std::make_shared<Langevin>(heat, 5, 3), std::make_shared<Gravity>(Vec3(0, 0, -2))});
  const Points constant = all.run(12, 1, "imex_midpoint").states.back().x;
  const Index entry = all.model.values().block(*all.model.values().find("langevin_friction_rate")).offset;
  all.model = all.model.with_key_frames({entry}, {0, 6});
  CHECK((all.run(12, 1, "imex_midpoint").states.back().x - constant).norm() < 1e-12 * constant.norm());
  Vector data = all.model.values().data();
  data[data.size() - 1] = 10;  // from 6 s on
  all.model = all.model.with_values(data);
  const Trajectory faster = all.run(200, 1, "imex_midpoint");
  CHECK(HeavyModel().update(all.model, 0, 1));
  CHECK(friction_rates(all.model, 0)[0] == 5);
  CHECK(friction_rates(all.model, 7)[0] == 10);
  CHECK((faster.states[200].x - faster.states[100].x).rowwise().mean()[2] == Approx(-20).epsilon(0.1));  // 2/10 · 100 s
}

TEST_CASE("thermal motion: brownian moves a particle by each impulse over m v/c, or is refused", "[sim][force]") {
  for (const IntegratorInfo& info : integrators())
    for (const double g : {0.1, 1.0}) {
      if (info.startup_steps > 0) continue;
      INFO(info.name << " at " << g);
      const auto drag =
          std::make_shared<LinearDrag>(Vector::Constant(1, g), std::make_shared<UniformField>(Vec3::Zero()));
      const Model braked({.particles = 1, .springs = {}, .held = {}}, Vector::Ones(1), Vector::Zero(1), {drag});
      State start{0, Points::Zero(3, 1), Vec3(1, 0, 0)};
      const RunOptions options{.integrator = info.name, .time_step = 1, .steps = 400, .stage = {}};
      const double way = g * simulate(braked, start, options).states.back().x(0, 0);
      const Model kicked({.particles = 1, .springs = {}, .held = {}}, Vector::Ones(1), Vector::Zero(1),
                         {drag, std::make_shared<Brownian>(heat, Vector::Constant(1, g), 1)});
      bool refused = false;
      try {
        simulate(kicked, start, {.integrator = info.name, .time_step = 1, .steps = 1, .stage = {}});
      } catch (const InvalidArgument&) {
        refused = true;
      }
      CHECK(refused == (std::abs(way - 1) > 1e-6));  // the tolerance of embedded pairs, far below 2 %
    }
}

TEST_CASE("thermal motion: rods answer to random impulses at once, without work", "[sim][force][constraint]") {
  constexpr Index n = 11;
  std::vector<Spring> links;
  for (Index i = 0; i + 1 < n; ++i) links.push_back({i, i + 1});
  const Vector none = Vector::Zero(n - 1);
  Cloud chain(n, {std::make_shared<Langevin>(heat, 0.5, 3)},
              {std::make_shared<DistanceConstraint>(links, Vector::Ones(n - 1), none, none, Vector())});
  for (Index i = 0; i < n; ++i) chain.start.x.col(i) = Vec3(i, 0, 0);
  const Trajectory run = chain.run(6000, 0.005, "xpbd");
  double kinetic = 0;
  for (std::size_t k = 2000; k < run.energy.size(); ++k) kinetic += run.energy[k].kinetic / (run.energy.size() - 2000);
  const double freedoms = 3 * n - (n - 1);
  CHECK(kinetic == Approx(0.5 * freedoms * heat).epsilon(4 * std::sqrt(2 / (freedoms * 10))));  // 20 s at 0.5/s
  CHECK(energy_balance(run.energy).max < 0.1);  // what makes a run doubtful; of impulses that rods took it was 1
  const State& end = run.states.back();
  for (const Spring& link : links)
    CHECK(std::abs((end.x.col(link.i) - end.x.col(link.j)).dot(end.v.col(link.i) - end.v.col(link.j))) <
          0.02 * std::sqrt(heat));  // xpbd's own velocities are this far from the rods
}

TEST_CASE("thermal motion: velocity_rescaling leaves a body its flight", "[sim][force]") {
  Cloud drop(6, {std::make_shared<VelocityRescaling>(heat, 0.3)});
  const CounterNoise noise(5, 78);
  for (Index i = 0; i < 6; ++i) drop.start.v.col(i) = Vec3(3, noise.normal(0, i, 1), noise.normal(0, i, 2));
  const auto m = drop.model.mass();
  const Vec3 flight = drop.start.v * m / m.sum();
  const State end = drop.run(100, 0.1, "velocity_verlet").states.back();
  CHECK((end.v * m / m.sum() - flight).norm() < 1e-13 * flight.norm());
  const Points own = end.v.colwise() - flight;
  CHECK((own.cwiseProduct(own) * m).sum() == Approx(3 * 5 * heat).epsilon(1e-9));
}
