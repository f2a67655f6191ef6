#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

const double not_a_number = std::numeric_limits<double>::quiet_NaN();

Model model_of(Topology topology, Terms terms = {}, double charge = 0) {
  const Index n = topology.particles;
  return Model(std::move(topology), all(n, 1), all(n, charge), std::move(terms));
}
std::shared_ptr<ForceTerm> coulomb(double softening = 0) {
  return std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>(softening), softening);
}
Trajectory few_steps(const Model& model, const Points& x, const std::string& integrator, const Points* v = nullptr) {
  return simulate(model, {0, x, v ? *v : Points(Points::Zero(3, x.cols()))},
                  {.integrator = integrator, .time_step = 0.01, .steps = 10, .stage = {}});
}

}  // namespace

TEST_CASE("model: a single particle without springs flies straight in every integrator and solver", "[sim][model]") {
  const Model lone = model_of({.particles = 1, .springs = {}, .held = {}});
  const Points x = columns({{1, 2, 3}}), v = columns({{1, -1, 2}});
  for (const auto& info : integrators())
    for (const auto& linear : linear_solvers()) {
      const Trajectory t =
          simulate(lone, {0, x, v},
                   {.integrator = info.name, .time_step = 0.1, .steps = 10, .stage = {.linear_solver = linear}});
      CHECK(t.status == StepStatus::Ok);
      CHECK((t.states.back().x - (x + v)).norm() < 1e-14);
      CHECK((t.states.back().v - v).norm() < 1e-13);
    }
}

TEST_CASE("model: a lone charge and uncharged particles feel no Coulomb force", "[sim][model]") {
  for (const auto& info : integrators()) {
    const Model lone = model_of({.particles = 1, .springs = {}, .held = {}}, {coulomb()}, 1e-6);
    CHECK(few_steps(lone, columns({{1, 2, 3}}), info.name).states.back().x == columns({{1, 2, 3}}));
    const Model uncharged = model_of({.particles = 3, .springs = {}, .held = {}}, {coulomb()});
    const Points x = columns({{1, 2, 3}, {1, 2, 3}, {0, 0, 0}});  // uncharged particles may share a place
    CHECK(few_steps(uncharged, x, info.name).states.back().x == x);
  }
}

TEST_CASE("model: coincident charges are rejected before step 0, unless softened", "[sim][model][error]") {
  const Points x = columns({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}});
  for (const auto& info : integrators()) {
    CHECK_THROWS_WITH(few_steps(model_of({.particles = 4, .springs = {}, .held = {}}, {coulomb()}, 1e-6), x, info.name),
                      Catch::Contains("forces.coulomb") && Catch::Contains("particles 1 and 3 at the same point") &&
                          Catch::Contains("softening"));
    const Trajectory t =
        few_steps(model_of({.particles = 4, .springs = {}, .held = {}}, {coulomb(0.1)}, 1e-6), x, info.name);
    CHECK(t.status == StepStatus::Ok);
    CHECK(t.states.back().x.col(1) == t.states.back().x.col(3));  // the same force on both
    CHECK((t.states.back().x - x).norm() > 1e-6);
  }
}

TEST_CASE("model: an isolated vertex lives beside a body", "[sim][model]") {
  const Points x = columns({{0, 0, 0}, {1.2, 0, 0}, {5, 5, 5}}), v = columns({{0, 0, 0}, {0, 0, 0}, {1, 0, 0}});
  for (const auto& info : integrators()) {
    const Trajectory t =
        few_steps(model_of({.particles = 3, .springs = {{0, 1}}, .held = {}}, {springs(1, 10, 1), dampers(1, 0.5)}), x,
                  info.name, &v);
    CHECK(t.status == StepStatus::Ok);
    CHECK((t.states.back().x.col(2) - Vec3(5.1, 5, 5)).norm() < 1e-13);
    CHECK(t.states.back().x(0, 1) < 1.2);
  }
}

