#include "optim/screening/placeholders.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "optim/observation/track_differences.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

constexpr double far_in_distances = 8, far_in_steps = 3;
/// Quantiles of the distances and steps of the other samples, insensitive to a few large ones.
constexpr double usual_distance = 0.9, usual_step = 0.95;
/// Smallest fraction of the steps of other samples that must not be zero.
constexpr double least_moving = 0.25;
/// Fraction of tracks without a placeholder in which one is found by chance.
constexpr double by_chance = 1e-5;
constexpr std::size_t least_others = 6, most_candidates = 6;

/// Numbers that programs write for a missing value.
bool is_conventional(double value) {
  constexpr std::array<double, 6> numbers{0, 99, 999, 9999, 99999, 999999};
  const double size = std::abs(value), tolerance = 8 * std::numeric_limits<double>::epsilon() * size;
  return value == -1 || std::abs(value + 1) <= tolerance ||
         std::any_of(numbers.begin(), numbers.end(), [&](double n) { return std::abs(size - n) <= tolerance; });
}

/// A sample as a key of a map, with infinity in place of NaN.
using ValueKey = std::array<double, 3>;
ValueKey key_of(const Vec3& value) {
  ValueKey key{};
  for (int a = 0; a < 3; ++a) key[a] = std::isnan(value[a]) ? INFINITY : value[a] + 0.0;  // −0 is 0
  return key;
}

bool is_same(const Vec3& a, const Vec3& b) {
  for (int k = 0; k < 3; ++k)
    if (a[k] != b[k] && !(std::isnan(a[k]) && std::isnan(b[k]))) return false;
  return true;
}

/// Returns the distance over the components that both have.
double distance_between(const Vec3& a, const Vec3& b) {
  double square = 0;
  for (int k = 0; k < 3; ++k)
    if (!std::isnan(a[k]) && !std::isnan(b[k])) square += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(square);
}

/// Samples in order of time, of which some are left out.
struct Sequence {
  const std::vector<double>& times;
  const std::vector<Vec3>& values;
  std::vector<std::size_t> kept;  ///< indices of the samples that are not left out, increasing

  std::size_t size() const { return kept.size(); }

  /// Returns the distance of a value from its prediction by `near` and, beyond that, `next`; next < 0: there is none.
  double from_side(double time, const Vec3& value, std::size_t near, std::ptrdiff_t next) const {
    const std::size_t i = kept[near];
    double distance = distance_between(value, values[i]);
    if (next < 0 || next >= static_cast<std::ptrdiff_t>(kept.size())) return distance;
    const std::size_t j = kept[next];
    const Vec3 line = values[i] + (values[i] - values[j]) * ((time - times[i]) / (times[i] - times[j]));
    return std::min(distance, distance_between(value, line));
  }
  /// Returns the smaller distance of samples first to last from both sides: before `position` in `kept`, and from
  /// `after` on.
  double from_both(std::size_t first, std::size_t last, std::size_t position, std::size_t after) const {
    double least = INFINITY;
    if (position > 0)
      least = from_side(times[first], values[first], position - 1, static_cast<std::ptrdiff_t>(position) - 2);
    if (after < kept.size())
      least = std::min(least, from_side(times[last], values[last], after, static_cast<std::ptrdiff_t>(after) + 1));
    return std::isinf(least) ? 0 : least;
  }
};

/// Usual distances of samples from their neighbors.
struct UsualDistances {
  double far = INFINITY;  ///< larger distances are far
  UsualDistances(const Sequence& others, double resolution) {
    if (others.size() < least_others) return;
    std::vector<double> distances, steps;
    const double longest = longest_interval(others.times);
    std::size_t moving = 0;
    for (std::size_t k = 0; k < others.size(); ++k) {
      const std::size_t i = others.kept[k];
      distances.push_back(others.from_both(i, i, k, k + 1));
      if (k == 0 || others.times[i] - others.times[others.kept[k - 1]] > longest) continue;
      steps.push_back(distance_between(others.values[i], others.values[others.kept[k - 1]]));
      moving += steps.back() > resolution ? 1 : 0;
    }
    if (static_cast<double>(moving) < least_moving * static_cast<double>(steps.size()) || steps.empty()) return;
    far = std::max(far_in_distances * std::max(quantile(std::move(distances), usual_distance), resolution),
                   far_in_steps * quantile(std::move(steps), usual_step));
  }
};

/// One value, and where it is far from the samples around it.
struct FarValue {
  Vec3 value = Vec3::Zero();
  std::vector<std::size_t> samples;  ///< increasing
  std::size_t runs = 0;              ///< runs of neighboring samples
  bool in_the_middle = false;        ///< whether there are other samples on both sides of a run
};

