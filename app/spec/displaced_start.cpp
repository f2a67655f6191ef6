#include "app/spec/displaced_start.hpp"

#include <cmath>

#include "app/spec/rest_reference.hpp"
#include "optim/observation/local_start.hpp"
#include "sim/run/least_energy.hpp"

namespace pithball::app {
namespace {

/// The forces on the body that pull one component of a marker.
Points pull_of(const optim::Marker& marker, int component, Index particles) {
  Points pull = Points::Zero(3, particles);
  for (const auto& [vertex, weight] : marker.vertices) pull(component, vertex) += weight;
  return pull;
}

/// Position and velocity of one component of a marker at simulated time 0. With frames before it, those on both sides
/// tell, as many as the first frames alone would need: in the middle of a polynomial errors are least.
std::pair<double, double> start_of(const Recording& recording, const optim::LocalStarts& starts, std::size_t marker,
                                   int component) {
  const optim::LocalStart& alone = starts.markers[marker];
  const optim::Observation& seen = recording.observation;
  const datasets::Capture& before = recording.motion.lead_in;
  std::vector<double> times, samples;
  const auto add = [&](double recorded_time, const Vec3& place) {
    const double time =
        seen.simulated_time(0) + seen.recording_frame.clock_scale * (recorded_time - seen.times.front());
    const double sample = seen.recording_frame.to_model(place)[component];
    if (std::isnan(sample) || std::abs(time) > starts.span / 2) return;
    times.push_back(time);
    samples.push_back(sample);
  };
  for (Index f = 0; f < before.frames(); ++f) add(before.time[f], before.positions[f].col(marker));
  const auto count_before = static_cast<Index>(samples.size());
  for (std::size_t f = 0; f < seen.times.size(); ++f) add(seen.times[f], seen.sight(f, marker));
  if (count_before == 0 || static_cast<Index>(samples.size()) <= starts.degree)
    return {alone.x[component], alone.v[component]};
  return value_and_slope(times, samples, starts.degree);
}

sim::Equilibrium find_rest(const Node& node, const Recording& recording) {
  const sim::State near{0, *recording.own.scenario.rest_near,
                        Points::Zero(3, recording.own.scenario.model.particles())};
  const sim::Equilibrium rest =
      node.located("initial_state", [&] { return sim::find_equilibrium(recording.own.scenario.model, near); });
  if (!rest.found())
    node.reject("reference", "rest requires a model with an equilibrium", rest.failure,
                "pin the body, or write `reference: absolute`");
  if (rest.is_loose())
    node.reject("reference", "rest with `initial_state: from_recording` requires a unique equilibrium",
                "a body that moves without resistance", "pin the body, or write `initial_state: equilibrium`");
  return rest;
}

}  // namespace

void start_displaced(const Node& node, Recording& recording) {
  optim::Observation& seen = recording.observation;
  const optim::LocalStarts starts = optim::fit_local_starts(seen);
  reject_coarse_start(node, starts);
  const sim::Equilibrium rest = find_rest(node, recording);
  const Index particles = recording.own.scenario.model.particles();
  std::vector<Points> pulls;
  std::vector<double> displacements, velocities;
  for (std::size_t m = 0; m < seen.markers.size(); ++m) {
    const Vec3 resting = seen.recording_frame.to_model(recording.motion.rest.col(m));
    for (const char c : seen_components(seen)) {
      const int a = c - 'x';
      if (!starts.markers[m].is_seen(a)) continue;
      const auto [x, v] = start_of(recording, starts, m, a);
      pulls.push_back(pull_of(seen.markers[m], a, particles));
      displacements.push_back(x - resting[a]);
      velocities.push_back(v);
    }
  }
  if (pulls.empty())
    node.reject("initial_state", "from_recording requires a marker that is present in the first frames", "none",
                "use frames with markers");
  const std::vector<Points> shapes =
      node.located("initial_state", [&] { return sim::least_energy_shapes(rest, pulls); });
  sim::State& start = recording.own.scenario.initial;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    start.x += displacements[k] * shapes[k];
    start.v += velocities[k] * shapes[k];
  }
  refer_to_rest(node, recording.motion.rest, recording.own.scenario, seen);
}

}  // namespace pithball::app
