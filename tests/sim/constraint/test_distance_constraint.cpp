#include "sim/constraint/distance_constraint.hpp"

#include <cmath>
#include <numbers>

#include "sim/force/gravity.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"
#include "sim/integrator/xpbd.hpp"
#include "sim/run/simulator.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

using Terms = std::vector<std::shared_ptr<ForceTerm>>;
const double earth = 9.81;

IntegratorChoice xpbd(Index substeps, Index iterations = 1) {
  tests::MapSettings settings(
      0, {{"substeps", static_cast<double>(substeps)}, {"iterations", static_cast<double>(iterations)}});
  return {"xpbd", settings};
}

std::vector<Spring> chain(Index links) {
  std::vector<Spring> list;
  for (Index e = 0; e < links; ++e) list.push_back({e, e + 1});
  return list;
}

std::shared_ptr<Constraint> links(std::vector<Spring> list, double length, double compliance = 0, double damping = 0) {
  const Index n = list.size();
  return std::make_shared<DistanceConstraint>(std::move(list), Vector::Constant(n, length),
                                              Vector::Constant(n, compliance), Vector::Constant(n, damping));
}

/// A chain whose first point is pinned at the origin, under gravity.
Model hanging(const Vector& mass, std::shared_ptr<Constraint> constraint) {
  return Model({.particles = mass.size(), .springs = {}, .held = {{0, {}}}}, mass, Vector::Zero(mass.size()),
               {std::make_shared<Gravity>(Vec3(0, 0, -earth))}, {std::move(constraint)});
}

/// A chain of three rods that points in other directions.
State bent() {
  State s{0, Points::Zero(3, 4), Points::Zero(3, 4)};
  const double angle[] = {2.0, 2.6, 1.2};  // from hanging
  for (Index i = 0; i < 3; ++i) s.x.col(i + 1) = s.x.col(i) + 0.5 * Vec3(std::sin(angle[i]), 0, -std::cos(angle[i]));
  return s;
}

}  // namespace

TEST_CASE("distance: a compliant link is a spring of stiffness 1/α with a damper β, to first order in the substep",
          "[sim][constraint][order]") {
  const std::vector<Spring> edges{{0, 1}, {1, 2}, {2, 3}, {0, 2}};
  const Index E = 4;
  const Vector mass{{1, 0.5, 0.8, 0.6}};
  const double k = 40, c = 0.6, l0 = 0.45;
  const Model as_forces(
      {.particles = 4, .springs = edges, .held = {{0, {}}}}, mass, Vector::Zero(4),
      {std::make_shared<SpringForce>(Vector::Constant(E, k), Vector::Constant(E, l0)),
       std::make_shared<SpringDamper>(Vector::Constant(E, c)), std::make_shared<Gravity>(Vec3(0, 0, -earth))});
  const Model as_links = hanging(mass, links(edges, l0, 1 / k, c));
  const auto end = [&](const Model& model, const IntegratorChoice& integrator, double h) {
    return simulate(model, bent(),
                    {.integrator = integrator, .time_step = h, .steps = std::lround(0.5 / h), .stage = {}})
        .states.back();
  };
  const State exact = end(as_forces, "rk4", 1e-4);  // h⁴ times derivatives up to ω⁴ = 1e5: far below 1e-9
  REQUIRE((exact.x - bent().x).norm() > 0.5);
  double last = 0;
  for (const Index substeps : {10, 20, 40}) {
    const double error = (end(as_links, xpbd(substeps), 0.01).x - exact.x).norm();
    INFO(substeps << " substeps: " << error);
    if (last > 0) CHECK(std::log2(last / error) == Approx(1).margin(0.15));
    last = error;
  }
  CHECK(last < 2e-3);
}

TEST_CASE("distance: a rigid pendulum swings with the period of the elliptic integral", "[sim][constraint][order]") {
  const double l = 0.7, angle = 2.2;
  const double period = 4 * std::sqrt(l / earth) * std::comp_ellint_1(std::sin(angle / 2));
  const Model model = hanging(Vector::Ones(2), links(chain(1), l));
  const auto error = [&](Index substeps) {
    State s{0, Points::Zero(3, 2), Points::Zero(3, 2)};
    s.x.col(1) = l * Vec3(std::sin(angle), 0, -std::cos(angle));
    Stepper run(model, s, xpbd(substeps), {}, period / 400);
    for (int n = 0; n < 100; ++n) REQUIRE(run.advance().status == StepStatus::Ok);
    return std::abs(run.state().x(0, 1)) / l;  // a quarter of a period later it passes the lowest point
  };
  const double coarse = error(10), fine = error(20);
  CHECK(fine < 2e-3);
  CHECK(std::log2(coarse / fine) == Approx(1).margin(0.1));
}

