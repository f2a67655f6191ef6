#include "optim/observation/track_noise.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "optim/observation/noise_floor.hpp"
#include "optim/observation/track_differences.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {

double binomial(int n, int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

double usual_interval(const std::vector<double>& times) {
  std::vector<double> steps;
  for (std::size_t f = 1; f < times.size(); ++f) steps.push_back(times[f] - times[f - 1]);
  if (steps.empty()) return 0;
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
  return steps[steps.size() / 2];
}

namespace {

/// Markers whose sigmas differ by this factor have different instruments; sigmas that differ less are averaged.
constexpr double other_instrument = 2;
/// Number of standard errors of ln σ² by which, of many estimates, two differ by accident less than once in a million.
constexpr double beyond_doubt = 5;
/// If the scatter is a larger fraction of the motion than this, it may be a motion with too few frames per period.
constexpr double noise_like = 0.5;
/// Number of independent values from which a line or a slope in a spectrum is visible; in fewer, it may look like
/// noise.
constexpr double enough_values = 64;
/// A body whose motion has no period moves by more than this fraction of its size.
constexpr double at_rest = 0.05;
/// Coordinates that differ by less than this part of their size are equal: doubles are rounded.
constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
/// If differences scatter by less than this fraction of a step, none of them contains a step, not even one in a
/// million.
constexpr double without_steps = 1e-4;
/// Least sigma of a recording without visible noise, as a fraction of its motion: otherwise, accidental rounding would
/// determine the weight.
constexpr double least_part = 1e-6;

/// Mean of the values that were seen, and mean square about it.
struct Spread {
  Index count = 0;
  double mean = 0, variance = 0, least = 0, most = 0;
  explicit Spread(const std::vector<double>& x) {
    double square = 0;  // after Welford, Technometrics 4, 1962
    for (const double value : x) {
      if (std::isnan(value)) continue;
      least = count == 0 ? value : std::min(least, value);
      most = count == 0 ? value : std::max(most, value);
      ++count;
      const double from_mean = value - mean;
      mean += from_mean / static_cast<double>(count);
      square += from_mean * (value - mean);
    }
    if (count > 0) variance = square / static_cast<double>(count);
  }
  double size() const { return std::max(std::abs(least), std::abs(most)); }
  bool is_constant() const { return count > 0 && most - least <= rounding * size(); }
};

/// Whether the estimates differ by more than a factor of 2, and not by accident.
template <class Estimates>
bool differ(const Estimates& estimates) {
  const NoiseEstimate *least = nullptr, *most = nullptr;
  for (const NoiseEstimate& e : estimates) {
    if (!(e.sigma > 0)) continue;
    if (!least || e.sigma < least->sigma) least = &e;
    if (!most || e.sigma > most->sigma) most = &e;
  }
  if (!least || !(most->sigma > other_instrument * least->sigma)) return false;
  return 2 * std::log(most->sigma / least->sigma) > beyond_doubt * std::sqrt(2 / least->degrees + 2 / most->degrees);
}

/// Chooses the order; `falls`: whether differences still shrink with the order, so that no noise is visible.
int choose_order(const DifferenceSums& sums, bool& falls) {
  int least = 0, highest = 0;
  for (int p = lowest_order; p <= highest_order; ++p) {
    const DifferenceSum& sum = sums[p];
    if (sum.count < least_differences) break;
    highest = p;
    if (least == 0 || sum.variance() < sums[least].variance()) least = p;
  }
  if (least == 0) return 0;
  // The remainder of a smooth motion with more than three frames per period falls to less than half within two orders.
  const int before = std::max(lowest_order, highest - 2);
  const double last = sums[highest].variance();
  falls = highest > lowest_order && last < 0.5 * sums[before].variance();
  if (falls) return least;
  const double variance = sums[least].variance();
  for (int p = lowest_order; p < least; ++p) {
    const DifferenceSum& sum = sums[p];
    if (sum.variance() <= variance * (1 + std::sqrt(2 / sum.estimate(p).degrees))) return p;
  }
  return least;
}

/// Returns the greatest step of which a and b are multiples, by Euclid's algorithm; remainders below `nothing` are
/// rounding.
double common_step(double a, double b, double nothing) {
  while (b > nothing) {
    const double remainder = std::abs(a - std::round(a / b) * b);
    a = b;
    b = remainder;
  }
  return a;
}

/// Stores the estimates of one order for each marker and component. If markers differ, components are estimated
/// relative to their markers, since one marker may have only x recorded by a camera, and another only y.
void take_parts(const std::vector<std::array<DifferenceSums, 3>>& sums, int p, TrackNoise& noise) {
  const auto order = static_cast<std::size_t>(p);
  for (const std::array<DifferenceSums, 3>& marker : sums) {
    DifferenceSum own;
    for (const DifferenceSums& component : marker) own.add(component[order]);
    noise.markers.push_back(own.estimate(p));
  }
  noise.by_marker = noise.source == NoiseSource::Differences && differ(noise.markers);
  std::array<DifferenceSum, 3> components;
  for (std::size_t m = 0; m < sums.size(); ++m)
    for (std::size_t a = 0; a < 3; ++a) {
      DifferenceSum own = sums[m][a][order];
      if (noise.by_marker && noise.markers[m].sigma > 0)
        own.square *= std::pow(noise.all.sigma / noise.markers[m].sigma, 2);
      components[a].add(own);
    }
  for (std::size_t a = 0; a < 3; ++a) noise.components[a] = components[a].estimate(p);
  noise.by_component = noise.source == NoiseSource::Differences && differ(noise.components);
}

/// Limits of the spectrum of noise, in standard deviations: 1.3 in a thousand normal variables exceed the first, and 3
/// in a million the second.
constexpr double rarely_beyond = 3, hardly_beyond = 4.5;

/// Whether the noise is that of the recording rather than its motion. `values`: by marker and component.
NoiseTrust judge_noise(const TrackNoise& noise, const std::vector<double>& times,
                       std::vector<std::vector<double>>& values) {
  if (!noise.is_seen()) return NoiseTrust::Unknown;
  // The scatter of the differences, and so of the motion that they contain, is smaller than the step.
  if (noise.source == NoiseSource::Quantization) return NoiseTrust::Trusted;
  std::vector<NoisySeries> series;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Spread spread(values[i]);
    const double sigma = noise.sigma(static_cast<Index>(i / 3), static_cast<int>(i % 3));
    if (spread.count > 0 && !spread.is_constant() && sigma > 0) series.push_back({std::move(values[i]), sigma});
  }
  const NoiseFloor floor = find_noise_floor(times, series);
  const double known = std::min(1.0, floor.values * floor.degrees / enough_values);
  const bool is_slow = noise.all.sigma <= known * noise_like * noise.motion;
  if (!is_slow && !(noise.all.sigma < at_rest * noise.extent)) return NoiseTrust::Unknown;
  if (floor.is_level(rarely_beyond)) return NoiseTrust::Trusted;
  return floor.is_level(hardly_beyond) ? NoiseTrust::Plausible : NoiseTrust::Unknown;
}

}  // namespace

