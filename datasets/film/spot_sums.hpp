#pragma once
#include <Eigen/Core>

#include "datasets/film/spot.hpp"

namespace pithball::datasets {

/// Noise of a pixel: its variance is floor² + gain · (brightness above the surroundings), as photons add it.
struct PixelNoise {
  double floor = 1;  ///< standard deviation in the surroundings of spots, in the units of the picture
  double gain = 0;   ///< units of the picture for each photon that was counted, or 0
};

/// The slopes of a spot of height 1 by its parameters, and a column of ones for the background, multiplied with one
/// another and with the brightness of pixels: Σ w s sᵀ and Σ w s y, w being the weight of a pixel and y its brightness.
/// They are all that a step of a least-squares fit needs.
struct SlopeSums {
  static constexpr int most = Spot::most_parameters + 1;  ///< columns at most
  Eigen::Matrix<double, most, most> products;             ///< Σ w s sᵀ; the lower triangle
  Eigen::Vector<double, most> with_brightness;            ///< Σ w s y
};

/// Pixels: their centers [px], brightness and weights, in arrays of one length.
struct WeightedPixels {
  const double *x = nullptr,       ///< of the centers, to the right
      *y = nullptr,                ///< likewise, downwards
          *brightness = nullptr,   ///< of the pixels
              *weights = nullptr;  ///< of their squared residuals
  Index count = 0;                 ///< length of the arrays
};

/// Sums over the pixels, whose loop is compiled for several instruction sets (Highway): columns of x, y, h and the
/// shape as in `Spot::compute`, and then the ones.
SlopeSums sum_slopes(const WeightedPixels& pixels, const Spot& spot);

/// Weights 1/variance of pixels at x and y for noise whose variance is `floor`² + `gain` · (brightness of the spot); at
/// least a tenth of `floor`², since a dark spot leaves some of the noise.
void compute_weights(const Eigen::ArrayXd& x, const Eigen::ArrayXd& y, const Spot& spot, const PixelNoise& noise,
                     Eigen::ArrayXd& weights);

}  // namespace pithball::datasets
