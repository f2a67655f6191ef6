#pragma once
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "optim/measurement/measurement_kinds.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// Scatter of coordinates about any smooth motion, from their p-th differences over unbroken frames:
///    σ² = Σ (Δᵖx)² / (N C(2p, p)),
/// in which a polynomial of degree p − 1 has no part (von Neumann, Ann. Math. Stat. 12, 1941, for p = 1; Quenouille, J.
/// R. Stat. Soc. B 15, 1953). Frames that are not equally far apart have divided differences, likewise scaled to give
/// σ² for independent noise.
struct NoiseEstimate {
  double sigma = std::numeric_limits<double>::quiet_NaN();  ///< [m]; NaN: no differences
  int order = 0;                                            ///< p
  Index differences = 0;                                    ///< N
  /// N C(2p, p)²/C(4p, 2p): σ² scatters like χ² over so many degrees of freedom, because neighboring differences share
  /// frames (for normal noise, from the autocorrelation of Δᵖ of white noise).
  double degrees = 0;
};

/// Where a sigma comes from that nobody wrote.
enum class NoiseSource {
  Differences,   ///< the recording's own scatter
  Quantization,  ///< its values are multiples of a step, and scatter by less
  Limit,         ///< differences fall with every order: the recording shows no noise, and this is the most it can have
  Residuals,     ///< too few unbroken frames: only residuals can tell
};

/// How much a recording scatters by itself, found without any model.
struct TrackNoise {
  std::string recording;
  const MeasurementKind* kind = &point_kind();  ///< what its numbers are
  NoiseSource source = NoiseSource::Residuals;
  NoiseEstimate all;                             ///< over markers and components
  std::vector<NoiseEstimate> markers;            ///< M, at the order of `all`
  std::array<NoiseEstimate, 3> components;       ///< likewise
  double quantum = 0;                            ///< the step of the recorded values [m]; 0: none is seen
  double motion = 0;                             ///< RMS of the coordinates about their means in time [m]
  double extent = 0;                             ///< RMS distance of the markers' mean places from their center [m]
  bool by_marker = false, by_component = false;  ///< they differ by more than a factor 2, beyond doubt
  /// Marker and component of what never changes while others scatter: a constant that was written in place of a column.
  std::vector<std::pair<Index, int>> constant;

  bool is_seen() const { return source == NoiseSource::Differences || source == NoiseSource::Quantization; }
  /// The scatter of one coordinate [m], the same for all unless markers or components differ; NaN: not known.
  double sigma(Index marker, int component) const;
  /// "noise of tracks: 1.02 mm, from 612 differences of order 5", and what else is to be said of it.
  std::string sentence() const;
};

/// Least unbroken differences that an estimate is taken from.
inline constexpr Index least_differences = 30;

/// Noise of a recording, least over the orders 3 to 8: the lowest order whose estimate is within its own standard error
/// of the least one, because the least of several estimates is too small. Unbroken are frames in which a component was
/// seen and that follow one another by at most 1.5 times the usual interval.
TrackNoise estimate_track_noise(const std::string& recording, const Observation& observation);

/// The greatest step of which all values are multiples, apart from a common offset; 0 where there is none above a
/// millionth of their range. `values` may hold NaN.
double quantization_step(const std::vector<std::vector<double>>& values);

/// What estimates mean beside one another, for sigma as a default: recordings with too few frames get the scatter of
/// all differences together, those that show no noise get one limit, at least a millionth of their motion, so that none
/// outweighs the others by an accident of rounding. Where nothing moves and nothing scatters, the markers' extent
/// stands for the motion. Leaves NaN where there is no length at all.
void settle_noise(std::vector<TrackNoise>& recordings);

/// C(n, k): how many ways there are to choose k of n.
double binomial(int n, int k);

/// The median of the intervals between frames; 0 of fewer than two frames.
double usual_interval(const std::vector<double>& times);

/// Gives sigma to markers that have none yet (NaN), from the recording's own noise.
void take_sigma(const TrackNoise& noise, Observation& observation);

}  // namespace pithball::optim
