#include "sim/run/simulator.hpp"

#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/field/analytic_field.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/force/electric_field.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/key_framed.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"
#include "tests/support/rich_system.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// A field that has no value after some time, as an expression like sqrt(1 − t) has not.
struct EndingField final : VectorField {
  double end;
  explicit EndingField(double t) : end(t) {}
  Vec3 value(const Vec3&, double t) const override {
    return Vec3(0, 0, t > end ? std::numeric_limits<double>::quiet_NaN() : 1.0);
  }
  Mat3 jacobian(const Vec3&, double) const override { return Mat3::Zero(); }
};

Model pair(double k, std::vector<std::shared_ptr<ForceTerm>> more = {}, Index particles = 2) {
  more.push_back(springs(1, k, 1));
  return Model({.particles = particles, .springs = {{0, 1}}, .held = {}}, all(particles, 1), all(particles, 1),
               std::move(more));
}

/// Charges on springs, one of which is driven, in fields and a wind that change with time, as do all values.
Model ever_changing() {
  const Path path({-1, 0.5, 3, 9}, {Vec3(2, 0, 0), Vec3(2.1, 0.3, 0), Vec3(1.9, -0.2, 0.1), Vec3(2, 0, 0)});
  const auto field =
      std::make_shared<AnalyticField>(std::array<std::string, 3>{"1e5*sin(13*t)", "1e5*x*t", "1e5*cos(z + 7*t)"});
  const Model model({.particles = 4, .springs = {{0, 1}, {1, 2}, {2, 3}}, .held = {{3, path}}}, Vector{{1, 2, 1.5, 1}},
                    all(4, 1e-6),
                    {springs(3, 2, 1), std::make_shared<ElectricField>(field),
                     std::make_shared<CoulombForce>(std::make_shared<DirectCoulombSum>()),
                     std::make_shared<LinearDrag>(all(4, 0.1), std::make_shared<SwirlField>(0.5))});
  return with_moving_values(model, {-1, 0.5, 3, 9}, false);
}
State changing_from(double t) {
  return {t, columns({{0, 0, 0}, {1, 0.2, 0}, {1.1, 1, 0.3}, {2, 0, 0}}),
          columns({{0, 0.1, 0}, {0.2, 0, 0.1}, {0, 0, -0.3}, {0, 0, 0}})};
}

/// Step sizes and starts at which t + h and t0 + n h are rounded otherwise.
struct Times {
  double h, t0;
};
std::vector<Times> awkward_times() {
  std::vector<Times> list;
  for (const double h : {0.1 / 3, 0.01, 1 / 7.0})
    for (const double t0 : {0.0, 0.3}) list.push_back({h, t0});
  return list;
}

/// Whether all numbers of two rows are the same.
bool same(const EnergyRow& a, const EnergyRow& b) {
  bool equal = a.step == b.step && a.t == b.t && a.elastic == b.elastic && a.coulomb == b.coulomb &&
               a.interaction == b.interaction && a.external == b.external && a.kinetic == b.kinetic &&
               a.numerical == b.numerical;
  for (std::size_t k = 0; k < loss_names.size(); ++k) equal = equal && a.losses[k] == b.losses[k];
  return equal;
}
bool same(const State& a, const State& b) { return a.t == b.t && a.x == b.x && a.v == b.v; }

void check_continued(const IntegratorInfo& info, const Times& times) {
  const auto& [h, t0] = times;
  const Model model = ever_changing();
  INFO(info.name << ", h = " << h << ", t0 = " << t0);
  if (info.startup_steps > 0) return;  // its future is not in the state alone
  const RunOptions options{.integrator = info.name, .time_step = h, .steps = 40, .stage = {}};
  const Trajectory whole = simulate(model, changing_from(t0), options);
  REQUIRE(whole.status == StepStatus::Ok);
  for (const std::size_t from : {1, 6, 29}) {
    const EarlierRows rows{whole.energy.front(), whole.energy[from]};
    const Trajectory rest = simulate(model, whole.states[from], options, {}, &rows);
    REQUIRE(rest.states.size() == whole.states.size() - from);
    for (std::size_t k = 0; k < rest.states.size(); ++k) {
      CHECK(same(rest.states[k], whole.states[from + k]));
      CHECK(same(rest.energy[k], whole.energy[from + k]));
    }
  }
}

