#pragma once
#include <string>
#include <vector>

#include "optim/uncertainty/robust_errors.hpp"

namespace pithball::optim {

/// Whether the recordings of a fit agree on the values that they share, and how far apart they are.
///
/// Estimates from recording j alone, to first order from the existing Jacobian:
///    θ_j = θ̂ − H_j⁺ Z_jᵀ r̃_j,   H_j = Z_jᵀ Z_j,
/// where a tilde marks rows filtered by an autoregression (`filter_rows`, with the ρ of `upper_autocorrelation` given
/// all values of each recording), and Z_j is the part of the columns of shared values that those of the recording's own
/// values, such as its initial state, do not explain; priors of its own values count as rows. Their covariance includes
/// correlation between markers,
///    V_j = H_j⁺ [Σ_f Z_fᵀ Σ_j Z_f] H_j⁺,
/// with the covariance Σ_j of the residuals e of the recording's own estimates over all markers and components, each
/// divided by √(1 − h), h its leverage (MacKinnon & White, J. Econometrics 29, 1985). The degrees of freedom of a
/// variance are Satterthwaite's (Biometrics Bulletin 2, 1946), ν_j = F_j (1 − q_j/R_j) (tr KΣ)²/tr(KΣKΣ), where
/// K = Σ_f z_f z_fᵀ and q_j of R_j rows are used by the values.
///
/// Each value is tested alone, and all of them together where every recording determines all and has enough degrees of
/// freedom (`test_equality`). The tests need no sigma.
///
/// The variance between recordings is τ² (`between_variance`). In a random-effects model (DerSimonian & Laird, Control.
/// Clin. Trials 7, 1986) the variance of the estimate θ̂ from all recordings grows by τ² Σ_j a_j², where a_j =
/// (H⁻¹H_j)_kk is the weight of recording j in θ̂_k, and its interval uses t with G − 1 degrees of freedom for the part
/// of the variance that comes from τ² (Hartung & Knapp, Stat. Med. 20, 2001).
struct Homogeneity {
  Index recordings = 0;        ///< G
  double autocorrelation = 0;  ///< ρ of the filter
  /// Smallest p-value of all tests, with Bonferroni's factor, at most 1; NaN: nothing can be compared.
  double p_value = std::numeric_limits<double>::quiet_NaN();
  Index worst_parameter = -1;  ///< the value with the smallest p-value of its own; −1: none
  Vector p_values;             ///< of each value alone, P, with the same factor; NaN: not compared
  Eigen::MatrixXd shifts;      ///< θ_j − θ̂, P×G; NaN: not determined by that recording alone
  Eigen::MatrixXd errors;      ///< their standard errors, P×G
  std::vector<Index> telling;  ///< P: number of recordings whose estimates are compared; 0: not compared
  /// What differences between recordings add to the standard error of θ̂, τ √Σ a_j², P; 0: they agree within their
  /// errors, with a p-value above `difference_level`.
  Vector between;

  /// The recordings to be named with `worst_parameter`: all that determine it, or the lowest and the highest of more
  /// than `most_named`.
  std::vector<Index> named_recordings() const;
};

/// Largest number of recordings in a sentence.
inline constexpr std::size_t most_named = 3;

/// p-value below which an interval takes differences between recordings into account: the level of an interval of 95 %.
inline constexpr double difference_level = 0.05;

/// Compares the recordings of a fit at its optimum; the arguments belong together. Nothing is compared with a single
/// recording. `held`: the covariance of each recording's scores J_jᵀψ_j by errors of values that the fit holds, P×P;
/// empty: none.
Homogeneity compare_recordings(const FitRows& fit, const Scores& scores, const Posterior& posterior,
                               const std::vector<Eigen::MatrixXd>& held = {});

/// One value as it is estimated from one recording, as text, with its unit and error.
struct RecordingEstimate {
  std::string recording,  ///< name
      value;              ///< "29.6 ± 0.03 N/m"
};

/// "recordings contradict each other: stiffness is 29.6 ± 0.03 N/m in a, 30.4 ± 0.04 N/m in b (p = 1e-12)"
std::string contradiction_sentence(const std::string& name, const std::vector<RecordingEstimate>& estimates,
                                   double p_value);

}  // namespace pithball::optim