TEST_CASE("distance: a triple pendulum of rods keeps its energy better with more substeps, and its lengths",
          "[sim][constraint][energy]") {
  const Model model = hanging(Vector{{1, 0.4, 0.7, 1.1}}, links(chain(3), 0.5));
  const auto drift = [&](Index substeps) {
    const Trajectory run =
        simulate(model, bent(), {.integrator = xpbd(substeps), .time_step = 0.01, .steps = 300, .stage = {}});
    REQUIRE(run.status == StepStatus::Ok);
    double worst = 0;
    for (std::size_t k = 0; k < run.states.size(); ++k) {
      worst = std::max(worst, std::abs(run.energy[k].total() - run.energy[0].total()));
      for (Index e = 0; e < 3; ++e)
        CHECK(std::abs((run.states[k].x.col(e + 1) - run.states[k].x.col(e)).norm() - 0.5) < 3e-3);
    }
    REQUIRE((run.states.back().x - bent().x).norm() > 0.1);
    return worst;
  };
  const double scale = 2 * earth * 0.5 * (0.4 + 2 * 0.7 + 3 * 1.1);  // from highest to lowest
  const double coarse = drift(20), fine = drift(80), finest = drift(320);
  INFO("energy errors " << coarse / scale << ", " << fine / scale << ", " << finest / scale);
  CHECK(fine < 0.5 * coarse);
  CHECK(finest < 0.5 * fine);
  CHECK(finest < 0.02 * scale);  // first order: 0.12 at 20 substeps, 16 times as many
}

TEST_CASE("distance: a wave runs along a compliant chain with speed l0 √(1/(α m)), converging with the substeps",
          "[sim][constraint][order]") {
  const Index L = 40;
  const double l0 = 0.1, alpha = 1e-3, m = 0.02, speed = l0 * std::sqrt(1 / (alpha * m));
  const Model model({.particles = L + 1, .springs = {}, .held = {{0, {}}, {L, {}}}}, Vector::Constant(L + 1, m),
                    Vector::Zero(L + 1), {}, {links(chain(L), l0, alpha)});
  // The slowest standing wave along the chain, ω = 2 √(1/(α m)) sin(π/(2L)): amplitude cos ωt, zero after π/(2ω).
  const double omega = 2 * std::sqrt(1 / (alpha * m)) * std::sin(std::numbers::pi / (2 * L));
  const auto measured = [&](Index substeps) {
    State s{0, Points::Zero(3, L + 1), Points::Zero(3, L + 1)};
    Vector shape(L + 1);
    for (Index i = 0; i <= L; ++i) {
      shape[i] = std::sin(std::numbers::pi * i / L);
      s.x(0, i) = l0 * i + 0.02 * shape[i];
    }
    shape[L] = 0;
    const auto amplitude = [&](const State& now) {
      double sum = 0;
      for (Index i = 0; i <= L; ++i) sum += shape[i] * (now.x(0, i) - l0 * i);
      return sum;
    };
    Stepper run(model, s, xpbd(substeps), {}, std::numbers::pi / omega / 60);
    std::vector<double> zeros;
    for (double before = amplitude(s); zeros.size() < 2;) {
      const double t = run.state().t;
      REQUIRE(run.advance().status == StepStatus::Ok);
      const double after = amplitude(run.state());
      if (before * after <= 0) zeros.push_back(t + (run.state().t - t) * before / (before - after));
      before = after;
    }
    const double half_period = zeros[1] - zeros[0];
    return L * l0 / half_period;  // half a wavelength in half a period
  };
  const double coarse = std::abs(measured(2) / speed - 1), fine = std::abs(measured(8) / speed - 1),
               finest = std::abs(measured(32) / speed - 1);
  INFO("relative errors " << coarse << ", " << fine << ", " << finest);
  CHECK(fine < 0.5 * coarse);
  CHECK(finest < 0.5 * fine);
  CHECK(finest < 2e-3);  // the chain itself is slower by (π/2L)²/6 = 2.6e-4
}

