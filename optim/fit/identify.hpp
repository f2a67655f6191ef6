#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/fit/fit_prior.hpp"
#include "optim/fit/problem.hpp"
#include "optim/uncertainty/identifiability.hpp"
#include "optim/uncertainty/sensitivity_growth.hpp"

namespace pithball::optim {

/// How well the recordings determine a parameter.
enum class Determination {
  Determined,
  /// The predicted interval exceeds a factor of `identifiable_factor` (or, for a parameter that is not on a logarithmic
  /// scale, its scale): the data determine little more than the order of magnitude.
  Poor,
  None,  ///< a direction without any effect contains it
};

/// "determined", "poor", "none": the words in identify.json.
std::string to_string(Determination determination);

/// One line of the table of predictions.
struct PredictedParameter {
  std::string name,  ///< as in ParameterInfo
      value,         ///< likewise
      unit;          ///< likewise
  double at = 0;     ///< the physical value for which the prediction is made
  double standard_error = std::numeric_limits<double>::quiet_NaN();  ///< predicted; ∞: not identifiable
  /// The predicted interval: image of θ's interval under the transform.
  double interval_lower = std::numeric_limits<double>::quiet_NaN();
  double interval_upper = std::numeric_limits<double>::quiet_NaN();  ///< the other end; ∞: open
  Determination determination = Determination::None;                 ///< from the predicted interval
  std::string weak_direction;  ///< unless determined: the direction that contributes most to its error
};

/// The noise of one recording assumed by a prediction, in the unit of its measurement kind.
struct SupposedSigma {
  std::string recording;                                    ///< as in Scenario::name
  double least = std::numeric_limits<double>::quiet_NaN(),  ///< minimum over its markers and components
      most = std::numeric_limits<double>::quiet_NaN();      ///< maximum
  std::string said;                                         ///< "tracks: sigma 1.2 mm, its measurement noise"
};

/// A singular value of the column-scaled Jacobian and its direction in θ.
struct SingularDirection {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN: the model could not be simulated
  std::string name;                                         ///< its largest components
  Vector vector;                                            ///< P, length 1; empty: not one of the weakest directions
};

/// The singular values of the column-scaled Jacobian, and what follows from them.
struct SingularSpectrum {
  std::vector<SingularDirection> directions;   ///< by singular value, largest first
  std::vector<WeakDirection> weak_directions;  ///< directions without effect
  /// Largest / smallest singular value; ∞: a singular Jacobian.
  double condition = std::numeric_limits<double>::quiet_NaN();
};

/// What a set of recordings can determine: identify.json, and the predictions in plan.json.
struct IdentifyReport {
  std::string failure;                         ///< why the model could not be simulated at this point; empty on success
  double confidence = 0.95;                    ///< level of the predicted intervals
  Index rows = 0;                              ///< number of residuals: recorded coordinates
  std::vector<SupposedSigma> sigmas;           ///< by recording
  bool has_priors = false;                     ///< the prediction includes priors or earlier estimates
  std::vector<PredictedParameter> parameters;  ///< P, in the order of θ
  SingularSpectrum spectrum;                   ///< of the Jacobian
  std::vector<std::string> scale_symmetry;     ///< members of the scale symmetry, if present (identifiability.hpp)
  Eigen::MatrixXd correlation;                 ///< P×P; NaN where unknown
  std::vector<SensitivityGrowth> growth;       ///< by recording
  std::vector<std::string> notes;              ///< notes for the user, one sentence each
  std::vector<std::string> doubts = {};        ///< why its numbers should not be used as they are; empty: none known

  /// Whether the model could be simulated.
  bool ok() const { return failure.empty(); }
};

/// Predicts the result of a fit without fitting: standard errors and undetermined directions from the Jacobian of the
/// residuals at θ,
///    covariance = (JᵀJ + J_pᵀJ_p)⁻¹,
/// with J_p the derivatives of the priors. It is valid if the recordings' noise is independent with the given sigma and
/// θ is close to the truth (the Cramér–Rao bound; Kay, Fundamentals of Statistical Signal Processing: Estimation
/// Theory, 1993, section 3.9). Of the recorded data, only which samples exist matters; robust losses and absolute_sigma
/// are ignored. `earlier`: what another fit knows, as `prior_rows` counts it. Throws InvalidArgument on an invalid
/// problem or more than `UncertaintyAnalysis::full_limit` parameters.
IdentifyReport identify(const ResolvedFit& fit, const Vector& theta, const EarlierEstimates& earlier = {});
/// The same for a problem that is resolved only for this call.
IdentifyReport identify(const FitProblem& problem, const Vector& theta);
/// The same at the start of the fit.
IdentifyReport identify(const FitProblem& problem);

/// An entry of `parameters` in identify.json.
void fields(FieldVisitor& v, PredictedParameter& p);
/// An entry of `sigma` in identify.json.
void fields(FieldVisitor& v, SupposedSigma& sigma);
/// An entry of `singular_values` in identify.json.
void fields(FieldVisitor& v, SingularDirection& direction);
/// What identify.json and each alternative of plan.json have.
void fields(FieldVisitor& v, IdentifyReport& report);

}  // namespace pithball::optim
