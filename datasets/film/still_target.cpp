#include "datasets/film/still_target.hpp"

#include <Eigen/Dense>
#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::datasets {
namespace {

/// The detections of one target.
using Sightings = std::vector<const Detection*>;

/// Adds each of a frame's detections in the region to the nearest target within its size.
void add_frame(const DetectionFrame& frame, const Region& still, std::vector<Sightings>& targets) {
  for (Sightings& target : targets) {
    const Detection& first = *target.front();
    const Detection* nearest = nullptr;
    double least = first.size;
    for (const Detection& spot : frame.spots)
      if (const double distance = std::hypot(spot.x - first.x, spot.y - first.y);
          still.contains(spot.x, spot.y) && distance < least) {
        least = distance;
        nearest = &spot;
      }
    if (nearest) target.push_back(nearest);
  }
}

/// Σ dᵀ C⁻¹ d about the mean with the weights C⁻¹: any other mean would make it larger.
double sum_of_squares(const Sightings& target) {
  Eigen::Matrix2d information = Eigen::Matrix2d::Zero();
  Eigen::Vector2d weighted = Eigen::Vector2d::Zero();
  for (const Detection* spot : target) {
    const Eigen::Matrix2d weight = spot->covariance.inverse();
    information += weight;
    weighted += weight * Eigen::Vector2d(spot->x, spot->y);
  }
  const Eigen::Vector2d mean = information.inverse() * weighted;
  double sum = 0;
  for (const Detection* spot : target) {
    const Eigen::Vector2d d = Eigen::Vector2d(spot->x, spot->y) - mean;
    sum += d.dot(spot->covariance.inverse() * d);
  }
  return sum;
}

}  // namespace

StillScatter measure_still(const Detections& detections, const Region& still) {
  constexpr std::size_t fewest = 10;
  constexpr double least = 0.01;  // errors ten times too large: rather a picture that is repeated
  std::vector<Sightings> targets;
  for (const DetectionFrame& frame : detections.frames) {
    if (!targets.empty()) {
      add_frame(frame, still, targets);
      continue;
    }
    for (const Detection& spot : frame.spots)
      if (still.contains(spot.x, spot.y)) targets.push_back({&spot});
  }
  StillScatter scatter;
  double sum = 0, freedom = 0;
  for (const Sightings& target : targets) {
    if (target.size() < fewest) continue;
    sum += sum_of_squares(target);
    freedom += 2.0 * static_cast<double>(target.size() - 1);
    ++scatter.targets;
    scatter.detections += static_cast<Index>(target.size());
  }
  if (scatter.targets == 0)
    throw InvalidArgument({"still", "region", "must show a spot in at least 10 frames", "none that stands still",
                           "choose a region around a particle that sticks to the glass, or leave it out"});
  scatter.factor = sum / freedom;
  if (!(scatter.factor >= least))
    throw InvalidArgument({"still", "region", "must show noise that differs from frame to frame",
                           "covariances " + to_text(scatter.factor) + " times the stated ones",
                           "leave it out if frames are copies of others"});
  return scatter;
}

void scale_covariances(Detections& detections, double factor) {
  for (DetectionFrame& frame : detections.frames)
    for (Detection& spot : frame.spots) spot.covariance *= factor;
}

}  // namespace pithball::datasets
