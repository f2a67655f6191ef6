#pragma once
#include <string>

#include "datasets/capture/capture.hpp"

namespace pithball::datasets {

/// How far two recordings of one motion agree, sample by sample: one marker in one frame.
struct CaptureDifference {
  Index samples = 0;  ///< that both have
  Index missing_in_both = 0, missing_in_one = 0;
  double largest = 0;                  ///< greatest difference of one coordinate [m]
  std::string marker;                  ///< where it is; empty where all are equal
  double time = 0;                     ///< likewise [s]
  double largest_time_difference = 0;  ///< of one frame [s]
};

/// Compares markers of the same name, frame by frame. A coordinate that only one of them has counts as a sample missing
/// in one. Times of a frame may differ by less than half the interval to the nearest frame, as rounded ones do. Throws
/// InvalidArgument if the recordings have other markers (in whatever order), or other frames.
CaptureDifference compare_captures(const Capture& a, const Capture& b);

}  // namespace pithball::datasets
