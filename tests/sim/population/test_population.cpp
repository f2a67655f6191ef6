#include "sim/population/population.hpp"

#include "sim/constraint/constraint_registry.hpp"
#include "sim/constraint/distance_constraint.hpp"
#include "sim/field/analytic_field.hpp"
#include "sim/force/decorated_force.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

const Vec3 g(0, 0, -9.81);

/// Two free particles of 1 kg and 2 kg that fall, and what else is given.
Model falling(Terms more = {}) {
  more.push_back(std::make_shared<Gravity>(g));
  return Model({.particles = 2, .springs = {}, .held = {}}, Vector{{1, 2}}, Vector{{1e-6, -1e-7}}, std::move(more));
}
State at_rest() { return {0, columns({{-5, 0, 0}, {5, 0, 0}}), Points::Zero(3, 2)}; }

Region at(const Vec3& x) {
  return {.point = [x](const Vec3&) { return x; }};
}
Region below(double z) {
  return {.contains = [z](const Vec3& x) { return x[2] < z; }};
}

/// A jet upwards: 100 a second.
Emitter jet() {
  Emitter emitter{.region = at({0, 0, 1}), .like = {0}, .attributes = {}};
  emitter.rate = 100;
  emitter.velocity = Vec3(0.5, 0, 4);
  return emitter;
}

struct PopulationRun {
  Trajectory trajectory;
  Population population;
};
PopulationRun run(const PopulationRules& rules, const Model& model, const State& start, const RunOptions& options) {
  Population population(rules, model, start.t);
  Trajectory trajectory = simulate(model, start, options, {}, nullptr, &population);
  return {std::move(trajectory), std::move(population)};
}

RunOptions steps(const IntegratorChoice& integrator, double h, Index count, Index every = 1) {
  return {.integrator = integrator, .time_step = h, .steps = count, .every = every, .stage = {}};
}

bool suits(const IntegratorInfo& info) { return info.startup_steps == 0; }

}  // namespace

