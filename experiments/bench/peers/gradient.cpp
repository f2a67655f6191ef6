#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/backend/plain_forces.hpp"
#include "datasets/mesh/point_set.hpp"
#include "diff/rollout/rollout.hpp"
#include "experiments/bench/peers/comparison.hpp"
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/force/coulomb_force.hpp"

namespace pithball::experiments {
namespace {

using nlohmann::json;
using sim::Index;
using sim::Vector;

/// Returns charges of one sign, 10 g each, that fly apart from a jittered lattice of 2 m: they have no close
/// encounters.
diff::Scenario released_charges(const PeerSizes& sizes) {
  const sim::Points x = datasets::make_point_set("lattice", sizes.charges);
  const Index n = x.cols();
  sim::CoulombOptions exact;
  exact.method = "direct";
  const auto coulomb = std::make_shared<sim::CoulombForce>(sim::make_coulomb_sum(exact));
  return {.name = "released charges",
          .model = sim::Model({.particles = n, .springs = {}, .held = {}}, Vector::Constant(n, 0.01),
                              datasets::make_charges("one", n), {coulomb}),
          .initial = {0, x, sim::Points::Zero(3, n)},
          .integrator = "velocity_verlet",
          .time_step = 1e-3,
          .steps = sizes.steps,
          .stage = {}};
}

/// Returns dL/dq of L = ½ Σ |x|² after the last step [m²/C]; the adjoint computes all other derivatives as well.
Vector charge_gradient(const diff::Scenario& scenario) {
  diff::AdjointRollout rollout(scenario);
  rollout.forward([](Index, const sim::State&) {});
  const Vector all = rollout.backward([&](Index n, const sim::State& state, sim::Points& gx, sim::Points&) {
    if (n == scenario.steps) gx += state.x;
  });
  const sim::ValueBlock& block = scenario.model.values().block(*scenario.model.values().find("charge"));
  return all.segment(block.offset, block.size);
}

PeerRow compare_with(const std::string& name, const std::string& script, const diff::Scenario& scenario,
                     const json& input, int repeats) {
  Peer peer(script, input);
  PeerRow row{.work = fmt::format("gradient of {} charges over {} steps", scenario.model.particles(), scenario.steps),
              .peer = name,
              .version = peer.version(),
              .skipped = peer.missing(),
              .goal = 40};
  Claim same = claim_at_most("difference of the gradient by " + name, NAN, 1e-8, "",
                             "relative, of the same steps; both are exact, so that only rounding differs");
  same.skipped = row.skipped;
  if (row.skipped.empty()) {
    Vector own;
    std::vector<double> theirs = peer.turn(json::object()).at("gradient");
    row.times = take_turns(
        repeats, [&] { return processor_seconds([&] { own = charge_gradient(scenario); }); },
        [&]() -> double { return peer.turn(json::object()).at("seconds"); });
    same.measured = (Eigen::Map<Vector>(theirs.data(), own.size()) - own).norm() / own.norm();
  }
  row.same = {same};
  return row;
}

}  // namespace

std::vector<PeerRow> compare_gradient(const PeerSizes& sizes) {
  const diff::Scenario scenario = released_charges(sizes);
  charge_gradient(scenario);  // warm-up, because the peers compile before they are timed
  const json input{{"body", app::body_json(scenario.model, scenario.initial)},
                   {"time_step", scenario.time_step},
                   {"steps", scenario.steps}};
  return {compare_with("JAX", "jax_gradient.py", scenario, input, sizes.repeats),
          compare_with("JAX MD", "jax_md_gradient.py", scenario, input, sizes.repeats)};
}

}  // namespace pithball::experiments
