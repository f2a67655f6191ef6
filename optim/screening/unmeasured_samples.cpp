#include "optim/screening/unmeasured_samples.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "optim/observation/track_differences.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Fraction of tracks without repeats that are mistaken for tracks with repeats.
constexpr double by_accident = 1e-6;
/// Smallest number of equal frames that count as a held position; fewer are repeated frames.
constexpr std::size_t held_frames = 5;
/// Smallest fraction of the moving tracks that must repeat in a frame for it to count as repeated.
constexpr double most_tracks = 0.8;

/// Neighboring samples that are equal.
struct EqualRun {
  std::size_t first = 0, last = 0;
  std::size_t repeats() const { return last - first; }
};

/// The runs of one track, and the probability that they occur by chance.
class RepeatedTrack {
 public:
  explicit RepeatedTrack(const TrackSamples& samples) : samples_(samples) {
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (i > 0 && are_equal(i - 1, i))
        runs_.back().last = i;
      else
        runs_.push_back({i, i});
    }
    if (runs_.size() == samples.size() || runs_.size() < 2) return;
    std::size_t held = 0;
    for (const EqualRun& run : runs_) held += run.repeats() + 1 >= held_frames ? run.repeats() + 1 : 0;
    if (2 * held > samples.size()) return;  // a track that rests most of the time, or is thresholded, repeats itself
    find_noise();
    find();
  }

  /// Returns the runs that chance does not explain.
  const std::vector<EqualRun>& found() const { return found_; }
  bool is_moving() const { return runs_.size() > 1; }

 private:
  bool are_equal(std::size_t i, std::size_t j) const {
    for (const int a : samples_.components) {
      const double x = samples_.values[i][a], y = samples_.values[j][a];
      if (x != y && !(std::isnan(x) && std::isnan(y))) return false;
    }
    return true;
  }

  /// Estimates the noise from the samples that differ from the one before and are not in a long run, at the usual
  /// distance between such samples.
  void find_noise() {
    std::vector<double> lengths;
    for (const EqualRun& run : runs_) lengths.push_back(static_cast<double>(run.repeats() + 1));
    const double usual = quantile(std::move(lengths), 0.5);
    std::vector<bool> again(samples_.size(), false);
    for (const EqualRun& run : runs_)
      for (std::size_t i = run.first; i <= run.last; ++i)
        again[i] = i > run.first || (run.repeats() + 1 >= held_frames && usual < held_frames);
    const TrackSamples different = samples_.without(again);
    const double longest = usual * longest_interval(samples_.times);
    for (const int a : samples_.components) {
      const Roughness roughness = different.roughness(a, longest);
      noise_[a] = roughness.is_noise ? roughness.sigma : 0;
      has_noise_ = has_noise_ || roughness.is_noise;
    }
  }

  /// Returns an upper bound of the probability that a sample of run k equals the one before, given its noise and the
  /// smaller of the steps before and after the run, less what noise can add to a step.
  double by_chance(std::size_t k) const {
    double chance = 1;
    for (const int a : samples_.components) {
      if (noise_[a] == 0) continue;
      const double resolution = samples_.resolution[a];
      double step = 0;
      if (k > 0 && k + 1 < runs_.size()) {
        const double here = value(k, a);
        const double before = here - value(k - 1, a), after = value(k + 1, a) - here;
        constexpr double by_noise = 3;  // standard deviations of a sample
        if (before * after > 0)
          step = std::max(0.0, std::min(std::abs(before), std::abs(after)) - resolution - by_noise * noise_[a]);
      }
      chance *= std::min(1.0, resolution / (2 * std::sqrt(std::numbers::pi) * noise_[a])) *
                std::exp(-step * step / (4 * noise_[a] * noise_[a]));
    }
    return chance;
  }

  double value(std::size_t run, int a) const { return samples_.values[runs_[run].first][a]; }

  void find() {
    std::size_t repeats = 0;
    double expected = 0;
    for (std::size_t k = 0; k < runs_.size(); ++k) {
      const double chance = has_noise_ ? by_chance(k) : goes_on(k) ? 0 : 1;
      constexpr double likely = 0.02;  // likelier repeats are not evidence
      if (chance > likely) continue;
      expected += chance * static_cast<double>(runs_[k].repeats() + 1);
      if (runs_[k].repeats() == 0) continue;
      found_.push_back(runs_[k]);
      repeats += runs_[k].repeats();
    }
    // Without noise, the evidence is a step far above the rounding (`goes_on`), in at least two runs.
    const bool enough = has_noise_ ? poisson_tail(repeats, expected) < by_accident : found_.size() > 1;
    if (!enough) found_.clear();
  }

  /// Returns P(X ≥ n) of a Poisson variable, by Chernoff's bound: e^{−μ}(eμ/n)ⁿ.
  static double poisson_tail(std::size_t n, double mean) {
    const auto count = static_cast<double>(n);
    if (count <= mean) return 1;
    return mean > 0 ? std::exp(count - mean + count * std::log(mean / count)) : 0;
  }

  /// Whether the track after run k is where it would be if it had kept moving during the run.
  bool goes_on(std::size_t k) const {
    if (k == 0 || k + 1 == runs_.size()) return false;
    const std::size_t before = runs_[k - 1].first, here = runs_[k].first, next = runs_[k + 1].first;
    const double part = (samples_.times[next] - samples_.times[here]) / (samples_.times[here] - samples_.times[before]);
    double from_line = 0, step = 0;
    bool is_step = false;
    for (const int a : samples_.components) {
      const double x = samples_.values[here][a], moved = samples_.values[next][a] - x;
      if (std::isnan(moved)) continue;
      const double line = part * (x - samples_.values[before][a]);
      from_line += std::pow(moved - line, 2);
      step += moved * moved;
      constexpr double many_steps = 10;  // of rounding
      is_step = is_step || std::abs(moved) > many_steps * samples_.resolution[a];
    }
    return is_step && from_line < 0.25 * step;
  }

  const TrackSamples& samples_;
  std::vector<EqualRun> runs_, found_;
  bool has_noise_ = false;
  Vec3 noise_ = Vec3::Zero();  ///< by component; 0: none is visible
};

