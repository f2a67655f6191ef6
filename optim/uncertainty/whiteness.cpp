#include "optim/uncertainty/whiteness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "optim/observation/measurement_model.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Residuals of one component of one marker: frame → r.
using Series = std::map<Index, double>;

constexpr Index most_lags = 10, samples_for_each_lag = 5;
/// For white normal residuals, Q has a larger variance than χ², by a factor of about 1 + 1.4 h/n: 1.26 at n = 51 and h
/// = 10, 1.11 at 140, 1.04 at 400 (from 60,000 series each). Uncorrected, false alarms at p = 1e-3 are five times too
/// frequent.
constexpr double short_series = 1.4;

/// Σ r_t r_{t+k} over pairs, and how many pairs there are.
struct LaggedSum {
  double product = 0, squared_product = 0, squared_difference = 0;
  Index pairs = 0;
};

LaggedSum sum_at_lag(const Series& series, Index lag) {
  LaggedSum sum;
  for (const auto& [frame, r] : series) {
    const auto later = series.find(frame + lag);
    if (later == series.end()) continue;
    sum.product += r * later->second;
    sum.squared_product += r * r * later->second * later->second;
    sum.squared_difference += (later->second - r) * (later->second - r);
    ++sum.pairs;
  }
  return sum;
}

/// `fitted` is the number of values fitted to these series. Fitting leaves autocorrelations down to −fitted/n in white
/// noise, at lags shorter than the time scale of the fitted effects. These do not indicate color, so a negative
/// autocorrelation counts only beyond that limit.
Whiteness judge_series(const std::vector<const Series*>& all, Index fitted) {
  Whiteness w;
  for (const Series* series : all) w.samples += static_cast<Index>(series->size());
  const double removed = w.samples > 0 ? static_cast<double>(fitted) / static_cast<double>(w.samples) : 0;
  double square = 0, product = 0, squared_product = 0, difference = 0, excess_variance = 0;
  Index pairs = 0;
  for (const Series* series : all) {
    const Index n = series->size();
    double own_square = 0;
    for (const auto& [frame, r] : *series) own_square += r * r;
    square += own_square;
    const LaggedSum next = sum_at_lag(*series, 1);
    product += next.product;
    squared_product += next.squared_product;
    difference += next.squared_difference;
    pairs += next.pairs;
    const Index lags = std::min(most_lags, n / samples_for_each_lag) / 2 * 2;
    if (lags < 2 || own_square == 0) continue;
    const double variance = own_square / n;
    for (Index k = 1; k <= lags; ++k) {
      const LaggedSum lagged = sum_at_lag(*series, k);
      if (lagged.pairs == 0) continue;  // this lag is unknown, but still counts as a degree of freedom
      const double pairs_at_lag = lagged.pairs;
      double rho = lagged.product / pairs_at_lag / variance;
      if (rho < 0) rho = std::min(0.0, rho + removed);
      w.ljung_box += static_cast<double>(n + 2) / static_cast<double>(n) * pairs_at_lag * rho * rho;
    }
    w.degrees += static_cast<long>(lags);
    excess_variance += short_series * static_cast<double>(lags * lags) / static_cast<double>(n);
  }
  if (w.degrees > 0) excess_variance /= static_cast<double>(w.degrees);
  if (removed >= 1) w.degrees = 0;  // with as many values as samples, nothing is left to judge
  if (w.degrees > 0) {
    const auto mean = static_cast<double>(w.degrees);
    const double standard = mean + (w.ljung_box - mean) / std::sqrt(1 + excess_variance);
    w.p_value = chi_square_tail(std::max(0.0, standard), w.degrees);
  }
  if (pairs == 0 || square == 0) return w;
  const double n = w.samples;
  w.serial_z = product / std::sqrt(squared_product);
  w.lag_1 = product / pairs / (square / n);
  const auto adjacent =
      static_cast<double>(w.samples - static_cast<Index>(all.size()));  // pairs if no frame were missing
  w.durbin_watson = difference * adjacent / static_cast<double>(pairs) / square;
  const double rho = std::clamp(w.lag_1, 0.0, 1 - 1 / n);  // at least half a sample remains
  w.effective_samples = n * (1 - rho) / (1 + rho);
  return w;
}

}  // namespace

double Whiteness::error_factor() const { return effective_samples > 0 ? std::sqrt(samples / effective_samples) : 1; }

double MarkerCorrelation::error_factor(Index markers) const {
  return std::sqrt(1 + static_cast<double>(markers - 1) * std::max(0.0, mean));
}

