#pragma once
#include <string>

#include "datasets/capture/capture.hpp"
#include "sim/core/types.hpp"

namespace pithball::datasets {

/// Agreement of two recordings of one motion, sample by sample.
struct CaptureDifference {
  Index samples = 0;                   ///< in both recordings
  Index missing_in_both = 0,           ///< number of samples in neither recording
      missing_in_one = 0;              ///< number with coordinates in only one of them
  double largest = 0;                  ///< greatest difference of one coordinate [m]
  std::string marker;                  ///< its marker; empty if all are equal
  double time = 0;                     ///< its time [s]
  double largest_time_difference = 0;  ///< of one frame [s]
};

/// Compares markers of the same name, frame by frame. A coordinate in only one of them counts as a missing sample of
/// the other. Times of a frame may differ by less than half the interval to the nearest frame, as after rounding.
/// Throws InvalidArgument if the recordings have different markers (in any order) or frames.
CaptureDifference compare_captures(const Capture& a, const Capture& b);

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
