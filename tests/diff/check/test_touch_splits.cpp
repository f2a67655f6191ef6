// Derivatives of substeps that end where touches begin and end.
#include <cmath>

#include "diff/check/gradient_check.hpp"
#include "diff/check/gradient_doubts.hpp"
#include "sim/field/primitive_obstacles.hpp"
#include "sim/force/selected_force.hpp"
#include "sim/integrator/embedded_runge_kutta.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/touch_cases.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

IntegratorChoice split(const std::string& name, double tolerance = 1e-7) {
  MapSettings settings(0, {{"tolerance", tolerance}, {"split_at_touches", true}});
  return {name, settings};
}

Terms with_damper(const std::string& kind, std::shared_ptr<const Obstacle> shape, Index n, double c, double ct) {
  const auto wall = std::make_shared<ObstaclePenalty>(kind + "_penalty", std::move(shape), all(n, 0.02), 5e3);
  return {wall, std::make_shared<ObstacleDamper>(kind, wall, c, ct),
          std::make_shared<Gravity>(Vec3(0, 0, -earth_gravity))};
}
std::shared_ptr<const Obstacle> level_floor() {
  return std::make_shared<PlaneObstacle>("floor", Vec3::Zero(), Vec3::UnitZ());
}

diff::Scenario touching(const std::string& name, const Model& model, const Points& x, const Points& v) {
  return {.name = name,
          .model = model,
          .initial = {0, x, v},
          .integrator = split("dormand_prince"),
          .time_step = 0.05,
          .steps = 8,
          .stage = {}};
}

/// Two masses on a spring, one of them a little lower, that fall on a floor.
diff::Scenario two_on_a_spring(double lower) {
  Terms terms = with_damper("plane", level_floor(), 2, 1.5, 0.7);
  terms.push_back(springs(1, 200, 0.3));
  const Model model({.particles = 2, .springs = {{0, 1}}, .held = {}}, Vector(Eigen::Vector2d(0.1, 0.13)), all(2, 0),
                    terms);
  return touching("two on a spring", model, columns({{0, 0, 0.2}, {0.31, 0, 0.2 - lower}}),
                  columns({{0.3, 0.1, 0}, {0.2, 0.3, -0.1}}));
}

/// One is driven above the floor and tows the other, so that the force on it depends on time.
diff::Scenario towed() {
  Terms terms = with_damper("plane", level_floor(), 2, 1.5, 0.7);
  terms.push_back(springs(1, 5, 0.1));
  const Model model(
      {.particles = 2, .springs = {{0, 1}}, .held = {{1, Path({-1, 9}, {Vec3(-1, 0, 0.6), Vec3(9, 4, 0.6)})}}},
      all(2, 0.1), all(2, 0), terms);
  return touching("towed", model, columns({{-0.2, 0, 0.2}, {0, 0.4, 0.6}}), columns({{0.3, 0, -2}, {1, 0.4, 0}}));
}

std::vector<diff::Scenario> touching_scenarios() {
  const auto one = [](const Terms& terms) {
    return Model({.particles = 1, .springs = {}, .held = {}}, all(1, 0.1), all(1, 0), terms);
  };
  const auto ball = std::make_shared<SphereObstacle>("ball", Vec3(0, 0, -0.5), 0.5, Side::Outside);
  const auto box = std::make_shared<BoxObstacle>("box", Vec3(-0.3, -0.3, 0), Vec3(0.3, 0.3, 1), Side::Inside);
  Terms selected;
  for (const auto& term : with_damper("plane", level_floor(), 2, 1.5, 0.7))
    selected.push_back(term->traits().name == "gravity" ? term
                                                        : std::make_shared<SelectedForce>(term, std::vector<Index>{1}));
  return {
      touching("plane", one(with_damper("plane", level_floor(), 1, 1.5, 0.7)), Points(Vec3(0, 0, 0.2)),
               Points(Vec3(1, 0.5, 0))),
      touching("sphere", one(with_damper("sphere", ball, 1, 1.5, 0.7)), Points(Vec3(0.05, 0.02, 0.2)),
               Points(Vec3(0.1, 0, 0))),
      touching("box", one(with_damper("box", box, 1, 0.8, 0.7)), Points(Vec3(0, 0.1, 0.2)), Points(Vec3(1.6, 0.5, 0))),
      two_on_a_spring(0.013),
      towed(),
      touching("selected", Model({.particles = 2, .springs = {}, .held = {}}, all(2, 0.1), all(2, 0), selected),
               columns({{0, 0, 0.2}, {0, 1, 0.2}}), columns({{0.1, 0, 0}, {0, 0.3, 0}}))};
}

/// Substeps of a run and those that end at a touch.
std::pair<Index, Index> substeps_and_splits(const diff::Scenario& s) {
  Stepper stepper(s.model, s.initial, s.integrator, s.stage, s.time_step);
  Index all = 0, at_touches = 0;
  while (stepper.n() < s.steps) {
    StepTape tape;
    REQUIRE(stepper.advance(&tape).status == StepStatus::Ok);
    for (const StepTape& substep : tape.substeps) {
      ++all;
      at_touches += touches_differ(s.model, substep.before, substep.after);
    }
  }
  return {all, at_touches};
}

