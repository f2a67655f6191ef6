#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/parameter/parameter_map.hpp"

namespace pithball::optim {

/// p of a test of one fit below which an alarm is raised; of several recordings, each gets its share.
inline constexpr double whiteness_alarm = 1e-3;

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
  /// χ²-distributed with h degrees of freedom for each series. P values that were fitted to this recording alone leave
  /// ρ̂_k down to −P/n, which is not counted. 0 degrees: too short a series to tell, or P ≥ n.
  long degrees = 0;
  double ljung_box = 0;
  /// The chance of a larger Q from white residuals, with its variance in short series, 1 + 1.4 h/n times that of χ².
  double p_value = 1;
  /// n (1 − ρ̂_1)/(1 + ρ̂_1): as many independent residuals average as well as n of an autoregression of order 1
  /// (Bayley and Hammersley, J. R. Stat. Soc. Suppl. 8, 1946); never more than n.
  double effective_samples = std::numeric_limits<double>::quiet_NaN();
  double alarm_level = whiteness_alarm;  ///< of p, below which chance is no explanation

  /// √(n / effective samples): by about so much formal standard errors are too small, where the effect of a parameter
  /// changes slowly from frame to frame.
  double error_factor() const;
  /// Correlated beyond doubt, at whatever lag: a beat between two frequencies has a small lag 1 and is no noise.
  bool is_colored() const { return p_value < alarm_level; }
};

/// Whether the residuals of different markers move together, from the correlations of the same component of two markers
/// over the frames that saw both, ρ̂_ij = Σ r_i r_j / √(Σ r_i² Σ r_j²).
struct MarkerCorrelation {
  Index pairs = 0;
  double mean = std::numeric_limits<double>::quiet_NaN();  ///< of ρ̂_ij; c: the same noise is in all, in a part c of it
  /// Σ n ρ̂_ij², put to mean 1 and variance 2 a pair by E ρ̂² = 1/n and var ρ̂² = 2(n − 1)/(n²(n + 2)), which are exact
  /// for independent normal residuals; less one for each value fitted, by which residuals are tied to one another
  /// (Breusch and Pagan, Rev. Econ. Stud. 47, 1980). Where residuals are correlated in time ρ̂² is larger by Σ ρ_k²
  /// (Bartlett, J. R. Stat. Soc. 98, 1935), of an autoregression (1 + ρ_1²)/(1 − ρ_1²), and is divided by that.
  double statistic = 0;
  double p_value = 1;  ///< the chance of more, by χ² with a degree of freedom for each pair
  double alarm_level = whiteness_alarm;

  bool is_common() const { return p_value < alarm_level; }
  /// √(1 + (M − 1) c): by up to so much formal standard errors are too small where all M markers tell the same.
  double error_factor(Index markers) const;
};

/// The whiteness of one recording's residuals.
struct RecordingWhiteness {
  std::string recording;
  Whiteness all;
  std::vector<Whiteness> markers;  ///< M; without samples where a marker is not fitted
  MarkerCorrelation between;       ///< between its markers
  Index fitted_markers = 0;
  bool holds_error = false;  ///< its start or placement is held and known with an error, which all frames share
  /// What the user should know: if `all` is colored, and if the markers move together.
  std::vector<std::string> warnings() const;
};

/// How many values were fitted: those that act on one recording alone, and all that act on it.
struct FittedCount {
  Index alone = 0, acting = 0;
};

/// Of the residuals r of a TrajectoryResidual of these scenarios and observations; one entry for each recording with
/// frames to fit. `fitted`: by scenario; empty: nothing was fitted. Throws InvalidArgument if r has not one entry for
/// each residual.
std::vector<RecordingWhiteness> compute_whiteness(const std::vector<diff::Scenario>& scenarios,
                                                  const std::vector<Observation>& observations, const Vector& r,
                                                  const std::vector<FittedCount>& fitted = {});

/// Gives each recording its share of `whiteness_alarm`, so that one fit raises no more false alarms with many of them.
void share_alarm(std::vector<RecordingWhiteness>& recordings);

/// The values that `map` moves in each of its scenarios.
std::vector<FittedCount> count_fitted(const ParameterMap& map);

/// P(X > x) for X of the χ² distribution with m ≥ 1 degrees of freedom (Abramowitz & Stegun, 26.4.4 and 26.4.5):
///    m even: e^{−x/2} Σ_{i < m/2} (x/2)^i/i!
///    m odd:  erfc √(x/2) + e^{−x/2} Σ_{1 ≤ i ≤ (m−1)/2} (x/2)^{i−1/2}/Γ(i + 1/2).
double chi_square_tail(double x, long degrees);

}  // namespace pithball::optim
