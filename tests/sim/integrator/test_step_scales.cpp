// Steps that are short, bodies that are small, far away or barely moving: the digits of a step depend on none of it.
#include "sim/force/force_registry.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

State end_of_run(const Model& model, const State& start, const std::string& integrator, double h, Index steps) {
  const Trajectory made =
      simulate(model, start, {.integrator = integrator, .time_step = h, .steps = steps, .every = steps, .stage = {}});
  REQUIRE(made.status == StepStatus::Ok);
  return made.states.back();
}

std::vector<std::string> implicit_integrators() {
  std::vector<std::string> names;
  for (const IntegratorInfo& info : integrators())
    if (info.implicit) names.push_back(info.name);
  return names;
}

/// Two masses of 1 kg on a spring of 1 m, stretched by `stretch`, at `place` on the x axis.
struct Pair {
  Model model;
  State start;
  Pair(double k, double stretch, double place)
      : model({.particles = 2, .springs = {{0, 1}}, .held = {}}, all(2, 1), all(2, 0), {springs(1, k, 1)}),
        start{0, columns({{place, 0, 0}, {place + 1 + stretch, 0, 0}}), Points::Zero(3, 2)} {}
};

/// For `fine_state`.
Motion motion_of(const Model& model, const State& start) {
  return {.name = {}, .model = model, .initial = start, .duration = 0, .exact = {}};
}

/// One particle of mass 1 kg with these forces.
Model lone(Terms terms) {
  return {{.particles = 1, .springs = {}, .held = {}}, all(1, 1), all(1, 0), std::move(terms)};
}

}  // namespace

TEST_CASE("short steps: a body falls, whatever the step", "[sim][integrator][scale]") {
  const Vec3 g(0, 0, -9.81);
  const Model model = lone({std::make_shared<Gravity>(g)});
  const State start{0, Points::Zero(3, 1), Points::Zero(3, 1)};
  const Index steps = 200;
  for (const IntegratorInfo& info : integrators())
    for (const double h : {1e-3, 1e-7, 1e-11}) {
      INFO(info.name << " h = " << h);
      const Vec3 v = end_of_run(model, start, info.name, h, steps).v.col(0);
      // Some integrators report velocities half a step back.
      CHECK((v - static_cast<double>(steps) * h * g).norm() <= 0.51 * h * g.norm());
    }
}

TEST_CASE("short steps: linear drag slows a body, whatever the step", "[sim][integrator][scale]") {
  const Model model = lone({std::make_shared<LinearDrag>(all(1, 1), uniform(Vec3::Zero()))});
  const State start{0, Points::Zero(3, 1), columns({{1, 0, 0}})};
  for (const auto& name : implicit_integrators())
    for (const double h : {1e-5, 1e-7}) {
      INFO(name << " h = " << h);
      const double t = 1000 * h;
      // First order leaves t h/2; the rest is rounding.
      CHECK(end_of_run(model, start, name, h, 1000).v(0, 0) == Approx(std::exp(-t)).margin(0.6 * t * h + 1e-12));
    }
}

TEST_CASE("small motions: a spring acts however little it is stretched", "[sim][integrator][scale]") {
  for (const auto& name : implicit_integrators())
    for (const double amplitude : {1e-3, 1e-6, 1e-9}) {
      INFO(name << " stretched by " << amplitude);
      const Pair pair(1, amplitude, -0.5);
      const State end = end_of_run(pair.model, pair.start, name, 1e-3, 2000);
      const double stretch = (end.x(0, 1) - end.x(0, 0) - 1) / amplitude;
      // ω² = 2 k/m; first order damps by h ω²/2 t = 0.2 %; coordinates of 0.5 m are known to 1e-16 of them.
      CHECK(stretch == Approx(std::cos(std::sqrt(2.0) * 2)).margin(3e-3 + 1e-13 / amplitude));
    }
}

TEST_CASE("short steps: refining the step of a pendulum chain never makes it worse", "[sim][integrator][scale]") {
  const Index n = 4;
  const Model model({.particles = n, .springs = {{0, 1}, {1, 2}, {2, 3}}, .held = {{0, {}}}}, all(n, 0.1), all(n, 0),
                    {springs(3, 500, 0.4), std::make_shared<Gravity>(Vec3(0, 0, -9.81))});
  State start{0, Points::Zero(3, n), Points::Zero(3, n)};
  for (Index i = 0; i < n; ++i) start.x(0, i) = 0.4 * i;
  const double end = 0.01;
  const State exact = fine_state(motion_of(model, start), end, 1e-5);
  for (const auto& name : implicit_integrators()) {
    const int order = IntegratorChoice(name).info().position_order;
    double coarse = 0;
    for (const double h : {1e-3, 1e-4, 1e-5, 1e-6}) {
      const auto steps = static_cast<Index>(std::lround(end / h));
      const double error = (end_of_run(model, start, name, h, steps).x - exact.x).norm();
      INFO(name << " h = " << h << " error " << error);
      if (h == 1e-3) coarse = error;
      // 10 ε for each step and unit of length, and what rk4 leaves.
      const double rounding = 2e-15 * steps + 1e-13;
      CHECK(error <= 3 * coarse * std::pow(h / 1e-3, order) + rounding);
    }
  }
}

