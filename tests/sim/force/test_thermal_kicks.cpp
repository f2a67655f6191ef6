#include "sim/core/error.hpp"
#include "sim/force/brownian.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/langevin.hpp"
#include "sim/force/selected_force.hpp"
#include "sim/force/velocity_rescaling.hpp"
#include "sim/model/model.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

constexpr double kT = 0.7;

/// Free particles of masses 0.5 … 1.5 kg, at rest in one place at first; the last one is held.
struct Gas {
  Gas(Index n, std::vector<std::shared_ptr<ForceTerm>> terms)
      : model({.particles = n, .springs = {}, .held = {{n - 1, {}}}}, Vector::LinSpaced(n, 0.5, 1.5), Vector::Zero(n),
              std::move(terms)),
        start{0, Points::Zero(3, n), Points::Zero(3, n)} {}
  Model model;
  State start;

  Trajectory run(Index steps, double h, const IntegratorChoice& integrator = "velocity_verlet") const {
    return simulate(model, start, {.integrator = integrator, .time_step = h, .steps = steps, .stage = {}});
  }
  /// m v²/3 over k_B T, averaged over those that move: 1 ± √(2/(3n)) in equilibrium.
  double temperature(const State& s) const {
    return (s.v.cwiseProduct(s.v) * model.mass()).sum() / (3 * kT * (model.particles() - 1));
  }
};

std::shared_ptr<ForceTerm> still_drag(Vector c) {
  return std::make_shared<LinearDrag>(std::move(c), std::make_shared<UniformField>(Vec3::Zero()));
}

/// n particles, of which one is held, against four standard deviations of their mean.
void check_spreading(Index n) {
  const double c = 5, h = 0.01;  // the slowest particle forgets its velocity in m/c = 0.3 s
  const Gas gas(n, {std::make_shared<Brownian>(kT, Vector::Constant(n, c), 3), still_drag(Vector::Constant(n, c))});
  for (const char* integrator : {"imex_midpoint", "imex_euler"}) {
    INFO(integrator);
    const State end = gas.run(2000, h, integrator).states.back();
    const double t = 20, mean_delay = 0.2;  // of m/c, whose spreading is slower: 6 D (t − 3m/2c + …)
    const double spread = end.x.leftCols(n - 1).squaredNorm() / (n - 1);
    CHECK(spread == Approx(6 * kT / c * (t - 1.5 * mean_delay)).epsilon(4 * std::sqrt(2.0 / (3 * (n - 1)))));
    // Kicks are made once a step, against a drag that acts throughout: T is off by up to h c/(2m) = 5 % of the
    // lightest.
    CHECK(gas.temperature(end) == Approx(1).margin(0.05 + 4 * std::sqrt(2.0 / (3 * (n - 1)))));
  }
}

}  // namespace

TEST_CASE("brownian: a particle that is alone is kicked", "[sim][force]") {
  const auto brownian = std::make_shared<Brownian>(kT, Vector::Constant(1, 2.0), 3);
  const Model one({.particles = 1, .springs = {}, .held = {}}, Vector::Ones(1), Vector::Zero(1), {brownian});
  State s{0, Points::Zero(3, 1), Points::Zero(3, 1)};
  brownian->kick(one, 0.1, 0, s);
  CHECK(s.v.norm() > 0);
}

