// Where energy has gone, against exact solutions and over the registries of forces and integrators.
#include <set>

#include "sim/constraint/distance_constraint.hpp"
#include "sim/constraint/obstacle_contact.hpp"
#include "sim/field/analytic_field.hpp"
#include "sim/field/primitive_obstacles.hpp"
#include "sim/field/tabulated_field.hpp"
#include "sim/force/contact_penalty.hpp"
#include "sim/force/electric_field.hpp"
#include "sim/force/field_potential.hpp"
#include "sim/force/force_registry.hpp"
#include "sim/force/obstacle_penalty.hpp"
#include "sim/force/point_charge.hpp"
#include "sim/force/velocity_rescaling.hpp"
#include "sim/neighbors/neighbor_search.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/force_specimens.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

Trajectory run(const Model& model, const State& start, const IntegratorChoice& integrator, double h, Index steps) {
  return simulate(
      model, start,
      {.integrator = integrator, .time_step = h, .steps = steps, .every = 1, .stage = {.tolerance = 1e-13}});
}

/// The order with which an integrator's book converges: that of its motion; what potentials in time do is of fourth
/// order.
int book_order(const IntegratorInfo& info) { return std::min({info.position_order, info.velocity_order, 4}); }

double worst_numerical(const Trajectory& t) {
  double worst = 0;
  for (const EnergyRow& row : t.energy) worst = std::max(worst, std::abs(row.numerical));
  return worst;
}

/// A motion in which a single kind of loss takes energy out; its exact energy at the end tells how much.
struct Lossy {
  LossKind kind;
  Motion motion;
};

/// A mass on a spring to a pinned one, pushed by the potential −F x cos ωt: x = F (cos ωt − cos ω₀t)/(m (ω₀² − ω²)).
Motion pushed_oscillator() {
  const double m = 0.7, k = 9, F = 2, omega = 2, own = std::sqrt(k / m), size = F / (m * (own * own - omega * omega));
  const auto state = [=](double t) {
    const double x = size * (std::cos(omega * t) - std::cos(own * t)),
                 v = size * (own * std::sin(own * t) - omega * std::sin(omega * t));
    return State{t, columns({{x, 0, 0}, {0, 0, 0}}), columns({{v, 0, 0}, {0, 0, 0}})};
  };
  return {
      "pushed oscillator",
      Model({.particles = 2, .springs = {{0, 1}}, .held = {{1, {}}}}, all(2, m), all(2, 0),
            {springs(1, k, 0), std::make_shared<FieldPotential>(std::make_shared<AnalyticPotential>("-2*x*cos(2*t)"))}),
      state(0), 1.6, state};
}

std::vector<Lossy> lossy_motions() {
  return {{LossKind::Dampers, oscillator(0.8)},    {LossKind::Drag, linear_drag_fall()},
          {LossKind::Drag, quadratic_decay()},     {LossKind::Drag, quadratic_fall()},
          {LossKind::Friction, friction_slide()},  {LossKind::Drivers, towed_mass()},
          {LossKind::Drivers, pushed_oscillator()}};
}

/// Four particles that feel every loss at once: 0 is pinned and 3 driven; the spheres of 1 and 2 never part; a field
/// swirls, another one, a charge on a path and a particle's own charge change with time.
Motion everything() {
  const Path path({-1, 1, 3}, {{0.9, 1, 0.2}, {1.4, 1.4, 0}, {1.1, 1.6, 0.5}});  // smooth in the motion's time
  const auto spheres =
      std::make_shared<ContactPenalty>(Vector{{0, 0.9, 0.9, 0}}, 6, std::make_shared<BruteForceSearch>());
  const auto wind = std::make_shared<SwirlField>(1.1);
  const Model still(
      {.particles = 4, .springs = {{0, 1}, {1, 2}, {2, 3}, {1, 3}}, .held = {{0, {}}, {3, path}}},
      Vector{{0.7, 0.9, 1.2, 0.8}}, Vector{{2e-6, -3e-6, 4e-6, 2e-6}},
      {springs(4, 12, 0.8), dampers(4, 0.7),
       std::make_shared<CoulombForce>(std::make_shared<DirectCoulombSum>(0.2), 0.2),
       std::make_shared<Gravity>(Vec3(0, 0, -2)), std::make_shared<LinearDrag>(all(4, 0.4), wind),
       std::make_shared<QuadraticDrag>(all(4, 0.3), wind), std::make_shared<DryFriction>(all(4, 0.5), 0.8), spheres,
       std::make_shared<ContactDamper>(spheres, 0.6),
       std::make_shared<ElectricField>(std::make_shared<SwirlField>(4e5)),
       std::make_shared<FieldPotential>(std::make_shared<AnalyticPotential>("x*y*sin(2*t)")),
       std::make_shared<PointCharge>(4e-6, Path({-1, 3}, {Vec3(2, 2, 1), Vec3(2, 1, 2)}))});
  const Model model = still.with_key_frames({still.values().block(Model::charge_block).offset + 2}, {-1, 3});
  Vector values = model.values().data();
  values[model.key_frames().front().key(0, 1)] = -8e-6;
  return {"everything",
          model.with_values(values),
          {0, columns({{0, 0, 0}, {0.9, 0.1, 0}, {0.8, 0.8, 0.4}, path.position(0)}),
           columns({{0, 0, 0}, {0.5, -0.7, 0.4}, {-0.3, 0.9, 0.3}, {0, 0, 0}})},
          0.8,
          {}};
}