double RecordingWhiteness::shared_scatter() const {
  if (between.pairs == 0 || fitted_markers < 2) return 1;
  return 1 + static_cast<double>(fitted_markers - 1) * between.mean * between.mean;
}

double RecordingWhiteness::effective_part() const {
  const double in_time = all.effective_samples > 0 ? all.effective_samples / static_cast<double>(all.samples) : 1;
  return in_time / shared_scatter();
}

std::vector<std::string> RecordingWhiteness::warnings() const {
  std::vector<std::string> said;
  if (all.is_colored()) {
    said.push_back(
        recording +
        formatted(": residuals are not independent from frame to frame (lag-1 autocorrelation %.2f, Ljung–Box p = "
                  "%.1g; effective sample size about %.0f of %lld): %sautocorrelated noise or an incomplete model",
                  all.lag_1, all.p_value, all.effective_samples, static_cast<long long>(all.samples),
                  holds_error ? "the error of the fixed initial state or placement, " : ""));
    if (all.error_factor() > 1.1)
      said.back() += formatted("; formal standard errors are too small by a factor of about %.1f", all.error_factor());
  }
  if (between.is_common()) {
    said.push_back(recording +
                   formatted(": residuals are not independent from marker to marker (mean correlation %.2f of %lld "
                             "pairs, p = %.1g): noise common to several markers, for example from a shaking camera, or "
                             "an incomplete model; formal standard errors are too small by a factor of up to %.1f",
                             between.mean, static_cast<long long>(between.pairs), between.p_value,
                             between.error_factor(fitted_markers)));
  }
  return said;
}

namespace {

/// If there are more markers, only this many, evenly chosen, enter the pairs: a mean of thousands of correlations is
/// accurate enough.
constexpr std::size_t most_markers = 60;

/// The fitted series of one recording.
using MarkerSeries = std::vector<std::array<Series, 3>>;

/// Adds the correlation of two series to `sum`.
void add_pair(const Series& a, const Series& b, MarkerCorrelation& sum) {
  double product = 0, square_a = 0, square_b = 0, n = 0;
  auto in_b = b.begin();
  for (const auto& [frame, r] : a) {
    while (in_b != b.end() && in_b->first < frame) ++in_b;
    if (in_b == b.end()) break;
    if (in_b->first != frame) continue;
    product += r * in_b->second;
    square_a += r * r;
    square_b += in_b->second * in_b->second;
    ++n;
  }
  if (n < 2 || square_a == 0 || square_b == 0) return;
  const double rho = product / std::sqrt(square_a * square_b);
  ++sum.pairs;
  sum.mean += rho;
  sum.statistic += 1 + (n * rho * rho - 1) * std::sqrt((n + 2) / (n - 1));
}

MarkerCorrelation judge_markers(const MarkerSeries& series, double lag_1, Index fitted) {
  std::vector<const std::array<Series, 3>*> chosen;
  for (const std::array<Series, 3>& marker : series)
    if (std::ranges::any_of(marker, [](const Series& s) { return !s.empty(); })) chosen.push_back(&marker);
  if (const std::size_t count = chosen.size(); count > most_markers) {
    for (std::size_t k = 0; k < most_markers; ++k) chosen[k] = chosen[k * count / most_markers];
    chosen.resize(most_markers);
  }
  MarkerCorrelation between;
  between.mean = 0;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t i = 0; i < chosen.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) add_pair((*chosen[i])[a], (*chosen[j])[a], between);
  if (between.pairs == 0) return {};
  const auto pairs = static_cast<double>(between.pairs);
  between.mean /= pairs;
  const double rho = std::isnan(lag_1) ? 0 : std::clamp(lag_1, -0.99, 0.99);
  const double excess = (between.statistic - pairs) - static_cast<double>(fitted);
  // Correlation in time increases ρ̂² on average; the excess over that is common to the markers.
  between.statistic = std::max(0.0, (pairs + excess) * (1 - rho * rho) / (1 + rho * rho));
  between.p_value = chi_square_tail(between.statistic, static_cast<long>(between.pairs));
  return between;
}

/// Sorts the fitted residuals of one recording by marker, component and frame.
MarkerSeries sort_series(const MeasurementModel& measurement, const Observation& observation, const Vector& r,
                         Index first_row) {
  MarkerSeries series(observation.markers.size());
  for (const MeasurementModel::Sample& sample : measurement.samples()) {
    Index row = first_row + sample.first_row;
    const Vec3 seen = observation.sight(static_cast<std::size_t>(sample.frame), sample.marker);
    for (std::size_t a = 0; a < 3; ++a)
      if (!std::isnan(seen[a])) series[sample.marker][a][sample.frame] = r[row++];
  }
  return series;
}