/// Finds the samples with this value that are far from all others.
FarValue look_at(const Vec3& value, const std::vector<double>& times, const std::vector<Vec3>& values,
                 double resolution) {
  FarValue found{value, {}, 0, false};
  Sequence others{times, values, {}};
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!is_same(values[i], value)) others.kept.push_back(i);
  const UsualDistances usual(others, resolution);
  if (std::isinf(usual.far)) return found;
  std::size_t position = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_same(values[i], value)) {
      ++position;
      continue;
    }
    std::size_t last = i;
    while (last + 1 < values.size() && is_same(values[last + 1], value)) ++last;
    if (others.from_both(i, last, position, position) > usual.far) {
      ++found.runs;
      found.in_the_middle = found.in_the_middle || (position > 0 && position < others.size());
      for (std::size_t k = i; k <= last; ++k) found.samples.push_back(k);
    }
    i = last;
  }
  return found;
}

/// Values that may be placeholders, and the number of runs of samples that are far from those beside them.
struct Candidates {
  std::vector<Vec3> values;
  std::size_t far_runs = 0;
};

/// Whether all components of a sample are the same conventional number.
bool is_conventional(const Vec3& value, const Vec3& file_scale) {
  double first = NAN;
  for (int a = 0; a < 3; ++a) {
    if (std::isnan(value[a])) continue;
    const double number = value[a] / file_scale[a];
    if (std::isnan(first)) first = number;
    if (std::abs(number) != std::abs(first) || !is_conventional(number)) return false;
  }
  return !std::isnan(first);
}

/// Returns values far from the samples beside them, or conventional ones, most frequent first.
Candidates candidates_of(const std::vector<double>& times, const std::vector<Vec3>& values, const Vec3& file_scale) {
  Sequence all{times, values, {}};
  std::vector<std::size_t> ends;  // last sample of each run
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0 && is_same(values[i], values[i - 1])) {
      ends.back() = i;
      continue;
    }
    all.kept.push_back(i);
    ends.push_back(i);
  }
  std::vector<double> distances;
  for (std::size_t k = 0; k < all.size(); ++k) distances.push_back(all.from_both(all.kept[k], ends[k], k, k + 1));
  constexpr double upper = 0.75, noticeable_part = 4;
  const double least = noticeable_part * quantile(distances, upper);
  Candidates found;
  std::map<ValueKey, std::pair<std::size_t, Vec3>> counts;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Vec3& value = values[all.kept[k]];
    const bool conventional = is_conventional(value, file_scale), far = distances[k] > least;
    found.far_runs += far ? 1 : 0;
    if (!conventional && !far) continue;
    auto& [count, where] = counts[key_of(value)];
    count += (conventional ? values.size() : 0) + ends[k] - all.kept[k] + 1;
    where = value;
  }
  std::vector<std::pair<std::size_t, Vec3>> order;
  for (const auto& [key, counted] : counts)
    if (counted.first > 1) order.push_back(counted);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t k = 0; k < std::min(order.size(), most_candidates); ++k) found.values.push_back(order[k].second);
  return found;
}

class PlaceholderSearch {
 public:
  PlaceholderSearch(const Observation& observation, const Vec3& file_scale, TrackSamples& samples)
      : kind_(kind_of(observation)),
        name_(observation.markers[samples.marker].name),
        file_scale_(file_scale),
        samples_(samples) {}

  std::vector<Finding> find() {
    search(samples_.components);
    // A single component is examined only if it contains a conventional number, since rounding may well repeat other
    // numbers.
    if (findings_.empty() && samples_.components.size() > 1)
      for (const int a : std::vector<int>(samples_.components))
        if (has_conventional(a)) search({a});
    return std::move(findings_);
  }

 private:
  void search(const std::vector<int>& components) {
    std::vector<Vec3> values = samples_.values;
    double resolution = 0;
    for (int a = 0; a < 3; ++a)
      if (std::find(components.begin(), components.end(), a) == components.end())
        for (Vec3& value : values) value[a] = NAN;
      else
        resolution = std::max(resolution, samples_.resolution[a]);
    if (values.size() < least_others) return;
    const Candidates candidates = candidates_of(samples_.times, values, file_scale_);
    for (const Vec3& value : candidates.values) {
      FarValue found = look_at(value, samples_.times, values, resolution);
      const bool far = is_placeholder(found, components, std::max(candidates.far_runs, found.runs));
      if (!far && !is_too_exact(value, components, found)) continue;
      report(found, components, far);
      std::vector<bool> taken(samples_.size(), false);
      for (const std::size_t i : found.samples) taken[i] = true;
      samples_ = samples_.without(taken);
      std::size_t i = 0;
      std::erase_if(values, [&](const Vec3&) { return taken[i++]; });
    }
  }

  bool has_conventional(int a) const {
    return std::any_of(samples_.values.begin(), samples_.values.end(), [&](const Vec3& value) {
      const double number = value[a] / file_scale_[a];
      return std::abs(number - std::round(number)) < 1e-9 && is_conventional(number);  // rounding by the scale
    });
  }

