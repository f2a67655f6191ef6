// Derivatives of runs with constraints: adjoint, tangent and differences.
#include "diff/check/gradient_check.hpp"
#include "diff/rollout/rollout.hpp"
#include "sim/constraint/distance_constraint.hpp"
#include "sim/constraint/obstacle_contact.hpp"
#include "sim/constraint/pin_constraint.hpp"
#include "sim/force/drag.hpp"
#include "sim/force/gravity.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/rich_system.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

IntegratorChoice integrator_of(Index iterations, const std::string& forces) {
  tests::MapSettings settings(0,
                              {{"substeps", 4.0}, {"iterations", static_cast<double>(iterations)}, {"forces", forces}});
  return {"xpbd", settings};
}

/// A constraint of which only rows, C and ∇C are known: particle 1 stays at z = 0.
struct Level final : Constraint {
  const ConstraintTraits& traits() const override {
    static const ConstraintTraits traits{.name = "level"};
    return traits;
  }
  void add_rows(const Model&, const Points&, const Vector&, std::vector<ConstraintRow>& rows) const override {
    rows.push_back({0, 1, {1}});
  }
  double evaluate(const Model&, const ConstraintRow&, const RowPoints& x, RowPoints& gradient) const override {
    gradient.col(0) = Vec3::UnitZ();
    return x(2, 0);
  }
};

/// The rich body with links across it, the stiffest of compliance α, and a compliant pin; a pinned and a driven
/// particle have links too.
diff::Scenario linked(const IntegratorChoice& integrator, double stiffest = 1e-6) {
  diff::Scenario s = tests::rich_scenario("xpbd", 0.01, 5);
  const std::vector<Spring> links{{0, 4}, {4, 5}, {5, 6}, {1, 4}, {2, 5}};
  Vector length(5);
  for (Index e = 0; e < 5; ++e) {
    const auto [i, j] = links[e];
    length[e] = (s.initial.x.col(i) - s.initial.x.col(j)).norm() * (1 + 0.05 * std::sin(2.0 * e));
  }
  const auto rods = std::make_shared<DistanceConstraint>(links, length, Vector{{1e-3, 5e-3, 2e-3, stiffest, 1e-2}},
                                                         Vector{{0.5, 2, 1, 0, 3}});
  const auto pin =
      std::make_shared<PinConstraint>(std::vector<Index>{3}, Points(s.initial.x.col(3) + Vec3(0.1, 0, 0.05)),
                                      Vector::Constant(1, 5e-3), Vector::Constant(1, 0.7));
  const Model& rich = s.model;
  s.model = Model(rich.topology(), rich.mass(), rich.charge(), rich.terms(), {rods, pin});
  s.integrator = integrator;
  return s;
}

void check_every_block(const diff::Scenario& s) {
  const auto result =
      diff::check_gradient(s, diff::ProbeLoss(s), {.tangent_tolerance = 1e-9, .difference_tolerance = 1e-6});
  REQUIRE(result.status.ok());
  for (const auto& block : result.blocks) {
    INFO(block.name << ": " << block.worst);
    CHECK(block.largest > 0);
    CHECK(block.adjoint_vs_tangent < 1e-9);     // both to rounding
    CHECK(block.adjoint_vs_difference < 1e-6);  // truncation of differences
    CHECK(block.passed);
  }
  CHECK(result.passed);
}

}  // namespace

TEST_CASE("xpbd: adjoint, tangent and differences agree with links and pins, forces in every substep or once a step",
          "[diff][constraint][fd]") {
  for (const Index iterations : {1, 3})
    for (const std::string forces : {"every_substep", "every_step"}) {
      INFO(iterations << " iterations, forces " << forces);
      check_every_block(linked(integrator_of(iterations, forces)));
    }
}

TEST_CASE("xpbd: with a rigid link derivatives agree too", "[diff][constraint][fd]") {
  const diff::Scenario s = linked(integrator_of(2, "every_substep"), 0);
  const auto result =
      diff::check_gradient(s, diff::ProbeLoss(s), {.tangent_tolerance = 1e-9, .difference_tolerance = 1e-6});
  REQUIRE(result.status.ok());
  for (const auto& block : result.blocks) {
    INFO(block.name << ": " << block.worst);
    CHECK(block.largest > 0);
    CHECK(block.adjoint_vs_tangent < 1e-9);
    // A compliance of 0 bends the motion within Δt²/m = 1e-5 m/N, far below the steps of differences.
    if (block.name != "distance_compliance") CHECK(block.passed);
  }
}

TEST_CASE("xpbd: lengths and compliances with key frames have derivatives", "[diff][constraint][fd]") {
  diff::Scenario s = linked(integrator_of(2, "every_substep"));
  for (const char* name : {"distance_length", "distance_compliance"}) {
    const ValueBlock block = s.model.values().block(*s.model.values().find(name));
    s.model = s.model.with_key_frames({block.offset + 1, block.offset + 4}, {0.01, 0.03});
  }
  Vector values = s.model.values().data();
  values.tail(2) *= 1.5;  // compliances at the second key time
  s.model = s.model.with_values(values);
  const auto result =
      diff::check_gradient(s, diff::ProbeLoss(s), {.tangent_tolerance = 1e-9, .difference_tolerance = 1e-6});
  REQUIRE(result.status.ok());
  Index keys = 0;
  for (const auto& block : result.blocks) {
    INFO(block.name << ": " << block.worst);
    CHECK(block.passed);
    if (block.name.find("distance_") != std::string::npos && block.name.find(" s)") != std::string::npos) {
      CHECK(block.largest > 0);
      ++keys;
    }
  }
  CHECK(keys == 4);
}

TEST_CASE("xpbd: derivatives of constraints that have none are rejected before the run, with the reason",
          "[diff][constraint][error]") {
  const auto rejected = [](std::shared_ptr<Constraint> constraint, const std::string& reason) {
    diff::Scenario s = tests::rich_scenario("xpbd", 0.01, 2);
    s.model = Model(s.model.topology(), s.model.mass(), s.model.charge(), s.model.terms(), {std::move(constraint)});
    CHECK_THROWS_WITH(diff::AdjointRollout(s, 100), Catch::Contains("constraints." + reason));
  };
  const Vector one = Vector::Ones(1);
  rejected(std::make_shared<PlaneContact>(Vec3(0, 0, -9), Vec3(0, 0, 1), ObstacleOptions{{1}, Vector::Zero(7), {}}),
           "plane: is not differentiable: the motion jumps where a contact begins; omit it");
  rejected(std::make_shared<DistanceConstraint>(std::vector<Spring>{{1, 2}}, one, one, one, one),
           "distance: is not differentiable: the motion jumps where a link breaks; omit it, or `max_tension`");
  rejected(std::make_shared<Level>(),
           "level: is not differentiable: it does not have the ability `DifferentiableRows`; omit it, or implement");
}
