#pragma once
#include "datasets/film/detections.hpp"
#include "datasets/film/picture.hpp"

namespace pithball::datasets {

/// How far the stated covariances of a film's detections are from the scatter of targets that stand still.
struct StillScatter {
  /// Sum of dᵀ C⁻¹ d over detections at distance d from their target's mean, which is weighted by C⁻¹, C as stated;
  /// divided by its mean for covariances that are right, 2(n − 1) for n detections of a target.
  double factor = 1;
  Index targets = 0;     ///< spots that stand still
  Index detections = 0;  ///< of them
};

/// Measures it on the spots in a region where nothing moves: every spot of the first frame that has one in the region
/// is a target, and the nearest detection of each later frame within its size is of that target. Throws InvalidArgument
/// if no target has ten detections, and if the factor is below 0.01, as in frames that are copies of one another.
StillScatter measure_still(const Detections& detections, const Region& still);

/// Multiplies every covariance.
void scale_covariances(Detections& detections, double factor);

}  // namespace pithball::datasets
