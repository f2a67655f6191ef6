#include "sim/force/lennard_jones.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include "sim/kernel/lennard_jones.hpp"
#include "sim/model/model.hpp"
#include "sim/neighbors/neighbor_registry.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

Model lennard_jones_model(Index n, double epsilon, double sigma, double cutoff, const std::string& method = "auto",
                          double skin = 0) {
  return {{.particles = n, .springs = {}, .held = {}},
          Vector::Ones(n),
          Vector::Zero(n),
          {std::make_shared<LennardJones>(epsilon, sigma, PairRange{cutoff, make_neighbor_search(method, skin)})}};
}

State pair_at(double r) { return {0, Points{{0.1, 0.1 + r}, {0, 0}, {0, 0}}, Points::Zero(3, 2)}; }

/// Twelve particles at the corners of an icosahedron of this radius, around one.
State icosahedron(double radius) {
  constexpr double p = std::numbers::phi;
  Points x(3, 13);
  x.col(0).setZero();
  Index i = 1;
  for (const double a : {-1.0, 1.0})
    for (const double b : {-p, p}) {
      x.col(i++) << 0, a, b;
      x.col(i++) << a, b, 0;
      x.col(i++) << b, 0, a;
    }
  return {0, radius / std::sqrt(1 + p * p) * x, Points::Zero(3, 13)};
}

/// 108 particles of a face-centered cubic crystal that fly apart at the edges: pairs come and go.
State hot_crystal() {
  State s{0, Points(3, 108), Points(3, 108)};
  for (Index i = 0; i < 108; ++i) {
    const Index cell = i / 4, k = i % 4;
    s.x.col(i) << (cell % 3) + (k == 1 || k == 2 ? 0.5 : 0), (cell / 3 % 3) + (k == 1 || k == 3 ? 0.5 : 0),
        (cell / 9) + (k == 2 || k == 3 ? 0.5 : 0);
  }
  s.x *= 1.6;
  std::mt19937_64 generator(5);
  std::uniform_real_distribution<double> speed(-2, 2);
  for (double& entry : s.v.reshaped()) entry = speed(generator);
  return s;
}

Trajectory lennard_jones_run(const Model& model, const State& initial, double h, Index steps) {
  return simulate(model, initial,
                  {.integrator = "velocity_verlet", .time_step = h, .steps = steps, .every = 1, .stage = {}});
}

}  // namespace

TEST_CASE("lennard_jones: the law of a pair, by hand", "[sim][force]") {
  const double epsilon = 0.7, sigma = 1.3, cutoff = 3;
  const Model model = lennard_jones_model(2, epsilon, sigma, cutoff);
  const auto force = [&](double r) {
    Points f = Points::Zero(3, 2);
    model.terms()[0]->add_force(model, pair_at(r), f);
    CHECK(f.col(0) == -f.col(1));
    CHECK(f.bottomRows(2).isZero(0));
    return f(0, 1);  // > 0: away from each other
  };
  const auto energy = [&](double r) { return model.terms()[0]->energy(model, pair_at(r)).value(); };
  const double beyond = 4 * epsilon * (std::pow(sigma / cutoff, 12) - std::pow(sigma / cutoff, 6));
  CHECK(force(sigma) == Approx(24 * epsilon / sigma).epsilon(1e-13));
  CHECK(energy(sigma) == Approx(-beyond).epsilon(1e-12));
  const double bottom = std::pow(2, 1.0 / 6) * sigma;
  CHECK(std::abs(force(bottom)) < 1e-13 * 24 * epsilon / sigma);
  CHECK(energy(bottom) == Approx(-epsilon - beyond).epsilon(1e-13));
  // The two limits: r⁻¹³ inside, the attraction 24ε σ⁶/r⁷ outside; the energy vanishes at the cut-off, the force jumps.
  CHECK(force(0.01 * sigma) == Approx(48 * epsilon / sigma * 1e26).epsilon(1e-11));
  CHECK(force(0.999999 * cutoff) == Approx(-24 * epsilon * std::pow(sigma, 6) / std::pow(cutoff, 7)).epsilon(0.02));
  CHECK(std::abs(energy(cutoff * (1 - 1e-9))) < 1e-8 * epsilon);
  CHECK(force(cutoff * (1 + 1e-9)) == 0);
  CHECK(energy(cutoff * (1 + 1e-9)) == 0);
}

