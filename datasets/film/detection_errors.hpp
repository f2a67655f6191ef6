#pragma once
#include <Eigen/Core>
#include <vector>

#include "datasets/film/detections.hpp"
#include "datasets/film/drawn_film.hpp"

namespace pithball::datasets {

/// How detections differ from the balls that were drawn.
class DetectionErrors {
 public:
  /// `reach`: a detection is of the nearest ball within this distance [px], the first of several of a ball counts.
  explicit DetectionErrors(double reach) : reach_(reach) {}

  /// Adds a frame, whose balls are where they appear in it.
  void add(const std::vector<Detection>& spots, const std::vector<DrawnBall>& balls);

  /// Part of the balls that were detected.
  double found() const;
  /// Number of detections that are of no ball.
  Index false_detections() const { return false_; }
  /// Mean of detected − drawn center, x and y [px].
  Eigen::Vector2d bias() const;
  /// Standard error of each component of it [px].
  double bias_error() const;
  /// √ of the mean of dᵀ C⁻¹ d/2, d: detected − drawn, C: stated covariance; 1 where errors are as stated.
  double scatter() const;

 private:
  double reach_ = 0;
  Index balls_ = 0, found_ = 0, false_ = 0;
  Eigen::Vector2d sum_ = Eigen::Vector2d::Zero();
  double stated_squares_ = 0, squares_ = 0;
};

}  // namespace pithball::datasets