double quantization_step(const std::vector<std::vector<double>>& values) {
  double range = 0, step = 0;
  const auto for_each = [&](const auto& visit) {
    for (const std::vector<double>& series : values) {
      double first = NAN;
      for (const double value : series) {
        if (std::isnan(first)) first = value;
        if (!std::isnan(value)) visit(std::abs(value - first));
      }
    }
  };
  for_each([&](double distance) { range = std::max(range, distance); });
  const double nothing = 1e-8 * range;
  for_each([&](double distance) {
    if (distance > nothing) step = common_step(std::max(step, distance), std::min(step, distance), nothing);
  });
  if (!(step > 1e-6 * range)) return 0;
  bool all = true;
  for_each([&](double distance) { all = all && std::abs(distance / step - std::round(distance / step)) < 0.05; });
  return all ? step : 0;
}

TrackNoise estimate_track_noise(const std::string& recording, const Observation& o) {
  TrackNoise noise;
  noise.recording = recording;
  noise.kind = &kind_of(o);
  const auto markers = static_cast<Index>(o.markers.size());
  TrackDifferences differences(o.times);
  std::vector<std::array<DifferenceSums, 3>> sums(static_cast<std::size_t>(markers));
  std::vector<std::vector<double>> values;
  DifferenceSums all;
  double square = 0, samples = 0, size = 0;
  Points places = Points::Zero(3, markers);
  for (Index m = 0; m < markers; ++m)
    for (int a = 0; a < 3; ++a) {
      values.push_back(recorded_series(o, m, a));
      const Spread spread(values.back());
      samples += static_cast<double>(spread.count);
      places(a, m) = spread.mean;
      size = std::max(size, spread.size());
      if (spread.is_constant()) {
        noise.constant.emplace_back(m, a);
        continue;
      }
      square += spread.variance * static_cast<double>(spread.count);
      sums[m][a] = differences.of(values.back());
    }
  judge_short_series(sums);
  for (const std::array<DifferenceSums, 3>& marker : sums)
    for (const DifferenceSums& component : marker)
      for (std::size_t p = lowest_order; p <= highest_order; ++p) all[p].add(component[p]);
  if (samples > 0) noise.motion = std::sqrt(square / samples);
  if (markers > 0) {
    const Vec3 center = places.rowwise().mean();
    noise.extent = std::sqrt((places.colwise() - center).squaredNorm() / static_cast<double>(markers));
  }
  noise.quantum = quantization_step(values);
  bool falls = false;
  const int p = choose_order(all, falls);
  const int used = p == 0 ? lowest_order : p;
  noise.all = all[used].estimate(used);
  // In a computed motion, such as one proportional to t² at even times, all values are multiples of a step, but none is
  // rounded.
  if (p != 0 && noise.all.scatter < without_steps * noise.quantum) noise.quantum = 0;
  noise.source = p == 0 ? NoiseSource::Residuals : falls ? NoiseSource::Limit : NoiseSource::Differences;
  // Values rounded to a step q have an error of q/√12 (Widrow, IRE Trans. Circuit Theory 3, 1956).
  const double step_noise = noise.quantum / std::sqrt(12.0);
  if (p != 0 && noise.all.sigma < step_noise) {
    noise.source = NoiseSource::Quantization;
    noise.all.sigma = step_noise;
  }
  // Scatter no larger than the rounding of doubles belongs to a computed motion.
  if (p != 0 && noise.all.sigma <= rounding * size) noise.source = NoiseSource::Limit;
  take_parts(sums, used, noise);
  noise.all.trust = judge_noise(noise, o.times, values);
  if (!noise.is_seen() || noise.all.sigma > noise_like * noise.motion) noise.constant.clear();
  return noise;
}

