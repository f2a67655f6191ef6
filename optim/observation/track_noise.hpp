#pragma once
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "optim/measurement/kinds/point.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// Whether differences show noise, or may show a motion.
enum class NoiseTrust { Unknown, Plausible, Trusted };

/// Scatter of coordinates about any smooth motion, from their p-th differences over unbroken frames:
///    σ² = Σ (Δᵖx)² / (N C(2p, p)),
/// which vanish for a polynomial of degree p − 1 (von Neumann, Ann. Math. Stat. 12, 1941, for p = 1; Quenouille, J. R.
/// Stat. Soc. B 15, 1953). Unequal frame intervals use divided differences, scaled likewise to give σ² for independent
/// noise.
struct NoiseEstimate {
  double sigma = std::numeric_limits<double>::quiet_NaN();  ///< [m]; NaN: no differences
  int order = 0;                                            ///< p
  Index differences = 0;                                    ///< N, without those apart
  Index apart =
      0;  ///< differences that are left out: beyond 4σ of their series, at outliers and impacts (track_differences.hpp)
  double scatter = std::numeric_limits<double>::quiet_NaN();  ///< the same with the differences that are left out [m]
  /// N C(2p, p)²/C(4p, 2p): the degrees of freedom of σ² as a χ² variable, reduced because neighboring differences
  /// share frames (for normal noise, from the autocorrelation of Δᵖ of white noise).
  double degrees = 0;
  /// Whether it is noise rather than a motion whose frames are too far apart, or that scatters as noise does; judged
  /// for all markers and components together. Three things must hold:
  ///  - the fast half of the spectrum is level, and as high as σ (noise_floor.hpp): about 10 frames per period. Within
  ///    3 standard deviations it is `Trusted`: less than 1 of 100 recordings with independent noise lie beyond. Within
  ///    4.5 it is `Plausible`, and trusted if residuals of a model are as large: those of a motion would be smaller;
  ///  - σ is less than half of the motion: a chaotic motion with few frames per period is as level as noise, but
  ///    nothing of it is slow. Or it is less than a twentieth of the markers' extent: free motions without a period are
  ///    as large as the body, so this is a body at rest;
  ///  - differences do not fall with the order, and there are enough of them.
  /// False for a limit. What is not trusted is an upper limit of noise. For correlated noise the answer is the same, or
  /// no.
  NoiseTrust trust = NoiseTrust::Unknown;
};

/// Source of a sigma that is not in the experiment file.
enum class NoiseSource {
  Differences,   ///< the recording's own noise
  Quantization,  ///< its values are multiples of a step, and vary by less
  Limit,         ///< differences decrease with every order: the recording shows no noise, and this is an upper limit
  Residuals,     ///< too few uninterrupted frames: only residuals can determine it
};

/// Noise of a recording, estimated without a model.
struct TrackNoise {
  std::string recording;                        ///< as in Scenario::name
  const MeasurementKind* kind = &point_kind();  ///< its measurement kind
  NoiseSource source = NoiseSource::Residuals;  ///< where `sigma` comes from
  NoiseEstimate all;                            ///< over markers and components
  std::vector<NoiseEstimate> markers;           ///< M, at the order of `all`
  std::array<NoiseEstimate, 3> components;      ///< likewise
  double quantum = 0;                           ///< the step to which recorded values are rounded [m]; 0: none detected
  double motion = 0;                            ///< RMS of the coordinates about their means in time [m]
  double extent = 0;                            ///< RMS distance of the markers' mean places from their center [m]
  bool by_marker = false,                       ///< markers differ significantly, by more than a factor of 2
      by_component = false;                     ///< components differ likewise
  /// Marker and component of a value that never changes while others do: a constant written as a column.
  std::vector<std::pair<Index, int>> constant;

  /// Whether the noise is that of the recording, rather than a limit or unknown.
  bool is_seen() const { return source == NoiseSource::Differences || source == NoiseSource::Quantization; }
  /// The noise of one coordinate [m], the same for all unless markers or components differ; NaN: unknown.
  double sigma(Index marker, int component) const;
  /// "noise of tracks: 1.02 mm, from 612 differences of order 5", and further remarks; "noise of tracks: unknown: …, at
  /// most 11.7 mm" where it is seen but not trusted.
  std::string sentence() const;
};

/// Minimum number of differences for an estimate.
inline constexpr Index least_differences = 30;

/// Noise of a recording, from differences of order 3 to 8: the lowest order whose estimate is within its own standard
/// error of the smallest one, because the smallest of several estimates is biased. Differences use frames that contain
/// the component and are at most 1.5 times the usual interval apart: the median one of the recording or, where a marker
/// is missing in many frames, the upper quartile of its own. The differences of each marker and component are judged by
/// their own robust scale, those of series of fewer than 30 by one together, so that outliers and lost samples are left
/// out. Readings of a kind with a period that lie within one are unwrapped first.
TrackNoise estimate_track_noise(const std::string& recording, const Observation& observation);

/// The largest step of which all values are multiples, up to a common offset; 0 if there is none above a millionth of
/// their range. `values` may contain NaN.
double quantization_step(const std::vector<std::vector<double>>& values);

/// Combines the estimates of several recordings into default sigmas: recordings with too few frames get the noise of
/// all differences together, those without noise get one limit, at least a millionth of their motion, so that none
/// outweighs the others because of rounding. If nothing moves and nothing scatters, the markers' extent replaces the
/// motion. Leaves NaN if there is no length scale at all.
void settle_noise(std::vector<TrackNoise>& recordings);

/// C(n, k), the binomial coefficient.
double binomial(int n, int k);

/// The median interval between frames; 0 for fewer than two frames.
double usual_interval(const std::vector<double>& times);

/// Sets the sigma of markers without one (NaN) from the recording's own noise.
void take_sigma(const TrackNoise& noise, Observation& observation);

}  // namespace pithball::optim