  double shown(const Vec3& value, int a) const { return value[a] / file_scale_[a] + 0.0; }

  /// Returns the logarithm of the fraction of the range of values that rounds to one value, over all components.
  double log_part_of_range(const std::vector<int>& components) const {
    double sum = 0;
    for (const int a : components) {
      double least = INFINITY, most = -INFINITY;
      for (const Vec3& value : samples_.values)
        if (!std::isnan(value[a])) least = std::min(least, value[a]), most = std::max(most, value[a]);
      if (most > least) sum += std::min(0.0, std::log(samples_.resolution[a] / (most - least)));
    }
    return sum;
  }

  bool is_placeholder(const FarValue& found, const std::vector<int>& components, std::size_t far_runs) const {
    if (found.samples.empty()) return false;
    Vec3 alone = Vec3::Constant(NAN);
    for (const int a : components) alone[a] = found.value[a];
    const bool conventional = is_conventional(alone, file_scale_);
    if (found.runs < 2 && !(conventional && (found.in_the_middle || found.samples.size() > 1))) return false;
    // The probability that n of K samples placed at random share a value is at most Kⁿ/n! (q/R)ⁿ⁻¹; with (q/R)ⁿ, if the
    // value is known beforehand.
    const auto n = static_cast<double>(found.runs), all = static_cast<double>(far_runs);
    const double chance =
        n * std::log(all) - std::lgamma(n + 1) + (conventional ? n : n - 1) * log_part_of_range(components);
    if (chance > std::log(by_chance)) return false;
    const bool zero = std::all_of(components.begin(), components.end(), [&](int a) { return found.value[a] == 0; });
    return !zero || kind_.at_impact == AtImpact::Kink || exactness(found.value, components) < by_chance;
  }

  /// Returns the expected number of samples that noise about this value rounds to exactly this value; 1 if there is no
  /// noise.
  double exactness(const Vec3& value, const std::vector<int>& components) const {
    std::vector<bool> taken(samples_.size(), false);
    for (std::size_t i = 0; i < taken.size(); ++i)
      taken[i] =
          std::all_of(components.begin(), components.end(), [&](int a) { return samples_.values[i][a] == value[a]; });
    const TrackSamples rest = samples_.without(taken);
    double expected = 1;
    for (const int a : components) {
      const Roughness roughness = rest.roughness(a, longest_interval(samples_.times));
      if (roughness.is_noise)
        expected *= std::min(1.0, samples_.resolution[a] / (std::sqrt(2 * std::numbers::pi) * roughness.sigma));
    }
    return expected < 1 ? expected * static_cast<double>(samples_.size()) : 1;
  }

  /// Whether a conventional value recurs where noise would not repeat it, even close to its neighbors; if so, `found`
  /// receives all samples with it.
  bool is_too_exact(const Vec3& value, const std::vector<int>& components, FarValue& found) const {
    if (components.size() != samples_.components.size() || !is_conventional(value, file_scale_)) return false;
    FarValue exact{value, {}, 0, false};
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if (!is_same(samples_.values[i], value)) continue;
      if (exact.samples.empty() || exact.samples.back() + 1 != i) ++exact.runs;
      exact.samples.push_back(i);
    }
    if (exact.runs < 2 || exactness(value, components) > by_chance) return false;
    found = std::move(exact);
    return true;
  }

  void report(const FarValue& found, const std::vector<int>& components, bool far) {
    Finding finding;
    finding.kind = FindingKind::Placeholder;
    finding.marker = name_;
    for (const std::size_t i : found.samples) finding.frames.push_back(samples_.frames[i]);
    std::vector<std::string> numbers;
    for (const int a : components) numbers.push_back(formatted("%.15g", shown(found.value, a)));
    std::string listed, key;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      listed += (k > 0 ? ", " : "") + numbers[k];
      if (std::find(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(k), numbers[k]) ==
          numbers.begin() + static_cast<std::ptrdiff_t>(k))
        key += (k > 0 ? ", " : "") + numbers[k];
    }
    const bool whole = components.size() == samples_.components.size();
    finding.number = shown(found.value, components.front());
    finding.sentence = say_frames(finding.frames) + " of '" + name_ + "'" +
                       (whole ? "" : ", component " + kind_.components[components[0]] + ",") +
                       (finding.frames.size() == 1 ? " is" : " are") + " exactly " +
                       (numbers.size() > 1 ? "(" + listed + ")" : listed) +
                       (far ? ", far from the samples around" : ", which noise does not repeat") +
                       ": a placeholder for a lost marker?";
    finding.key = "missing: [" + key + "]";
    findings_.push_back(std::move(finding));
  }

  const MeasurementKind& kind_;
  std::string name_;
  const Vec3& file_scale_;
  TrackSamples& samples_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> find_placeholders(const Observation& observation, const Vec3& file_scale, TrackSamples& samples) {
  return PlaceholderSearch(observation, file_scale, samples).find();
}

}  // namespace pithball::optim
