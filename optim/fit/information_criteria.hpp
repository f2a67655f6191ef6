#pragma once
#include <limits>

#include "optim/fit/error_report.hpp"

namespace pithball::optim {

/// What information criteria compare of two fits to the same coordinates.
struct ComparedData {
  double coordinates = 0;    ///< n
  double effective = 0;      ///< n_eff, number of independent coordinates with the same information
  bool known_sigma = false;  ///< sigma is known; false: up to a factor

  /// k: the fitted values, and the unknown scale of sigma.
  double values(double parameters) const { return parameters + (known_sigma ? 0 : 1); }
};

/// Smaller is better; only differences have a meaning.
struct InformationCriteria {
  double aicc = std::numeric_limits<double>::quiet_NaN();  ///< NaN: n_eff ≤ k + 1
  double bic = std::numeric_limits<double>::quiet_NaN();   ///< Bayesian
};

/// Number of independent coordinates with as much information on the fitted values as n correlated ones,
///    n_eff = n / max(1, q²/s²),   q² = tr(H⁻¹B)/P,
/// where B is the covariance of the scores and H the curvature of the cost: q is `mean_ratio` of the errors, by which
/// errors that allow for correlation in time and between markers exceed formal ones (Takeuchi 1976; the divisor ĉ of
/// QAIC, Burnham & Anderson 2002, section 2.5). s² = χ²/ν where formal errors are those of a given sigma, else 1. With
/// all noise common to M markers and values that move them alike n_eff = n/M; with a first-order autoregression
/// n (1 − ρ)/(1 + ρ), which also stands in where q is not known. Noise that seems to cancel is not trusted: at most n.
double count_independent(double coordinates, const ErrorReport& errors, double squared_scale);

/// Criteria of one fit by its χ²,
///    AICc = D + 2k + 2k(k + 1)/(n_eff − k − 1),   BIC = D + k ln n_eff   (Burnham & Anderson 2002, chapter 2),
/// with D = n_eff ln(χ²/n), or D = χ² n_eff/n for a known sigma.
InformationCriteria compute_criteria(const ComparedData& data, double chi_square, double parameters);

}  // namespace pithball::optim