TEST_CASE("model: a spring of length zero needs rest length zero, and is then −k x", "[sim][model][error]") {
  const Points x = columns({{0, 0, 0}, {0, 0, 0}});
  const Topology topology{.particles = 2, .springs = {{0, 1}}, .held = {{0, {}}}};
  for (const auto& info : integrators()) {
    INFO(info.name);
    CHECK_THROWS_WITH(few_steps(model_of(topology, {springs(1, 10, 0.5)}), x, info.name),
                      Catch::Contains("springs.edges[0]") && Catch::Contains("particles 0 and 1 at the same point") &&
                          Catch::Contains("rest_length: 0"));
    CHECK_THROWS_WITH(few_steps(model_of(topology, {springs(1, 10, 0), dampers(1, 1)}), x, info.name),
                      Catch::Contains("damping: 0"));

    // l0 = 0 at length 0: rest; kicked, it swings through the pin: x = (v0/ω) sin ω t in each direction.
    const Model model = model_of(topology, {springs(1, 10, 0)});
    CHECK(few_steps(model, x, info.name).states.back().x == x);
    const Points v = columns({{0, 0, 0}, {1, 2, -1}});
    const double h = 1e-4, omega = std::sqrt(10.0);
    const Trajectory t = simulate(
        model, {0, x, v}, {.integrator = info.name, .time_step = h, .steps = 20000, .every = 20000, .stage = {}});
    REQUIRE(t.status == StepStatus::Ok);
    // First order costs ω t h ω/2 = 1e-3 of the amplitude.
    CHECK((t.states.back().x.col(1) - std::sin(2 * omega) / omega * Vec3(1, 2, -1)).norm() <
          (info.position_order == 1 ? 2e-3 : 1e-6));
  }
}

TEST_CASE("model: values of the wrong sign are named with what is required", "[sim][model][error]") {
  const Topology two{.particles = 2, .springs = {{0, 1}}, .held = {}};
  CHECK_THROWS_WITH(model_of(two, {springs(1, 10, -0.5)}), Catch::Contains("rest_length: must be >= 0 m, got -0.5"));
  CHECK_THROWS_WITH(model_of(two, {springs(1, -10, 0.5)}), Catch::Contains("stiffness: must be >= 0 N/m, got -10"));
  CHECK_THROWS_WITH(model_of(two, {springs(1, 10, 0.5), dampers(1, -1)}),
                    Catch::Contains("damping: must be >= 0 N s/m, got -1"));
  CHECK_THROWS_WITH(Model(two, Vector{{1, -2}}, all(2, 0), {}), Catch::Contains("mass[1]: must be > 0 kg, got -2"));
  CHECK_THROWS_WITH(Model(two, Vector{{0, 1}}, all(2, 0), {}), Catch::Contains("mass[0]: must be > 0 kg, got 0"));
  CHECK_THROWS_WITH(Model(two, all(2, 1), Vector{{0, not_a_number}}, {}),
                    Catch::Contains("charge[1]: must be a finite number, got nan"));
  CHECK_THROWS_WITH(model_of(two, {springs(1, not_a_number, 0.5)}),
                    Catch::Contains("stiffness: must be a finite number"));
  const Model good = model_of(two, {springs(1, 10, 0.5)});
  Vector values = good.values().data();
  values[good.values().block(*good.values().find("stiffness")).offset] = -1;
  CHECK_THROWS_WITH(good.with_values(values), Catch::Contains("stiffness: must be >= 0"));
  CHECK_THROWS_WITH(good.with_values(Vector::Ones(3)), Catch::Contains("must have 6 entries, got 3"));
}

