#include <cmath>
#include <numbers>

#include "sim/field/primitive_obstacles.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// A particle of mass 0.3 kg and radius 0.1 m beside an obstacle, with gravity along −z.
Model beside(const std::string& kind, std::shared_ptr<const Obstacle> shape, double k, double c, double ct,
             const Vec3& gravity = Vec3(0, 0, -9.81)) {
  Terms terms = obstacle(kind, std::move(shape), 0.1, k, c, ct);
  terms.push_back(std::make_shared<Gravity>(gravity));
  return {{.particles = 1, .springs = {}, .held = {}}, all(1, 0.3), all(1, 0), terms};
}

std::shared_ptr<const Obstacle> floor_at_zero() {
  return std::make_shared<PlaneObstacle>("floor", Vec3::Zero(), Vec3(0, 0, 1));
}
std::shared_ptr<const Obstacle> ball(Side side) {
  return std::make_shared<SphereObstacle>("ball", Vec3(0, 0, 0), 0.5, side);
}
std::shared_ptr<const Obstacle> block(Side side) {
  return std::make_shared<BoxObstacle>("block", Vec3(-1, -1, -1), Vec3(1, 1, 0), side);
}

Vec3 force_on(const Model& model, const Vec3& x, const Vec3& v = Vec3::Zero()) {
  const State s{0, Points(x), Points(v)};
  Points f = Points::Zero(3, 1);
  for (const auto& term : model.given_terms())
    if (is_implicit(*term)) term->add_force(model, s, f);
  return f;
}

Trajectory fall(const Model& model, const State& from, const std::string& integrator, double h, Index steps) {
  return simulate(
      model, from,
      {.integrator = integrator, .time_step = h, .steps = steps, .every = 1, .stage = {.tolerance = 1e-13}});
}

}  // namespace

TEST_CASE("obstacle penalty: the force is stiffness times depth along the normal, and nothing without contact",
          "[sim][force]") {
  const double k = 50;
  const auto plane = beside("plane", floor_at_zero(), k, 0, 0);
  CHECK((force_on(plane, Vec3(3, 2, 0.04)) - Vec3(0, 0, k * 0.06)).norm() < 1e-13);
  CHECK(force_on(plane, Vec3(3, 2, 0.1)).isZero(0));  // it touches
  CHECK(force_on(plane, Vec3(3, 2, 0.2)).isZero(0));

  const Vec3 n = Vec3(2, -1, 2) / 3;
  CHECK((force_on(beside("sphere", ball(Side::Outside), k, 0, 0), 0.57 * n) - k * 0.03 * n).norm() < 1e-13);
  CHECK((force_on(beside("sphere", ball(Side::Inside), k, 0, 0), 0.47 * n) + k * 0.07 * n).norm() < 1e-13);
  CHECK(force_on(beside("sphere", ball(Side::Inside), k, 0, 0), 0.4 * n * (1 - 1e-12)).isZero(0));

  // A block: above its top, beside an edge, beside a corner, and within, where the nearest wall counts.
  const auto around = beside("box", block(Side::Outside), k, 0, 0);
  CHECK((force_on(around, Vec3(0.3, 0.2, 0.04)) - Vec3(0, 0, k * 0.06)).norm() < 1e-13);
  CHECK((force_on(around, Vec3(1.03, 0.2, 0.04)) - k * 0.05 * Vec3(0.6, 0, 0.8)).norm() < 1e-13);
  CHECK((force_on(around, Vec3(1.02, 1.01, 0.02)) - k * 0.07 * Vec3(2, 1, 2) / 3).norm() < 1e-13);
  CHECK((force_on(around, Vec3(0.3, 0.2, -0.04)) - Vec3(0, 0, k * 0.14)).norm() < 1e-13);
  // A container, in its corner: each wall by itself.
  CHECK((force_on(beside("box", block(Side::Inside), k, 0, 0), Vec3(0.95, 0.93, -0.3)) - Vec3(-k * 0.05, -k * 0.03, 0))
            .norm() < 1e-13);
}

TEST_CASE("obstacle damper: it resists along the normal and across it, in contact only", "[sim][force]") {
  const Vec3 n = Vec3(2, -1, 2) / 3, v(0.4, -0.7, 0.2);
  const auto sphere = beside("sphere", ball(Side::Outside), 0, 3, 0.5);
  const Vec3 along = n.dot(v) * n;
  CHECK((force_on(sphere, 0.57 * n, v) + 3 * along + 0.5 * (v - along)).norm() < 1e-14);
  CHECK(force_on(sphere, 0.61 * n, v).isZero(0));
}

