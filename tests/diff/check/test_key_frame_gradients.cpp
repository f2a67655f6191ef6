#include "diff/check/gradient_check.hpp"
#include "diff/step/step_derivative.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/key_framed.hpp"
#include "tests/support/rich_system.hpp"

using namespace pithball;

namespace {

/// Four steps of 0.02 s: before the first key time, between the two, and after the last.
diff::Scenario moving_scenario(const std::string& integrator) {
  diff::Scenario s = tests::rich_scenario(integrator, 0.02, 4);
  s.model = tests::with_moving_values(s.model, {0.013, 0.055}, true);
  s.integrator = tests::few_substeps(integrator);
  return s;
}

void check_key_values(const std::vector<std::string>& integrators) {
  for (const std::string& name : integrators) {
    const diff::Scenario s = moving_scenario(name);
    const auto check = diff::check_gradient(s, diff::ProbeLoss(s),
                                            {.tangent_tolerance = 1e-9, .difference_tolerance = 1e-7, .entries = 1});
    REQUIRE(check.status.ok());
    REQUIRE(check.blocks.size() == s.model.values().blocks().size() + 2);
    for (std::size_t b = 0; b < check.blocks.size(); ++b) {
      const auto& block = check.blocks[b];
      INFO(name << ": " << block.worst);
      const bool of_term = b < s.model.values().blocks().size() && !s.model.values().block(b).key_time &&
                           s.model.values().block(b).owner == sim::ValueOwner::Term;
      if (of_term)
        CHECK(block.largest == 0);  // nobody reads the entries themselves
      else
        CHECK(block.largest > 0);
      CHECK(block.adjoint_vs_tangent < 1e-9);
      CHECK(block.adjoint_vs_difference < 1e-7);
    }
    CHECK(check.passed);
  }
}

}  // namespace

TEST_CASE("key_frames: adjoint, tangent and differences agree for key values of every force in every integrator",
          "[diff][fd][key_frames][slow]") {
  check_key_values(diff::differentiable_integrators());
}

// One with stages, one without, and one that remembers steps; the others are in the net's quick form.
TEST_CASE("key_frames: key values of every force have the derivatives that differences see", "[diff][fd][key_frames]") {
  check_key_values({"imex_midpoint", "velocity_verlet", "imex_bdf2"});
}

TEST_CASE("key_frames: checkpoints do not change a gradient", "[diff][key_frames]") {
  for (const std::string name : {"imex_midpoint", "velocity_verlet", "leapfrog", "imex_bdf2"}) {
    INFO(name);
    diff::Scenario s = moving_scenario(name);
    const diff::ProbeLoss loss(s);
    const auto gradient = [&](double budget_mb) {
      diff::AdjointRollout rollout(s, budget_mb);
      REQUIRE(rollout.forward([](sim::Index, const sim::State&) {}).ok());
      return rollout.backward([&](sim::Index n, const sim::State& state, sim::Points& gx, sim::Points& gv) {
        loss.add_gradient(n, state, gx, gv);
      });
    };
    const sim::Vector at_once = gradient(1024), in_parts = gradient(0.004);
    const sim::KeyFrames& frames = s.model.key_frames().front();
    REQUIRE(at_once.segment(frames.first_key, frames.count()).norm() > 0);
    CHECK(at_once == in_parts);
  }
}
