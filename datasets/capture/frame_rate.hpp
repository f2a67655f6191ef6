#pragma once
#include "sim/core/types.hpp"

namespace pithball::datasets {

/// Frame rate of a recording.
struct FrameRate {
  double rate = 0;  ///< [1/s]; 0: fewer than two frames
  /// Whether all intervals are integer multiples of 1/rate, to a tenth of it; missing frames leave multiples.
  bool even = true;
};

/// The frame rate for these increasing times [s]. 1/rate is the mean interval, where each interval counts as the
/// nearest multiple of the median one: rounded times give the rate at which they were recorded.
FrameRate find_frame_rate(const Eigen::VectorXd& time);

}  // namespace pithball::datasets
