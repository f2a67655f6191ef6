#pragma once
#include "datasets/film/detections.hpp"
#include "datasets/film/picture.hpp"

namespace pithball::datasets {

/// How far the stated covariances of a film's detections are from the scatter of targets that stand still.
struct StillScatter {
  double factor = 1;  ///< mean of dᵀ C⁻¹ d/2 over detections at distance d from their target's mean, C as stated
  Index targets = 0;  ///< spots that stand still
  Index detections = 0;  ///< of them
};

/// Measures it on the spots in a region where nothing moves: every spot of the region's first frame is a target, and
/// the nearest detection of each later frame within its size is of that target. Throws InvalidArgument if there are
/// fewer than ten detections of a target.
StillScatter measure_still(const Detections& detections, const Region& still);

/// Multiplies every covariance.
void scale_covariances(Detections& detections, double factor);

}  // namespace pithball::datasets
