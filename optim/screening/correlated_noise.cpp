#include "optim/screening/correlated_noise.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "optim/observation/track_differences.hpp"
#include "optim/observation/track_noise.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

constexpr int most_lags = 12;
/// Lags longer than the filters, at which only a motion is correlated.
constexpr int first_long_lag = 28, last_long_lag = 60;
constexpr double significant = 4.3, noticeable_correlation = 0.1, beyond_filters = 4.5;
constexpr double remaining = 4;  // standard errors, after subtracting curves that follow faster motions
constexpr double least_pairs = 50;
/// Fraction of an interval by which frames may be early or late.
constexpr double most_jitter = 0.1;

/// Returns the weights that yield a sample's residual from the polynomial through it and `half` samples on either side.
std::vector<double> residual_filter(int half, int degree) {
  const Index size = 2 * half + 1;
  Eigen::MatrixXd powers(size, degree + 1);
  for (Index i = 0; i < size; ++i)
    for (Index k = 0; k <= degree; ++k)
      powers(i, k) = std::pow((static_cast<double>(i) - half) / half, static_cast<double>(k));
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(powers);
  const Eigen::MatrixXd basis = qr.householderQ() * Eigen::MatrixXd::Identity(size, degree + 1);
  const Vector weights = Vector::Unit(size, half) - basis * basis.row(half).transpose();
  return {weights.begin(), weights.end()};
}

/// Autocorrelations of a series.
class Autocorrelations {
 public:
  explicit Autocorrelations(std::size_t lags) : sums_(lags + 1), counts_(lags + 1) {}
  void add(const std::vector<double>& x) {
    for (std::size_t k = 0; k < sums_.size(); ++k)
      for (std::size_t i = 0; i + k < x.size(); ++i) {
        const double product = x[i] * x[i + k];
        if (std::isnan(product)) continue;
        sums_[k] += product;
        counts_[k] += 1;
      }
  }
  double at(std::size_t lag) const { return sums_[lag] / counts_[lag] / (sums_[0] / counts_[0]); }
  double pairs(std::size_t lag) const { return counts_[lag]; }

 private:
  std::vector<double> sums_, counts_;
};

/// Autocorrelations of filtered white noise.
class WhiteAutocorrelations {
 public:
  explicit WhiteAutocorrelations(const std::vector<double>& filter) : values_(filter.size(), 0) {
    for (std::size_t k = 0; k < filter.size(); ++k)
      for (std::size_t i = 0; i + k < filter.size(); ++i) values_[k] += filter[i] * filter[i + k];
    for (std::size_t k = filter.size(); k-- > 0;) values_[k] /= values_[0];
  }
  double at(int lag) const {
    const auto k = static_cast<std::size_t>(std::abs(lag));
    return k < values_.size() ? values_[k] : 0;
  }
  /// Returns the standard error of an autocorrelation from this many pairs.
  double error(int lag, double pairs) const {
    double sum = 0;
    const int reach = static_cast<int>(values_.size()) + lag;
    for (int j = -reach; j <= reach; ++j)
      sum += at(j) * at(j) + at(j + lag) * at(j - lag) - 4 * at(lag) * at(j) * at(j - lag) +
             2 * at(lag) * at(lag) * at(j) * at(j);
    return std::sqrt(sum / pairs);
  }

 private:
  std::vector<double> values_;
};

bool is_nearly_even(const std::vector<double>& times) {
  const double usual = usual_interval(times);
  std::size_t off = 0;
  for (std::size_t i = 1; i < times.size(); ++i) {
    const double count = (times[i] - times[i - 1]) / usual;
    off += std::abs(count - std::round(count)) > most_jitter ? 1 : 0;
  }
  return times.size() > 2 && 20 * off <= times.size();  // one frame in twenty may be off the grid
}

/// Returns one component in the frames of the recording, filtered, in units of its noise; NaN where the window of the
/// filter contains a missing frame or a residual that is not noise.
std::vector<double> filtered_residuals(const TrackSamples& samples, int a, const std::vector<double>& filter) {
  const double usual = usual_interval(samples.times);
  const std::vector<double> x = samples.component(a);
  const std::size_t half = filter.size() / 2;
  std::vector<std::size_t> unbroken(x.size(), 1);  // number of consecutive samples without a gap up to this one
  for (std::size_t i = 1; i < x.size(); ++i)
    if (!std::isnan(x[i]) && !std::isnan(x[i - 1]) && samples.times[i] - samples.times[i - 1] < 1.5 * usual)
      unbroken[i] = unbroken[i - 1] + 1;
  std::vector<double> found(x.size(), NAN);
  for (std::size_t i = filter.size() - 1; i < x.size(); ++i) {
    if (unbroken[i] < filter.size()) continue;
    const std::size_t center = i - half;
    double sum = 0;
    for (std::size_t k = 0; k < filter.size(); ++k) sum += filter[k] * (x[i - k] - x[center]);
    found[center] = sum;
  }
  const double scale = robust_scale(found).sigma;
  constexpr double no_noise = 4;
  std::vector<double> clean = found;
  for (std::size_t i = 0; i < found.size(); ++i) {
    clean[i] /= scale;
    if (!(std::abs(found[i]) > no_noise * scale)) continue;
    for (std::size_t j = i > half ? i - half : 0; j <= std::min(i + half, found.size() - 1); ++j) clean[j] = NAN;
  }
  return clean;
}

