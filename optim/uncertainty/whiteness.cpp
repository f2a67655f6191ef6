#include "optim/uncertainty/whiteness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "optim/observation/observer.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// Residuals of one component of one marker: frame → r.
using Series = std::map<Index, double>;

constexpr Index most_lags = 10, samples_for_each_lag = 5;

/// Σ r_t r_{t+k} over pairs, and how many pairs there are.
struct LaggedSum {
  double product = 0, squared_difference = 0;
  Index pairs = 0;
};

LaggedSum sum_at_lag(const Series& series, Index lag) {
  LaggedSum sum;
  for (const auto& [frame, r] : series) {
    const auto later = series.find(frame + lag);
    if (later == series.end()) continue;
    sum.product += r * later->second;
    sum.squared_difference += (later->second - r) * (later->second - r);
    ++sum.pairs;
  }
  return sum;
}

Whiteness judge_series(const std::vector<const Series*>& all) {
  Whiteness w;
  double square = 0, product = 0, difference = 0;
  Index pairs = 0;
  for (const Series* series : all) {
    const Index n = series->size();
    double own_square = 0;
    for (const auto& [frame, r] : *series) own_square += r * r;
    w.samples += n;
    square += own_square;
    const LaggedSum next = sum_at_lag(*series, 1);
    product += next.product;
    difference += next.squared_difference;
    pairs += next.pairs;
    const Index lags = std::min(most_lags, n / samples_for_each_lag) / 2 * 2;
    if (lags < 2 || own_square == 0) continue;
    const double variance = own_square / n;
    for (Index k = 1; k <= lags; ++k) {
      const LaggedSum lagged = sum_at_lag(*series, k);
      if (lagged.pairs == 0) continue;  // nothing is known of this lag, and it still counts as a degree of freedom
      const double pairs_at_lag = lagged.pairs;
      const double rho = lagged.product / pairs_at_lag / variance;
      w.ljung_box += static_cast<double>(n + 2) / static_cast<double>(n) * pairs_at_lag * rho * rho;
    }
    w.degrees += lags;
  }
  if (w.degrees > 0) w.p_value = chi_square_tail(w.ljung_box, w.degrees);
  if (pairs == 0 || square == 0) return w;
  const double n = w.samples;
  w.lag_1 = product / pairs / (square / n);
  const auto adjacent =
      static_cast<double>(w.samples - static_cast<Index>(all.size()));  // pairs if nothing were missing
  w.durbin_watson = difference * adjacent / static_cast<double>(pairs) / square;
  const double rho = std::clamp(w.lag_1, 0.0, 1 - 1 / n);  // at least half a sample is left
  w.effective_samples = n * (1 - rho) / (1 + rho);
  return w;
}

}  // namespace

double Whiteness::error_factor() const { return effective_samples > 0 ? std::sqrt(samples / effective_samples) : 1; }

std::string RecordingWhiteness::warning() const {
  if (!all.is_coloured()) return "";
  char text[160];
  std::snprintf(text, sizeof text,
                "lag-1 autocorrelation %.2f, Ljung–Box p = %.1g; %lld residuals are worth about %.0f", all.lag_1,
                all.p_value, static_cast<long long>(all.samples), all.effective_samples);
  char factor[32];
  std::snprintf(factor, sizeof factor, "%.1f", all.error_factor());
  return recording + ": residuals are not independent from frame to frame (" + text +
         "), so that the model leaves something out, and standard errors are too small by a factor of about " + factor;
}

std::vector<RecordingWhiteness> compute_whiteness(const std::vector<diff::Scenario>& scenarios,
                                                  const std::vector<Observation>& observations, const Vector& r) {
  std::vector<RecordingWhiteness> result;
  Index first_row = 0;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const Observer observer(observations[s], scenarios[s], Part::Fit);
    if (observer.rows() == 0) continue;
    if (first_row + observer.rows() > r.size()) {
      first_row = -1;
      break;
    }
    const std::size_t M = observations[s].markers.size();
    std::vector<std::array<Series, 3>> series(M);
    for (const Observer::Sample& sample : observer.samples()) {
      Index row = first_row + sample.first_row;
      const Vec3 seen = observations[s].sight(sample.frame, sample.marker);
      for (std::size_t a = 0; a < 3; ++a)
        if (!std::isnan(seen[a])) series[sample.marker][a][sample.frame] = r[row++];
    }
    RecordingWhiteness whiteness{scenarios[s].name, {}, {}};
    std::vector<const Series*> all;
    for (const std::array<Series, 3>& components : series) {
      std::vector<const Series*> own;
      for (const Series& component : components)
        if (!component.empty()) own.push_back(&component);
      whiteness.markers.push_back(judge_series(own));
      all.insert(all.end(), own.begin(), own.end());
    }
    whiteness.all = judge_series(all);
    result.push_back(std::move(whiteness));
    first_row += observer.rows();
  }
  if (first_row != r.size())
    throw InvalidArgument({"", "whiteness", "the residual must have one entry for each observed coordinate",
                           std::to_string(r.size()), ""});
  return result;
}

double chi_square_tail(double x, long degrees) {
  if (degrees < 2 || degrees % 2 != 0 || !(x >= 0))
    throw InvalidArgument({"", "chi-square", "needs x >= 0 and an even number of degrees of freedom",
                           std::to_string(x) + ", " + std::to_string(degrees), ""});
  if (x == 0) return 1;
  // In logarithms about the largest term, since e^{−x/2} alone may be too small for a double.
  const long last = degrees / 2 - 1;
  const double half = x / 2, logarithm = std::log(half);
  const auto log_term = [&](long i) {
    return static_cast<double>(i) * logarithm - half - std::lgamma(static_cast<double>(i) + 1);
  };
  double sum = 0;
  for (long i = 0; i <= last; ++i) sum += std::exp(log_term(i));
  return std::min(1.0, sum);
}

}  // namespace pithball::optim