/// Returns ρ̂_1 of the first and of the second half of the frames.
std::array<double, 2> lag_1_of_halves(const std::vector<const Series*>& all) {
  Index first = std::numeric_limits<Index>::max(), last = 0;
  for (const Series* series : all) {
    first = std::min(first, series->begin()->first);
    last = std::max(last, series->rbegin()->first);
  }
  const Index middle = first + (last - first + 1) / 2;
  struct Half {
    double square = 0, product = 0;
    Index samples = 0, pairs = 0;
  };
  std::array<Half, 2> halves;
  for (const Series* series : all)
    for (auto at = series->begin(); at != series->end(); ++at) {
      Half& half = halves[at->first < middle ? 0 : 1];
      half.square += at->second * at->second;
      ++half.samples;
      const auto next = std::next(at);
      if (next == series->end() || next->first != at->first + 1 || next->first == middle) continue;
      half.product += at->second * next->second;
      ++half.pairs;
    }
  std::array<double, 2> found;
  for (std::size_t k = 0; k < found.size(); ++k)
    found[k] = halves[k].product / static_cast<double>(halves[k].pairs) /
               (halves[k].square / static_cast<double>(halves[k].samples));
  return found;
}

RecordingWhiteness judge_recording(const std::string& name, const MarkerSeries& series, const FittedCount& fitted) {
  RecordingWhiteness whiteness;
  whiteness.recording = name;
  std::vector<const Series*> all;
  for (const std::array<Series, 3>& components : series) {
    std::vector<const Series*> own;
    for (const Series& component : components)
      if (!component.empty()) own.push_back(&component);
    if (!own.empty()) ++whiteness.fitted_markers;
    whiteness.markers.push_back(judge_series(own, 0));
    all.insert(all.end(), own.begin(), own.end());
  }
  whiteness.series = static_cast<Index>(all.size());
  whiteness.all = judge_series(all, fitted.alone);
  whiteness.lag_1_of_halves = lag_1_of_halves(all);
  whiteness.between = judge_markers(series, whiteness.all.lag_1, fitted.acting);
  return whiteness;
}

}  // namespace

std::vector<RecordingWhiteness> compute_whiteness(const std::vector<diff::Scenario>& scenarios,
                                                  const std::vector<Observation>& observations, const Vector& r,
                                                  const std::vector<FittedCount>& fitted) {
  std::vector<RecordingWhiteness> result;
  Index first_row = 0;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const MeasurementModel measurement(observations[s], scenarios[s], Part::Fit);
    if (measurement.rows() == 0) continue;
    if (first_row + measurement.rows() > r.size()) {
      first_row = -1;
      break;
    }
    const MarkerSeries series = sort_series(measurement, observations[s], r, first_row);
    result.push_back(judge_recording(scenarios[s].name, series, fitted.empty() ? FittedCount{} : fitted[s]));
    first_row += measurement.rows();
  }
  if (first_row != r.size())
    throw InvalidArgument({"", "whiteness", "the residual must have one entry for each observed coordinate",
                           std::to_string(r.size()), ""});
  share_alarm(result);
  return result;
}

void share_alarm(std::vector<RecordingWhiteness>& recordings) {
  for (RecordingWhiteness& recording : recordings) {
    const double level = whiteness_alarm / static_cast<double>(recordings.size());
    recording.all.alarm_level = recording.between.alarm_level = level;
    for (Whiteness& marker : recording.markers) marker.alarm_level = level;
  }
}

std::vector<FittedCount> count_fitted(const ParameterMap& map) {
  const auto scenarios = static_cast<Index>(map.scenarios().size());
  std::vector<int> acts_on(static_cast<std::size_t>(map.size()), 0);
  for (Index s = 0; s < scenarios; ++s)
    for (const Index k : map.active(s)) ++acts_on[k];
  std::vector<FittedCount> counts;
  for (Index s = 0; s < scenarios; ++s) {
    FittedCount count;
    for (const Index k : map.active(s)) {
      ++count.acting;
      if (acts_on[k] == 1) ++count.alone;
    }
    counts.push_back(count);
  }
  return counts;
}

