#pragma once
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/parameter/parameter_map.hpp"
#include "optim/residual/robust_residual.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::optim {

/// p-value of a test of one fit below which an alarm is raised; several recordings share it.
inline constexpr double whiteness_alarm = 1e-3;

/// Tests whether residuals r_t, in units of sigma, are independent from frame to frame, as formal standard errors
/// assume. Sums run over the components, each a separate series; pairs are frames a lag k apart that both contain the
/// component (n_k of them), so that gaps need not be filled. Residuals are not centered: the constant offset of a
/// marker is a correlated error too.
struct Whiteness {
  Index samples = 0;  ///< n: residuals
  /// ρ̂_1, with ρ̂_k = (Σ r_t r_{t+k}/n_k) / (Σ r_t²/n).
  double lag_1 = std::numeric_limits<double>::quiet_NaN();
  /// d = Σ (r_{t+1} − r_t)² / Σ r_t², about 2(1 − ρ̂_1): near 2 for white residuals (Durbin and Watson, Biometrika 37,
  /// 1950). With gaps, the sum over the existing pairs is scaled to all.
  double durbin_watson = std::numeric_limits<double>::quiet_NaN();
  /// Q = Σ_series (n + 2)/n Σ_{k ≤ h} n_k ρ̂_k², without gaps n(n + 2) Σ ρ̂_k²/(n − k) (Ljung and Box, Biometrika 65,
  /// 1978, equation 1.2); h is the even number closest to min(10, n/5). For white residuals it is χ²-distributed with h
  /// degrees of freedom per series. P values fitted to this recording alone cause ρ̂_k down to −P/n, which is not
  /// counted. 0 degrees of freedom: the series is too short, or P ≥ n.
  long degrees = 0;
  double ljung_box = 0;  ///< Q
  /// The probability of a larger Q for white residuals, with its variance in short series, 1 + 1.4 h/n times that of
  /// χ².
  double p_value = 1;
  /// n (1 − ρ̂_1)/(1 + ρ̂_1): the number of independent residuals with the same information as n residuals of a
  /// first-order autoregression (Bayley and Hammersley, J. R. Stat. Soc. Suppl. 8, 1946); at most n.
  double effective_samples = std::numeric_limits<double>::quiet_NaN();
  /// z = Σ r_t r_{t+1} / √Σ (r_t r_{t+1})²: standard normal for independent residuals that are as likely negative as
  /// positive, however few they are and however their sizes differ (randomization of signs: Fisher, The Design of
  /// Experiments, 1935, section 21). NaN: no pair of frames.
  double serial_z = std::numeric_limits<double>::quiet_NaN();
  double alarm_level = whiteness_alarm;  ///< p-value below which an alarm is raised

  /// √(n / effective samples): the factor by which formal standard errors are too small, approximately, if the effect
  /// of a parameter changes slowly from frame to frame.
  double error_factor() const;
  /// Significantly correlated, at any lag: a beat between two frequencies has a small lag-1 autocorrelation and is not
  /// noise.
  bool is_colored() const { return p_value < alarm_level; }
};

/// Tests whether the residuals of different markers are correlated, from the correlations of the same component of two
/// markers over the frames that contain both, ρ̂_ij = Σ r_i r_j / √(Σ r_i² Σ r_j²).
struct MarkerCorrelation {
  Index pairs = 0;  ///< number of pairs of coordinates that could be compared
  double mean =
      std::numeric_limits<double>::quiet_NaN();  ///< of ρ̂_ij; equals the fraction c of noise that all markers share
  /// Σ n ρ̂_ij², normalized to mean 1 and variance 2 per pair by E ρ̂² = 1/n and var ρ̂² = 2(n − 1)/(n²(n + 2)), which
  /// are exact for independent normal residuals, minus one for each fitted value, which correlates residuals (Breusch
  /// and Pagan, Rev. Econ. Stud. 47, 1980). Correlation in time increases ρ̂² by Σ ρ_k² (Bartlett, J. R. Stat. Soc. 98,
  /// 1935), for an autoregression (1 + ρ_1²)/(1 − ρ_1²), by which it is divided.
  double statistic = 0;
  double p_value = 1;                    ///< probability of a larger value, by χ² with one degree of freedom per pair
  double alarm_level = whiteness_alarm;  ///< p-value below which an alarm is raised

