#include <Eigen/Geometry>

#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/run/simulator.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/motions.hpp"
#include "tests/support/rich_system.hpp"
#include "tests/support/torus.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

Trajectory run(const Model& model, const State& initial, const IntegratorChoice& integrator, double h, Index steps) {
  const Trajectory t =
      simulate(model, initial,
               {.integrator = integrator, .time_step = h, .steps = steps, .every = 1, .stage = {.tolerance = 1e-13}});
  REQUIRE(t.status == StepStatus::Ok);
  return t;
}

/// A charged tetrahedron of springs that tumbles and swings; no outside forces.
struct FreeBody {
  Model model;
  State initial;
  explicit FreeBody(double damping = 0, std::vector<Held> held = {}, std::vector<std::shared_ptr<ForceTerm>> more = {})
      : model({.particles = 4, .springs = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}, .held = std::move(held)},
              Vector{{0.5, 0.8, 1.1, 0.7}}, Vector{{5e-6, 3e-6, 4e-6, 6e-6}}, terms(damping, std::move(more))),
        initial{0, columns({{0, 0, 0}, {1.1, 0, 0.1}, {0.2, 0.9, 0}, {0.3, 0.2, 1.2}}),
                columns({{0.5, -0.2, 0.9}, {-0.4, 0.6, 0.3}, {0.8, 0.1, -0.7}, {-0.2, 0.4, 0.6}})} {}
  static Terms terms(double damping, Terms more) {
    more.push_back(springs(6, 20, 1));
    more.push_back(std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>()));
    if (damping > 0) more.push_back(dampers(6, damping));
    return more;
  }
};

Vec3 momentum(const Model& model, const State& s) { return s.v * model.mass(); }
Vec3 angular_momentum(const Model& model, const State& s) {
  Vec3 sum = Vec3::Zero();
  for (Index i = 0; i < model.particles(); ++i) sum += model.mass()[i] * s.x.col(i).cross(s.v.col(i));
  return sum;
}
double largest_change(const Trajectory& t, const std::function<Vec3(const State&)>& of) {
  double worst = 0;
  for (const State& s : t.states) worst = std::max(worst, (of(s) - of(t.states[0])).norm());
  return worst;
}
}  // namespace

TEST_CASE("integrators: the momentum of a free body stays, dampers included", "[sim][integrator][conservation]") {
  for (const auto& info : integrators())
    for (const double damping : {0.0, 0.7}) {
      INFO(info.name << " damping " << damping);
      const FreeBody body(damping);
      const Trajectory t = run(body.model, body.initial, info.name, 0.02, 200);
      CHECK(distance(t.states.back(), t.states.front()) > 1);  // it moved
      // Stages converge to 1e-13 m for each of 200 steps and particles, over g = 0.01 s.
      CHECK(largest_change(t, [&](const State& s) { return momentum(body.model, s); }) < 1e-9);
    }
}

TEST_CASE("integrators: the angular momentum of a free body stays, or drifts with the integrator's order",
          "[sim][integrator][conservation]") {
  for (const auto& info : integrators()) {
    INFO(info.name);
    const FreeBody body;
    const int order = std::min(info.position_order, info.velocity_order);
    const double h = step_for_order(order, 0.002);
    const auto drift = [&](double step) {
      const Trajectory t = run(body.model, body.initial, uncontrolled(info.name), step, std::lround(2 / step));
      return largest_change(t, [&](const State& s) { return angular_momentum(body.model, s); });
    };
    const double coarse = drift(h), fine = drift(h / 2);
    REQUIRE(angular_momentum(body.model, body.initial).norm() > 0.1);
    if (info.symplectic)  // all of them keep it exactly: 1000 stages to 1e-13 m over g = 1e-3 s remain
      CHECK(coarse < 1e-8);
    else
      CHECK(std::log2(coarse / fine) > order - order_margin(order));
  }
}

TEST_CASE("integrators: reversible integrators retrace their way", "[sim][integrator][reversal]") {
  for (const auto& info : integrators()) {
    INFO(info.name);
    const FreeBody body(0, {{2, {}}}, {std::make_shared<Gravity>(Vec3(0, 0.5, -2))});
    const auto after = [&](const State& s) {
      return run(body.model, s, uncontrolled(info.name), 0.02, 150).states.back();
    };
    State start = body.initial;
    body.model.place_held(0, start.x, &start.v);
    State turned = after(start);
    REQUIRE(distance(turned, start) > 1);
    turned.v = -turned.v;
    turned.t = 0;
    State back = after(turned);
    back.v = -back.v;
    if (info.time_reversible)  // 300 stages of 1e-13 m over g = 0.01 s, grown by the motion's own instability
      CHECK(distance(back, start) < 1e-8);
    else
      CHECK(distance(back, start) > 1e-7);  // says so because it is true
  }
}