std::vector<Index> repeated_frames(const TrackSamples& samples, const std::vector<EqualRun>& runs) {
  std::vector<Index> frames;
  for (const EqualRun& run : runs)
    for (std::size_t i = run.first + 1; i <= run.last; ++i) frames.push_back(samples.frames[i]);
  return frames;
}

Finding repeats_of(const std::string& marker, std::vector<Index> frames, std::size_t all) {
  Finding finding{FindingKind::Repeats, marker, std::move(frames), 0, "", "repeated_samples: mask"};
  finding.number = static_cast<double>(finding.frames.size());
  finding.sentence =
      formatted("%zu of %zu frames%s repeat the frame before exactly: %s", finding.frames.size(), all,
                marker.empty() ? "" : (" of '" + marker + "'").c_str(), say_frames(finding.frames).c_str());
  return finding;
}

Finding held_position(const std::string& marker, std::vector<Index> frames) {
  Finding finding{FindingKind::Placeholder, marker, std::move(frames), 0, "", "repeated_samples: mask"};
  finding.number = static_cast<double>(finding.frames.size());
  finding.sentence = say_frames(finding.frames) + " of '" + marker + "' " +
                     (finding.frames.size() == 1 ? "repeats" : "repeat") +
                     " the position before exactly: held while the marker was lost?";
  return finding;
}

}  // namespace

std::vector<Finding> find_repeated_samples(const Observation& observation, std::vector<TrackSamples>& tracks) {
  std::vector<std::vector<Index>> frames(tracks.size());
  std::vector<bool> is_held(tracks.size(), false);
  std::map<Index, std::size_t> counts;  // by frame
  std::size_t moving = 0, repeating = 0;
  for (std::size_t m = 0; m < tracks.size(); ++m) {
    const RepeatedTrack track(tracks[m]);
    moving += track.is_moving() ? 1 : 0;
    if (track.found().empty()) continue;
    ++repeating;
    frames[m] = repeated_frames(tracks[m], track.found());
    for (const Index frame : frames[m]) ++counts[frame];
    for (const EqualRun& run : track.found())
      is_held[m] = is_held[m] || run.repeats() + 1 >= held_frames ||
                   (run.repeats() > 1 && (run.first == 0 || run.last + 1 == tracks[m].size()));
  }
  std::vector<Finding> findings;
  if (repeating == 0) return findings;
  // Frames repeated in most tracks were written twice; all other repeats are held positions.
  const auto is_of_all = [&](Index frame) {
    return static_cast<double>(counts.at(frame)) >= most_tracks * static_cast<double>(moving);
  };
  std::set<Index> whole;
  for (std::size_t m = 0; m < tracks.size(); ++m) {
    std::set<Index> mine(frames[m].begin(), frames[m].end());
    if (moving > 1)
      for (const Index frame : frames[m])
        if (is_of_all(frame)) {
          whole.insert(frame);
          mine.erase(frame);
        }
    std::vector<bool> taken(tracks[m].size(), false);
    for (std::size_t i = 0; i < taken.size(); ++i)
      taken[i] = std::binary_search(frames[m].begin(), frames[m].end(), tracks[m].frames[i]);
    const std::size_t all = tracks[m].size();
    tracks[m] = tracks[m].without(taken);
    if (mine.empty()) continue;
    const std::string& name = observation.markers[m].name;
    std::vector<Index> listed(mine.begin(), mine.end());
    findings.push_back(moving > 1 || is_held[m] ? held_position(name, std::move(listed))
                                                : repeats_of(name, std::move(listed), all));
  }
  if (!whole.empty())
    findings.insert(findings.begin(),
                    repeats_of("", std::vector<Index>(whole.begin(), whole.end()), observation.times.size()));
  return findings;
}

namespace {

constexpr std::size_t least_filled = 3;
/// Probability that a filled stretch begins by accident at a sample outside one.
constexpr double accidents = 1e-6;
/// Largest second difference of rounded values on a line, in steps of rounding.
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

  /// Returns the [first, last] samples of the stretches that are long enough.
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

  /// Returns the logarithm of the probability that this many samples lie on a line by accident; 0 if there is no noise.
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
  /// Whether the samples around i are on a line as a function of the frame number, as programs interpolate, or of time.
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
