#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "optim/uncertainty/parameter_errors.hpp"
#include "optim/uncertainty/posterior_samples.hpp"

namespace pithball::optim {

/// How a value's error was computed.
enum class ErrorOrigin {
  Samples,    ///< RMS of random samples, accurate to 16 %
  Solved,     ///< from a linear system of its own
  Unsettled,  ///< the samples still grew at the end: unknown, and possibly infinite
  Unfelt,     ///< the value has no effect
  Null,       ///< a direction without information contains it
  Held,       ///< treated as known
};

/// Errors of many values, and how they were computed.
struct SampledErrors {
  Vector formal;                       ///< standard errors of θ, P; ∞: not identifiable; NaN: held, or not settled
  std::vector<ErrorOrigin> origin;     ///< P
  std::vector<std::string> direction;  ///< P: the nearest direction without information; empty if the error is known
  std::vector<ParameterErrors> parameters;                       ///< P
  double s = std::numeric_limits<double>::quiet_NaN();           ///< scale of the residuals, as `ScaleEstimate::s`
  double data_scale = std::numeric_limits<double>::quiet_NaN();  ///< as in `Posterior`
  double determined_by_data = 0;                                 ///< γ
  long degrees_of_freedom = 0;                                   ///< ⌊R − γ⌋
  RobustErrors robust;                                           ///< without a covariance; `mean_ratio` by random signs
  Index iterations = 0;                                          ///< of block conjugate gradients, all systems together
  Index products = 0;                                            ///< number with J, and equally many with Jᵀ
  std::string failure;                                           ///< why there are no errors; empty on success
};

/// Errors of all values at once from samples of the posterior, without a Jacobian:
///    δ_n = H⁻¹ (J_dᵀ ε_n / s + J_pᵀ η_n),   H = J_dᵀJ_d/s² + J_pᵀJ_p,   ε_n, η_n ~ N(0, 1),   n = 1 … 20,
/// with covariance H⁻¹ (randomize-then-optimize: Bardsley, Solonen, Haario & Laine, SIAM J. Sci. Comput. 36, 2014), so
/// that s.e._k² = mean_n δ_nk². All systems are solved in one block (conjugate_gradients.hpp) until the RMS of all but
/// a hundredth of the values has grown by less than a tenth over the last fifth of the iterations. s and γ = P −
/// tr(H⁻¹J_pᵀJ_p) are those of `Posterior`, with the trace from the same samples.
///
/// Two further columns start from random signs, L ξ with LLᵀ ≈ H: along a direction without information, which no
/// sample contains (J_dᵀε has no component along it), their solution grows without bound. The values in that direction
/// are not identifiable.
///
/// Robust errors are the formal ones times `mean_ratio` (RobustErrors), with sums over frames estimated from random
/// signs z_f = ±1, one for each frame:
///    Σ_f |Wᵀg_f|² = E_z[g_zᵀH⁻¹g_z],   g_z = J_dᵀ(z ψ)/τ²,
///    Σ_f tr h_f² = E_z[Σ_f (hε)_fᵀ z_f (h(zε))_f],
/// the former from four additional columns, the latter from five pairs of samples that differ by such signs. (A pair is
/// uncorrelated, so that the samples' degrees of freedom stay 20 to 1/F.)
///
/// `fit.exact`: H z = e_k, s.e._k = √z_k, all in one additional block, accurate to 1e-6. Does not throw because of
/// numbers.
SampledErrors compute_sampled_errors(const ManyValues& fit, const std::vector<std::string>& names,
                                     const UncertaintyOptions& options = {}, std::uint64_t seed = 1);

}  // namespace pithball::optim