double TrackNoise::sigma(Index marker, int component) const {
  const auto own = [this](const NoiseEstimate& part) {
    return part.sigma > 0 ? std::max(part.sigma, quantum / std::sqrt(12.0)) / all.sigma : 1.0;
  };
  double value = all.sigma;
  if (by_marker) value *= own(markers[marker]);
  if (by_component) value *= own(components[component]);
  return value;
}

std::string TrackNoise::sentence() const {
  const auto shown = [this](double value) { return kind->shown(value); };
  std::string sentence;
  switch (source) {
    case NoiseSource::Differences:
      sentence =
          formatted(all.trust != NoiseTrust::Unknown
                        ? "noise of %s: %s, from %lld differences of order %d"
                        : "noise of %s: unknown, at most %s if independent from frame to frame (%lld "
                          "differences of order %d): frames are too far apart to tell noise from motion; "
                          "write `sigma`",
                    recording.c_str(), shown(all.sigma).c_str(), static_cast<long long>(all.differences), all.order);
      if (all.apart > 0)
        sentence += formatted(" (without %lld beyond 4 times the scatter)", static_cast<long long>(all.apart));
      break;
    case NoiseSource::Quantization:
      sentence =
          "the noise of " + recording + " is below its resolution of " + shown(quantum) + ": noise " + shown(all.sigma);
      break;
    case NoiseSource::Limit:
      sentence = recording + ": no detectable noise (below " + shown(all.sigma) + ")";
      break;
    case NoiseSource::Residuals:
      sentence = formatted(
          "%s has only %lld contiguous differences, fewer than %lld: its noise is estimated from the residuals",
          recording.c_str(), static_cast<long long>(all.differences), static_cast<long long>(least_differences));
      break;
  }
  for (std::size_t a = 0; by_component && a < kind->components.size(); ++a) {
    if (!(components[a].sigma > 0)) continue;
    sentence += (a == 0 ? "; its components differ: " : ", ") + kind->components[a] + " " + shown(components[a].sigma);
  }
  if (by_marker) {
    const auto less = [](const NoiseEstimate& a, const NoiseEstimate& b) {
      return (std::isnan(a.sigma) ? INFINITY : a.sigma) < (std::isnan(b.sigma) ? INFINITY : b.sigma);
    };
    double most = 0;
    for (const NoiseEstimate& marker : markers) most = marker.sigma > most ? marker.sigma : most;
    sentence += formatted("; its markers differ: %.3g to ",
                          kind->shown_unit.factor * std::min_element(markers.begin(), markers.end(), less)->sigma) +
                shown(most);
  }
  return sentence;
}