TEST_CASE("model: lists of the wrong length are named", "[sim][model][error]") {
  const Topology two{.particles = 2, .springs = {{0, 1}}, .held = {}};
  CHECK_THROWS_WITH(Model(two, all(3, 1), all(2, 0), {}),
                    Catch::Contains("mass: must have one entry for each of the 2 particles, got 3"));
  CHECK_THROWS_WITH(Model(two, all(2, 1), all(1, 0), {}), Catch::Contains("charge: must have one entry"));
  CHECK_THROWS_WITH(model_of(two, {springs(2, 10, 0.5)}),
                    Catch::Contains("springs.stiffness: must have one entry for each of the 1 springs, got 2"));
  CHECK_THROWS_WITH(model_of({.particles = 0, .springs = {}, .held = {}}),
                    Catch::Contains("particles: must be at least 1, got 0"));
  const Model model = model_of(two, {springs(1, 10, 0.5)});
  CHECK_THROWS_WITH(few_steps(model, Points::Zero(3, 3), "imex_euler"),
                    Catch::Contains("positions: must have one entry"));
  const Points v = Points::Zero(3, 1);
  CHECK_THROWS_WITH(few_steps(model, columns({{0, 0, 0}, {1, 0, 0}}), "imex_euler", &v),
                    Catch::Contains("velocities: must have one entry"));
}

TEST_CASE("model: positions and velocities that are not finite are rejected before step 0", "[sim][model][error]") {
  const Model model = model_of({.particles = 2, .springs = {{0, 1}}, .held = {}}, {springs(1, 10, 0.5)});
  const Points good = columns({{0, 0, 0}, {1, 0, 0}});
  for (const auto& info : integrators()) {
    CHECK_THROWS_WITH(few_steps(model, columns({{0, 0, 0}, {1, not_a_number, 0}}), info.name),
                      Catch::Contains("positions[1]: must be three finite numbers"));
    const Points v = columns({{0, 0, std::numeric_limits<double>::infinity()}, {1, 0, 0}});
    CHECK_THROWS_WITH(few_steps(model, good, info.name, &v),
                      Catch::Contains("velocities[0]: must be three finite numbers"));
  }
}

TEST_CASE("model: springs and pins must name particles that exist, once", "[sim][model][error]") {
  CHECK_THROWS_WITH(model_of({.particles = 3, .springs = {{0, 1}, {2, 2}}, .held = {}}),
                    Catch::Contains("springs.edges[1]: must join two different particles, got particle 2 twice"));
  CHECK_THROWS_WITH(model_of({.particles = 3, .springs = {{0, 3}}, .held = {}}),
                    Catch::Contains("springs.edges[0]: must name a particle between 0 and 2, got 3"));
  CHECK_THROWS_WITH(model_of({.particles = 3, .springs = {{-1, 0}}, .held = {}}), Catch::Contains("got -1"));
  CHECK_THROWS_WITH(model_of({.particles = 3, .springs = {}, .held = {{3, {}}}}),
                    Catch::Contains("pinned: must name a particle between 0 and 2, got 3"));
  CHECK_THROWS_WITH(
      model_of({.particles = 3, .springs = {}, .held = {{1, {}}, {1, {}}}}),
      Catch::Contains("pinned: must contain every particle at most once") && Catch::Contains("particle 1 twice"));
  CHECK_THROWS_WITH(model_of({.particles = 3, .springs = {}, .held = {{1, {}}, {1, Path(Vec3(0, 0, 0))}}}),
                    Catch::Contains("including driven ones"));
}

TEST_CASE("model: copies with other values share nothing that changes", "[sim][model]") {
  const Model model = model_of({.particles = 2, .springs = {{0, 1}}, .held = {}}, {springs(1, 10, 0.5)});
  Vector values = model.values().data();
  values[*model.values().find("mass")] = 7;
  const Model heavier = model.with_values(values);
  CHECK(heavier.mass()[0] == 7);
  CHECK(model.mass()[0] == 1);
  CHECK(&heavier.topology() == &model.topology());
}

TEST_CASE("model: the length scale is the mean rest length, or 1 m", "[sim][model]") {
  CHECK(model_of({.particles = 2, .springs = {{0, 1}}, .held = {}}, {springs(1, 10, 0.5)}).length_scale() == 0.5);
  CHECK(model_of({.particles = 2, .springs = {{0, 1}}, .held = {}}, {springs(1, 10, 0)}).length_scale() == 1);
  CHECK(model_of({.particles = 2, .springs = {}, .held = {}}).length_scale() == 1);
}
