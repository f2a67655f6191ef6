#pragma once
#include "optim/uncertainty/fit_rows.hpp"
#include "optim/uncertainty/uncertainty.hpp"

namespace pithball::optim {

/// Posterior of θ from data and priors, each with its own scale:
///    covariance = C = (J_dᵀJ_d/s² + J_pᵀJ_p)⁻¹,
///    s² = Σ|ψ|²/(R − γ)/w̄²,   γ = P − tr(C J_pᵀJ_p).
/// A prior is in units of its own standard deviation, independent of the residuals. The data determine γ of the P
/// values: the degrees of freedom that they use (MacKay, Neural Computation 4, 1992, section 2.4). ψ and w̄ (`Scores`)
/// are r and 1 without a loss; with one, s² is Huber's estimate of the variance of J^+ψ/w̄ (Huber & Ronchetti 2009,
/// section 7.6), in which outliers have as little weight as in the fit.
struct Posterior {
  Uncertainty formal;  ///< for independent residuals; `scale` is that of the data, covariance = s² W Wᵀ = C
  /// τ² = w̄ s²: ½ Σρ/τ² + ½|r_p|² is minus the log posterior density, so that 1/τ is the weight of the data relative
  /// to priors. s without a loss; NaN: unknown.
  double data_scale = 1;
  double determined_by_data = 0;  ///< γ
};

/// Throws InvalidArgument as `compute_uncertainty` does. `absolute_sigma`: s = 1, unless there is a loss, which hides
/// the scale of the residuals.
Posterior compute_posterior(const FitRows& fit, const Scores& scores, const std::vector<std::string>& names,
                            const UncertaintyOptions& options = {});

/// The unique s² > 0 with s² (R − Σ a_i/(a_i + s² p_i)) = Q: a_i is the information of the data along direction i at s
/// = 1, p_i that of the priors, not both 0. NaN if Q is 0 or the data leave no degree of freedom.
double solve_data_scale(const Vector& data, const Vector& priors, Index rows, double square);

}  // namespace pithball::optim