void check_rewound(const IntegratorInfo& info, const Times& times) {
  const auto& [h, t0] = times;
  const Model model = ever_changing();
  INFO(info.name << ", h = " << h << ", t0 = " << t0);
  Stepper whole(model, changing_from(t0), info.name, {}, h);
  std::vector<State> states{whole.state()};
  std::vector<History> histories{whole.history()};
  for (Index n = 1; n <= 20; ++n) {
    REQUIRE(whole.advance().status == StepStatus::Ok);
    CHECK(whole.state().t == t0 + static_cast<double>(n) * h);
    states.push_back(whole.state());
    histories.push_back(whole.history());
  }
  for (const Index from : {1, 6, 13}) {
    Stepper other(model, changing_from(t0), info.name, {}, h);
    other.rewind(from, states[from], histories[from]);
    for (Index n = from; n <= 20; ++n) {
      CHECK(same(other.state(), states[n]));
      CHECK(other.history() == histories[n]);
      other.advance();
    }
    // What a step leaves is as at a new start.
    if (info.startup_steps > 0) continue;
    const Stepper fresh(model, states[from], info.name, {}, h, {from, t0});
    CHECK(same(fresh.state(), states[from]));
    CHECK(fresh.history() == histories[from]);
  }
}

}  // namespace

TEST_CASE("simulate: zero steps leave the initial state", "[sim][run]") {
  for (const auto& info : integrators()) {
    const diff::Scenario s = rich_scenario(info.name, 0.02, 0, false);
    const Trajectory t =
        simulate(s.model, s.initial, {.integrator = info.name, .time_step = 0.02, .steps = 0, .stage = {}});
    CHECK(t.status == StepStatus::Ok);
    CHECK(t.complete);
    CHECK(t.records.empty());
    REQUIRE(t.states.size() == 1);
    CHECK(t.states[0].x == s.initial.x);
    CHECK(t.states[0].v == s.initial.v);
  }
}

TEST_CASE("simulate: stores every n-th step and always the last", "[sim][run]") {
  const Trajectory t = simulate(pair(10), {0, columns({{0, 0, 0}, {1.2, 0, 0}}), Points::Zero(3, 2)},
                                {.time_step = 0.1, .steps = 7, .every = 3, .stage = {}});
  CHECK(t.step == std::vector<Index>{0, 3, 6, 7});
  CHECK(t.records.size() == 7);
  CHECK(t.energy.size() == 4);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(t.states[k].t == 0.1 * static_cast<double>(t.step[k]));  // the clock reads n h, not a sum
    CHECK(t.energy[k].step == t.step[k]);
    CHECK(t.energy[k].t == t.states[k].t);
  }
}

TEST_CASE("simulate: an observer can stop the run", "[sim][run]") {
  Index last = -1;
  const Trajectory t = simulate(pair(10), {0, columns({{0, 0, 0}, {1.2, 0, 0}}), Points::Zero(3, 2)},
                                {.time_step = 0.1, .steps = 9, .every = 2, .stage = {}},
                                [&](Index n, const State& s, const StepRecord&, const EnergyRow* kept) {
                                  CHECK(n == last + 1);
                                  CHECK(s.t == Approx(0.1 * static_cast<double>(n)));
                                  CHECK((kept != nullptr) == (n % 2 == 0));
                                  last = n;
                                  return n < 5;
                                });
  CHECK(last == 5);
  CHECK_FALSE(t.complete);
  CHECK(t.status == StepStatus::Ok);
  CHECK(t.records.size() == 5);
}

TEST_CASE("simulate: a run continued from a saved state equals the uninterrupted one", "[sim][run]") {
  for (const auto& info : integrators()) {
    INFO(info.name);
    if (info.startup_steps > 0) continue;  // its future is not in the state alone
    const diff::Scenario s = rich_scenario(info.name, 0.02, 0);
    const RunOptions options{
        .integrator = info.name, .time_step = 0.02, .steps = 50, .every = 1, .stage = {.linear_solver = "cholesky"}};
    const Trajectory whole = simulate(s.model, s.initial, options);
    const EarlierRows whole_rows{whole.energy.front(), whole.energy[20]};
    const Trajectory rest = simulate(s.model, whole.states[20], options, {}, &whole_rows);
    REQUIRE(whole.status == StepStatus::Ok);
    CHECK(rest.records.size() == 30);
    CHECK(rest.step.front() == 20);
    CHECK(rest.step.back() == 50);
    CHECK(rest.states.back().t == whole.states.back().t);
    CHECK(same(rest.states.back(), whole.states.back()));
    CHECK(same(rest.energy.back(), whole.energy.back()));

    const State start{0, columns({{0, 0, 0}, {1.2, 0.3, 0}}), columns({{0, 0.1, 0}, {0, 0, 1}})};
    const Model steady = pair(10, {std::make_shared<Gravity>(Vec3(0, 0, -1))});
    const Trajectory steady_whole = simulate(steady, start, options);
    const EarlierRows steady_rows{steady_whole.energy.front(), steady_whole.energy[20]};
    const Trajectory steady_rest = simulate(steady, steady_whole.states[20], options, {}, &steady_rows);
    CHECK(steady_rest.states.back().x == steady_whole.states.back().x);
    CHECK(steady_rest.states.back().v == steady_whole.states.back().v);
  }
}