void check_books(const std::vector<IntegratorInfo>& chosen) {
  const Motion motion = everything();
  const EnergyRow truth = run(motion.model, motion.initial, "rk4", motion.duration / 3200, 3200).energy.back();
  const std::set<LossKind> silent{LossKind::Thermostats, LossKind::Events};
  for (std::size_t k = 0; k < loss_names.size(); ++k) {
    INFO(loss_names[k]);
    CHECK((std::abs(truth.losses[k]) > 0.05) == (silent.count(static_cast<LossKind>(k)) == 0));
  }
  CHECK(std::abs(truth.numerical) < 1e-9);
  for (const auto& info : chosen) {
    INFO(info.name);
    const int order = book_order(info);
    struct Errors {
      double numerical, losses;
    };
    const auto errors = [&](Index steps) {
      const Trajectory t = run(motion.model, motion.initial, uncontrolled(info.name), motion.duration / steps, steps);
      Errors all{worst_numerical(t), 0};
      for (std::size_t k = 0; k < loss_names.size(); ++k)
        all.losses = std::max(all.losses, std::abs(t.energy.back().losses[k] - truth.losses[k]));
      return all;
    };
    const Index steps = 4 * steps_for_order(order);
    const Errors coarse = errors(steps), fine = errors(2 * steps);
    INFO("numerical " << coarse.numerical << ' ' << fine.numerical << " losses " << coarse.losses << ' '
                      << fine.losses);
    CHECK(std::log2(coarse.numerical / fine.numerical) > order - 2 * order_margin(order));
    CHECK(std::log2(coarse.losses / fine.losses) > order - 2 * order_margin(order));
  }
}

}  // namespace

TEST_CASE("losses: every column converges to the exact one with the integrator's order", "[sim][run][energy]") {
  for (const auto& [kind, motion] : lossy_motions()) {
    const double start = energy_of(motion.model, motion.initial).total();
    const auto exact_loss = [&, &motion = motion](double t) {
      return start - energy_of(motion.model, motion.exact(t)).total();
    };
    const double exact = exact_loss(motion.duration);
    REQUIRE(std::abs(exact) > 0.05);  // J
    for (const auto& info : integrators()) {
      INFO(motion.name << ", " << info.name);
      const int order = book_order(info);
      const auto error = [&](Index steps) {
        const double h = motion.duration / steps;
        const Trajectory t = run(motion.model, motion.initial, uncontrolled(info.name), h, steps);
        const EnergyRow& end = t.energy.back();
        for (std::size_t k = 0; k < loss_names.size(); ++k)
          if (k != static_cast<std::size_t>(kind)) CHECK(end.losses[k] == 0);
        CHECK(std::abs(end.conserved() + end.numerical - start) < 1e-13 * (std::abs(start) + std::abs(exact)));
        double worst = 0;
        for (std::size_t n = t.energy.size() / 8; n < t.energy.size(); n += t.energy.size() / 8)
          worst = std::max(worst, std::abs(t.energy[n].losses[kind] - exact_loss(t.energy[n].t)));
        return worst;
      };
      const Index steps = 2 * steps_for_order(order);
      const double coarse = error(steps), fine = error(2 * steps);
      const double rounding = 1e-11;  // J, of some joules, and of what implicit stages leave
      INFO("errors " << coarse << " J and " << fine << " J");
      CHECK((fine < rounding || std::log2(coarse / fine) > order - 2 * order_margin(order)));
    }
  }
}

TEST_CASE("losses: with all of them at once the books close with the integrator's order", "[sim][run][energy][slow]") {
  check_books(integrators());
}