double chi_square_tail(double x, long degrees) {
  if (degrees < 1 || !(x >= 0))
    throw InvalidArgument({"", "chi-square", "needs x >= 0 and at least one degree of freedom",
                           std::to_string(x) + ", " + std::to_string(degrees), ""});
  if (x == 0) return 1;
  // In logarithms, since e^{−x/2} alone may be too small for a double.
  const double half = x / 2, logarithm = std::log(half), part = degrees % 2 == 0 ? 0 : 0.5;
  double sum = degrees % 2 == 0 ? 0 : std::erfc(std::sqrt(half));
  for (double i = part; i < static_cast<double>(degrees) / 2 - 0.25; ++i)
    sum += std::exp(i * logarithm - half - std::lgamma(i + 1));
  return std::min(1.0, sum);
}

void fields(FieldVisitor& v, Whiteness& w) {
  v.is("Whiteness", "whether residuals are independent from frame to frame");
  v("samples", w.samples, "number of residuals");
  v("lag_1", w.lag_1, "autocorrelation from frame to frame");
  v("durbin_watson", w.durbin_watson, "Durbin and Watson's d, near 2 for independent residuals");
  v("ljung_box", w.ljung_box, "Ljung and Box's Q");
  v("degrees", w.degrees, "degrees of freedom of Q; 0: the series is too short");
  v("p_value", value_if(w.degrees > 0, w.p_value), "probability of a larger Q; null: no degrees of freedom");
  v("serial_z", w.serial_z, "standardized product of residuals of neighboring frames; null: no pair of frames");
  v("effective_samples", w.effective_samples, "number of independent residuals with the same information");
  v.computed(
      "colored", [&] { return w.is_colored(); }, "whether they are significantly correlated");
}

void fields(FieldVisitor& v, MarkerCorrelation& between) {
  v.is("MarkerCorrelation", "whether residuals of different markers are correlated");
  v("pairs", between.pairs, "number of pairs of coordinates that could be compared");
  v("mean_correlation", between.mean, "mean of their correlations");
  v("statistic", between.statistic, "Breusch and Pagan's statistic");
  v("p_value", value_if(between.pairs > 0, between.p_value), "probability of a larger statistic; null: no pairs");
  v.computed(
      "common", [&] { return between.is_common(); }, "whether they are significantly correlated");
}

void fields(FieldVisitor& v, RecordingWhiteness& recording) {
  v.is("RecordingWhiteness", "whether the residuals of one recording are independent");
  v("recording", recording.recording, "as in the experiment file");
  v("all", recording.all, "over all its components");
  v("markers", recording.markers, "by marker; without samples where it is not fitted");
  v("between", recording.between, "between its markers");
}

namespace {

constexpr double unseen = std::numeric_limits<double>::quiet_NaN();

/// Returns the rows of sample j: its components.
Eigen::Ref<Vector> rows_of(const MeasurementModel& measurement, std::size_t j, Vector& r) {
  const auto& samples = measurement.samples();
  const Index first = samples[j].first_row, end = j + 1 < samples.size() ? samples[j + 1].first_row : r.size();
  return r.segment(first, end - first);
}

/// Returns the indices of the samples of one recording that the loss downweights by more than half; none if these are
/// at least half of all samples.
std::vector<std::size_t> find_outliers(const MeasurementModel& measurement, Vector& r, const RobustLoss& loss) {
  std::vector<std::size_t> outliers;
  const std::size_t samples = measurement.samples().size();
  for (std::size_t j = 0; j < samples; ++j)
    if (loss.derivative(rows_of(measurement, j, r).squaredNorm()) < 0.5) outliers.push_back(j);
  if (2 * outliers.size() >= samples) outliers.clear();
  return outliers;
}

}  // namespace

KeptSamples keep_samples(const std::vector<diff::Scenario>& scenarios, const std::vector<Observation>& observations,
                         const Vector& r, const RobustLoss& loss) {
  KeptSamples kept{observations, r};
  if (!loss.is_robust()) return kept;
  std::vector<double> rows;
  Index first_row = 0;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const MeasurementModel measurement(observations[s], scenarios[s], Part::Fit);
    Vector own = r.segment(first_row, measurement.rows());
    first_row += measurement.rows();
    for (const std::size_t j : find_outliers(measurement, own, loss)) {
      const MeasurementModel::Sample& sample = measurement.samples()[j];
      rows_of(measurement, j, own).setConstant(unseen);
      kept.observations[s].positions[sample.frame].col(sample.marker).setConstant(unseen);
    }
    for (const double value : own)
      if (!std::isnan(value)) rows.push_back(value);
  }
  kept.r = Eigen::Map<const Vector>(rows.data(), static_cast<Index>(rows.size()));
  return kept;
}

}  // namespace pithball::optim
