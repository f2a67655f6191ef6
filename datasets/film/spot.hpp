#pragma once
#include <Eigen/Core>

#include "datasets/film/picture.hpp"

namespace pithball::datasets {

/// The form of a spot.
enum class SpotForm {
  Round,       ///< h exp(−r²/2σ²)
  Elliptical,  ///< h exp(−dᵀ P d/2), of a motion during the exposure or a tilted lens
  Ring,        ///< h exp(−(r − R)²/2w²), of a ball out of focus
};

/// The brightness of a spot above its surroundings, a function of the distance d from its center, r = |d|.
struct Spot {
  /// Number of parameters at most: x, y, h and three of the form.
  static constexpr int most_parameters = 6;
  /// Derivatives by the parameters: a row for each pixel.
  using Slopes = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, Eigen::Dynamic, most_parameters + 1>;

  SpotForm form = SpotForm::Round;  ///< which says what `shape` is
  double x = 0,                     ///< of the center [px]
      y = 0;                        ///< likewise, downwards [px]
  double height = 0;                ///< h; negative: darker than the surroundings
  /// Round: 1/σ² [1/px²]. Elliptical: P_xx, P_xy, P_yy [1/px²]. Ring: R, w [px]. Unused entries are 0.
  Eigen::Vector3d shape = Eigen::Vector3d::Zero();

  /// A round spot with this standard deviation [px].
  static Spot round(double x, double y, double height, double sigma);

  /// Number of parameters: 4, 6 or 5.
  int parameters() const;
  /// Whether the shape has a finite positive size.
  bool is_valid() const;

  /// Brightness at points; `slopes`, unless null, gets columns for x, y, h and the shape (and further ones untouched).
  void compute(const Eigen::ArrayXd& at_x, const Eigen::ArrayXd& at_y, Eigen::ArrayXd& brightness,
               Slopes* slopes) const;
  /// The spot with every parameter changed by an entry of `step`, in the order of the slopes.
  Spot moved(const Eigen::VectorXd& step) const;

  /// Standard deviation of a round spot [px]; of an elliptical one that of a round one with the same RMS radius; of a
  /// ring the width w.
  double sigma() const;
  /// √⟨r²⟩, the RMS radius [px]: √2 σ of a round spot; of a ring its radius R.
  double size() const;
  /// Ratio of the longer axis to the shorter one of an elliptical spot; 1 of the others.
  double elongation() const;
  /// ∫ brightness dx dy; negative: a dark spot.
  double integral() const;
  /// Radius beyond which less than 10⁻⁵ of the height is left [px].
  double extent() const;
  /// The spot without what averages over squares of `bin` pixels add to its variance, compared with single pixels.
  Spot sharpened(double bin) const;

  /// Adds `factor` times the spot to a picture.
  void add_to(Picture& picture, double factor) const;
};

}  // namespace pithball::datasets
