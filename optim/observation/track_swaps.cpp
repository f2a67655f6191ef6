#include "optim/observation/track_swaps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "optim/observation/track_noise.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Smallest jump of each marker, and largest distance after the exchange, in medians of its distance from its expected
/// position. In one coordinate, normal noise exceeds three medians in 4 of 100 samples, and eight in one of 10⁷.
constexpr double least_jump = 8, most_rest = 3;
/// As long as no median is known, markers are exchanged if each comes closer to an expected position by this factor.
constexpr double least_gain = 4;
/// With more markers than this, only those are examined whose error is this many mean distances.
constexpr std::size_t few = 100;
constexpr double noticeable = 3;
/// Coordinates that differ by less than this fraction of their size are equal.
constexpr double told_apart = 64 * std::numeric_limits<double>::epsilon();

/// Returns the distance over the coordinates that both have; NaN if they have none in common.
double distance_of(const Vec3& a, const Vec3& b) {
  double square = 0;
  int count = 0;
  for (int k = 0; k < 3; ++k) {
    if (std::isnan(a[k]) || std::isnan(b[k])) continue;
    square += (a[k] - b[k]) * (a[k] - b[k]);
    ++count;
  }
  return count > 0 ? std::sqrt(square) : NAN;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The path of one body through the frames, whatever its name is.
struct Track {
  Index marker = 0;           ///< its current name
  std::vector<double> times;  ///< of its last frames without a gap, the latest last
  std::vector<Vec3> places;
  std::vector<double> distances;  ///< from expected positions
  double sum = 0;                 ///< of the distances

  /// Extrapolates by the polynomial through the last positions.
  Vec3 expected(double time) const {
    Vec3 place = Vec3::Zero();
    for (std::size_t i = 0; i < times.size(); ++i) {
      double weight = 1;
      for (std::size_t j = 0; j < times.size(); ++j)
        if (j != i) weight *= (time - times[j]) / (times[i] - times[j]);
      place += weight * places[i];
    }
    return place;
  }
  bool is_noticeable(double distance) const {
    return distance * static_cast<double>(distances.size()) > noticeable * sum;  // always true of the first distance
  }
};

/// Follows the tracks through all frames and undoes exchanges.
class TrackWalk {
 public:
  /// `scales`: the median distance of each track from its expected positions [m]; empty: not known, so that markers
  /// must come much closer.
  TrackWalk(const Observation& o, std::size_t reach, std::vector<double> scales = {})
      : o_(o),
        reach_(reach),
        scales_(std::move(scales)),
        longest_(1.5 * usual_interval(o.times)),
        tracks_(o.markers.size()) {
    for (std::size_t t = 0; t < tracks_.size(); ++t) tracks_[t].marker = static_cast<Index>(t);
    for (std::size_t f = 0; f < o.times.size(); ++f) step(f);
  }

  /// Returns the median distance of each track from its expected positions [m].
  std::vector<double> medians() const {
    std::vector<double> medians;
    for (const Track& track : tracks_) medians.push_back(median_of(track.distances));
    return medians;
  }
  std::vector<TrackSwap> swaps() && { return std::move(swaps_); }

 private:
  void step(std::size_t f) {
    const double time = o_.times[f];
    expected_.assign(tracks_.size(), Vec3::Constant(NAN));
    jump_.assign(tracks_.size(), NAN);
    std::vector<std::size_t> noticed;
    for (std::size_t t = 0; t < tracks_.size(); ++t) {
      Track& track = tracks_[t];
      if (!track.times.empty() && time - track.times.back() > longest_) {
        track.times.clear();
        track.places.clear();
      }
      if (track.times.empty()) continue;
      expected_[t] = track.expected(time);
      jump_[t] = distance_of(o_.sight(f, track.marker), expected_[t]);
      if (jumps(t)) noticed.push_back(t);
    }
    if (noticed.size() > 1) exchange(f, noticed);
    for (std::size_t t = 0; t < tracks_.size(); ++t) append(f, t);
  }

  bool jumps(std::size_t t) const {
    if (!scales_.empty()) return tracks_[t].times.size() == reach_ && jump_[t] > least_jump * scales_[t];
    return jump_[t] > 0 && (tracks_.size() <= few || tracks_[t].is_noticeable(jump_[t]));
  }

  /// Exchanges the names of tracks whose markers are at each other's expected positions.
  void exchange(std::size_t f, const std::vector<std::size_t>& noticed) {
    // For each track, the one whose marker is nearest to its expected position.
    std::vector<std::size_t> taken(tracks_.size());
    std::vector<double> rest(tracks_.size(), NAN);
    std::vector<bool> gains(tracks_.size(), false);
    for (const std::size_t t : noticed) {
      for (const std::size_t u : noticed) {
        const double distance = distance_of(o_.sight(f, tracks_[u].marker), expected_[t]);
        if (!std::isnan(rest[t]) && !(distance < rest[t])) continue;
        rest[t] = distance;
        taken[t] = u;
      }
      gains[t] =
          taken[t] != t && (scales_.empty() ? rest[t] * least_gain < jump_[t] : rest[t] <= most_rest * scales_[t]);
    }
    for (const std::size_t start : noticed) {
      std::vector<std::size_t> cycle;
      std::size_t t = start;
      for (; gains[t]; t = taken[t]) {
        gains[t] = false;
        cycle.push_back(t);
      }
      if (cycle.size() > 1 && t == start) undo(f, cycle, rest);
    }
  }

  void undo(std::size_t f, const std::vector<std::size_t>& cycle, const std::vector<double>& rest) {
    TrackSwap swap{f, {}, INFINITY, 0};
    for (const std::size_t t : cycle) {
      swap.markers.push_back(tracks_[t].marker);
      swap.jump = std::min(swap.jump, jump_[t]);
      swap.rest = std::max(swap.rest, rest[t]);
      jump_[t] = rest[t];
    }
    for (std::size_t k = 0; k < cycle.size(); ++k) tracks_[cycle[k]].marker = swap.markers[(k + 1) % cycle.size()];
    swaps_.push_back(std::move(swap));
  }

  void append(std::size_t f, std::size_t t) {
    Track& track = tracks_[t];
    const Vec3 place = o_.sight(f, track.marker);
    if (place.array().isNaN().all()) return;
    if (track.times.size() == reach_ && !std::isnan(jump_[t])) {
      track.distances.push_back(jump_[t]);
      track.sum += jump_[t];
    }
    if (track.times.size() == reach_) {
      track.times.erase(track.times.begin());
      track.places.erase(track.places.begin());
    }
    track.times.push_back(o_.times[f]);
    track.places.push_back(place);
  }

  const Observation& o_;
  std::size_t reach_;
  std::vector<double> scales_;
  double longest_;
  std::vector<Track> tracks_;
  std::vector<Vec3> expected_;  ///< by track, in the current frame
  std::vector<double> jump_;    ///< by track, the distance of its marker from its expected position
  std::vector<TrackSwap> swaps_;
};

/// Returns the least significant difference of coordinates [m].
double resolution_of(const Observation& o) {
  std::vector<std::vector<double>> values;
  double size = 0;
  for (Index m = 0; m < static_cast<Index>(o.markers.size()); ++m)
    for (int a = 0; a < 3; ++a) {
      auto& series = values.emplace_back();
      for (std::size_t f = 0; f < o.times.size(); ++f) {
        series.push_back(o.sight(f, m)[a]);
        if (!std::isnan(series.back())) size = std::max(size, std::abs(series.back()));
      }
    }
  return std::max(quantization_step(values), told_apart * size);
}

}  // namespace

