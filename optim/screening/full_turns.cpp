#include "optim/screening/full_turns.hpp"

#include <algorithm>
#include <cmath>

#include "optim/observation/robust_scale.hpp"

namespace pithball::optim {
namespace {

/// Increments on either side that the expected one is the median of.
constexpr std::size_t around = 4;
/// Of a period: how far a jump may be from one, and readings beyond one.
constexpr double turn_tolerance = 0.1, range_tolerance = 1e-3;

/// By how many turns each increment jumps.
std::vector<double> turns_of(const std::vector<double>& x, double period) {
  std::vector<double> steps(x.size() - 1), turns(x.size() - 1, 0);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = x[i + 1] - x[i];
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (std::abs(steps[i]) < 0.5 * period) continue;
    std::vector<double> near;
    for (std::size_t j = i > around ? i - around : 0; j <= std::min(i + around, steps.size() - 1); ++j)
      if (j != i) near.push_back(steps[j]);
    const double jump = steps[i] - (near.empty() ? 0 : quantile(std::move(near), 0.5)),
                 count = std::round(jump / period);
    if (std::abs(jump - count * period) < turn_tolerance * period) turns[i] = count;
  }
  return turns;
}

}  // namespace

std::optional<Finding> find_full_turns(const Observation& observation, TrackSamples& samples) {
  const MeasurementKind& kind = kind_of(observation);
  if (!(kind.period > 0) || samples.size() < 3) return {};
  Finding finding;
  for (const int a : samples.components) {
    const std::vector<double> x = samples.component(a);
    const auto [least, most] = std::minmax_element(x.begin(), x.end());
    if (!(*most - *least <= (1 + range_tolerance) * kind.period)) continue;
    const std::vector<double> turns = turns_of(x, kind.period);
    double sum = 0;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      if (turns[i] != 0) finding.frames.push_back(samples.frames[i + 1]);
      sum += turns[i];
      samples.values[i + 1][a] -= sum * kind.period;
    }
  }
  if (finding.frames.empty()) return {};
  finding.kind = FindingKind::FullTurn;
  finding.marker = observation.markers[samples.marker].name;
  finding.number = kind.period;
  finding.sentence = say_frames(finding.frames) + " of '" + finding.marker + "' jump by a full turn (" +
                     kind.shown(kind.period) + ") beside the frames around: the angle is wrapped";
  finding.key = "unwrap: true";
  return finding;
}

}  // namespace pithball::optim
