#pragma once
#include "sim/core/types.hpp"

namespace pithball::datasets {

/// How often a recording's frames come.
struct FrameRate {
  double rate = 0;  ///< [1/s]; 0: fewer than two frames
  /// Whether all intervals are whole multiples of 1/rate, to a tenth of it; frames that are missing leave multiples.
  bool even = true;
};

/// The rate of frames at these times, which increase [s]. 1/rate is the mean interval if every interval counts as the
/// multiple of the median one that it is nearest to: times that are rounded give the rate that they were made at.
FrameRate find_frame_rate(const Eigen::VectorXd& time);

}  // namespace pithball::datasets