TEST_CASE("losses: with all of them at once one integrator of each order closes its books", "[sim][run][energy]") {
  std::map<int, IntegratorInfo> first;
  for (const IntegratorInfo& info : integrators()) first.emplace(book_order(info), info);
  REQUIRE(first.size() > 2);
  std::vector<IntegratorInfo> chosen;
  for (const auto& [order, info] : first) chosen.push_back(info);
  check_books(chosen);
}

TEST_CASE("losses: no force of the registry does work that no column shows", "[sim][run][energy]") {
  for (const auto& [name, model] : force_suite::specimens()) {
    force_suite::Dice dice(7);
    const State start = dice.state();
    for (const auto& term : model.terms()) {
      INFO(term->traits().name);
      CHECK(term->traits().energy.has_value() == term->energy(model, start).has_value());
    }
    for (const char* integrator : {"velocity_verlet", "imex_midpoint", "rk4", "xpbd"}) {
      INFO(name << ", " << integrator);
      if (name == "brownian" && std::string(integrator) == "xpbd") continue;  // refused: it brakes before it moves
      const Trajectory t = run(model, start, integrator, 2e-4, 250);
      REQUIRE(t.status == StepStatus::Ok);
      // What there is to be accounted for. Forces that jump at a contact or a cutoff make an error of first order, far
      // below work that is forgotten.
      const EnergyRow& first = t.energy.front();
      const bool does_no_work = std::ranges::all_of(
          model.terms(), [](const auto& term) { return !term->traits().energy && !term->traits().loss; });
      double turnover = does_no_work ? first.kinetic : 0;  // a magnetic field's: what the step's error is a part of
      for (const EnergyRow& row : t.energy)
        turnover = std::max({turnover, std::abs(row.kinetic - first.kinetic), std::abs(row.losses.sum())});
      CHECK(worst_numerical(t) < 1e-2 * turnover);
    }
  }
}

TEST_CASE("losses: a stiff damper takes no more than there is", "[sim][run][energy]") {
  // Two masses turn around each other once a second; a strong damper along the spring between them.
  const double omega = 2 * M_PI, k = 1e4;
  const State start{0, columns({{-0.5, 0, 0}, {0.5, 0, 0}}), columns({{0, -omega / 2, 0}, {0, omega / 2, 0}})};
  for (const double c : {10.0, 1e3, 1e5, 1e7}) {
    const Model model({.particles = 2, .springs = {{0, 1}}, .held = {}}, all(2, 1), all(2, 0),
                      {springs(1, k, 1 - omega * omega / 2 / k), dampers(1, c)});
    for (const char* integrator : {"imex_euler", "imex_midpoint", "imex_bdf2", "imex_adaptive", "implicit_euler"}) {
      for (const double h : {0.02, 0.01}) {
        INFO(integrator << ", damping " << c << " N s/m, step " << h << " s");
        const Trajectory t = run(model, start, integrator, h, static_cast<Index>(std::lround(10 / h)));
        if (t.status != StepStatus::Ok) continue;
        const double there_is = t.energy.front().total();  // 9.87 J
        double most = 0, least = 0;
        for (const EnergyRow& row : t.energy) {
          // What the integrator itself brings in may be taken too.
          most = std::max(most, row.losses[LossKind::Dampers] - std::max(0.0, -row.numerical));
          least = std::min(least, row.losses[LossKind::Dampers]);
        }
        CHECK(most <= there_is * (1 + 1e-9));
        CHECK(least >= -1e-3 * there_is);  // impulses that imex_bdf2 remembers may give a little back
      }
    }
  }
}

TEST_CASE("losses: drag in steps far too long takes all there is and no more", "[sim][run][energy]") {
  const Model model({.particles = 1, .springs = {}, .held = {}}, all(1, 1), all(1, 0),
                    {std::make_shared<LinearDrag>(all(1, 10), uniform({0, 0, 0}))});
  const State start{0, Points::Zero(3, 1), columns({{1, 0, 0}})};
  for (const char* integrator : {"imex_midpoint", "implicit_euler", "theta", "dormand_prince"}) {
    INFO(integrator);
    const EnergyRow end = run(model, start, integrator, 1, 10).energy.back();
    CHECK(end.losses[LossKind::Drag] == Approx(0.5 - end.kinetic).epsilon(1e-5));
  }
  for (const char* integrator : {"imex_euler", "imex_bdf2"}) {  // the drag of a step's end alone
    INFO(integrator);
    const EnergyRow end = run(model, start, integrator, 1, 10).energy.back();
    CHECK(end.losses[LossKind::Drag] > 0);
    CHECK(end.losses[LossKind::Drag] <= 0.5 + std::max(0.0, -end.numerical));  // the integrator's own gain is taken too
    CHECK(end.losses[LossKind::Drag] + end.numerical == Approx(0.5 - end.kinetic).epsilon(1e-12));
  }
}

