#pragma once
#include <vector>

#include "optim/uncertainty/posterior.hpp"

namespace pithball::optim {

/// P(|T| ≤ t) of Student's t distribution with an integer number of degrees of freedom ≥ 1, t ≥ 0; a finite sum
/// (Abramowitz & Stegun, 26.7.3 and 26.7.4).
double student_t_probability(double t, long degrees);

/// The t with P(|T| ≤ t) = probability, in (0, 1): half the width of a two-sided interval in standard errors. Beyond
/// 1,000 degrees of freedom from the expansion about the normal quantile (Abramowitz & Stegun, 26.7.5; error below 1e-9
/// there).
double student_t_quantile(double probability, long degrees);

/// The t ≥ 0 with P(T ≤ t) = probability: the distance of a one-sided limit in standard errors, 1.645 for many degrees
/// of freedom at 0.95. 0 for a probability up to one half.
double one_sided_quantile(double probability, long degrees);

/// P(F > f) of the F distribution with q and ν degrees of freedom, both > 0, f ≥ 0: I_x(ν/2, q/2) with
/// x = ν/(ν + q f) (Abramowitz & Stegun, 26.6.2). Accurate relative to itself, however small it is. For q = 1 it is
/// P(|T| > √f) of Student's t with ν degrees of freedom.
double f_tail(double f, double q, double degrees);

/// An estimate of P values from one of several sources with independent errors.
struct ComparedEstimate {
  Vector y;            ///< P
  Eigen::MatrixXd V;   ///< its covariance, estimated, P×P
  double degrees = 0;  ///< ν, degrees of freedom of V
};

/// p-value of the hypothesis that G ≥ 2 estimates are of the same values (Johansen, Biometrika 67, 1980): with
/// W_j = V_j⁻¹, W their sum and ȳ = W⁻¹ Σ W_j y_j,
///    Q = Σ (y_j − ȳ)ᵀ W_j (y_j − ȳ),   n = P (G − 1),
///    A = ½ Σ [tr (1 − W⁻¹W_j)² + (tr (1 − W⁻¹W_j))²]/ν_j,   F = Q/(n + 2 A − 6 A/(n + 2))
/// with n and n (n + 2)/(3 A) degrees of freedom. For one value it is Welch's test (Biometrika 38, 1951), for two
/// estimates of it Welch's t. NaN: a covariance is singular.
double test_equality(const std::vector<ComparedEstimate>& all);

/// Variance τ² between estimates of a single value beyond their own variances v_j, at which
///    Σ (y_j − ȳ)²/(v_j + τ²) = G − 1,   ȳ = Σ y_j/(v_j + τ²) / Σ 1/(v_j + τ²);
/// 0 if it is smaller without τ² (Paule & Mandel, J. Res. Natl. Bur. Stand. 87, 1982).
double between_variance(const std::vector<ComparedEstimate>& all);

}  // namespace pithball::optim