TEST_CASE("obstacle penalty: a bounce has the height, the duration and the energy of the exact solution",
          "[sim][force][order]") {
  // In contact s = −(g/ω²)(1 − cos ωt) − (v/ω) sin ωt below touching, until t* with tan(ωt*/2) = −ωv/g; then flight.
  const double k = 400, m = 0.3, g = 9.81, v = 1.7, omega = std::sqrt(k / m);
  const double contact = 2 / omega * (std::numbers::pi - std::atan(omega * v / g));
  const double deepest = g / (omega * omega) + std::hypot(g / (omega * omega), v / omega);
  for (const double weight : {0.0, g}) {
    const double lasts = weight > 0 ? contact : std::numbers::pi / omega;  // half a sine without weight
    const Model model = beside("plane", floor_at_zero(), k, 0, 0, Vec3(0, 0, -weight));
    const State from{0, columns({{0, 0, 0.1}}), columns({{0.3, 0, -v}})};
    for (const std::string integrator : {"velocity_verlet", "imex_midpoint"}) {
      const auto error_with = [&](Index steps) {
        const double h = 1.5 * lasts / steps;
        const Trajectory run = fall(model, from, integrator, h, steps);
        REQUIRE(run.status == StepStatus::Ok);
        double lowest = 1;
        for (const State& s : run.states) lowest = std::min(lowest, s.x(2, 0));
        CHECK(0.1 - lowest == Approx(weight > 0 ? deepest : v / omega).epsilon(1e-4));
        const double flight = 0.5 * lasts;  // after contact
        const State& end = run.states.back();
        return std::abs(end.x(2, 0) - (0.1 + v * flight - weight / 2 * flight * flight)) / (v * flight) +
               std::abs(end.v(2, 0) - (v - weight * flight)) / v;
      };
      const double coarse = error_with(400), fine = error_with(1600);
      INFO(integrator << ", g = " << weight << ": " << coarse << ", " << fine);
      CHECK(fine < 1e-5);
      CHECK(coarse / fine > 8);  // second order: the bend in the force is met to a step
    }
  }
}

TEST_CASE("obstacle penalty: with a damper a particle leaves with the fraction of its speed given by the formula",
          "[sim][force]") {
  const double k = 400, m = 0.3, v = 1.7;
  for (const double zeta : {0.2, 0.7}) {
    const double lasts = std::numbers::pi / (std::sqrt(k / m) * std::sqrt(1 - zeta * zeta));
    const Model model = beside("plane", floor_at_zero(), k, 2 * zeta * std::sqrt(k * m), 0, Vec3::Zero());
    const Trajectory run = fall(model, {0, columns({{0, 0, 0.1 - 1e-9}}), columns({{0, 0, -v}})}, "velocity_verlet",
                                1.2 * lasts / 20000, 20000);
    // Where contact ends is known to a step, 6e-5 of the contact.
    CHECK(run.states.back().v(2, 0) / v ==
          Approx(std::exp(-std::numbers::pi * zeta / std::sqrt(1 - zeta * zeta))).margin(3e-4));
  }
}

TEST_CASE("obstacle penalty: by implicit steps far beyond the explicit limit a ball comes to rest at the depth m g/k",
          "[sim][force][stage]") {
  const double k = 3e4, m = 0.3, depth = m * 9.81 / k, h = 0.02, drop = 0.3;
  REQUIRE(h > 3 * 2 / std::sqrt(k / m));  // velocity_verlet's limit is 2/ω
  struct Place {
    std::string kind;
    std::shared_ptr<const Obstacle> shape;
    double top;  // where the ball touches, and above which it starts
  };
  for (const Place& at : {Place{"plane", floor_at_zero(), 0.1}, Place{"sphere", ball(Side::Outside), 0.6},
                          Place{"sphere", ball(Side::Inside), -0.4}, Place{"box", block(Side::Outside), 0.1},
                          Place{"box", block(Side::Inside), -0.9}})
    for (const std::string integrator : {"imex_euler", "imex_bdf2", "implicit_euler"})
      for (const double c : {0.0, 20.0}) {
        if (c > 0 && integrator == "implicit_euler")
          continue;  // the damper's jump at the touch may leave it no solution
        INFO(at.kind << " from " << at.top << " by " << integrator << ", damping " << c);
        const Model model = beside(at.kind, at.shape, k, c, 5);
        const Trajectory run =
            fall(model, {0, columns({{0, 0, at.top + drop}}), Points::Zero(3, 1)}, integrator, h, 400);
        REQUIRE(run.status == StepStatus::Ok);
        double lowest = at.top;
        for (const State& s : run.states) lowest = std::min(lowest, s.x(2, 0));
        // m (z − y) = h² k d: it meets at the speed √(2 g drop) at most, give or take the last step's g h.
        const double speed = std::sqrt(2 * 9.81 * drop) + 9.81 * h;
        CHECK(at.top - lowest <
              speed * h / (1 + h * h * k / m) * (integrator == "imex_bdf2" ? 9.0 / 4 : 1.0) + 2 * depth);
        CHECK(at.top - run.states.back().x(2, 0) == Approx(depth).epsilon(1e-6));
        CHECK(std::abs(run.states.back().v(2, 0)) < 1e-9);
      }
}