TEST_CASE("losses: leapfrog books the half step that takes its velocity to a row's time", "[sim][run][energy]") {
  // Drag alone: what the impulses of steps and half steps took is the change of the kinetic energy to rounding.
  const Motion motion = quadratic_decay();
  const Trajectory t = run(motion.model, motion.initial, "leapfrog", motion.duration / 20, 20);
  for (const EnergyRow& row : t.energy) CHECK(std::abs(row.numerical) < 1e-12 * t.energy.front().total());
  CHECK(t.energy.back().losses[LossKind::Drag] > 0.1 * t.energy.front().total());
}

TEST_CASE("losses: a bounce is taken by the contact, what slides by friction", "[sim][run][energy]") {
  const double e = 0.6, mu = 0.3, m = 0.8;
  const auto table = [&](double restitution, double friction) {
    ObstacleOptions options{.particles = {0}, .radius = all(1, 0.1), .law = {}};
    options.law = {.restitution = restitution, .friction = friction};
    return std::make_shared<PlaneContact>(Vec3::Zero(), Vec3(0, 0, 1), options);
  };
  SECTION("projected, without gravity: exact") {
    const Model model({.particles = 1, .springs = {}, .held = {}}, all(1, m), all(1, 0), {}, {table(e, mu)});
    const State start{0, columns({{0, 0, 0.5}}), columns({{3, 0, -2}})};
    const EnergyRow end = run(model, start, "xpbd", 0.01, 60).energy.back();
    const double slid = 3 - mu * (1 + e) * 2;
    CHECK(end.losses[LossKind::Contacts] == Approx(m / 2 * 4 * (1 - e * e)).epsilon(1e-12));
    CHECK(end.losses[LossKind::Friction] == Approx(m / 2 * (9 - slid * slid)).epsilon(1e-12));
    CHECK(std::abs(end.numerical) < 1e-13);
  }
  SECTION("a block slides to rest on a table") {
    const Model model({.particles = 1, .springs = {}, .held = {}}, all(1, m), all(1, 0),
                      {std::make_shared<Gravity>(Vec3(0, 0, -9.81))}, {table(0, mu)});
    const State start{0, columns({{0, 0, 0.1}}), columns({{2, 0, 0}})};
    const auto error = [&](double h) {
      const EnergyRow end = run(model, start, "xpbd", h, static_cast<Index>(std::lround(1 / h))).energy.back();
      CHECK(end.losses[LossKind::Friction] == Approx(m / 2 * 4).epsilon(1e-6));
      return std::abs(end.losses[LossKind::Contacts]);
    };
    CHECK(error(0.01) < 0.03 * m / 2 * 4);  // gravity pushes the block into the table in each substep
    CHECK(error(0.005) < 0.55 * error(0.01));
  }
  SECTION("by a penalty with damping") {
    const double k = 4000, c = 20, zeta = c / (2 * std::sqrt(k * m)),
                 share = std::exp(-M_PI * zeta / std::sqrt(1 - zeta * zeta));
    const auto wall = std::make_shared<ObstaclePenalty>(
        "plane_penalty", std::make_shared<PlaneObstacle>("wall", Vec3::Zero(), Vec3(0, 0, 1)), all(1, 0.1), k);
    const Model model({.particles = 1, .springs = {}, .held = {}}, all(1, m), all(1, 0),
                      {wall, std::make_shared<ObstacleDamper>("plane", wall, c, 0)});
    const State start{0, columns({{0, 0, 0.2}}), columns({{0, 0, -2}})};
    for (const char* integrator : {"imex_midpoint", "rk4", "velocity_verlet", "imex_euler"}) {
      INFO(integrator);
      const EnergyRow end = run(model, start, integrator, 1e-5, 20000).energy.back();
      CHECK(end.losses[LossKind::Contacts] == Approx(m / 2 * 4 * (1 - share * share)).epsilon(2e-3));
    }
  }
}

TEST_CASE("losses: a thermostat's column is the heat that it took", "[sim][run][energy]") {
  const Model gas({.particles = 2, .springs = {}, .held = {}}, all(2, 0.5), all(2, 0),
                  {std::make_shared<VelocityRescaling>(0.2, 0.0)});
  const State start{0, columns({{0, 0, 0}, {1, 0, 0}}), columns({{1, 2, 0}, {0, -1, 2}})};
  const EnergyRow end = run(gas, start, "velocity_verlet", 0.1, 5).energy.back();
  CHECK(end.losses[LossKind::Thermostats] == Approx(0.25 * 7 - 1.5 * 0.2).epsilon(1e-12));  // about the center
  CHECK(std::abs(end.numerical) < 1e-14);
}