TEST_CASE("integrators: energy errors shrink with the order, and symplectic or reversible integrators do not drift",
          "[sim][integrator][energy]") {
  for (const auto& info : integrators()) {
    INFO(info.name);
    const FreeBody body(0, {}, {std::make_shared<Gravity>(Vec3(0, 0.5, -2))});
    const int order = std::min(info.position_order, info.velocity_order);
    const double h = step_for_order(order, 0.004);
    const auto worst = [&](double step, double duration) {
      const Trajectory t = run(body.model, body.initial, uncontrolled(info.name), step, std::lround(duration / step));
      double error = 0;
      for (const auto& row : t.energy) error = std::max(error, std::abs(row.total() - t.energy[0].total()));
      return error;
    };
    CHECK(std::log2(worst(h, 1) / worst(h / 2, 1)) > order - order_margin(order));
    if (info.time_reversible || info.symplectic) {
      // The mean over the last of six intervals against the first: a drift would move it by five times the error of
      // one. One particle is pinned, because half-step velocities of a body in free fall miss an energy that grows with
      // its speed.
      const FreeBody hung(0, {{2, {}}}, {std::make_shared<Gravity>(Vec3(0, 0.5, -2))});
      const Trajectory t = run(hung.model, hung.initial, uncontrolled(info.name), 0.004, 15000);
      double first = 0, last = 0, error = 0;
      for (std::size_t n = 0; n < 2500; ++n) {
        first += t.energy[n].total() / 2500;
        last += t.energy[t.energy.size() - 1 - n].total() / 2500;
        error = std::max(error, std::abs(t.energy[n].total() - t.energy[0].total()));
      }
      CHECK(std::abs(last - first) < error);
    }
  }
}

TEST_CASE("integrators: the energy book closes with dampers and drag", "[sim][integrator][energy]") {
  const Motion motion = windy_triangle();
  Motion calm = damped_pendulum();
  for (const auto& info : integrators()) {
    INFO(info.name);
    const auto gap = [&](Index steps) {
      const Trajectory t = run(calm.model, calm.initial, uncontrolled(info.name), calm.duration / steps, steps);
      CHECK(t.energy.back().losses[LossKind::Dampers] > 0.1);
      double error = 0;
      for (const auto& row : t.energy) error = std::max(error, std::abs(row.numerical));
      return error;
    };
    const int order = std::min(info.position_order, info.velocity_order);
    CHECK(std::log2(gap(400) / gap(800)) > order - order_margin(order));
  }
}

