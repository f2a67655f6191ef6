#pragma once
#include "optim/uncertainty/homogeneity.hpp"
#include "optim/uncertainty/robust_errors.hpp"

namespace pithball::optim {

/// Changes of θ if one recording is left out, to first order from the existing Jacobian:
///    θ_(−j) − θ̂ = (H − H_j)⁻¹ g_j,   g_j = J_jᵀψ_j/τ²,
/// and the resulting errors, which include any differences between recordings:
///    V = (G−1)/G Σ_j (θ_(−j) − mean)²   (Tukey 1958; Efron & Tibshirani, An Introduction to the Bootstrap,
///    1993, 11.2).
struct Jackknife {
  Eigen::MatrixXd shifts;  ///< P×G: θ_(−j) − θ̂; NaN where the other recordings do not determine a parameter
  Vector standard_error;   ///< of θ, P; NaN for a parameter determined by fewer than 4 recordings
  Index recordings = 0;    ///< G; degrees of freedom of t: number of recordings that determine a parameter minus one
  std::vector<Index> telling;  ///< P: number of recordings that determine the parameter
  /// The recording with the largest influence, by Cook's distance D_j = (θ_(−j) − θ̂)ᵀ H (θ_(−j) − θ̂)/P (Technometrics
  /// 19, 1977); −1: none.
  Index most_influential = -1;
  double cook_distance = 0;  ///< D of that recording
  Index moved_most = -1;     ///< the parameter that changes most without it, in formal standard errors
};

/// Minimum number of recordings for a jackknife.
inline constexpr Index least_recordings = 4;

/// No standard errors for fewer than 4 recordings.
Jackknife compute_jackknife(const FitRows& fit, const Scores& scores, const Posterior& posterior);

/// The assumption of a standard error.
enum class ErrorKind {
  Formal,         ///< independent residuals
  Robust,         ///< independent frames, or frames with an autoregression (RobustErrors)
  Jackknife,      ///< independent recordings
  RandomEffects,  ///< recordings with values of their own about a common mean (Homogeneity)
};

/// "formal", "robust", "jackknife", "random effects": the words in fit.json.
std::string to_string(ErrorKind kind);

/// Standard errors of one entry of θ, and its interval: the widest of all kinds, each with its own quantile of t.
struct ParameterErrors {
  /// NaN: unknown; ∞: not identifiable.
  double formal = std::numeric_limits<double>::quiet_NaN();
  double robust = std::numeric_limits<double>::quiet_NaN();     ///< NaN: unknown
  double jackknife = std::numeric_limits<double>::quiet_NaN();  ///< NaN: unknown, or too few recordings determine it
  /// √(s² + b²), where b is what differences between recordings add (Homogeneity::between) and s the larger one of
  /// formal and robust errors, with (s² + b²)²/(s⁴/ν + b⁴/(G − 1)) degrees of freedom (Satterthwaite 1946). NaN:
  /// recordings agree.
  double random_effects = std::numeric_limits<double>::quiet_NaN();
  ErrorKind widest = ErrorKind::Formal;                              ///< kind with the widest interval
  double standard_error = std::numeric_limits<double>::quiet_NaN();  ///< of the widest kind
  double half_width = std::numeric_limits<double>::quiet_NaN();      ///< likewise
  /// The same for a one-sided interval: from the estimate to its end.
  double one_sided = std::numeric_limits<double>::quiet_NaN();
  bool identifiable = true;    ///< the data, with priors, determine the parameter
  std::string weak_direction;  ///< empty if identifiable, as in `Uncertainty`
};

/// Errors of every kind that can be computed from the rows of a fit.
struct AllErrors {
  Posterior posterior;                      ///< curvature of the fit and formal errors
  RobustErrors robust;                      ///< clustered by frame
  Jackknife jackknife;                      ///< from leaving out one recording at a time
  Homogeneity homogeneity;                  ///< of recordings
  std::vector<ParameterErrors> parameters;  ///< P
};

/// Throws InvalidArgument as `compute_uncertainty` does.
AllErrors compute_all_errors(const FitRows& fit, const Scores& scores, const std::vector<std::string>& names,
                             const UncertaintyOptions& options = {});

/// Adds a covariance of θ, P×P, from a source other than the residuals, to the formal and the robust one. The jackknife
/// includes it already, since recordings have independent errors.
void add_covariance(const Eigen::MatrixXd& added, double confidence, AllErrors& errors);

}  // namespace pithball::optim