TEST_CASE("simulate: where forces depend on time, too, a continued run equals the uninterrupted one",
          "[sim][run][slow]") {
  for (const IntegratorInfo& info : integrators())
    for (const Times& times : awkward_times()) check_continued(info, times);
}

TEST_CASE("simulate: in a world that changes, each integrator goes on from a saved state at one of many times",
          "[sim][run]") {
  const auto times = awkward_times();
  std::size_t k = 0;
  for (const IntegratorInfo& info : integrators()) check_continued(info, times[k++ % times.size()]);
}

TEST_CASE("stepper: goes on from any state and history as it did before", "[sim][run][slow]") {
  for (const IntegratorInfo& info : integrators())
    for (const Times& times : awkward_times()) check_rewound(info, times);
}

TEST_CASE("stepper: rewound, it makes the same steps again, at one of many times", "[sim][run]") {
  const auto times = awkward_times();
  std::size_t k = 0;
  for (const IntegratorInfo& info : integrators()) check_rewound(info, times[k++ % times.size()]);
}

TEST_CASE("simulate: a step too large for velocity_verlet ends the run where it diverges", "[sim][run][error]") {
  const State start{0, columns({{0, 0, 0}, {1.2, 0, 0}}), Points::Zero(3, 2)};
  const RunOptions options{
      .integrator = "velocity_verlet", .time_step = 1.0, .steps = 500, .every = 50, .stage = {}};  // 2/ω = 0.45 s
  const Trajectory t = simulate(pair(10), start, options);
  CHECK(t.status == StepStatus::Diverged);
  CHECK(to_string(t.status) == "diverged");
  CHECK(t.complete);  // complete up to its failure
  REQUIRE(t.records.size() < 100);
  for (std::size_t n = 0; n + 1 < t.records.size(); ++n) CHECK(t.records[n].status == StepStatus::Ok);
  CHECK(t.records.back().status == StepStatus::Diverged);
  CHECK(t.step.back() == static_cast<Index>(t.records.size()));  // the failed state is kept and named
  CHECK(t.records.back().t == Approx(static_cast<double>(t.records.size())));
  for (const auto& info : integrators())
    if (info.implicit)
      CHECK(simulate(pair(10), start, {.integrator = info.name, .time_step = 1.0, .steps = 50, .stage = {}}).status ==
            StepStatus::Ok);
}

TEST_CASE("simulate: a force without a value ends the run at its step, in every integrator", "[sim][run][error]") {
  std::vector<IntegratorChoice> choices;
  for (const auto& info : integrators()) choices.push_back(info.name);
  MapSettings linearized(0, {{"theta", 1.0}, {"newton_iterations", "1"}});
  choices.push_back({"theta", linearized});
  for (const IntegratorChoice& integrator : choices)
    for (const Index charged : {0, 1, 2}) {  // wherever it strikes
      INFO(integrator.name() << ", particle " << charged);
      Vector charge = Vector::Zero(3);
      charge[charged] = 1;
      const Model model({.particles = 3, .springs = {{0, 1}}, .held = {}}, all(3, 1), charge,
                        {springs(1, 5, 1), std::make_shared<ElectricField>(std::make_shared<EndingField>(0.45))});
      const State start{0, columns({{0, 0, 0}, {1, 0, 0}, {0, 2, 0}}), Points::Zero(3, 3)};
      const Trajectory t =
          simulate(model, start, {.integrator = integrator, .time_step = 0.1, .steps = 20, .stage = {}});
      CHECK(t.status == StepStatus::Diverged);
      // Some integrators need explicit forces at t = 0.5 in step 5, others at the beginning of step 6 only.
      CHECK(t.records.size() >= 5);
      CHECK(t.records.size() <= 6);
      CHECK(t.step.back() == static_cast<Index>(t.records.size()));
    }
}

TEST_CASE("simulate: a stage that does not converge ends the run", "[sim][run][error]") {
  const Motion motion = windy_triangle();
  for (const auto& info : integrators()) {
    if (!info.implicit) continue;
    const Trajectory t =
        simulate(motion.model, motion.initial,
                 {.integrator = info.name, .time_step = 0.5, .steps = 20, .stage = {.max_iterations = 1}});
    CHECK(t.status == StepStatus::NotConverged);
    CHECK(t.records.size() == 1);
    CHECK(t.records[0].residual > 1e-12);
  }
}