TEST_CASE("integrators: moving and turning the body moves and turns the trajectory", "[sim][integrator][invariance]") {
  const Mat3 R = Eigen::AngleAxisd(1.1, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  const Vec3 shift(3, -2, 5);
  for (const auto& info : integrators()) {
    INFO(info.name);
    const FreeBody body(0.5);
    State moved{0, (R * body.initial.x).colwise() + shift, R * body.initial.v};
    const State a = run(body.model, body.initial, info.name, 0.02, 100).states.back();
    const State b = run(body.model, moved, info.name, 0.02, 100).states.back();
    CHECK((b.x - ((R * a.x).colwise() + shift)).norm() < 1e-9);  // rounding of the shift, 1e-15, grown by the motion
    CHECK((b.v - R * a.v).norm() < 1e-9);
  }
}

TEST_CASE("integrators: the order in which particles are listed does not matter", "[sim][integrator][invariance]") {
  const FreeBody body(0.5);
  const Model swapped({.particles = 4, .springs = {{3, 2}, {1, 3}, {0, 3}, {1, 2}, {0, 2}, {0, 1}}, .held = {}},
                      Vector{{0.7, 1.1, 0.8, 0.5}}, Vector{{6e-6, 4e-6, 3e-6, 5e-6}}, FreeBody::terms(0.5, {}));
  const State reversed{0, body.initial.x.rowwise().reverse(), body.initial.v.rowwise().reverse()};
  for (const auto& info : integrators()) {
    const State a = run(body.model, body.initial, info.name, 0.02, 100).states.back();
    const State b = run(swapped, reversed, info.name, 0.02, 100).states.back();
    CHECK((a.x - Points(b.x.rowwise().reverse())).norm() < 1e-9);
  }
}

TEST_CASE("integrators: pinned particles stay put bit for bit, driven ones follow their path",
          "[sim][integrator][pinned]") {
  for (const auto& info : integrators()) {
    INFO(info.name);
    diff::Scenario s = rich_scenario(info.name, 0.01, 60);
    s.initial.v.col(0) = Vec3(1, 2, 3);  // a pinned particle has no velocity, whatever the file says
    const Trajectory t = run(s.model, s.initial, info.name, 0.01, 60);
    const Path& path = *s.model.topology().held[1].path;
    for (const State& state : t.states) {
      CHECK(state.x.col(0) == s.initial.x.col(0));
      CHECK(state.v.col(0).isZero(0));
      CHECK((state.x.col(6) - path.position(state.t)).norm() < 1e-15);
      CHECK((state.v.col(6) - path.velocity(state.t)).norm() < 1e-13);
    }
    CHECK((t.states.back().x.col(3) - s.initial.x.col(3)).norm() > 0.01);
  }
}

TEST_CASE("integrators: a body that is pinned throughout rests", "[sim][integrator][pinned]") {
  const FreeBody body(0.5, {{0, {}}, {1, {}}, {2, {}}, {3, {}}}, {std::make_shared<Gravity>(Vec3(0, 0, -9.81))});
  for (const auto& info : integrators())
    for (const std::string& linear : linear_solvers()) {
      const Trajectory t =
          simulate(body.model, body.initial,
                   {.integrator = info.name, .time_step = 0.1, .steps = 5, .stage = {.linear_solver = linear}});
      CHECK(t.status == StepStatus::Ok);
      CHECK(t.states.back().x == body.initial.x);
      CHECK(t.states.back().v.isZero(0));
    }
}

TEST_CASE("integrators: a step is a function of state and history alone", "[sim][integrator]") {
  for (const auto& info : integrators())
    for (const std::string linear : {"block_jacobi_cg", "ssor_cg", "prefactored_cg", "cholesky"}) {
      INFO(info.name << " " << linear);
      const diff::Scenario s = rich_scenario(info.name, 0.02, 0);
      const Vector values_before = s.model.values().data();
      const StageOptions options{.linear_solver = linear};
      Stepper used(s.model, s.initial, info.name, options, 0.02);
      const int past = info.startup_steps;  // then the history is complete
      for (int n = 0; n < past; ++n) used.advance();
      const State first = used.state();
      const History first_history = used.history();
      CHECK(first_history.size() == info.history.size());
      for (int n = 0; n < 10; ++n) REQUIRE(used.advance().status == StepStatus::Ok);
      used.rewind(past, first, first_history);
      Stepper fresh(s.model, s.initial, info.name, options, 0.02);
      used.advance();
      for (int n = 0; n < past + 1; ++n) fresh.advance();
      CHECK(used.state().x == fresh.state().x);
      CHECK(used.state().v == fresh.state().v);
      CHECK(used.state().t == fresh.state().t);
      CHECK(s.model.values().data() == values_before);
      CHECK(used.history().size() == info.history.size());
    }
}

TEST_CASE("integrators: the paper's torus is stable at h = 0.15 s where velocity_verlet diverges",
          "[sim][integrator][energy]") {
  const Torus torus;
  const Model model = torus.model();
  CHECK(model.springs().size() == 435);
  const auto run = [&](const std::string& integrator) {
    return simulate(model, torus.state(), {.integrator = integrator, .time_step = 0.15, .steps = 100, .stage = {}});
  };
  const Trajectory verlet = run("velocity_verlet");
  CHECK(verlet.status == StepStatus::Diverged);
  CHECK(verlet.records.size() < 100);
  for (const auto& [integrator, most] :
       std::map<std::string, double>{{"imex_euler", 0.12}, {"imex_midpoint", 0.01}, {"imex_bdf2", 0.06}}) {
    INFO(integrator);
    const Trajectory t = run(integrator);
    REQUIRE(t.status == StepStatus::Ok);
    double mean = 0;
    for (const auto& row : t.energy) mean += std::abs(row.total() / t.energy[0].total() - 1) / t.energy.size();
    INFO("mean relative energy error " << mean);
    CHECK(mean <= most);
  }
}

TEST_CASE("integrators: unknown names list the known ones", "[sim][integrator][error]") {
  CHECK_THROWS_WITH(IntegratorChoice("rk5"), Catch::Contains("imex_euler, imex_midpoint, ") &&
                                                 Catch::Contains("velocity_verlet, ") && Catch::Contains("got rk5"));
}