TEST_CASE("population: without events a run is the run without a population, bit for bit", "[sim][population]") {
  const auto plain = simulate(falling(), at_rest(), steps("velocity_verlet", 0.01, 20));
  const auto counted = run({}, falling(), at_rest(), steps("velocity_verlet", 0.01, 20)).trajectory;
  CHECK(counted.states.back().x == plain.states.back().x);
  CHECK(counted.states.back().v == plain.states.back().v);
  CHECK(counted.rosters.back().id == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("population: emitted particles come one every 1/rate and fly as thrown, by every integrator",
          "[sim][population]") {
  for (const IntegratorInfo& info : integrators()) {
    if (!suits(info)) continue;
    INFO(info.name);
    const double h = 0.004;
    const auto [trajectory, population] = run({.emitters = {jet()}}, falling(), at_rest(), steps(info.name, h, 50));
    REQUIRE(trajectory.status == StepStatus::Ok);
    const State& end = trajectory.states.back();
    const Roster& roster = trajectory.rosters.back();
    REQUIRE(end.x.cols() == 22);
    CHECK(population.emitted() == 20);
    CHECK(population.model().mass()[21] == 1);
    for (Index k = 0; k < 20; ++k) {
      const std::size_t p = k + 2;
      CHECK(roster.id[p] == k + 2);
      const double birth = (k + 0.5) / 100, age = end.t - birth;
      CHECK(roster.birth_time[p] == Approx(birth));
      // Straight to the end of the step that it was born in, up to h, then by an integrator that may lag by h/2.
      const Vec3 thrown = Vec3(0, 0, 1) + age * jet().velocity + age * age / 2 * g;
      CHECK((end.x.col(k + 2) - thrown).norm() < 1.51 * 9.81 * age * h);
      CHECK((end.v.col(k + 2) - jet().velocity - age * g).norm() < 9.81 * 1.01 * h);
    }
    // Those that were there first feel nothing of it.
    const auto alone = simulate(falling(), at_rest(), steps(info.name, h, 50)).states.back();
    CHECK((end.x.leftCols(2) - alone.x).norm() < (info.adaptive || info.implicit ? 1e-9 : 1e-13));
  }
}

TEST_CASE("population: integrators that remember earlier steps are rejected", "[sim][population][error]") {
  Index rejected = 0;
  for (const IntegratorInfo& info : integrators()) {
    if (suits(info)) continue;
    ++rejected;
    CHECK_THROWS_WITH(run({.emitters = {jet()}}, falling(), at_rest(), steps(info.name, 0.01, 1)),
                      Catch::Contains("uses earlier steps"));
  }
  CHECK(rejected > 0);
}

TEST_CASE("population: velocities spread normally, life times evenly, prototypes in turn", "[sim][population]") {
  Emitter emitter = jet();
  emitter.rate = 4000;
  emitter.velocity_spread = 0.3;
  emitter.lifetime = 5;
  emitter.lifetime_spread = 2;
  emitter.like = {1, 0};
  emitter.attributes = {350};
  const Model still({.particles = 2, .springs = {}, .held = {}}, Vector{{1, 2}}, all(2, 0), {});
  const auto [trajectory, population] =
      run({.emitters = {emitter}, .attributes = {"temperature"}, .initial_attributes = {293}, .seed = 7}, still,
          at_rest(), steps("velocity_verlet", 0.1, 10, 10));
  const Roster& roster = trajectory.rosters.back();
  const Points v = trajectory.states.back().v.rightCols(4000);
  const Vec3 mean = v.rowwise().mean();
  CHECK((mean - emitter.velocity).norm() < 4 * 0.3 * std::sqrt(3.0 / 4000));
  const Points spread = v.colwise() - mean;
  const Mat3 covariance = spread * spread.transpose() / 4000;
  CHECK((covariance - 0.09 * Mat3::Identity()).norm() < 4 * 0.09 * std::sqrt(9.0 / 4000));
  double lifetime = 0, least = 9, most = 0;
  for (std::size_t p = 2; p < roster.size(); ++p) {
    const double life = roster.death_time[p] - roster.birth_time[p];
    lifetime += life / 4000;
    least = std::min(least, life);
    most = std::max(most, life);
    CHECK(roster.like[p] == static_cast<Index>((p - 1) % 2));
  }
  CHECK(lifetime == Approx(5).margin(4 * 2 / std::sqrt(3.0 * 4000)));
  CHECK(least > 3);
  CHECK(most < 7);
  CHECK(least < 3.02);
  CHECK(most > 6.98);
  CHECK(population.model().mass()[2] == 2);
  CHECK(population.model().mass()[3] == 1);
  CHECK(trajectory.rosters.front().attributes(0, 0) == 293);
  CHECK(roster.attributes(0, 1) == 293);
  CHECK(roster.attributes(0, 2) == 350);
}

TEST_CASE("population: a lifetime ends, and emission begins and ends as set", "[sim][population]") {
  Emitter emitter = jet();
  emitter.lifetime = 0.1;
  emitter.start = 0.2;
  emitter.end = 0.5;
  const auto [trajectory, population] =
      run({.emitters = {emitter}}, falling(), at_rest(), steps("velocity_verlet", 0.01, 100));
  // One every 0.01 s from 0.205 s to 0.495 s, each gone 0.1 s later.
  for (const auto& [step, count] :
       std::map<std::size_t, Index>{{20, 2}, {21, 3}, {25, 7}, {40, 12}, {50, 12}, {55, 7}, {61, 2}, {100, 2}})
    CHECK(trajectory.states[step].x.cols() == count);
  CHECK(population.emitted() == 30);
  CHECK(population.taken() == 30);
}

TEST_CASE("population: a sink takes what reaches it, those that are left keep their names", "[sim][population]") {
  Emitter emitter = jet();
  emitter.velocity = Vec3(0, 0, 2);
  // Up and back to z = 0 takes (2 + √(4 + 2 g))/g = 0.698 s.
  const double fall = (2 + std::sqrt(4 + 2 * 9.81)) / 9.81;
  const Model pinned({.particles = 2, .springs = {}, .held = {{0, {}}}}, Vector{{1, 2}}, all(2, 0),
                     {std::make_shared<Gravity>(g)});
  const auto [trajectory, population] =
      run({.emitters = {emitter}, .sinks = {{.region = below(0)}}}, pinned,
          {0, columns({{0, 0, -3}, {5, 0, 0.1}}), Points::Zero(3, 2)}, steps("velocity_verlet", 0.005, 400));
  const Roster& roster = trajectory.rosters.back();
  // The pinned one stays though the sink is around it, the other falls in; of the jet one time of fall is in the air.
  CHECK(roster.id.front() == 0);
  CHECK(roster.size() - 1 == Approx(100 * fall).margin(1.01));
  CHECK(roster.id.back() == 201);
  CHECK(std::ranges::is_sorted(roster.id));
  CHECK(population.taken() == 201 - static_cast<long>(roster.size() - 1));
  for (std::size_t k = 1; k < trajectory.rosters.size(); ++k)
    for (const auto id : trajectory.rosters[k].id)
      CHECK((id > trajectory.rosters[k - 1].id.back() || std::ranges::count(trajectory.rosters[k - 1].id, id) == 1));
}

TEST_CASE("population: a sink with a rate takes exp(-rate t) out", "[sim][population]") {
  const Index n = 4000;
  const Model still({.particles = n, .springs = {}, .held = {}}, all(n, 1), all(n, 0), {});
  const auto left = [&](double h, Index count, std::uint64_t seed) {
    Points x(3, n);
    for (Index i = 0; i < n; ++i) x.col(i) = Vec3(i, 0, -1);
    return run({.sinks = {{.region = below(0), .rate = 2}}, .seed = seed}, still, {0, x, Points::Zero(3, n)},
               steps("velocity_verlet", h, count, count))
        .trajectory.states.back()
        .x.cols();
  };
  const double expected = n * std::exp(-2 * 0.5), deviation = std::sqrt(expected * (1 - std::exp(-1.0)));
  CHECK(left(0.05, 10, 1) == Approx(expected).margin(4 * deviation));
  CHECK(left(0.5, 1, 1) == Approx(expected).margin(4 * deviation));  // whatever the step
  CHECK(left(0.05, 10, 1) == left(0.05, 10, 1));
  CHECK(left(0.05, 10, 1) != left(0.05, 10, 2));
}

TEST_CASE("population: the last particle stays", "[sim][population]") {
  const auto [trajectory, population] =
      run({.sinks = {{.region = below(100)}}}, falling(), at_rest(), steps("velocity_verlet", 0.01, 5));
  CHECK(trajectory.status == StepStatus::Ok);
  CHECK(trajectory.rosters.back().id == std::vector<std::int64_t>{0});
}

TEST_CASE("population: springs, links and pins hold their particles", "[sim][population]") {
  const Model model(
      {.particles = 6, .springs = {{1, 2}}, .held = {{0, {}}}}, all(6, 1), all(6, 0), {springs(1, 10, 1)},
      {std::make_shared<DistanceConstraint>(std::vector<Spring>{{3, 4}}, all(1, 1), all(1, 0), all(1, 0))});
  Points x(3, 6);
  for (Index i = 0; i < 6; ++i) x.col(i) = Vec3(i, 0, 0);
  const auto [trajectory, population] = run({.emitters = {jet()}, .sinks = {{.region = below(0.5)}}}, model,
                                            {0, x, Points::Zero(3, 6)}, steps("xpbd", 0.01, 2));
  CHECK(trajectory.rosters.back().id == std::vector<std::int64_t>{0, 1, 2, 3, 4, 6, 7});
}

TEST_CASE("population: links that broke are gone for good, and let their particles go", "[sim][population]") {
  // A link far beyond its strength, which breaks in the first step, while a jet changes the model in every step.
  const Model model({.particles = 2, .springs = {}, .held = {}}, all(2, 1), all(2, 0), {},
                    {std::make_shared<DistanceConstraint>(std::vector<Spring>{{0, 1}}, all(1, 1), all(1, 1e-3),
                                                          all(1, 0), all(1, 5))});
  const State start{0, columns({{0, 0, 0}, {2, 0, 0}}), columns({{-1, 0, 0}, {1, 0, 0}})};
  const auto [trajectory, population] = run({.emitters = {jet()}}, model, start, steps("xpbd", 0.01, 10));
  CHECK(trajectory.records.front().broken.size() == 1);
  for (std::size_t k = 1; k < trajectory.records.size(); ++k) CHECK(trajectory.records[k].broken.empty());
  CHECK((trajectory.states.back().v.leftCols(2) - trajectory.states[1].v.leftCols(2)).norm() < 1e-12);
  CHECK(population.model().bound() == std::vector<bool>(12, false));
}

TEST_CASE("population: a link that breaks after an event leaves the energy book whole", "[sim][population]") {
  // The link of two particles that fly apart through air breaks when it is 1 cm longer, after the first event.
  const Model model({.particles = 2, .springs = {}, .held = {}}, all(2, 1), all(2, 0),
                    {std::make_shared<LinearDrag>(all(2, 0.5), uniform({0, 0, 0}))},
                    {std::make_shared<DistanceConstraint>(std::vector<Spring>{{0, 1}}, all(1, 1), all(1, 1e-3),
                                                          all(1, 0), all(1, 10))});
  const State start{0, columns({{0, 0, 0}, {1, 0, 0}}), columns({{-0.4, 0, 0}, {0.4, 0, 0}})};
  const auto [trajectory, population] = run({.emitters = {jet()}}, model, start, steps("xpbd", 0.001, 60));
  REQUIRE(trajectory.status == StepStatus::Ok);
  std::size_t broken_at = 0;
  for (std::size_t k = 0; k < trajectory.records.size(); ++k)
    if (!trajectory.records[k].broken.empty()) broken_at = k;
  CHECK(broken_at > 10);
  const double start_energy = trajectory.energy.front().total();
  const EnergyRow& end = trajectory.energy.back();
  CHECK(end.conserved() == Approx(start_energy).margin(0.01));
  CHECK(end.losses[LossKind::Events] < -10);  // J, brought in by six drops
}

TEST_CASE("population: two particles side by side do not count as a body that burst", "[sim][population]") {
  // The first drop is born a nanosecond before a step ends, beside the pinned particle.
  Emitter emitter = jet();
  emitter.region = at({0, 0, 0});
  emitter.rate = 10;
  emitter.start = -0.0400000001;
  const Model pinned({.particles = 1, .springs = {}, .held = {{0, {}}}}, Vector{{1}}, all(1, 0), {});
  const auto [trajectory, population] = run(
      {.emitters = {emitter}}, pinned, {0, Points::Zero(3, 1), Points::Zero(3, 1)}, steps("velocity_verlet", 0.01, 20));
  CHECK(trajectory.status == StepStatus::Ok);
  CHECK(trajectory.states.back().x.cols() > 2);
}

TEST_CASE("population: the energy book contains what emitters add and sinks remove", "[sim][population]") {
  Emitter emitter = jet();
  emitter.like = {1};
  // Charges that act on each other, so that a newcomer's energy is that with all others too.
  const Model model = falling({std::make_shared<CoulombForce>(std::make_shared<DirectCoulombSum>())});
  const auto [trajectory, population] =
      run({.emitters = {emitter}, .sinks = {{.region = below(0.5)}}}, model,
          {0, columns({{-5, 0, 9}, {5, 0, 9}}), Points::Zero(3, 2)}, steps("velocity_verlet", 0.002, 500, 10));
  const EnergyRow &first = trajectory.energy.front(), &last = trajectory.energy.back();
  CHECK(population.taken() > 5);
  CHECK(std::abs(last.total() - first.total()) > 500);  // J, of some 90 drops in the air
  for (const EnergyRow& row : trajectory.energy) CHECK(row.conserved() == Approx(first.total()).epsilon(1e-6));
}

TEST_CASE("population: a run continued from a snapshot equals the uninterrupted one", "[sim][population]") {
  Emitter emitter = jet();
  emitter.velocity_spread = 0.2;
  emitter.lifetime = 0.3;
  emitter.lifetime_spread = 0.1;
  emitter.attributes = {1};
  const PopulationRules rules{.emitters = {emitter},
                              .sinks = {{.region = below(0.9), .rate = 3}},
                              .attributes = {"color"},
                              .initial_attributes = {0},
                              .seed = 3};
  const RunOptions options = steps("velocity_verlet", 0.005, 120);
  const auto whole = run(rules, falling(), at_rest(), options).trajectory;
  Population population(rules, falling(), whole.rosters[57]);
  const EarlierRows rows{whole.energy.front(), whole.energy[57]};
  const auto rest = simulate(population.model(), whole.states[57], options, {}, &rows, &population);
  CHECK(rest.rosters.back().id == whole.rosters.back().id);
  CHECK(rest.rosters.back().death_time == whole.rosters.back().death_time);
  CHECK(rest.states.back().x == whole.states.back().x);
  CHECK(rest.states.back().v == whole.states.back().v);
}

namespace {

/// Twelve charges that fall, so that a few more are few; a jet of charges, and a drain below.
Model charged(std::shared_ptr<ForceCount> count = nullptr) {
  Model model({.particles = 12, .springs = {}, .held = {}}, all(12, 1), all(12, 1e-6),
              {std::make_shared<Gravity>(g), std::make_shared<CoulombForce>(std::make_shared<DirectCoulombSum>())});
  if (!count) return model;
  return model.with_terms([&](const auto& term) { return std::make_shared<CountedForce>(term, count); });
}
State charged_at_rest() {
  State state{0, Points(3, 12), Points::Zero(3, 12)};
  for (Index i = 0; i < 12; ++i) state.x.col(i) = Vec3(std::cos(i), std::sin(i), 2 + 0.1 * i);
  return state;
}
PopulationRules jet_and_drain() {
  Emitter emitter = jet();
  emitter.velocity_spread = 0.2;
  return {.emitters = {emitter}, .sinks = {{.region = below(0.9)}}, .seed = 5};
}

/// The same charges in a field that changes with time.
Model charged_in_changing_field() {
  const auto field =
      std::make_shared<AnalyticField>(std::array<std::string, 3>{"1e5*sin(13*t)", "1e5*x*t", "1e5*cos(z + 7*t)"});
  return Model({.particles = 12, .springs = {}, .held = {}}, all(12, 1), all(12, 1e-6),
               {std::make_shared<CoulombForce>(std::make_shared<DirectCoulombSum>()),
                std::make_shared<ElectricField>(field), std::make_shared<Gravity>(g)});
}

}  // namespace

TEST_CASE("population: after an emission the forces are those of all particles, by every integrator",
          "[sim][population]") {
  const Model model = GENERATE(charged(), charged_in_changing_field());
  Population population({.emitters = {jet()}}, model, 0.0);
  State before = charged_at_rest();
  before.t = 0.02;
  State after = population.emit(0, before);
  REQUIRE(after.x.cols() == 14);
  int kept = 0;
  for (const IntegratorInfo& info : integrators()) {
    if (!suits(info)) continue;
    INFO(info.name);
    const auto integrator = IntegratorChoice(info.name).make({});
    const History extended = integrator->extend(population.model(), after, integrator->start(model, before)),
                  started = integrator->start(population.model(), after);
    REQUIRE(extended.size() == started.size());
    kept += static_cast<int>(extended.size());
    for (std::size_t k = 0; k < started.size(); ++k)  // rounding of sums of fourteen
      CHECK((extended[k] - started[k]).norm() < 1e-14 * started[k].norm());
  }
  CHECK(kept >= 3);
}

TEST_CASE("population: an emission costs no sum over all pairs", "[sim][population]") {
  const auto count = std::make_shared<ForceCount>();
  const RunOptions options = steps("velocity_verlet", 0.01, 10, 10);
  run({.emitters = {jet()}}, charged(count), charged_at_rest(), options);
  // One of each of the two forces at the start and in each step. Gravity is summed again for the new ones alone.
  CHECK(count->sums == 2 * 11 + 10);
}

TEST_CASE("population: among charges, too, a run continued from any snapshot equals the uninterrupted one",
          "[sim][population]") {
  for (const char* integrator : {"velocity_verlet", "imex_midpoint", "imex_adaptive", "rk4"}) {
    INFO(integrator);
    const PopulationRules rules = jet_and_drain();
    const RunOptions options = steps(integrator, 0.02, 60);
    const auto whole = run(rules, charged(), charged_at_rest(), options).trajectory;
    REQUIRE(whole.status == StepStatus::Ok);
    CHECK(whole.rosters.back().id.front() > 0);  // some have left
    for (std::size_t from = 1; from < 60; from += 7) {
      Population population(rules, charged(), whole.rosters[from]);
      const EarlierRows rows{whole.energy.front(), whole.energy[from]};
      const auto rest = simulate(population.model(), whole.states[from], options, {}, &rows, &population);
      CHECK(rest.rosters.back().id == whole.rosters.back().id);
      CHECK(rest.states.back().x == whole.states.back().x);
      CHECK(rest.states.back().v == whole.states.back().v);
      CHECK(rest.energy.back().losses[LossKind::Events] == whole.energy.back().losses[LossKind::Events]);
    }
  }
}

TEST_CASE("population: a continued run equals the uninterrupted one where forces depend on time", "[sim][population]") {
  // Steps of 0.01 s, whose sums and multiples differ by rounding, and an emission in each.
  const Model model = charged_in_changing_field();
  const RunOptions options = steps(GENERATE("velocity_verlet", "imex_midpoint", "imex_adaptive"), 0.01, 30);
  const PopulationRules rules{.emitters = {jet()}};
  const auto whole = run(rules, model, charged_at_rest(), options).trajectory;
  for (std::size_t from = 1; from < 30; ++from) {
    Population population(rules, model, whole.rosters[from]);
    const EarlierRows rows{whole.energy.front(), whole.energy[from]};
    const auto rest = simulate(population.model(), whole.states[from], options, {}, &rows, &population);
    CHECK(rest.states.back().x == whole.states.back().x);
    CHECK(rest.states.back().v == whole.states.back().v);
  }
}

TEST_CASE("population: the energy book stays whole where all leave as others come", "[sim][population]") {
  Emitter emitter = jet();
  emitter.rate = 200;
  const auto [trajectory, population] = run({.emitters = {emitter}, .sinks = {{.region = below(2)}}}, falling(),
                                            at_rest(), steps("velocity_verlet", 0.01, 3));
  CHECK(population.taken() == 6);
  CHECK(trajectory.rosters.back().id == std::vector<std::int64_t>{6, 7});
  for (const EnergyRow& row : trajectory.energy)
    CHECK(row.conserved() == Approx(trajectory.energy.front().total()).epsilon(1e-12).margin(1e-10));
}

TEST_CASE("population: rules that do not fit are rejected", "[sim][population][error]") {
  const auto made = [](const PopulationRules& rules) { Population(rules, falling(), 0); };
  Emitter endless = jet(), strange = jet(), nobody = jet();
  endless.region = below(0);
  strange.like = {2};
  nobody.like = {};
  CHECK_THROWS_WITH(made({.emitters = {endless}}), Catch::Contains("region with an end"));
  CHECK_THROWS_WITH(made({.emitters = {strange}}), Catch::Contains("between 0 and 1"));
  CHECK_THROWS_WITH(made({.emitters = {nobody}}), Catch::Contains("must name a particle"));
  CHECK_THROWS_WITH(made({.sinks = {{.region = at({0, 0, 0})}}}), Catch::Contains("a volume"));
  CHECK_THROWS_WITH(made({.attributes = {"a"}}), Catch::Contains("attributes"));
  CHECK_THROWS_WITH(made({.emitters = {jet()}, .attributes = {"a"}, .initial_attributes = {1}}),
                    Catch::Contains("emitters.attributes"));
  CHECK_THROWS_WITH(Population({}, falling().with_key_frames({2}, {0, 1}), 0.0), Catch::Contains("key frames"));
}
