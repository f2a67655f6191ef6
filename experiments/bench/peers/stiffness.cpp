#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/backend/plain_forces.hpp"
#include "experiments/bench/fit_data.hpp"
#include "experiments/bench/peers/comparison.hpp"
#include "optim/fit.hpp"
#include "optim/fit/problem.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::json;

constexpr double true_stiffness = 10, first_stiffness = 15, capture_sigma = 1e-3,
                 capture_rate = 50;  // N/m, N/m, m, 1/s

/// Returns a net of 25 masses, held at the top, that is released and pushed to one side.
Experiment captured_net(double stiffness, double duration) {
  return read_experiment({parse_yaml(fmt::format(R"(
name: captured-net
system:
  mesh:
    grid: {{size: [0.5, 0.5], segments: [4, 4], bend: false}}
    rotate: {{axis: [1, 0, 0], angle: 90 degrees}}
  mass: {{total: 72 g}}
  charge: 0
  pinned: [top]
  springs: {{stiffness: {}}}
forces:
  - gravity: [0.0, 3.0, -9.81]
simulation: {{integrator: rk4, time_step: 2 ms, duration: {} s}}
)",
                                                 stiffness, duration),
                                     "bench peers"),
                          std::filesystem::current_path()});
}

/// Returns the motion of all free masses, recorded with noise at every tenth step.
optim::Observation captured_motion(double duration) {
  const Experiment net = captured_net(true_stiffness, duration);
  optim::Observation seen = record_finely(net, 10, {.particles = {}, .rate = capture_rate, .noise = capture_sigma},
                                          capture_sigma, "bench peers");
  std::vector<bool> held(seen.markers.size(), false);
  for (const sim::Held& still : net.scenario.model.topology().held) held[still.particle] = true;
  std::vector<Index> free;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (!held[i]) free.push_back(static_cast<Index>(i));
  std::vector<optim::Marker> markers;
  for (const Index i : free) markers.push_back(seen.markers[i]);
  seen.markers = markers;
  for (sim::Points& frame : seen.positions) frame = sim::Points(frame(Eigen::all, free));
  seen.noise.sigma = sim::Vector::Constant(markers.size(), capture_sigma);
  return seen;
}

optim::FitProblem stiffness_problem(const Experiment& net, const optim::Observation& seen) {
  optim::Parameter stiffness;
  stiffness.value = "stiffness";
  optim::FitProblem problem;
  problem.scenarios = {net.scenario};
  problem.observations = {seen};
  problem.parameters = {stiffness};
  return problem;
}

json peer_input(const diff::Scenario& scenario, const optim::Observation& seen) {
  const auto each = static_cast<Index>(std::lround(1 / (capture_rate * scenario.time_step)));
  json steps = json::array(), positions = json::array();
  for (std::size_t f = 0; f < seen.times.size(); ++f) {
    steps.push_back(each * static_cast<Index>(f));
    positions.push_back(rows_json(seen.positions[f]));
  }
  return {{"body", body_json(scenario.model, scenario.initial)},
          {"time_step", scenario.time_step},
          {"frames", steps},
          {"positions", positions},
          {"sigma", capture_sigma},
          {"stiffness", first_stiffness},
          {"bounds", {1, 100}}};
}

}  // namespace

std::vector<PeerRow> compare_stiffness(const PeerSizes& sizes) {
  const Experiment net = captured_net(first_stiffness, sizes.motion);
  const optim::Observation seen = captured_motion(sizes.motion);
  const optim::FitProblem problem = stiffness_problem(net, seen);
  Peer peer("mujoco_stiffness.py", peer_input(net.scenario, seen));
  PeerRow row{.work = fmt::format("one stiffness from {} frames of {} masses", seen.times.size(), seen.markers.size()),
              .peer = "mujoco.sysid",
              .version = peer.version(),
              .skipped = peer.missing(),
              .errors = {.of = "stiffness, relative to the true one"},
              .goal = 20};
  row.same = {claim_at_most("difference of the misfit at the start by mujoco.sysid", NAN, 1e-9, "",
                            "relative, of the same steps of rk4 from the same state"),
              claim_at_most("difference of the stiffness by mujoco.sysid", NAN, 0.01, "standard errors",
                            "both minimize the same misfit")};
  if (!row.skipped.empty()) {
    for (Claim& claim : row.same) claim.skipped = row.skipped;
    return {row};
  }
  const json theirs = peer.turn(json::object());
  optim::FitReport own = optim::fit(problem);
  row.times = take_turns(
      sizes.repeats, [&] { return processor_seconds([&] { own = optim::fit(problem); }); },
      [&]() -> double { return peer.turn(json::object()).at("seconds"); });
  const optim::FittedParameter& found = own.estimates.parameters.front();
  const double other = theirs.at("stiffness");
  row.errors.own = std::abs(found.estimate / true_stiffness - 1);
  row.errors.theirs = std::abs(other / true_stiffness - 1);
  const optim::ResolvedFit resolved(problem);
  sim::Vector residual;
  (void)resolved.residual().all().evaluate(resolved.map().initial(), residual, nullptr);
  row.same[0].measured = std::abs(theirs.at("start_misfit").get<double>() / residual.norm() - 1);
  row.same[1].measured = std::abs(found.estimate - other) / found.standard_error;
  return {row};
}

}  // namespace pithball::experiments
