#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/observation/track_noise.hpp"

namespace pithball::optim {

/// Values beyond this many standard deviations are left out.
inline constexpr double robust_cut = 4;

/// Standard deviation of values about zero, and how many of them it is from.
struct RobustScale {
  double sigma = 0;       ///< in the unit of the values; 0: no values
  std::size_t kept = 0;   ///< values within 4 sigma
  std::size_t apart = 0;  ///< the others
};

/// Robust standard deviation of values whose mean is known to be zero, such as differences of high order. It begins
/// with median |d| / 0.6745, which nearly half of the values may spoil (Hampel, JASA 69, 1974), and is then the root
/// mean square of the values within 4 sigma, until it is the same for both: the reweighted estimate of Rousseeuw and
/// Leroy (Robust Regression and Outlier Detection, 1987, 4.3), divided by 0.9995, that of a normal variable so
/// truncated, where values lie beyond. One in 16,000 normal values does, so for normal noise it is nearly always the
/// root mean square itself, unbiased and with all its degrees of freedom. (Qn has 82 % of them: Rousseeuw and Croux,
/// JASA 88, 1993; it is made for values without a known mean. The median alone has 37 %.) NaN is left out. If more than
/// half of the values are zero, none is left out. `least`: the median counts as this at least.
RobustScale robust_scale(const std::vector<double>& values, double least = 0);

/// The q-th quantile of values that are not NaN, 0 ≤ q ≤ 1, by the nearest rank; NaN: none.
double quantile(std::vector<double> values, double q);

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

  /// The sums for one series of F values; NaN: missing.
  DifferenceSums of(const std::vector<double>& x);

 private:
  class Weights;
  const std::vector<double>& times_;
  double longest_;
  std::unique_ptr<Weights> all_;
  std::vector<double> own_times_;  ///< of the last marker that had frames of its own
  std::unique_ptr<Weights> own_;
};

/// Judges the series that are too short for a scale of their own by one of all of them; by marker and component.
void judge_short_series(std::vector<std::array<DifferenceSums, 3>>& sums);

}  // namespace pithball::optim