TEST_CASE("simulate: snapshots have velocities of their own time, and the run does not notice", "[sim][run]") {
  int half_a_step_back = 0;
  for (const IntegratorInfo& info : integrators()) {
    if (info.velocity_order == info.position_order) continue;
    ++half_a_step_back;
    for (const Motion& motion : {oscillator(0), oscillator(0.9)}) {
      INFO(info.name << ", " << motion.name);
      const auto run = [&](Index steps, Index every) {
        return simulate(motion.model, motion.initial,
                        {.integrator = info.name,
                         .time_step = motion.duration / steps,
                         .steps = steps,
                         .every = every,
                         .stage = {}});
      };
      const auto error = [&](Index steps) {
        return (run(steps, steps).states.back().v - motion.exact(motion.duration).v).norm();
      };
      CHECK(std::log2(error(200) / error(400)) == Approx(info.position_order).margin(0.2));
      const State rarely = run(200, 200).states.back(), always = run(200, 1).states.back();
      CHECK(rarely.x == always.x);
      CHECK(rarely.v == always.v);
    }
  }
  CHECK(half_a_step_back == 2);
}

TEST_CASE("simulate: the kinetic energy of the first step is that of its own time", "[sim][run][energy]") {
  // Two masses of 1 kg on a spring of 1 N/m, pulled apart by 0.1 m: each swings as 0.05 m cos(√2 t).
  const double h = 0.02, w = std::sqrt(2.0), truth = std::pow(0.05 * w * std::sin(w * h), 2);
  for (const IntegratorInfo& info : integrators()) {
    if (info.position_order < 2) continue;
    INFO(info.name);
    const Trajectory t = simulate(pair(1), {0, columns({{0, 0, 0}, {1.1, 0, 0}}), Points::Zero(3, 2)},
                                  {.integrator = info.name, .time_step = h, .steps = 1000, .stage = {}});
    CHECK(t.energy[1].kinetic == Approx(truth).epsilon(1e-3));
    double ripple = 0;
    for (const EnergyRow& row : t.energy) ripple = std::max(ripple, std::abs(row.total() / t.energy[0].total() - 1));
    if (info.symplectic) CHECK(ripple < 3e-4);
  }
}

TEST_CASE("simulate: a direction that a buckling column draws at random is on record", "[sim][run]") {
  const Model column({.particles = 3, .springs = {{0, 1}, {1, 2}}, .held = {{0, {}}, {2, {}}}}, all(3, 0.01), all(3, 0),
                     {springs(2, 1000, 0.7)});
  const auto escapes = [&](const std::string& integrator, double aside) {
    const State start{0, columns({{0, 0, 0}, {0.5, aside, 0}, {1, 0, 0}}), Points::Zero(3, 3)};
    int sum = 0;
    for (const StepRecord& record :
         simulate(column, start, {.integrator = integrator, .time_step = 0.1, .steps = 5, .stage = {}}).records)
      sum += record.escapes;
    return sum;
  };
  for (const char* integrator : {"imex_euler", "imex_midpoint", "imex_adaptive"}) {
    INFO(integrator);
    CHECK(escapes(integrator, 0) >= 1);
    CHECK(escapes(integrator, 1e-3) == 0);
  }
  CHECK(escapes("rk4", 0) == 0);
}

TEST_CASE("simulate: a run that names no integrator steps by one without numerical damping", "[sim][run]") {
  CHECK(RunOptions{}.integrator.name() == "imex_midpoint");
  CHECK(diff::Scenario{.name = "", .model = pair(1), .initial = {}, .stage = {}}.integrator.name() == "imex_midpoint");
}

TEST_CASE("energy_of: books each kind by itself", "[sim][run]") {
  const diff::Scenario s = rich_scenario("imex_euler", 0.01, 0, false);
  const EnergyRow row = energy_of(s.model, s.initial);
  double kinetic = 0, elastic = 0;
  for (Index i = 0; i < 7; ++i) kinetic += 0.5 * s.model.mass()[i] * s.initial.v.col(i).squaredNorm();
  const auto& values = s.model.values();
  for (std::size_t e = 0; e < s.model.springs().size(); ++e) {
    const auto [i, j] = s.model.springs()[e];
    const double stretch = (s.initial.x.col(i) - s.initial.x.col(j)).norm() - values[*values.find("rest_length")][e];
    elastic += 0.5 * values[*values.find("stiffness")][e] * stretch * stretch;
  }
  CHECK(row.kinetic == Approx(kinetic).epsilon(1e-14));
  CHECK(row.elastic == Approx(elastic).epsilon(1e-14));
  CHECK(row.coulomb > 0);
  CHECK(row.external != 0);
  CHECK(row.total() == Approx(row.kinetic + row.elastic + row.coulomb + row.external));
}