/// A correlation that white noise does not have; lag 0: none.
struct Correlation {
  int lag = 0;
  double value = 0;
};

/// The components in which noise is visible.
class NoisyComponents {
 public:
  int order = 0;  ///< highest order of roughness of the members
  std::vector<std::pair<const TrackSamples*, int>> members;

  /// Returns the strongest correlation. It must remain after curves that follow faster motions are subtracted;
  /// otherwise it was motion.
  Correlation strongest() const {
    const std::vector<double> filter = filter_beside(order), faster = filter_beside(order + 2);
    const std::vector<std::vector<double>> residuals = residuals_beside(filter);
    const Correlation found = strongest_of(residuals, filter, significant, noticeable_correlation);
    if (found.lag == 0 || is_motion(residuals, filter)) return {};
    return strongest_of(residuals_beside(faster), faster, remaining, 0).lag == 0 ? Correlation() : found;
  }

 private:
  static std::vector<double> filter_beside(int smooth) { return residual_filter(3 + smooth / 2, smooth + 1); }

  std::vector<std::vector<double>> residuals_beside(const std::vector<double>& filter) const {
    std::vector<std::vector<double>> residuals;
    for (const auto& [samples, a] : members) residuals.push_back(filtered_residuals(*samples, a, filter));
    return residuals;
  }

  /// Returns the correlation that differs by the most standard errors from that of white noise, if by at least
  /// `least_errors` and `least_size`.
  static Correlation strongest_of(const std::vector<std::vector<double>>& residuals, const std::vector<double>& filter,
                                  double least_errors, double least_size) {
    Autocorrelations seen(most_lags);
    for (const std::vector<double>& one : residuals) seen.add(one);
    const WhiteAutocorrelations white(filter);
    Correlation found;
    for (int lag = 1; lag <= most_lags; ++lag) {
      const double pairs = seen.pairs(static_cast<std::size_t>(lag));
      if (pairs < least_pairs) continue;
      const double value = seen.at(static_cast<std::size_t>(lag)), off = std::abs(value - white.at(lag));
      if (off < least_errors * white.error(lag, pairs) || off < least_size) continue;
      least_errors = off / white.error(lag, pairs);
      found = {lag, value};
    }
    return found;
  }

  /// Whether residuals are correlated at lags at which only a motion is.
  static bool is_motion(const std::vector<std::vector<double>>& residuals, const std::vector<double>& filter) {
    Autocorrelations late(last_long_lag);
    for (const std::vector<double>& one : residuals) late.add(one);
    const WhiteAutocorrelations white(filter);
    for (int lag = first_long_lag; lag <= last_long_lag; ++lag) {
      const double pairs = late.pairs(static_cast<std::size_t>(lag));
      if (pairs < least_pairs) return false;
      if (std::abs(late.at(static_cast<std::size_t>(lag))) > beyond_filters * white.error(lag, pairs)) return true;
    }
    return false;
  }
};

}  // namespace

std::optional<Finding> find_correlated_noise(const Observation&, const std::vector<TrackSamples>& tracks) {
  NoisyComponents noisy;
  for (const TrackSamples& samples : tracks) {
    if (!is_nearly_even(samples.times)) continue;
    for (const int a : samples.components) {
      const Roughness& roughness = samples.roughness(a);
      if (!roughness.is_noise) continue;
      noisy.order = std::max(noisy.order, roughness.order);
      noisy.members.emplace_back(&samples, a);
    }
  }
  if (noisy.members.empty()) return {};
  const auto [lag, value] = noisy.strongest();
  if (lag == 0) return {};
  Finding finding;
  finding.kind = FindingKind::Correlated;
  finding.number = value;
  finding.sentence = formatted(
      "the noise is smoothed or correlated: what is left of the samples beside a smooth curve has a correlation of "
      "%.2g "
      "at a distance of %d frame%s, which independent noise has not",
      value, lag, lag == 1 ? "" : "s");
  return finding;
}

}  // namespace pithball::optim
