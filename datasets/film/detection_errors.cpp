#include "datasets/film/detection_errors.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace pithball::datasets {

void DetectionErrors::add(const std::vector<Detection>& spots, const std::vector<DrawnBall>& balls) {
  std::vector<bool> is_taken(balls.size(), false);
  balls_ += static_cast<Index>(balls.size());
  for (const Detection& spot : spots) {
    std::size_t nearest = balls.size();
    double least = reach_;
    for (std::size_t k = 0; k < balls.size(); ++k)
      if (const double distance = std::hypot(spot.x - balls[k].x, spot.y - balls[k].y);
          !is_taken[k] && distance < least) {
        least = distance;
        nearest = k;
      }
    if (nearest == balls.size()) {
      ++false_;
      continue;
    }
    is_taken[nearest] = true;
    const Eigen::Vector2d d(spot.x - balls[nearest].x, spot.y - balls[nearest].y);
    ++found_;
    sum_ += d;
    squares_ += d.squaredNorm();
    stated_squares_ += d.dot(spot.covariance.inverse() * d);
  }
}

double DetectionErrors::found() const { return static_cast<double>(found_) / static_cast<double>(balls_); }

Eigen::Vector2d DetectionErrors::bias() const { return sum_ / static_cast<double>(found_); }

double DetectionErrors::bias_error() const {
  const double count = static_cast<double>(found_);
  return std::sqrt(squares_ / (2 * count)) / std::sqrt(count);
}

double DetectionErrors::scatter() const { return std::sqrt(stated_squares_ / (2 * static_cast<double>(found_))); }

}  // namespace pithball::datasets
