#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/parameter/parameter_map.hpp"

namespace pithball::optim {

/// Whether residuals r_t, in units of sigma, are independent from frame to frame, as formal standard errors suppose.
/// Sums run over all components of what is meant, each a series of its own; pairs are frames that lie k apart and both
/// saw the component (n_k of them), so that gaps need no filling. Residuals count about 0, not about their mean: a
/// marker that sits beside its particle is a correlated error too.
struct Whiteness {
  Index samples = 0;  ///< n: residuals
  /// ρ̂_1, with ρ̂_k = (Σ r_t r_{t+k}/n_k) / (Σ r_t²/n).
  double lag_1 = std::numeric_limits<double>::quiet_NaN();
  /// d = Σ (r_{t+1} − r_t)² / Σ r_t², about 2(1 − ρ̂_1): near 2 for white residuals (Durbin and Watson, Biometrika 37,
  /// 1950). With gaps the sum over the pairs that there are stands for all.
  double durbin_watson = std::numeric_limits<double>::quiet_NaN();
  /// Q = Σ_series (n + 2)/n Σ_{k ≤ h} n_k ρ̂_k², which without gaps is n(n + 2) Σ ρ̂_k²/(n − k) (Ljung and Box,
  /// Biometrika 65, 1978, equation 1.2); h is the even number next to min(10, n/5). For white residuals it is
  /// χ²-distributed:
  long degrees = 0;  ///< with h degrees of freedom for each series; 0: too short a series to tell
  double ljung_box = 0;
  double p_value = 1;  ///< the chance of a larger Q from white residuals
  /// n (1 − ρ̂_1)/(1 + ρ̂_1): as many independent residuals average as well as n of an autoregression of order 1
  /// (Bayley and Hammersley, J. R. Stat. Soc. Suppl. 8, 1946); never more than n.
  double effective_samples = std::numeric_limits<double>::quiet_NaN();

  /// √(n / effective samples): by about so much formal standard errors are too small, where the effect of a parameter
  /// changes slowly from frame to frame.
  double error_factor() const;
  /// Correlated beyond doubt (p < 0.01), and so much that errors are off by more than a tenth.
  bool is_coloured() const { return p_value < 0.01 && error_factor() > 1.1; }
};

/// The whiteness of one recording's residuals.
struct RecordingWhiteness {
  std::string recording;
  Whiteness all;
  std::vector<Whiteness> markers;  ///< M; without samples where a marker is not fitted
  /// What the user should know if `all` is coloured; else empty.
  std::string warning() const;
};

/// Of the residuals r of a TrajectoryResidual of these scenarios and observations; one entry for each recording with
/// frames to fit. Throws InvalidArgument if r has not one entry for each residual.
std::vector<RecordingWhiteness> compute_whiteness(const std::vector<diff::Scenario>& scenarios,
                                                  const std::vector<Observation>& observations, const Vector& r);

/// P(X > x) for X of the χ² distribution with an even number of degrees of freedom m ≥ 2:
///    e^{−x/2} Σ_{i < m/2} (x/2)^i/i!   (Abramowitz & Stegun, 26.4.5).
double chi_square_tail(double x, long degrees);

}  // namespace pithball::optim