TEST_CASE("far away: a spring swings at 1e6 m as at the origin", "[sim][integrator][scale]") {
  for (const auto& name : implicit_integrators())
    for (const double h : {1e-3, 1e-5}) {
      INFO(name << " h = " << h);
      const Index steps = 2000;
      const Pair near(50, 0.1, 0), far(50, 0.1, 1e6);
      const State here = end_of_run(near.model, near.start, name, h, steps),
                  there = end_of_run(far.model, far.start, name, h, steps);
      const double speed = std::max(0.1 * 10 * std::min(1.0, 10 * h * steps), 1e-3);
      // Coordinates of 1e6 m are known to 1.2e-10 m: of the stretch of 0.1 m that is 1.2e-9, in every step another.
      CHECK((here.v - there.v).norm() <= 1e-9 * static_cast<double>(steps) * speed);
      CHECK((there.v.col(1) - here.v.col(1)).norm() <= 0.01 * here.v.col(1).norm());
    }
}

TEST_CASE("micro bodies: an electron circles a proton in every implicit integrator", "[sim][integrator][scale]") {
  const double r = 5.29177e-11, m = 9.1093837e-31, e = 1.602176634e-19;
  const Model model({.particles = 2, .springs = {}, .held = {{0, {}}}}, Vector{{1.67e-27, m}}, Vector{{e, -e}},
                    {std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>())});
  const double v = std::sqrt(coulomb_constant * e * e / (m * r)), turn = 2 * M_PI * r / v;
  const State start{0, columns({{0, 0, 0}, {r, 0, 0}}), columns({{0, 0, 0}, {0, v, 0}})};
  for (const auto& name : implicit_integrators()) {
    const State end = end_of_run(model, start, name, turn / 4000, 4000);
    INFO(name << " ends at " << end.x.col(1).transpose() / r);
    // First order changes the radius by about 4 π²/4000 times a few a turn.
    CHECK(end.x.col(1).norm() / r == Approx(1).margin(0.06));
  }
}

TEST_CASE("quadratic drag never turns a velocity round", "[sim][integrator][scale]") {
  for (const double c : {1.5, 100.0, 1e6}) {
    const Model model = lone({std::make_shared<QuadraticDrag>(all(1, c), uniform(Vec3::Zero()))});
    State s{0, Points::Zero(3, 1), columns({{10, 0, 0}})};
    for (const std::string name :
         {"imex_euler", "imex_bdf2", "imex_midpoint", "imex_adaptive", "implicit_euler", "xpbd"}) {
      INFO(name << " c = " << c);
      const Trajectory made =
          simulate(model, s, {.integrator = name, .time_step = 0.1, .steps = 20, .every = 1, .stage = {}});
      REQUIRE(made.status == StepStatus::Ok);
      for (std::size_t n = 1; n < made.states.size(); ++n) {
        CHECK(made.states[n].v(0, 0) > 0);
        CHECK(made.states[n].v(0, 0) < made.states[n - 1].v(0, 0));
      }
    }
  }
}

TEST_CASE("dry friction: a block comes to rest, and creeps under a load as its law says", "[sim][integrator][scale]") {
  const double s = 1e-3, load = 0.6;
  const auto friction = std::make_shared<DryFriction>(all(1, 1), s);
  const State start{0, Points::Zero(3, 1), columns({{1, 0.3, 0}})};
  for (const std::string name : {"imex_euler", "imex_bdf2"}) {
    INFO(name);
    CHECK(end_of_run(lone({friction}), start, name, 0.01, 500).v.norm() < 1e-6 * s);
    const Model pushed = lone({friction, std::make_shared<Gravity>(Vec3(load, 0, 0))});
    const Vec3 v = end_of_run(pushed, start, name, 0.01, 500).v.col(0);
    CHECK(v[0] == Approx(s * std::atanh(load)).epsilon(1e-9));
    CHECK(std::abs(v[1]) < 1e-6 * s);
  }
}

TEST_CASE("held particles: what acts on one reaches no other within a chain of flows", "[sim][integrator][order]") {
  MapSettings contact(2, {{"radius", Vector{{0.6, 0.6}}}, {"stiffness", 40.0}, {"damping", 4.0}});
  Terms terms;
  for (const ForceInfo& info : forces())
    if (info.name == "contact_penalty") terms = info.make(contact);
  REQUIRE(terms.size() == 2);
  terms.push_back(std::make_shared<QuadraticDrag>(all(2, 1), uniform(Vec3(0, 5, 0))));
  const Motion motion =
      motion_of({{.particles = 2, .springs = {}, .held = {{0, {}}}}, Vector{{1, 0.7}}, all(2, 0), terms},
                {0, columns({{-1, 0, 0}, {0.1, 0.05, 0}}), Points::Zero(3, 2)});
  const double end = 0.1;
  const State exact = fine_state(motion, end, 1e-4);
  double before = 0;
  for (const Index steps : {5, 10, 20, 40}) {
    const double h = end / steps;
    const double error = (end_of_run(motion.model, motion.initial, "imex_midpoint", h, steps).x - exact.x).norm();
    INFO(steps << " steps: " << error);
    if (before > 0) CHECK(std::log2(before / error) == Approx(2).margin(0.15));
    before = error;
  }
}
