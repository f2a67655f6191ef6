#pragma once
#include <limits>
#include <string>
#include <vector>

#include "sim/core/field_list.hpp"
#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Vector;

/// A value that keeps its sign is identifiable if both ends of its interval are within this factor of its estimate.
inline constexpr double identifiable_factor = 4;

/// Settings for the analysis of a Jacobian.
struct UncertaintyOptions {
  /// Directions whose singular value (of the Jacobian with columns scaled to length 1) is below this fraction of the
  /// largest are not determined. Jacobians by converged tangents are exact to about 1e-10, so 1e-8 is well above
  /// rounding, and a direction that weak would need 1e8 times better data than the strongest one.
  double rank_tolerance = 1e-8;
  /// Assume that residuals were divided by their true standard deviation (s² = 1) instead of estimating s² = |r|²/(R −
  /// rank).
  bool absolute_sigma = false;
  double confidence = 0.95;  ///< of the intervals, in (0, 1)
  /// P: parameters treated as known, because they are on an active bound; empty: none.
  std::vector<bool> held = {};
};

/// A direction in θ that hardly changes the residuals.
struct WeakDirection {
  Vector direction;                    ///< in θ, length 1
  double relative_singular_value = 0;  ///< its singular value / the largest one, at most `rank_tolerance`
  std::string name;                    ///< "charge +0.71 stiffness −0.70"
};

/// What follows from the singular value decomposition of J with its columns scaled to length 1 and without those of
/// held parameters (F columns): which directions in θ the data determine, and how well.
struct JacobianSpectrum {
  Vector singular_values;                      ///< descending, F
  Eigen::MatrixXd directions;                  ///< P×F: column k is that of singular value k, in θ, of length 1
  Index rank = 0;                              ///< number of directions that J determines: the first ones
  std::vector<WeakDirection> weak_directions;  ///< all others

  /// Largest / smallest singular value; ∞ if that is 0.
  double condition() const;
};

/// The scale s of the residuals in units of their standard deviation, with the quantiles of Student's t that its
/// degrees of freedom imply.
struct ScaleEstimate {
  double s = std::numeric_limits<double>::quiet_NaN();  ///< 1 if sigma is known; NaN: unknown
  long degrees_of_freedom = 0;                          ///< R − rank; if 0 and sigma is unknown, every error is ∞
  double quantile = std::numeric_limits<double>::infinity();  ///< half width / standard error; ∞ without s
  /// The same for a one-sided interval of the same confidence: from the estimate to its end / standard error.
  double one_sided = std::numeric_limits<double>::infinity();
};

/// Uncertainty of θ near the optimum, from the Jacobian J of the residuals in units of their standard deviation:
///    covariance = s² (JᵀJ)⁻¹ on the directions that J determines.
/// Held parameters have no column in J: they are not identifiable, and no weak direction contains them. Formal errors
/// are valid if the model is right and residuals are independent.
struct Uncertainty {
  Vector standard_error;           ///< of θ, P; ∞ if not identifiable
  Vector half_width;               ///< of the confidence interval of θ: t-quantile × standard error, P
  Eigen::MatrixXd covariance;      ///< P×P; rows and columns of parameters that are not identifiable are NaN
  Eigen::MatrixXd correlation;     ///< P×P; likewise
  std::vector<bool> identifiable;  ///< P
  std::vector<std::string>
      weak_direction;         ///< P; empty if identifiable, else the undetermined direction closest to the parameter
  Eigen::MatrixXd root;       ///< P×rank: W with covariance = s² W Wᵀ, Wᵀ JᵀJ W = 1
  JacobianSpectrum spectrum;  ///< of J
  ScaleEstimate scale;        ///< of the residuals
};

/// Computes covariance, correlation, standard errors and half widths from root, scale and the flags
/// `identifiable`; NaN and infinite where nothing is determined.
void fill_errors(Uncertainty& u);

/// The largest components of a direction in θ with their signs, largest first, at most four: "charge +0.71 stiffness
/// −0.70".
std::string direction_name(const Vector& direction, const std::vector<std::string>& names);

/// r: R, J: R×P, names: P, options.held: P or empty. Throws InvalidArgument if sizes disagree or a number is not
/// finite.
Uncertainty compute_uncertainty(const Vector& r, const Eigen::MatrixXd& J, const std::vector<std::string>& names,
                                const UncertaintyOptions& options = {});

/// An entry of `weak_directions` in fit.json, identify.json and plan.json.
void fields(FieldVisitor& v, WeakDirection& direction);

}  // namespace pithball::optim
