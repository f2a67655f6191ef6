#pragma once
#include <array>
#include <memory>
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/observation/track_noise.hpp"

namespace pithball::optim {

/// Orders of the differences that noise is estimated from.
inline constexpr int lowest_order = 3;
/// The highest of them.
inline constexpr int highest_order = 8;

/// Normalized differences of one order: their sum of squares, and how many there are.
struct DifferenceSum {
  double square = 0;             ///< of those that count [m²]
  Index count = 0;               ///< of them
  Index apart = 0;               ///< of those that are left out
  double square_apart = 0;       ///< of those [m²]
  std::vector<double> unjudged;  ///< differences of a short series, which others must judge

  /// Adds those that are judged.
  void add(const DifferenceSum& other);
  /// Takes differences by their own robust scale, or keeps them if they are few.
  void take(std::vector<double> differences);
  /// Takes the few that were kept, up to this size.
  void judge(double limit);
  /// Their mean square [m²].
  double variance() const { return square / static_cast<double>(count); }
  /// As an estimate of order p.
  NoiseEstimate estimate(int p) const;
};

/// Sums of all orders.
using DifferenceSums = std::array<DifferenceSum, highest_order + 1>;

/// Readings of one track as if they had not wrapped: each is less than half a period from the one before; NaN stays.
std::vector<double> continued(std::vector<double> readings, double period);

/// One component of a marker, F values; NaN: missing. Readings of a kind with a period that lie within one are
/// unwrapped.
std::vector<double> recorded_series(const Observation& observation, Index marker, int component);

/// Differences of the tracks of one recording. A marker that is missing in most frames has frames of its own.
class TrackDifferences {
 public:
  /// `times`: F, of the recording; they must outlive this.
  explicit TrackDifferences(const std::vector<double>& times);
  ~TrackDifferences();
  TrackDifferences(const TrackDifferences&) = delete;
  TrackDifferences& operator=(const TrackDifferences&) = delete;

  /// Of one series, F values; NaN: missing.
  DifferenceSums of(const std::vector<double>& x);

 private:
  class Weights;
  const std::vector<double>& times_;
  double longest_;
  std::unique_ptr<Weights> all_;
  std::vector<double> own_times_;  ///< of the marker before
  std::unique_ptr<Weights> own_;
};

/// Judges the series that are too short for a scale of their own by one of all of them; by marker and component.
void judge_short_series(std::vector<std::array<DifferenceSums, 3>>& sums);

}  // namespace pithball::optim