TEST_CASE("obstacle damper: on a slope a ball creeps at the speed m g sin θ/c_t", "[sim][force]") {
  const Vec3 n = Vec3(0, std::sin(0.3), std::cos(0.3)), down(0, std::cos(0.3), -std::sin(0.3));
  const Model model = beside("plane", std::make_shared<PlaneObstacle>("slope", Vec3::Zero(), n), 3e3, 5, 2);
  for (const std::string integrator : {"imex_euler", "imex_midpoint", "velocity_verlet"}) {
    INFO(integrator);
    const State end = fall(model, {0, columns({0.1 * n}), Points::Zero(3, 1)}, integrator, 2e-3, 2000).states.back();
    const double speed = 0.3 * 9.81 * std::sin(0.3) / 2;
    CHECK((end.v.col(0) - speed * down).norm() < 1e-6 * speed);  // e^{−c_t t/m} = e^{−27}, the bobbing e^{−33}
  }
}

TEST_CASE("obstacle penalty: Newton's method finds the stage of a net that falls across a sphere and a floor",
          "[sim][force][stage]") {
  // 12 × 12 particles whose stage is met at both sides of the bends of some hundred forces.
  const Index n = 12;
  Topology topology{.particles = n * n, .springs = {}, .held = {}};
  Points x(3, n * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      x.col(i * n + j) = Vec3(0.05 * i - 0.27, 0.05 * j - 0.25, 0.25);
      if (i > 0) topology.springs.push_back({(i - 1) * n + j, i * n + j});
      if (j > 0) topology.springs.push_back({i * n + j - 1, i * n + j});
    }
  const Index links = topology.springs.size();
  const auto sphere = std::make_shared<SphereObstacle>("sphere", Vec3::Zero(), 0.2, Side::Outside);
  Terms terms{springs(links, 100, 0.05), dampers(links, 0.02), std::make_shared<Gravity>(Vec3(0, 0, -9.81))};
  for (const auto& [kind, shape] :
       {std::pair<std::string, std::shared_ptr<const Obstacle>>{"sphere", sphere},
        {"plane", std::make_shared<PlaneObstacle>("floor", Vec3(0, 0, -0.1), Vec3(0, 0, 1))}}) {
    const auto penalty = std::make_shared<ObstaclePenalty>(kind + "_penalty", shape, all(n * n, 0.01), 1e4);
    terms.push_back(penalty);
    terms.push_back(std::make_shared<ObstacleDamper>(kind, penalty, 0, 1));
  }
  const Model model(topology, all(n * n, 1e-3), all(n * n, 0), terms);
  for (const std::string linear : {"block_jacobi_cg", "ssor_cg", "prefactored_cg", "cholesky"}) {
    INFO(linear);
    const Trajectory run = simulate(
        model, {0, x, Points::Zero(3, n * n)},
        {.integrator = "imex_euler", .time_step = 0.02, .steps = 40, .every = 1, .stage = {.linear_solver = linear}});
    REQUIRE(run.status == StepStatus::Ok);
    int most = 0;
    for (const StepRecord& record : run.records) most = std::max(most, record.work.linear_solves);
    CHECK(most <= 40);
    const Points& end = run.states.back().x;
    CHECK((end.colwise().norm().array() < 0.21).count() > 10);  // it lies on the sphere
    CHECK(end.colwise().norm().minCoeff() > 0.209);
    CHECK(end.row(2).minCoeff() > -0.0905);
  }
}

TEST_CASE("obstacle penalty: what has no room, no direction or the wrong sign is rejected before step 0",
          "[sim][force][error]") {
  const auto model = [](std::shared_ptr<const Obstacle> shape, double radius, double k) {
    return Model({.particles = 1, .springs = {}, .held = {}}, all(1, 1), all(1, 0),
                 obstacle("sphere", std::move(shape), radius, k, 0, 0));
  };
  CHECK_THROWS_WITH(model(ball(Side::Inside), 0.5, 1),
                    Catch::Contains("forces.sphere_penalty.radius: must be < 0.5 m"));
  CHECK_NOTHROW(model(ball(Side::Outside), 0.5, 1));
  CHECK_THROWS_WITH(model(block(Side::Inside), 0.5, 1), Catch::Contains("must be < 0.5 m"));
  CHECK_THROWS_WITH(model(ball(Side::Outside), -0.1, 1), Catch::Contains("sphere_penalty_radius"));
  CHECK_THROWS_WITH(model(ball(Side::Outside), 0.1, -1),
                    Catch::Contains("sphere_penalty_stiffness: must be >= 0 N/m, got -1"));
  CHECK_THROWS_WITH(
      model(ball(Side::Outside), 0.1, 1).validate({0, Points::Zero(3, 1), Points::Zero(3, 1)}),
      Catch::Contains("forces.sphere_penalty: needs a direction out of the obstacle, got particle 0 at its center"));
  CHECK_THROWS_WITH(SphereObstacle("ball", Vec3::Zero(), 0, Side::Inside),
                    Catch::Contains("ball.sphere_radius: must be > 0 m"));
}
