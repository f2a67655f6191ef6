#include "optim/screening/sample_findings.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "optim/observation/observation.hpp"
#include "optim/observation/track_differences.hpp"
#include "optim/observation/track_swaps.hpp"
#include "optim/screening/correlated_noise.hpp"
#include "optim/screening/finding.hpp"
#include "optim/screening/outliers.hpp"
#include "optim/screening/placeholders.hpp"
#include "optim/screening/track_samples.hpp"
#include "optim/screening/unmeasured_samples.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {

/// Finds frames in which readings of a kind with a period (angles) jump by a full turn. There, the increment differs
/// from the median of those around it by a multiple of the period, within a tenth of the period, and all readings lie
/// within one period, like those of a wrapped angle. `samples` is then unwrapped. A reading that turns by more than
/// half a period per frame is ambiguous, and found only if it is wrapped.
std::optional<Finding> find_full_turns(const Observation& observation, TrackSamples& samples);

namespace {

/// Number of increments on either side whose median is the expected increment.
constexpr std::size_t around = 4;
/// As fractions of a period: tolerance of a jump, and the amount by which the range of readings may exceed a period.
constexpr double turn_tolerance = 0.1, range_tolerance = 1e-3;

/// Returns the number of turns by which each increment jumps.
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

namespace {

void append(std::vector<Finding>& all, std::vector<Finding> more) {
  for (Finding& one : more) all.push_back(std::move(one));
}

/// Finds readings that the instrument cannot have made, and removes them from `samples`.
std::vector<Finding> find_outside_image(const Observation& observation, TrackSamples& samples) {
  if (!observation.instrument) return {};
  Finding finding{FindingKind::OutsideImage, observation.markers[samples.marker].name, {}, 0, "", "image_size"};
  std::vector<bool> taken(samples.size(), false);
  std::string reason;
  Vec3 first = Vec3::Zero();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::string why = observation.instrument->reject(samples.values[i]);
    if (why.empty()) continue;
    if (reason.empty()) {
      reason = why;
      first = samples.values[i];
    }
    taken[i] = true;
    finding.frames.push_back(samples.frames[i]);
  }
  if (reason.empty()) return {};
  finding.number = static_cast<double>(finding.frames.size());
  finding.sentence = say_frames(finding.frames) + " of '" + finding.marker +
                     (finding.frames.size() == 1 ? "' is " : "' are ") + reason + ", the first at (" +
                     to_text(first[0]) + ", " + to_text(first[1]) + ")";
  samples = samples.without(taken);
  return {finding};
}

/// Finds markers whose names are exchanged. The fit itself can find which point is which where readings are places.
std::optional<Finding> find_exchanged_names(const Observation& observation) {
  const std::vector<TrackSwap> swaps = find_track_swaps(observation);
  if (swaps.empty()) return {};
  Finding finding{
      FindingKind::Swap, "", {}, static_cast<double>(swaps.size()), say_track_swaps(observation, swaps), ""};
  const std::vector<Index>& numbers = observation.frame_numbers;
  for (const TrackSwap& swap : swaps)
    finding.frames.push_back(numbers.empty() ? static_cast<Index>(swap.frame) : numbers[swap.frame]);
  const bool are_places = kind_of(observation).geometry.registration != Registration::None;
  finding.key =
      are_places ? "identities: partly" : formatted("frames: {to: %.9g s}", observation.times[swaps.front().frame - 1]);
  return finding;
}

/// How far a track moves, and how much of that is noise.
struct Travel {
  double motion = 0;         ///< root mean square about the mean position
  double noise = 0;          ///< the same for a resting marker with this roughness
  double rounding_step = 0;  ///< the largest rounding step of its components
  explicit Travel(const TrackSamples& samples) {
    for (const int a : samples.components) {
      double sum = 0, square = 0, count = 0;
      for (const Vec3& value : samples.values)
        if (!std::isnan(value[a])) sum += value[a], count += 1;
      for (const Vec3& value : samples.values)
        if (!std::isnan(value[a])) square += std::pow(value[a] - sum / count, 2);
      motion += square / count;
      rounding_step = std::max(rounding_step, samples.resolution[a]);
      const double sigma = samples.roughness(a).sigma;
      noise += std::isnan(sigma) ? INFINITY : sigma * sigma;
    }
    motion = std::sqrt(motion);
    noise = std::sqrt(noise);
  }
};

/// Finds markers that never move although others move by much more than their noise.
std::vector<Finding> find_resting(const Observation& observation, const std::vector<TrackSamples>& tracks) {
  constexpr double scatter_of_rest = 1.3, many_times = 10;
  constexpr std::size_t least_samples = 20;
  const MeasurementKind& kind = kind_of(observation);
  if (kind.at_impact != AtImpact::Kink) return {};  // a marker with constant velocity or force may still move
  std::vector<Travel> travels;
  double most = 0;
  for (const TrackSamples& samples : tracks) {
    travels.emplace_back(samples);
    if (std::isfinite(travels.back().noise) &&
        travels.back().motion > many_times * std::max(travels.back().noise, travels.back().rounding_step))
      most = std::max(most, travels.back().motion);
  }
  std::vector<Finding> findings;
  for (std::size_t m = 0; m < tracks.size(); ++m) {
    const Travel& own = travels[m];
    if (tracks[m].size() < least_samples || !(own.motion < scatter_of_rest * own.noise) || std::isinf(own.noise) ||
        !(most > many_times * own.motion))
      continue;
    Finding finding{FindingKind::Resting, observation.markers[m].name, {}, most, "", ""};
    finding.sentence = "'" + finding.marker + "' never moves: it scatters by " + kind.shown(own.motion) +
                       ", as its noise does, beside markers that move by up to " + kind.shown(most);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace

std::vector<Finding> find_in_samples(const Observation& observation, const Vec3& file_scale) {
  std::vector<Finding> findings;
  std::vector<TrackSamples> tracks = take_samples(observation);
  for (TrackSamples& samples : tracks)
    if (std::optional<Finding> found = find_full_turns(observation, samples)) findings.push_back(std::move(*found));
  for (TrackSamples& samples : tracks) append(findings, find_placeholders(observation, file_scale, samples));
  for (TrackSamples& samples : tracks) append(findings, find_outside_image(observation, samples));
  append(findings, find_repeated_samples(observation, tracks));
  for (TrackSamples& samples : tracks)
    if (std::optional<Finding> found = find_filled_stretches(observation, samples))
      findings.push_back(std::move(*found));
  if (std::optional<Finding> found = find_exchanged_names(observation)) findings.push_back(std::move(*found));
  append(findings, find_outliers(observation, tracks));
  if (std::optional<Finding> found = find_correlated_noise(observation, tracks)) findings.push_back(std::move(*found));
  append(findings, find_resting(observation, tracks));
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.kind < b.kind; });
  return findings;
}

}  // namespace pithball::optim