TEST_CASE("distance: −λ/Δt² is the tension, that of a hanging weight its weight", "[sim][constraint]") {
  const Vector mass{{1, 0.3, 0.5, 2}};
  const auto tensions = [&](const Model& model, const State& s, Index iterations, int steps) {
    Xpbd integrator({.substeps = 10, .iterations = iterations});
    State now = s;
    History history = integrator.start(model, now);
    for (int n = 0; n < steps; ++n)
      REQUIRE(integrator.step(model, {0.01, now.t + 0.01}, now, history).status == StepStatus::Ok);
    Vector tension(static_cast<Index>(integrator.row_forces().size()));
    for (const RowForce& row : integrator.row_forces()) tension[row.row.item] = -row.force;
    return tension;
  };
  State s{0, Points::Zero(3, 4), Points::Zero(3, 4)};
  for (Index i = 0; i < 4; ++i) s.x(2, i) = -0.5 * i;
  const Vector weights{{(0.3 + 0.5 + 2) * earth, (0.5 + 2) * earth, 2 * earth}};
  // Rigid rods need many sweeps to know of each other; one link alone needs one.
  CHECK((tensions(hanging(mass, links(chain(3), 0.5)), s, 400, 1) - weights).norm() < 1e-6 * weights.norm());
  State two{0, s.x.leftCols(2), s.v.leftCols(2)};
  const Vector one = tensions(hanging(mass.head(2), links(chain(1), 0.5)), two, 1, 5);
  CHECK(one[0] == Approx(0.3 * earth).epsilon(1e-8));  // C = g Δt² = 1e-5 m is known to rounding of 0.5 m, 1e-16
}

TEST_CASE("distance: lengths with key frames pull in time", "[sim][constraint]") {
  const Model constant = hanging(Vector::Ones(2), links(chain(1), 0.5));
  const Index length = constant.values().block(*constant.values().find("distance_length")).offset;
  Model model = constant.with_key_frames({length}, {0.0, 1.0});
  Vector values = model.values().data();
  values[values.size() - 1] = 0.8;  // at 1 s
  model = model.with_values(values);
  State s{0, Points::Zero(3, 2), Points::Zero(3, 2)};
  s.x(2, 1) = -0.5;
  const Trajectory run =
      simulate(model, s, {.integrator = "xpbd", .time_step = 0.01, .steps = 100, .every = 50, .stage = {}});
  REQUIRE(run.status == StepStatus::Ok);
  CHECK(run.states[1].x.col(1).norm() == Approx(0.65).epsilon(1e-6));
  CHECK(run.states[2].x.col(1).norm() == Approx(0.8).epsilon(1e-6));
}

TEST_CASE("distance: what cannot be a link is rejected", "[sim][constraint][error]") {
  const Vector one = Vector::Ones(1);
  CHECK_THROWS_WITH(
      DistanceConstraint({{0, 1}}, Vector::Ones(2), one, one),
      Catch::Contains("constraints.distance.rest_length: must have one entry for each of the 1 links, got 2"));
  const auto model = [](Spring link, double length, double compliance) {
    return Model({.particles = 2, .springs = {}, .held = {}}, Vector::Ones(2), Vector::Zero(2), {},
                 {links({link}, length, compliance)});
  };
  CHECK_THROWS_WITH(model({0, 5}, 1, 0), Catch::Contains("constraints.distance.edges[0]") && Catch::Contains("got 5"));
  CHECK_THROWS_WITH(model({1, 1}, 1, 0), Catch::Contains("particle 1 twice"));
  CHECK_THROWS_WITH(model({0, 1}, -1, 0), Catch::Contains("distance_length: must be >= 0 m, got -1"));
  CHECK_THROWS_WITH(model({0, 1}, 1, -2), Catch::Contains("distance_compliance: must be >= 0 m/N, got -2"));
  const State coincident{0, Points::Zero(3, 2), Points::Zero(3, 2)};
  CHECK_THROWS_WITH(model({0, 1}, 1, 0).validate(coincident), Catch::Contains("particles 0 and 1 at the same point"));
  CHECK_NOTHROW(model({0, 1}, 0, 0).validate(coincident));
}
