#include "optim/screening/filled_stretches.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

constexpr std::size_t least_filled = 3;
/// Of samples without a filled stretch so many begin one by accident.
constexpr double accidents = 1e-6;
/// In steps of rounding: by how much a second difference of rounded values on a line differs from zero at most.
constexpr double line_tolerance = 1.01, line_tolerance_of_doubles = 4;

class LinearStretches {
 public:
  explicit LinearStretches(const TrackSamples& samples) : samples_(samples), longest_(longest_interval(samples.times)) {
    for (const int a : samples.components) {
      double size = 0;
      for (const Vec3& value : samples.values) size = std::max(size, std::isnan(value[a]) ? 0 : std::abs(value[a]));
      const bool doubles = samples.resolution[a] <= 8 * std::numeric_limits<double>::epsilon() * size;
      tolerance_[a] = samples.resolution[a] * (doubles ? line_tolerance_of_doubles : line_tolerance);
    }
  }

  /// [first, last] of the stretches that are long enough, by samples.
  std::vector<std::pair<std::size_t, std::size_t>> find() const {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t i = 1; i + 1 < samples_.size(); ++i) {
      if (!is_straight(i)) continue;
      std::size_t last = i;
      while (last + 2 < samples_.size() && is_straight(last + 1)) ++last;
      if (last - i + 1 >= least_filled && moves(i, last)) found.emplace_back(i, last);
      i = last;
    }
    return found;
  }

  /// Logarithm of the probability that so many samples lie on a line by accident; 0: there is no noise.
  double chance(std::size_t length) const {
    double sum = 0;
    const auto n = static_cast<double>(length);
    const double log_determinant = std::log((n + 1) * (n + 2) * (n + 2) * (n + 3) / 12);
    for (const int a : samples_.components) {
      const Roughness roughness = samples_.roughness(a);
      if (!roughness.is_noise) continue;
      const double one = 2 * tolerance_[a] / (std::sqrt(2 * std::numbers::pi) * roughness.sigma);
      sum += std::min(0.0, n * std::log(one) - 0.5 * log_determinant);
    }
    return sum;
  }

 private:
  /// By frames, as programs interpolate, or by times.
  bool is_straight(std::size_t i) const {
    const std::vector<double>& t = samples_.times;
    if (t[i] - t[i - 1] > longest_ || t[i + 1] - t[i] > longest_) return false;
    const double by_time = (t[i] - t[i - 1]) / (t[i + 1] - t[i - 1]);
    bool recorded = false;
    for (const int a : samples_.components) {
      const double before = samples_.values[i - 1][a], here = samples_.values[i][a], after = samples_.values[i + 1][a];
      if (std::isnan(before + here + after)) continue;
      recorded = true;
      const double off =
          std::min(std::abs(2 * here - before - after), 2 * std::abs(here - before - by_time * (after - before)));
      if (off > tolerance_[a]) return false;
    }
    return recorded;
  }

  bool moves(std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i <= last; ++i)
      for (const int a : samples_.components)
        if (std::abs(samples_.values[i + 1][a] - samples_.values[i][a]) > tolerance_[a]) return true;
    return false;
  }

  const TrackSamples& samples_;
  double longest_;
  Vec3 tolerance_ = Vec3::Zero();
};

}  // namespace

std::optional<Finding> find_filled_stretches(const Observation& observation, TrackSamples& samples) {
  const LinearStretches stretches(samples);
  Finding finding;
  std::vector<bool> taken(samples.size(), false);
  std::size_t longest = 0;
  for (const auto& [first, last] : stretches.find()) {
    const std::size_t length = last - first + 1;
    if (!(stretches.chance(length) + std::log(static_cast<double>(samples.size())) < std::log(accidents))) continue;
    longest = std::max(longest, length);
    for (std::size_t i = first; i <= last; ++i) {
      taken[i] = true;
      finding.frames.push_back(samples.frames[i]);
    }
  }
  if (finding.frames.empty()) return {};
  samples = samples.without(taken);
  finding.kind = FindingKind::Fill;
  finding.marker = observation.markers[samples.marker].name;
  finding.number = static_cast<double>(longest);
  finding.sentence = say_frames(finding.frames) + " of '" + finding.marker +
                     "' lie exactly on the lines between their neighbors, where the rest of the track has noise: gaps "
                     "that were filled by interpolation";
  finding.key = "filled_samples: mask";
  return finding;
}

}  // namespace pithball::optim