namespace {

/// Determines the noise of recordings with the same unit.
void settle_alike(const std::vector<TrackNoise*>& recordings) {
  double square = 0, count = 0, motion = 0, extent = 0, limit = 0;
  for (const TrackNoise* each : recordings) {
    const TrackNoise& noise = *each;
    motion = std::max(motion, noise.motion);
    extent = std::max(extent, noise.extent);
    if (noise.source == NoiseSource::Limit) limit = std::max(limit, noise.all.sigma);
    if (noise.all.differences == 0) continue;
    square += noise.all.sigma * noise.all.sigma * static_cast<double>(noise.all.differences);
    count += static_cast<double>(noise.all.differences);
  }
  const double least = least_part * (motion > 0 ? motion : extent);
  const double pooled = count > 0 ? std::sqrt(square / count) : 0;
  for (TrackNoise* each : recordings) {
    TrackNoise& noise = *each;
    if (noise.source == NoiseSource::Limit) noise.all.sigma = std::max(limit, least);
    if (noise.source == NoiseSource::Residuals) noise.all.sigma = std::max(pooled, least);
    if (!(noise.all.sigma > 0)) noise.all.sigma = NAN;
  }
}

}  // namespace

void settle_noise(std::vector<TrackNoise>& recordings) {
  std::map<std::string, std::vector<TrackNoise*>> by_unit;
  for (TrackNoise& noise : recordings) by_unit[noise.kind->unit].push_back(&noise);
  for (const auto& [unit, alike] : by_unit) settle_alike(alike);
}

void take_sigma(const TrackNoise& noise, Observation& o) {
  const auto markers = static_cast<Index>(o.markers.size());
  for (Index m = 0; m < markers; ++m) {
    if (!std::isnan(o.noise.sigma[m])) continue;
    const Vec3 own(noise.sigma(m, 0), noise.sigma(m, 1), noise.sigma(m, 2));
    o.noise.sigma[m] = own.norm() / std::sqrt(3.0);
    o.noise.origin = noise.is_seen() ? SigmaOrigin::Tracks : SigmaOrigin::Guess;
    if (!noise.by_component) continue;
    if (o.noise.factor.size() == 0) o.noise.factor = Points::Ones(3, markers);
    o.noise.factor.col(m) = own / o.noise.sigma[m];
  }
}

}  // namespace pithball::optim