TEST_CASE("lennard_jones: the icosahedron of thirteen has the known least energy", "[sim][force][reference]") {
  const Model model = lennard_jones_model(13, 1, 1, 100);
  const auto energy = [&](double radius) { return model.terms()[0]->energy(model, icosahedron(radius)).value(); };
  // The bottom of a parabola through three radii, narrowed down until its cubic error is below 1e-6.
  double radius = 1.08;
  for (const double step : {1e-2, 1e-3, 1e-4}) {
    const double below = energy(radius - step), here = energy(radius), above = energy(radius + step);
    radius += step / 2 * (below - above) / (below - 2 * here + above);
  }
  CHECK(radius == Approx(1.0818).epsilon(1e-4));
  // −44.326801 of D. J. Wales and J. P. K. Doye, J. Phys. Chem. A 101 (1997) 5111; the shift is 78 · 4e-12.
  CHECK(energy(radius) == Approx(-44.326801).epsilon(2e-8));
  Points f = Points::Zero(3, 13);
  model.terms()[0]->add_force(model, icosahedron(radius), f);
  CHECK(f.norm() < 1e-3);  // of forces between pairs near 1
}

TEST_CASE("lennard_jones: a motion does not depend on how neighbors are found, to the last bit",
          "[sim][force][equivalence]") {
  const State initial = hot_crystal();
  const Index n = initial.x.cols();
  const auto end_of = [&](const std::string& method, double skin) {
    const Trajectory run = lennard_jones_run(lennard_jones_model(n, 1, 1, 2.5, method, skin), initial, 0.005, 100);
    REQUIRE(run.status == StepStatus::Ok);
    return run;
  };
  const Trajectory want = end_of("brute_force", 0);
  REQUIRE((want.states.back().x - initial.x).norm() > 1);
  for (const NeighborMethod& method : neighbor_methods())
    for (const double skin : {0.0, 0.1, 0.6}) {
      INFO(method.name << ", skin " << skin);
      const Trajectory got = end_of(method.name, skin);
      CHECK(got.states.back().x == want.states.back().x);
      CHECK(got.states.back().v == want.states.back().v);
      CHECK(got.energy.back().total() == want.energy.back().total());
    }
}

TEST_CASE("lennard_jones: velocity_verlet keeps a cluster's energy to second order and without drift",
          "[sim][force][conservation]") {
  State initial = icosahedron(1.0818);
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> speed(-0.5, 0.5);
  for (double& entry : initial.v.reshaped()) entry = speed(generator);
  const Model model = lennard_jones_model(13, 1, 1, 4, "auto", 0.5);
  const auto errors = [&](double h) {
    const auto steps = static_cast<Index>(std::lround(20 / h));
    const Trajectory run = lennard_jones_run(model, initial, h, steps);
    REQUIRE(run.status == StepStatus::Ok);
    double worst = 0, early = 0, late = 0;
    for (Index k = 0; k <= steps; ++k) {
      const double error = run.energy[k].total() - run.energy[0].total();
      worst = std::max(worst, std::abs(error));
      (k < steps / 2 ? early : late) += error / (steps / 2);
    }
    return std::pair(worst, std::abs(late - early));
  };
  const auto [coarse, coarse_drift] = errors(0.01);
  const auto [fine, fine_drift] = errors(0.005);
  REQUIRE(coarse > 1e-6);
  CHECK(coarse / fine == Approx(4).epsilon(0.15));  // the next order is a few per cent at these steps
  // The error swings with the motion; from one half of the run to the other its mean stays where it is.
  CHECK(fine_drift < 0.1 * fine);
  CHECK(fine < 1e-4 * 44);
}

TEST_CASE("lennard_jones: particles in one point are rejected before step 0", "[sim][force][error]") {
  const Model model = lennard_jones_model(2, 1, 1, 2.5);
  CHECK_THROWS_WITH(model.validate(pair_at(0)),
                    Catch::Contains("forces.lennard_jones") && Catch::Contains("particles 0 and 1 0 m apart"));
  CHECK_NOTHROW(model.validate(pair_at(0.5)));
  // Later it is a status.
  State s = pair_at(1);
  s.v << 1, -1, 0, 0, 0, 0;  // they meet after half a second, in two steps
  const Trajectory run = lennard_jones_run(lennard_jones_model(2, 1e-9, 1e-3, 2.5), s, 0.25, 10);
  CHECK(run.status == StepStatus::Diverged);
}