std::vector<TrackSwap> find_track_swaps(const Observation& observation) {
  if (observation.markers.size() < 2 || observation.times.size() < 4) return {};
  const auto sum = [](const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); };
  const std::vector<double> by_lines = TrackWalk(observation, 2).medians();
  const std::vector<double> by_parabolas = TrackWalk(observation, 3).medians();
  const bool lines = sum(by_lines) <= sum(by_parabolas);
  std::vector<double> scales = lines ? by_lines : by_parabolas;
  const double least = resolution_of(observation);
  for (double& scale : scales) scale = std::max(scale, least);
  return TrackWalk(observation, lines ? 2 : 3, std::move(scales)).swaps();
}

std::string say_track_swaps(const Observation& observation, const std::vector<TrackSwap>& swaps) {
  if (swaps.empty()) return "";
  const TrackSwap& first = swaps.front();
  std::string names;
  for (std::size_t k = 0; k < first.markers.size(); ++k) {
    names += k == 0 ? "" : k + 1 == first.markers.size() ? " and " : ", ";
    names += "'" + observation.markers[first.markers[k]].name + "'";
  }
  std::string more;
  if (swaps.size() > 1)
    more = formatted(", and %zu more swap%s until t = %g s", swaps.size() - 1,
                     swaps.size() == 2 ? " follows" : "s follow", observation.times[swaps.back().frame]);
  const MeasurementKind& kind = kind_of(observation);
  return "markers " + names + formatted(" seem to swap at t = %g s (jumps of ", observation.times[first.frame]) +
         kind.shown(first.jump) + ", but " + kind.shown(first.rest) + " if their names are exchanged)" + more;
}

}  // namespace pithball::optim
