#include "optim/screening/track_samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "optim/observation/track_differences.hpp"
#include "optim/observation/track_noise.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

constexpr int lowest = 2, highest = 8;  // orders of differences, even: the middle sample has the largest weight
/// An order is high enough if sigma at the next order is at least this fraction of its own sigma.
constexpr double level = 0.87;
/// Noise below this fraction of the rounding step is not visible: the rounding then depends on the motion.
constexpr double least_steps = 0.6;
/// Relative to the size of the values: values with less scatter are computed, not measured.
constexpr double computed = 1e-11;
constexpr std::size_t least_values = 8;
/// Number of values from which the rounding step is determined: enough that an accidental common step is improbable.
constexpr std::size_t looked_at = 64;
/// Relative to the size of the values: doubles are rounded, and once more if units are converted.
constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();

/// Of values that are far beyond most of the others, as 1e30 in place of a lost sample, neither size nor digits count.
double resolution_of(const TrackSamples& samples, int a) {
  constexpr double far_beyond = 1e5, middle = 0.5;
  std::vector<double> sizes, some;
  for (const Vec3& value : samples.values)
    if (!std::isnan(value[a])) sizes.push_back(std::abs(value[a]));
  if (sizes.empty()) return std::numeric_limits<double>::min();
  const double usual = quantile(sizes, middle), limit = usual > 0 ? far_beyond * usual : INFINITY;
  double size = 0;
  for (const double one : sizes)
    if (one <= limit) size = std::max(size, one);
  const std::size_t stride = samples.size() / looked_at + 1;
  for (std::size_t i = 0; i < samples.size(); i += stride)
    if (!(std::abs(samples.values[i][a]) > limit)) some.push_back(samples.values[i][a]);
  return std::max({quantization_step({some}), rounding * size, std::numeric_limits<double>::min()});
}

/// Whether intervals are equal, so that differences need no division.
bool are_even(const std::vector<double>& times) {
  constexpr double jitter = 1e-3;  // of an interval; the weights err by as much
  if (times.size() < 3) return true;
  const double first = times[1] - times[0];
  for (std::size_t i = 2; i < times.size(); ++i)
    if (std::abs(times[i] - times[i - 1] - first) > jitter * first) return false;
  return true;
}

double divided_difference(const double* t, const double* x, int p, double longest) {
  double square = 0, difference = 0;
  for (int i = 0; i < p; ++i)
    if (t[i + 1] - t[i] > longest) return NAN;
  for (int i = 0; i <= p; ++i) {
    double product = 1;
    for (int j = 0; j <= p; ++j)
      if (j != i) product *= longest / (t[i] - t[j]);
    square += product * product;
    difference += product * (x[i] - x[0]);
  }
  return difference / std::sqrt(square);
}

}  // namespace

std::vector<double> normalized_differences(const std::vector<double>& times, const std::vector<double>& x, int p,
                                           double longest) {
  const auto order = static_cast<std::size_t>(p);
  if (x.size() <= order) return {};
  if (!are_even(times)) {
    std::vector<double> found(x.size() - order);
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = divided_difference(&times[i], &x[i], p, longest);
    return found;
  }
  std::vector<double> found = x;
  for (std::size_t k = 1; k <= order; ++k)
    for (std::size_t i = 0; i + k < x.size(); ++i) found[i] = found[i + 1] - found[i];
  found.resize(x.size() - order);
  const double scale = 1 / std::sqrt(binomial(2 * p, p));
  for (double& value : found) value *= scale;
  return found;
}

double longest_interval(const std::vector<double>& times) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < times.size(); ++i) steps.push_back(times[i] - times[i - 1]);
  return steps.empty() ? 0 : 1.5 * quantile(std::move(steps), 0.75);
}

std::vector<double> TrackSamples::component(int a) const {
  std::vector<double> x;
  x.reserve(values.size());
  for (const Vec3& value : values) x.push_back(value[a]);
  return x;
}

TrackSamples TrackSamples::without(const std::vector<bool>& taken) const {
  TrackSamples kept;
  kept.marker = marker;
  kept.components = components;
  kept.resolution = resolution;
  for (std::size_t i = 0; i < size(); ++i) {
    if (taken[i]) continue;
    kept.frames.push_back(frames[i]);
    kept.times.push_back(times[i]);
    kept.values.push_back(values[i]);
  }
  return kept;
}

double TrackSamples::computed_scatter(int a) const {
  double size = 0;
  for (const Vec3& value : values) size = std::isnan(value[a]) ? size : std::max(size, std::abs(value[a]));
  return computed * size;
}

const Roughness& TrackSamples::roughness(int a) const {
  if (!roughness_[a]) roughness_[a] = roughness(a, longest_interval(times));
  return *roughness_[a];
}

Roughness TrackSamples::roughness(int a, double longest) const {
  const std::vector<double> x = component(a);
  const double least = resolution[a] / std::sqrt(12.0);
  Roughness found;
  double before = INFINITY;
  for (int p = lowest; p <= highest; p += 2) {
    const RobustScale scale = robust_scale(normalized_differences(times, x, p, longest), least);
    if (scale.kept + scale.apart < least_values) break;
    if (scale.sigma >= level * before) {  // the previous order was high enough
      found.is_noise = before >= least_steps * resolution[a] && before >= computed_scatter(a);
      break;
    }
    before = scale.sigma;
    found.order = p;
    found.sigma = std::max(scale.sigma, least);
    found.degrees = static_cast<double>(scale.kept) * std::pow(binomial(2 * p, p), 2) / binomial(4 * p, 2 * p);
  }
  return found;
}

std::vector<TrackSamples> take_samples(const Observation& o) {
  std::vector<TrackSamples> all(o.markers.size());
  for (std::size_t m = 0; m < all.size(); ++m) {
    TrackSamples& samples = all[m];
    samples.marker = static_cast<Index>(m);
    std::array<bool, 3> is_recorded{};
    for (std::size_t f = 0; f < o.times.size(); ++f) {
      const Vec3 value = o.sight(f, samples.marker);
      if (value.array().isNaN().all()) continue;
      for (int a = 0; a < 3; ++a) is_recorded[a] = is_recorded[a] || !std::isnan(value[a]);
      samples.frames.push_back(o.frame_numbers.empty() ? static_cast<Index>(f) : o.frame_numbers[f]);
      samples.times.push_back(o.times[f]);
      samples.values.push_back(value);
    }
    for (int a = 0; a < 3; ++a) {
      if (!is_recorded[a]) continue;
      samples.components.push_back(a);
      samples.resolution[a] = resolution_of(samples, a);
    }
  }
  return all;
}

std::string say_frames(const std::vector<Index>& frames) {
  constexpr std::size_t shown = 4;  // ranges
  std::vector<std::string> ranges;
  std::size_t said = 0, first = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (i + 1 < frames.size() && frames[i + 1] == frames[i] + 1) continue;
    if (ranges.size() < shown) {
      ranges.push_back(first == i
                           ? formatted("%ld", static_cast<long>(frames[i]))
                           : formatted("%ld to %ld", static_cast<long>(frames[first]), static_cast<long>(frames[i])));
      said = i + 1;
    }
    first = i + 1;
  }
  std::string text = frames.size() == 1 ? "frame " : "frames ";
  const std::size_t left = frames.size() - said;
  for (std::size_t k = 0; k < ranges.size(); ++k)
    text += (k == 0 ? "" : k + 1 == ranges.size() && left == 0 ? " and " : ", ") + ranges[k];
  if (left > 0) text += formatted(" and %zu more", left);
  return text;
}

}  // namespace pithball::optim