/// Derivatives of the height of a particle at the end.
Vector height_gradient(const diff::Scenario& s, Index particle) {
  diff::AdjointRollout rollout(s);
  REQUIRE(rollout.forward([](Index, const State&) {}).ok());
  return rollout.backward([&](Index n, const State&, Points& gx, Points&) {
    if (n == s.steps) gx(2, particle) += 1;
  });
}

}  // namespace

TEST_CASE("touch splits: derivatives of a bounce are those of the motion", "[diff][order]") {
  for (const TouchCase& c : touch_cases())
    for (const std::string pair : {"bogacki_shampine", "dormand_prince"}) {
      if (c.force == "contact_penalty") continue;
      double before = 0;
      for (const double tolerance : {1e-6, 1e-7, 1e-8}) {
        INFO(c.name << ", " << c.contact << " s in contact, " << pair << ", tolerance " << tolerance);
        const diff::Scenario s = in_steps(c, split(pair, tolerance), 10, 0);
        CHECK(diff::find_gradient_doubts({s}).empty());
        const double error = derivative_error(c, s);
        CHECK(error < 0.02);
        if (before > 0) CHECK(error < before / 2);  // it falls in proportion to the tolerance
        before = error;
      }
    }
}

TEST_CASE("touch splits: tangents, adjoints and differences agree where touches lie within steps", "[diff][fd]") {
  for (const diff::Scenario& s : touching_scenarios()) {
    INFO(s.name);
    CHECK(substeps_and_splits(s).second >= 2);
    const auto check =
        diff::check_gradient(s, diff::ProbeLoss(s), {.tangent_tolerance = 1e-9, .difference_tolerance = 1e-6});
    REQUIRE(check.status.ok());
    CHECK(check.status.unreliable_step < 0);
    for (const auto& block : check.blocks) {
      INFO(block.name << ": " << block.adjoint_vs_tangent << " and " << block.adjoint_vs_difference << "; "
                      << block.worst);
      if (block.name != "charge") CHECK(block.largest > 0);
      CHECK(block.passed);
    }
    CHECK(check.passed);
  }
}

TEST_CASE("touch splits: touches at the same time have the derivatives of each alone", "[diff]") {
  const auto drops = [](const Points& x) {
    return touching("drops",
                    Model({.particles = x.cols(), .springs = {}, .held = {}}, all(x.cols(), 0.1), all(x.cols(), 0),
                          with_damper("plane", level_floor(), x.cols(), 1.5, 0.7)),
                    x, Vec3(0.4, 0, 0) * Eigen::RowVectorXd::Ones(x.cols()));
  };
  const diff::Scenario one = drops(Points(Vec3(0, 0, 0.2))),
                       three = drops(columns({{0, 0, 0.2}, {1, 0, 0.2}, {2, 0, 0.2}}));
  const Vector alone = height_gradient(one, 0);
  for (Index i = 0; i < 3; ++i) {
    const Vector among = height_gradient(three, i);
    for (const auto& [offset, of_one] : {std::pair{three.position_offset(), one.position_offset()},
                                         std::pair{three.velocity_offset(), one.velocity_offset()}}) {
      CHECK(alone.segment<3>(of_one).norm() > 0.01);
      // As far as substeps are exact, whose ends the touch of one of them moves for all.
      Vector others = among.segment(offset, 9);
      others.segment<3>(3 * i) -= alone.segment<3>(of_one);
      CHECK(others.norm() < 1e-5);
    }
  }
}

TEST_CASE("touch splits: a touch that grazes where forces jump is said to be unreliable", "[diff]") {
  Terms terms = with_damper("plane", level_floor(), 1, 0, 0.7);
  terms.pop_back();  // no weight
  const Model model({.particles = 1, .springs = {}, .held = {}}, all(1, 0.1), all(1, 0), terms);
  const auto unreliable_step = [&](double into) {
    diff::AdjointRollout rollout(
        touching("graze", model, Points(Vec3(0, 0, 0.02 + 0.07 * into)), Points(Vec3(1, 0, -into))));
    REQUIRE(rollout.forward([](Index, const State&) {}).ok());
    rollout.backward([](Index n, const State&, Points& gx, Points&) { gx(0, 0) += n == 8; });
    return rollout.unreliable_step();
  };
  CHECK(unreliable_step(1e-3) < 0);
  CHECK(unreliable_step(1e-10) >= 0);
}

TEST_CASE("gradient doubts: pairs that can split their steps are told to, and derivatives are then right", "[diff]") {
  for (const TouchCase& c : touch_cases()) {
    if (c.contact < 1e-4) continue;
    const diff::Scenario s = in_steps(c, "dormand_prince", 10, 0);
    INFO(c.name);
    const auto doubts = diff::find_gradient_doubts({s});
    REQUIRE(doubts.size() == 1);
    const bool offered =
        doubts[0].remedy.find("or `integrator: {dormand_prince: {split_at_touches: true}}`") != std::string::npos;
    CHECK(offered == (c.force != "contact_penalty"));
    diff::Scenario taken = s;
    taken.integrator = split("dormand_prince");
    CHECK(diff::find_gradient_doubts({taken}).empty() == offered);
    // A smooth contact needs no split, and is none.
    taken.model = c.model(0.01);
    if (offered) CHECK(substeps_and_splits(taken).second == 0);
  }
}