TEST_CASE("thermal kicks: thermostats with equal seeds push independently, the first as if it were alone",
          "[sim][force]") {
  constexpr Index steps = 400;
  const auto langevin = [] { return std::make_shared<Langevin>(kT, 1e3, 1); };
  const auto brownian = [] { return std::make_shared<Brownian>(kT, Vector::Constant(3, 2.0), 1); };
  const auto kicks_of = [](const std::vector<std::shared_ptr<ForceTerm>>& terms) {
    const Model model({.particles = 3, .springs = {}, .held = {}}, Vector::Ones(3), Vector::Zero(3), terms);
    std::vector<Points> kicks;  // of each term, a column for each step and particle
    for (const auto& term : terms) {
      Points all(3, 3 * steps);
      for (Index n = 0; n < steps; ++n) {
        State s{0, Points::Zero(3, 3), Points::Zero(3, 3)};
        term->as<Kick>()->kick(model, 0.1, n, s);
        all.middleCols(3 * n, 3) = s.v;
      }
      kicks.push_back(all);
    }
    return kicks;
  };
  const auto correlation = [](const auto& a, const auto& b) {
    return a.cwiseProduct(b).sum() / std::sqrt(a.squaredNorm() * b.squaredNorm());
  };
  const std::vector<std::shared_ptr<ForceTerm>> lists[] = {
      {langevin(), langevin(), langevin()}, {brownian(), brownian(), brownian()}, {langevin(), brownian()}};
  for (const auto& list : lists) {
    const std::vector<Points> kicks = kicks_of(list);
    for (std::size_t a = 0; a < kicks.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)  // four standard deviations of the correlation of independent numbers
        CHECK(std::abs(correlation(kicks[a], kicks[b])) < 4 / std::sqrt(9.0 * steps));
  }
  CHECK(kicks_of({langevin(), langevin()})[0] == kicks_of({langevin()})[0]);

  // Of groups {0, 1} and {2}, the first of each.
  const std::vector<std::shared_ptr<ForceTerm>> on_groups{
      std::make_shared<SelectedForce>(std::shared_ptr<ForceTerm>(langevin()), std::vector<Index>{0, 1}),
      std::make_shared<SelectedForce>(std::shared_ptr<ForceTerm>(langevin()), std::vector<Index>{2})};
  const std::vector<Points> kicks = kicks_of(on_groups);
  const Points one = kicks[0](Eigen::all, Eigen::seqN(0, steps, 3)),
               other = kicks[1](Eigen::all, Eigen::seqN(2, steps, 3));
  REQUIRE(one.norm() > 0);
  REQUIRE(other.norm() > 0);
  CHECK(std::abs(correlation(one, other)) < 4 / std::sqrt(3.0 * steps));
}

TEST_CASE("thermal kicks: langevin brings a gas to its temperature, whatever the rate", "[sim][force]") {
  constexpr Index n = 3001;
  const double four_deviations = 4 * std::sqrt(2.0 / (3 * (n - 1)));
  for (const double rate : {0.3, 4.0, 1e6}) {
    INFO(rate);
    const Gas gas(n, {std::make_shared<Langevin>(kT, rate, 5)});
    const State end = gas.run(200, 0.1).states.back();
    CHECK(gas.temperature(end) == Approx(1 - std::exp(-2 * rate * 20)).margin(four_deviations));
    CHECK(end.v.col(n - 1).norm() == 0);  // held
  }
}

TEST_CASE("thermal kicks: langevin without heat is friction alone, exactly", "[sim][force]") {
  Gas gas(3, {std::make_shared<Langevin>(0, 2.0, 1)});
  gas.start.v.leftCols(2) << 1, -2, 3, 0.5, -1, 4;
  CHECK((gas.run(10, 0.1).states.back().v - std::exp(-2.0) * gas.start.v).norm() < 1e-14 * gas.start.v.norm());
}

TEST_CASE("thermal kicks: brownian with drag spreads by Einstein's constant", "[sim][force][slow]") {
  check_spreading(3001);
}

TEST_CASE("thermal kicks: 500 particles with drag spread by Einstein's constant, too", "[sim][force]") {
  check_spreading(501);  // bounds are √6 times as wide as with 3,000
}

TEST_CASE("thermal kicks: brownian with drag is too hot by what the step leaves out, as said", "[sim][force]") {
  // Velocities get half of the kicks, of variance g k_B T/m, shrink by ρ in a step, and get the other half: with g =
  // ch/m the variance of a step's end is g (1 + ρ²)/(1 − ρ²).
  constexpr Index n = 3001;
  const double c = 4, h = 0.2;
  const Gas gas(n, {std::make_shared<Brownian>(kT, Vector::Constant(n, c), 3), still_drag(Vector::Constant(n, c))});
  const Vector g = c * h * gas.model.mass().head(n - 1).cwiseInverse();  // 0.5 … 1.6
  const auto hotter = [&](const std::string& integrator) {
    if (integrator == "imex_midpoint") return (1 + g.array().square() / 4).mean();
    return ((1 + g.array() + g.array().square() / 2) / (1 + g.array() / 2)).mean();
  };
  for (const std::string integrator : {"imex_midpoint", "imex_euler"}) {
    INFO(integrator);
    REQUIRE(hotter(integrator) > 1.2);
    CHECK(gas.temperature(gas.run(200, h, integrator).states.back()) ==
          Approx(hotter(integrator)).epsilon(4 * std::sqrt(2.0 / (3 * (n - 1)))));
  }
}

