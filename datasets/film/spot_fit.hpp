#pragma once
#include <Eigen/Core>
#include <optional>

#include "datasets/film/spot.hpp"
#include "datasets/film/spot_sums.hpp"

namespace pithball::datasets {

/// The pixels around a spot: averages of squares of `bin` × `bin` pixels whose centers lie in a disc, so that a large
/// spot has as many numbers as a small one.
struct SpotWindow {
  Eigen::ArrayXd x,           ///< of the centers of the squares [px]
      y;                      ///< likewise, downwards [px]
  Eigen::ArrayXd brightness;  ///< averages
  double bin = 1;             ///< side of a square [px]
  double radius = 0;          ///< of the disc [px]

  /// The window around a spot, as wide as its size requires; pixels beyond the edges of the picture are left out.
  SpotWindow(const Picture& picture, const Spot& spot);
};

/// A spot that was fitted to the pixels of a window.
struct FittedSpot {
  Spot spot;                                                 ///< its form and place
  double background = 0;                                     ///< of the surroundings
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Identity();  ///< of x and y [px²]: the inverse Fisher information
  double chi_square = 0;                                     ///< Σ (brightness − spot)²/variance
  double significance = 0;                                   ///< √(decrease of χ² by the spot)
};

/// Sums from which the noise of photons is estimated: over pixels of bright spots, (residual² − floor²) as a function
/// a u + b u² of the brightness u of the spot, where a is the gain and b u² what the form of the spot leaves.
struct GainSums {
  Eigen::Matrix2d normal = Eigen::Matrix2d::Zero();  ///< of the normal equations
  Eigen::Vector2d right = Eigen::Vector2d::Zero();   ///< their right side

  /// Adds the pixels of a fitted spot. Residuals are corrected for the share that the fit itself took from them.
  void add(const SpotWindow& window, const FittedSpot& fitted, const PixelNoise& noise);
  /// a; 0 where it is below three standard errors.
  double gain() const;
};

/// Fits a spot and an even background to a window by weighted least squares (Levenberg and Marquardt), from the place
/// and shape of `start`, with the noise of every pixel at the brightness of the fit. The covariance of the center is
/// the inverse Fisher information, JᵀWJ of all parameters, which for Gaussian noise and for counted photons is what the
/// best estimate reaches (Mortensen et al., Nat. Methods 7, 377, 2010, doi:10.1038/nmeth.1447). Returns nothing if the
/// fit does not converge to a spot within the window, and as soon as its significance will not be `least_significance`.
std::optional<FittedSpot> fit_spot(const SpotWindow& window, const Spot& start, const PixelNoise& noise,
                                   double least_significance = 0);

/// The height of a spot of a given place and shape.
struct FittedHeight {
  double height = 0;        ///< that fits a window best, above an even background
  double significance = 0;  ///< its magnitude relative to its standard error
};

/// Finds the height of a spot that fits a window best, with the noise of the surroundings.
FittedHeight fit_height(const SpotWindow& window, const Spot& shape, const PixelNoise& noise);

/// Where the mean brightness around the center of a fitted spot is largest at a distance from it, the ring from which
/// a fit may start; empty if it is largest in the middle.
std::optional<Spot> find_ring(const SpotWindow& window, const FittedSpot& fitted, const PixelNoise& noise);

}  // namespace pithball::datasets