TEST_CASE("losses: switching a field does work, which is booked", "[sim][run][energy]") {
  const auto line =
      std::make_shared<LineField>(CubicSpline(Vector::LinSpaced(5, -2, 2), 100 * Vector::LinSpaced(5, -2, 2)),
                                  LineField::Quantity::Potential, Vec3::Zero(), Vec3(1, 0, 0));
  const auto pulse = std::make_shared<TabulatedField>(line, TabulatedField::Outside::Fail,
                                                      TabulatedField::Span{.from = 0.0305, .until = 0.0605});
  const Model model({.particles = 1, .springs = {}, .held = {}}, all(1, 1e-3), all(1, 1e-3),
                    {std::make_shared<ElectricField>(pulse)});
  const State start{0, columns({{1, 0, 0}}), columns({{0, 0, 0}})};
  for (const char* integrator : {"velocity_verlet", "imex_midpoint", "rk4"}) {
    INFO(integrator);
    const EnergyRow end = run(model, start, integrator, 1e-3, 100).energy.back();
    CHECK(end.kinetic > 4e-3);
    CHECK(end.losses[LossKind::Drivers] == Approx(-end.kinetic).epsilon(0.02));  // a step late at both switches
  }
}

TEST_CASE("losses: links book their dampers, their supports and what breaks", "[sim][run][energy]") {
  const auto link = [](double compliance, double damping, double strength = 0) {
    return std::make_shared<DistanceConstraint>(std::vector<Spring>{{0, 1}}, all(1, 1), all(1, compliance),
                                                all(1, damping), strength > 0 ? all(1, strength) : Vector());
  };
  SECTION("a damped link is a damped spring") {
    const State start{0, columns({{0, 0, 0}, {1.2, 0, 0}}), Points::Zero(3, 2)};
    const Model linked({.particles = 2, .springs = {}, .held = {}}, all(2, 1), all(2, 0), {}, {link(1.0 / 30, 1.5)});
    const Model sprung({.particles = 2, .springs = {{0, 1}}, .held = {}}, all(2, 1), all(2, 0),
                       {springs(1, 30, 1), dampers(1, 1.5)});
    const double exact = run(sprung, start, "rk4", 1e-3, 1000).energy.back().losses[LossKind::Dampers];
    const auto error = [&](double h) {
      const EnergyRow end = run(linked, start, "xpbd", h, static_cast<Index>(std::lround(1 / h))).energy.back();
      return std::abs(end.losses[LossKind::Dampers] - exact);
    };
    CHECK(exact > 0.1);
    CHECK(error(0.01) < 0.02 * exact);
    CHECK(error(0.005) < 0.55 * error(0.01));
  }
  SECTION("a rod pulled by a driven end") {
    const Path path({-0.5, 0, 0.5, 1.2}, {{0, -0.1, 0}, {0, 0, 0}, {0, 0.3, 0}, {0, 0.5, 0}});  // no jerk at first
    const Model pulled({.particles = 2, .springs = {}, .held = {{0, path}}}, all(2, 0.7), all(2, 0), {}, {link(0, 0)});
    const State start{0, columns({{0, 0, 0}, {1, 0, 0}}), columns({{0, 0, 0}, {0, 0.2, 0}})};
    const auto worst = [&](double h) {
      const Trajectory t = run(pulled, start, "xpbd", h, static_cast<Index>(std::lround(1 / h)));
      CHECK(std::abs(t.energy.back().losses[LossKind::Drivers]) > 0.03);  // of 0.06 J
      return worst_numerical(t);
    };
    CHECK(worst(0.005) < 0.6 * worst(0.01));
  }
  SECTION("a link that breaks takes what it stored") {
    const Model model({.particles = 2, .springs = {}, .held = {}}, all(2, 1), all(2, 0), {}, {link(1e-2, 0, 10)});
    const State start{0, columns({{0, 0, 0}, {1, 0, 0}}), columns({{-1, 0, 0}, {1, 0, 0}})};
    const EnergyRow end = run(model, start, "xpbd", 1e-3, 100).energy.back();
    CHECK(end.elastic == 0);
    CHECK(end.losses[LossKind::Events] == Approx(10 * 10 * 1e-2 / 2).epsilon(0.03));
    CHECK(std::abs(end.numerical) < 0.01);
  }
}
