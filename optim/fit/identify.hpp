#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/fit/fit.hpp"
#include "optim/uncertainty/scale_symmetry.hpp"
#include "optim/uncertainty/sensitivity_growth.hpp"

namespace pithball::optim {

/// What the recordings can tell of a parameter.
enum class Determination {
  Determined,
  /// The predicted interval reaches further than a factor of `identifiable_factor` (or, of a parameter that is not on a
  /// logarithmic scale, further than its scale): the data know little more than the order of magnitude.
  Poor,
  None,  ///< a direction that changes nothing at all contains it
};

/// "determined", "poor", "none": the words of identify.json.
std::string to_string(Determination determination);

/// One line of the table of what can be determined.
struct PredictedParameter {
  std::string name, value, unit;  ///< as in ParameterInfo
  double at = 0;                  ///< the physical value at which the prediction holds
  double standard_error = std::numeric_limits<double>::quiet_NaN();  ///< predicted; ∞: not identifiable
  /// The predicted interval: image of θ's interval under the transform.
  double interval_lower = std::numeric_limits<double>::quiet_NaN();
  double interval_upper = std::numeric_limits<double>::quiet_NaN();
  Determination determination = Determination::None;
  std::string weak_direction;  ///< unless determined: the direction that most of its error comes from
};

/// The noise that a prediction supposes of one recording.
struct SupposedSigma {
  std::string recording;
  double least = 0, most = 0;  ///< over its markers and components
  SigmaOrigin origin = SigmaOrigin::Written;
  const MeasurementKind* kind = &point_kind();  ///< in whose unit they are

  /// "tracks: sigma 1.2 mm, its measurement noise"
  std::string sentence() const;
};

/// What a set of recordings can determine: plain data, what identify.json holds.
struct IdentifyReport {
  std::string failure;  ///< why the model could not be run at this point; empty: it could, and the rest holds
  std::vector<PredictedParameter> parameters;
  double confidence = 0.95;
  Vector singular_values;                      ///< of the column-scaled Jacobian, descending, P
  std::vector<std::string> directions;         ///< P: the name of each one's direction in θ
  Eigen::MatrixXd vectors;                     ///< P×P: column k is that direction, length 1
  std::vector<WeakDirection> weak_directions;  ///< that change nothing
  double condition = std::numeric_limits<double>::quiet_NaN();
  Eigen::MatrixXd correlation;              ///< P×P; NaN where unknown
  Index rows = 0;                           ///< residuals: coordinates that were seen
  std::vector<SupposedSigma> sigmas;        ///< by recording
  bool has_priors = false;                  ///< the prediction is that of data and priors together
  std::vector<std::string> scale_symmetry;  ///< members of the symmetry, if it is there (scale_symmetry.hpp)
  std::vector<SensitivityGrowth> growth;    ///< by recording
  std::vector<std::string> notes;           ///< what the user should know, one sentence each

  bool ok() const { return failure.empty(); }
};

/// Predicts what a fit of the problem would find out, without fitting: standard errors and undetermined directions from
/// the Jacobian of the residuals at θ, by
///    covariance = (JᵀJ + J_pᵀJ_p)⁻¹,
/// J_p the derivatives of the priors, which holds if the recordings' noise is independent with the given sigma and θ is
/// near the truth (the Cramér–Rao bound; Kay, Fundamentals of Statistical Signal Processing: Estimation Theory, 1993,
/// section 3.9). What was recorded enters only through what was seen when; robust losses and absolute_sigma do not
/// enter. Throws InvalidArgument on a wrong problem or more than `uncertainty_limit` parameters.
IdentifyReport identify(const ResolvedFit& fit, const Vector& theta);
/// The same of a problem that is resolved for it alone.
IdentifyReport identify(const FitProblem& problem, const Vector& theta);
/// The same at the start of the fit.
IdentifyReport identify(const FitProblem& problem);

}  // namespace pithball::optim
