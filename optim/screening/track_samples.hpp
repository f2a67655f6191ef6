#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// Scatter of one component about any smooth motion.
struct Roughness {
  /// Robust standard deviation of a sample about what its neighbors predict, as if all samples were independent, in the
  /// unit of the kind and never below that of rounding; NaN: too few samples.
  double sigma = std::numeric_limits<double>::quiet_NaN();
  int order = 0;          ///< of the differences that it is from: 2, 4, 6 or 8
  double degrees = 0;     ///< degrees of freedom of sigma² as a χ² variable
  bool is_noise = false;  ///< whether higher orders are as large: it is neither motion nor rounding
};

/// The samples of one marker that are not missing. Screening removes what it has found, so that the rest can be judged
/// by itself.
struct TrackSamples {
  Index marker = 0;                ///< its number
  std::vector<Index> frames;       ///< N, increasing, numbers of their frames (`Observation::frame_numbers`)
  std::vector<double> times;       ///< N [s]
  std::vector<Vec3> values;        ///< N, in the unit of the kind; a component that is not recorded is NaN
  std::vector<int> components;     ///< those that are recorded
  Vec3 resolution = Vec3::Zero();  ///< by component: the least difference that its values can have, > 0

  /// Number of samples.
  std::size_t size() const { return frames.size(); }
  /// One component, N values.
  std::vector<double> component(int a) const;
  /// Largest scatter of computed values of this size: measured values scatter more.
  double computed_scatter(int a) const;
  /// The samples that are kept; `taken`: N, true for those to be removed.
  TrackSamples without(const std::vector<bool>& taken) const;
  /// Roughness of one component, from the differences of order 2, 4, 6 and 8 over samples without a gap: the lowest
  /// order that is within 15 % of the next one. It is computed once.
  const Roughness& roughness(int a) const;
  /// The same where samples may be `longest` apart [s].
  Roughness roughness(int a, double longest) const;

 private:
  mutable std::array<std::optional<Roughness>, 3> roughness_;
};

/// The present samples of every marker. The resolution is the step of which all values of a component are multiples
/// (`quantization_step`), or the rounding of doubles.
std::vector<TrackSamples> take_samples(const Observation& observation);

/// The normalized differences of order p (divided differences if times are uneven; weights with squares that add up to
/// 1) that begin at each sample: N − p values; NaN where samples lie further apart than `longest`.
std::vector<double> normalized_differences(const std::vector<double>& times, const std::vector<double>& x, int p,
                                           double longest);

/// Intervals longer than this are gaps: 1.5 times the upper quartile of the intervals between samples [s].
double longest_interval(const std::vector<double>& times);

/// "frames 3, 20 to 22 and 50", "frame 7"; of many, the first ranges and the number of further frames.
std::string say_frames(const std::vector<Index>& frames);

}  // namespace pithball::optim