TEST_CASE("thermal kicks: velocity_rescaling approaches its temperature exponentially", "[sim][force]") {
  const auto excess = [](double time_constant, Index steps) {
    Gas gas(4, {std::make_shared<VelocityRescaling>(kT, time_constant)});
    gas.start.v.leftCols(3) << 1, -2, 3, 0.5, -1, 4, 0.1, 0.2, 0.3;
    return (gas.temperature(gas.run(steps, 0.05).states.back()) - 1) / (gas.temperature(gas.start) - 1);
  };
  CHECK(std::abs(excess(0, 1)) < 1e-14);
  CHECK(excess(0.4, 8) == Approx(std::exp(-1.0)).epsilon(1e-12));
  const Gas at_rest(4, {std::make_shared<VelocityRescaling>(kT, 0)});
  CHECK(at_rest.run(3, 0.1).states.back().v.norm() == 0);  // no factor heats what does not move
}

TEST_CASE("thermal kicks: a resumed run is the uninterrupted one, and a seed is a motion", "[sim][force]") {
  const Gas gas(5, {std::make_shared<Langevin>(kT, 1.0, 8)});
  const Trajectory whole = gas.run(20, 0.1);
  const State half = whole.states[10];
  const EarlierRows rows{whole.energy.front(), whole.energy[10]};
  const Trajectory rest = simulate(
      gas.model, half, {.integrator = "velocity_verlet", .time_step = 0.1, .steps = 20, .stage = {}}, {}, &rows);
  CHECK(rest.states.back().v == whole.states.back().v);
  CHECK(gas.run(20, 0.1).states.back().x == whole.states.back().x);
  const Gas other(5, {std::make_shared<Langevin>(kT, 1.0, 9)});
  CHECK((other.run(20, 0.1).states.back().x - whole.states.back().x).norm() > 0.1);
}

TEST_CASE("thermal kicks: the heat that they give is in the energy book", "[sim][force]") {
  const Vector c = Vector::Constant(40, 0.8);
  for (const auto& bath : {std::shared_ptr<ForceTerm>(std::make_shared<Langevin>(kT, 3.0, 8)),
                           std::shared_ptr<ForceTerm>(std::make_shared<Brownian>(kT, c, 8))}) {
    const EnergyRow end = Gas(40, {bath}).run(30, 0.1).energy.back();
    REQUIRE(end.kinetic > 1);
    CHECK(end.losses[LossKind::Thermostats] == Approx(-end.kinetic));
    CHECK(std::abs(end.numerical) < 1e-12 * end.kinetic);
  }
}

TEST_CASE("thermal kicks: integrators that remember earlier steps reject them, and those that move wrongly by them",
          "[sim][force]") {
  const Gas cold(2, {std::make_shared<VelocityRescaling>(kT, 1.0)}), gas(2, {std::make_shared<Langevin>(kT, 1.0, 8)}),
      medium(2, {std::make_shared<Brownian>(kT, Vector::Ones(2), 8), still_drag(Vector::Ones(2))});
  std::vector<std::string> without_langevin, without_brownian;
  for (const IntegratorInfo& info : integrators()) {
    INFO(info.name);
    if (info.startup_steps > 0) {
      for (const Gas* each : {&cold, &gas, &medium})
        CHECK_THROWS_WITH(each->run(1, 0.1, info.name),
                          Catch::Contains("simulation.integrator: must allow velocities"));
      continue;
    }
    CHECK_NOTHROW(cold.run(1, 0.1, info.name));
    const auto refuses = [&](const Gas& body, const std::string& why) {
      try {
        return !(body.run(1, 0.1, info.name).states.back().v.col(0).norm() > 0);
      } catch (const InvalidArgument& error) {
        CHECK_THAT(error.what(), Catch::Contains(why));
        return true;
      }
    };
    if (refuses(gas, "must be of second order")) without_langevin.push_back(info.name);
    if (refuses(medium, "must move particles before it brakes them")) without_brownian.push_back(info.name);
  }
  CHECK(without_langevin ==
        std::vector<std::string>{"imex_euler", "implicit_euler", "symplectic_euler", "explicit_euler"});
  CHECK(without_brownian == std::vector<std::string>{"symplectic_euler", "xpbd"});
}

TEST_CASE("thermal kicks: a velocity-dependent force sees the velocities after the kick", "[sim][force]") {
  // velocity_verlet remembers the force of the step's end; stale by one kick it would not damp the kick's first half.
  const Gas gas(2, {std::make_shared<Langevin>(kT, 1.0, 8), still_drag(Vector::Constant(2, 2))});
  const State one = gas.run(1, 0.1).states.back(), two = gas.run(2, 0.1).states.back();
  State again = one;
  EarlierRows from;
  from.last.step = 1;
  const Trajectory fresh = simulate(
      gas.model, again, {.integrator = "velocity_verlet", .time_step = 0.1, .steps = 2, .stage = {}}, {}, &from);
  CHECK((fresh.states.back().v - two.v).norm() < 1e-15);
}
