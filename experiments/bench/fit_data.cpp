#include "experiments/bench/fit_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/core/counter_noise.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

constexpr std::uint64_t wave_stream = 301;  // of random numbers

}  // namespace

ExperimentDocument membrane_document(Index vertices) {
  const Index cells = std::max<Index>(2, std::lround(std::sqrt(vertices)) - 1);
  const double side = 0.05 * cells;
  std::string border;  // of a square; independent of whether its vertices are numbered by rows or by columns
  for (Index a = 0; a <= cells; ++a)
    for (Index b = 0; b <= cells; ++b)
      if (a % cells == 0 || b % cells == 0)
        border += (border.empty() ? "" : ", ") + std::to_string(a * (cells + 1) + b);
  return {parse_yaml(fmt::format(R"(
name: bench-fit
system:
  mesh: {{grid: {{size: [{0}, {0}], segments: [{1}, {1}], shear: true, bend: false}}}}
  mass: 0.01
  pinned: [{2}]
  springs: {{stiffness: 10, rest_length: {{scale: 0.8333333333333334}}}}
simulation: {{integrator: imex_midpoint, time_step: 0.004, duration: 0.4}}
)",
                                 side, cells, border),
                     "bench"),
          std::filesystem::current_path()};
}

void pluck(diff::Scenario& scenario) {
  const sim::Spring& first = scenario.model.topology().springs[0];
  const double cell = (scenario.initial.x.col(first.i) - scenario.initial.x.col(first.j)).norm();
  constexpr std::uint64_t waves = 24;
  const sim::CounterNoise random(1, wave_stream);
  sim::Points& v = scenario.initial.v;
  for (std::uint64_t wave = 0; wave < waves; ++wave) {
    const double length = cell * (8 + 16 * random.uniform(wave, 0)),
                 angle = 2 * std::numbers::pi * random.uniform(wave, 1),
                 phase = 2 * std::numbers::pi * random.uniform(wave, 2);
    const sim::Vec3 direction =
        sim::Vec3(random.normal(wave, 3, 0), random.normal(wave, 3, 1), random.normal(wave, 3, 2)).normalized();
    for (Index i = 0; i < v.cols(); ++i) {
      const auto x = scenario.initial.x.col(i);
      const double along = std::cos(angle) * x[0] + std::sin(angle) * x[1];
      v.col(i) += 0.5 * std::sin(2 * std::numbers::pi * along / length + phase) * direction;
    }
  }
  for (const sim::Held& held : scenario.model.topology().held) v.col(held.particle).setZero();
}

std::vector<Index> moving_springs(const sim::Topology& topology) {
  std::vector<bool> is_held(topology.particles, false);
  for (const sim::Held& held : topology.held) is_held[held.particle] = true;
  std::vector<Index> moving;
  for (std::size_t k = 0; k < topology.springs.size(); ++k) {
    const auto [i, j] = topology.springs[k];
    if (!is_held[i] || !is_held[j]) moving.push_back(k);
  }
  return moving;
}

optim::Observation record_finely(Experiment experiment, Index finer, RecordingSettings settings, double sigma,
                                 const std::string& bench) {
  diff::Scenario& scenario = experiment.scenario;
  scenario.integrator = "velocity_verlet";
  scenario.time_step /= finer;
  scenario.steps *= finer;
  settings.particles.clear();
  for (Index i = 0; i < scenario.model.particles(); ++i) settings.particles.push_back(i);
  const MadeRecording made = record_motion(experiment, settings, bench);
  if (!made.explanation.empty())
    throw InvalidArgument(
        {bench, "the recording", "must be a run that ends", made.explanation, "choose a smaller simulation.time_step"});
  optim::Observation seen;
  for (std::size_t i = 0; i < made.capture.markers.size(); ++i)
    seen.markers.push_back({made.capture.markers[i], {{static_cast<Index>(i), 1.0}}});
  seen.times.assign(made.capture.time.begin(), made.capture.time.end());
  seen.positions = made.capture.positions;
  seen.noise.sigma = Vector::Constant(scenario.model.particles(), sigma);
  return seen;
}

}  // namespace pithball::experiments