  /// Significantly correlated between markers.
  bool is_common() const { return p_value < alarm_level; }
  /// √(1 + (M − 1) c): the largest factor by which formal standard errors are too small, if all M markers contain the
  /// same information.
  double error_factor(Index markers) const;
};

/// The whiteness of one recording's residuals.
struct RecordingWhiteness {
  std::string recording;           ///< as in Scenario::name
  Whiteness all;                   ///< over all its components
  std::vector<Whiteness> markers;  ///< M; without samples for a marker that is not fitted
  MarkerCorrelation between;       ///< between its markers
  Index fitted_markers = 0;        ///< number of markers with fitted residuals
  Index series = 0;                ///< number of their components with residuals
  /// ρ̂_1 of the first and of the second half of the frames; NaN: no pairs of frames.
  std::array<double, 2> lag_1_of_halves = {std::numeric_limits<double>::quiet_NaN(),
                                           std::numeric_limits<double>::quiet_NaN()};
  bool holds_error = false;  ///< its initial state or placement is held and uncertain, an error that all frames share
  /// 1 + (M − 1) c²: variance of the mean square of M series with mutual correlation c over that of independent ones.
  double shared_scatter() const;
  /// Effective fraction of the samples in a mean square, after correlation in time and between markers.
  double effective_part() const;
  /// Notes for the user: if `all` is colored, and if the markers are correlated.
  std::vector<std::string> warnings() const;
};

/// Number of fitted values: those that act on one recording alone, and all that act on it.
struct FittedCount {
  Index alone = 0,  ///< number of values that act on this recording only
      acting = 0;   ///< number of all that act on it
};

/// From the residuals r of a TrajectoryResidual of these scenarios and observations; one entry for each recording with
/// fitted frames. `fitted`: by scenario; empty: nothing was fitted. Throws InvalidArgument if r does not have one entry
/// per residual.
std::vector<RecordingWhiteness> compute_whiteness(const std::vector<diff::Scenario>& scenarios,
                                                  const std::vector<Observation>& observations, const Vector& r,
                                                  const std::vector<FittedCount>& fitted = {});

/// Divides `whiteness_alarm` among the recordings, so that a fit to many recordings raises no more false alarms.
void share_alarm(std::vector<RecordingWhiteness>& recordings);

/// The number of values that `map` changes in each of its scenarios.
std::vector<FittedCount> count_fitted(const ParameterMap& map);

/// P(X > x) for X of the χ² distribution with m ≥ 1 degrees of freedom (Abramowitz & Stegun, 26.4.4 and 26.4.5):
///    m even: e^{−x/2} Σ_{i < m/2} (x/2)^i/i!
///    m odd:  erfc √(x/2) + e^{−x/2} Σ_{1 ≤ i ≤ (m−1)/2} (x/2)^{i−1/2}/Γ(i + 1/2).
double chi_square_tail(double x, long degrees);

/// `all` of an entry of `whiteness` in fit.json.
void fields(FieldVisitor& v, Whiteness& w);
/// `between` of such an entry.
void fields(FieldVisitor& v, MarkerCorrelation& between);
/// An entry of `whiteness` in fit.json.
void fields(FieldVisitor& v, RecordingWhiteness& recording);

/// The fitted samples that a robust loss counts at least half, ρ′ ≥ ½, as recordings in which the others were not seen.
/// Whether a model fits is judged by these: outliers are what the loss is there for.
struct KeptSamples {
  std::vector<Observation> observations;  ///< samples that were set aside are NaN
  Vector r;                               ///< residuals of the kept samples, in units of sigma
};

/// Splits the residuals r, R in units of sigma before the loss, of these scenarios and observations. Where the loss
/// would set aside half of a recording's samples or more, all of that recording are kept: then they are not outliers,
/// and the model is wrong. Without a loss all samples are kept.
KeptSamples keep_samples(const std::vector<diff::Scenario>& scenarios, const std::vector<Observation>& observations,
                         const Vector& r, const RobustLoss& loss);

}  // namespace pithball::optim
