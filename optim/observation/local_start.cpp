#include "optim/observation/local_start.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "optim/observation/track_noise.hpp"

namespace pithball::optim {
namespace {

constexpr int highest_period_order = 3;
/// Number of standard errors beyond which a sum of squares is not accidental: exceeded once in 30,000.
constexpr double beyond_chance = 4;

/// Mean square of the remainder of a motion after p differences.
struct Power {
  double square = 0, count = 0;
  double mean() const { return square / count; }
};

/// Computes the mean squares of the p-th differences over unbroken frames, for p from 1 on; for p = 0, the variance
/// about the mean over time.
std::array<Power, highest_period_order + 2> difference_powers(const Observation& o) {
  std::array<Power, highest_period_order + 2> powers;
  const double longest = 1.5 * usual_interval(o.times);
  for (Index m = 0; m < static_cast<Index>(o.markers.size()); ++m)
    for (int a = 0; a < 3; ++a) {
      std::vector<double> x;
      double sum = 0, seen = 0, square = 0;
      for (std::size_t f = 0; f < o.times.size(); ++f) {
        x.push_back(o.sight(f, m)[a]);
        if (std::isnan(x.back())) continue;
        sum += x.back();
        ++seen;
      }
      for (const double value : x)
        if (!std::isnan(value)) square += std::pow(value - sum / seen, 2);
      if (!(square > 0)) continue;  // a constant is not a motion
      powers[0].square += square;
      powers[0].count += seen - 1;
      for (std::size_t p = 1; p < powers.size(); ++p) {
        for (std::size_t f = 0; f + p < o.times.size(); ++f) {
          const bool follows = o.times[f + p] - o.times[f + p - 1] <= longest;
          x[f] = follows ? x[f + 1] - x[f] : NAN;
          if (std::isnan(x[f])) continue;
          powers[p].square += x[f] * x[f];
          ++powers[p].count;
        }
      }
    }
  return powers;
}

/// One component of a marker in the window.
struct Series {
  std::vector<double> times, samples;  ///< simulated [s], in the model's frame [m]
  double sigma = 0;                    ///< [m]
};

/// A polynomial through a series, in powers of t/span.
struct LocalPolynomial {
  Vector coefficients;
  Eigen::MatrixXd inverse;  ///< (BᵀB)⁻¹
  Vector next;              ///< effect of a term (t/span)^{d+1} on the coefficients
  double square = 0;        ///< Σ residual²/sigma²
};

/// Factorizes B, whose columns are powers of numbers up to 1. Empty if there are too few samples.
std::optional<LocalPolynomial> fit_polynomial(const Series& series, int degree, double span) {
  const auto n = static_cast<Index>(series.times.size()), terms = static_cast<Index>(degree) + 1;
  if (degree < 1 || n < terms) return {};
  Eigen::MatrixXd B(n, terms);
  Vector next(n);
  for (Index k = 0; k < n; ++k) {
    const double t = series.times[k] / span;
    B(k, 0) = 1;
    for (Index d = 1; d < terms; ++d) B(k, d) = B(k, d - 1) * t;
    next[k] = B(k, terms - 1) * t;
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> factors(B);
  // Relative to the first sample, so that a body far from the origin loses no digits.
  const Vector x = Eigen::Map<const Vector>(series.samples.data(), n).array() - series.samples.front();
  LocalPolynomial found;
  found.coefficients = factors.solve(x);
  found.next = factors.solve(next);
  found.square = (x - B * found.coefficients).squaredNorm() / (series.sigma * series.sigma);
  found.coefficients[0] += series.samples.front();
  const Eigen::MatrixXd R = factors.matrixQR().topRows(terms).triangularView<Eigen::Upper>();
  const Eigen::MatrixXd inverse =
      R.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd(Eigen::MatrixXd::Identity(terms, terms)));
  found.inverse = inverse * inverse.transpose();
  return found;
}

/// Returns the RMS of sigma over all markers and components [m].
double mean_sigma(const Observation& o) {
  double square = 0;
  for (Index m = 0; m < static_cast<Index>(o.markers.size()); ++m)
    for (int a = 0; a < 3; ++a) square += std::pow(o.noise.component_sigma(m, a), 2);
  return std::sqrt(square / (3 * static_cast<double>(o.markers.size())));
}

/// Returns the factor by which the scatter of the recording exceeds its given sigma, at least 1: a start with too small
/// an error would spoil a fit, whereas too small a sigma only affects the weight of the recording.
double scatter_over_sigma(const Observation& o, double sigma) {
  const TrackNoise noise = estimate_track_noise("", o);
  const double scatter = std::max(noise.all.scatter, noise.all.sigma);  // including outliers
  return noise.is_seen() && scatter > sigma ? scatter / sigma : 1;
}

/// Returns the number of frames from which starts may be taken: not those of the forecast, unless there are no others.
Index usable_frames(const Observation& o) {
  Index count = 0;
  while (count < static_cast<Index>(o.times.size()) && !o.is_validation(static_cast<std::size_t>(count))) ++count;
  return count > 0 ? count : static_cast<Index>(o.times.size());
}

/// Collects all components of all markers in the first frames, three for each marker.
std::vector<Series> window_of(const Observation& o, Index frames, double scale) {
  std::vector<Series> all;
  const sim::Mat3 R = o.recording_frame.scale() * o.recording_frame.rotation_matrix();
  for (Index m = 0; m < static_cast<Index>(o.markers.size()); ++m)
    for (int a = 0; a < 3; ++a) {
      Series& series = all.emplace_back();
      for (int b = 0; b < 3; ++b)
        series.sigma = std::hypot(series.sigma, R(a, b) * scale * o.noise.component_sigma(m, b));
      for (std::size_t f = 0; f < static_cast<std::size_t>(frames); ++f) {
        const double sample = o.recording_frame.to_model(o.sight(f, m))[a];
        if (std::isnan(sample)) continue;
        series.times.push_back(o.simulated_time(f));
        series.samples.push_back(sample);
      }
    }
  return all;
}

/// Polynomials of one window; empty for components that were not recorded.
struct Window {
  Index frames = 0;
  int degree = 0;
  double span = 0;
  std::vector<Series> series;
  std::vector<std::optional<LocalPolynomial>> polynomials;

  Window(const Observation& o, Index n, double scale)
      : frames(n),
        degree(static_cast<int>(std::min<Index>(3, n - 1))),
        span(o.simulated_time(static_cast<std::size_t>(n) - 1)),
        series(window_of(o, n, scale)) {
    for (const Series& one : series) polynomials.push_back(fit_polynomial(one, degree, span));
  }
  /// Whether the noise explains the residuals.
  bool is_explained() const {
    double square = 0, degrees = 0;
    for (std::size_t k = 0; k < series.size(); ++k) {
      if (!polynomials[k]) continue;
      square += polynomials[k]->square;
      degrees += static_cast<double>(series[k].times.size()) - degree - 1;
    }
    return degrees == 0 || square <= degrees + beyond_chance * std::sqrt(2 * degrees);
  }
  /// Returns c² of the omitted term of the next order [m²].
  double left_out(double period) const {
    const double next = 2 * std::numbers::pi / period * span / (degree + 1);
    return highest_power() * next * next;
  }
  /// Whether the omitted term exceeds a third of the noise in positions or velocities: it may be the same for all
  /// markers of a body, whereas noise averages out.
  bool leaves_out_much(double period) const {
    const double c_2 = left_out(period);
    for (std::size_t k = 0; k < series.size(); ++k) {
      if (!polynomials[k]) continue;
      const Vector noise = series[k].sigma * series[k].sigma * polynomials[k]->inverse.diagonal();
      for (Index d = 0; d < 2; ++d)
        if (c_2 * std::pow(polynomials[k]->next[d], 2) > noise[d] / 9) return true;
    }
    return false;
  }
  /// Returns c_d² minus the contribution of the noise, in units of (t/span)^d [m²].
  double highest_power() const {
    double sum = 0, count = 0;
    for (std::size_t k = 0; k < series.size(); ++k) {
      if (!polynomials[k]) continue;
      const double c = polynomials[k]->coefficients[degree];
      sum += c * c - series[k].sigma * series[k].sigma * polynomials[k]->inverse(degree, degree);
      ++count;
    }
    return count > 0 ? std::max(0.0, sum / count) : 0;
  }
};

Window choose_window(const Observation& o, double period, double scale) {
  const Index usable = std::min(usable_frames(o), most_start_frames), least = std::min(least_start_frames, usable);
  Index frames = least;
  while (frames < usable && o.simulated_time(static_cast<std::size_t>(frames)) <= period / 4) ++frames;
  Window window(o, frames, scale);
  while (window.frames > least && (!window.is_explained() || window.leaves_out_much(period)))
    window = Window(o, std::max(least, window.frames * 4 / 5), scale);
  return window;
}

}  // namespace

Eigen::Vector2d LocalStart::weak_deviation(int component) const {
  const auto n = static_cast<double>(samples[component]);
  return (2 * n * covariance[component].diagonal()).cwiseSqrt();
}

Eigen::Matrix2d LocalStart::error_root(int component) const {
  const Eigen::Matrix2d& of = covariance[component];
  Eigen::Matrix2d root = Eigen::Matrix2d::Zero();
  if (!(of(0, 0) > 0)) {
    root(1, 1) = std::sqrt(std::max(0.0, of(1, 1)));
    return root;
  }
  root(0, 0) = std::sqrt(of(0, 0));
  root(1, 0) = of(1, 0) / root(0, 0);
  root(1, 1) = std::sqrt(std::max(0.0, of(1, 1) - root(1, 0) * root(1, 0)));
  return root;
}

double shortest_period(const Observation& o, double sigma) {
  const auto powers = difference_powers(o);
  const auto noise = [&](int p) { return p == 0 ? sigma * sigma : binomial(2 * p, p) * sigma * sigma; };
  // The degrees of freedom of differences that share frames are derived in track_noise.hpp.
  const auto degrees = [&](int p) {
    return powers[p].count * std::pow(binomial(2 * p, p), 2) / binomial(4 * p, 2 * p);
  };
  const double h = usual_interval(o.times);
  // The first differences of independent noise have twice its variance; anything that reverses faster is not noise,
  // even if its higher differences decrease as little.
  if (powers[1].count > 0 && powers[1].mean() > 2 * (1 + beyond_chance * std::sqrt(2 / degrees(1))) * powers[0].mean())
    return std::numbers::pi * h / std::asin(std::sqrt(std::min(1.0, powers[1].mean() / powers[0].mean() / 4)));
  for (int p = highest_period_order; p >= 0; --p) {
    const Power &lower = powers[p], &upper = powers[p + 1];
    if (lower.count == 0 || upper.count == 0) continue;
    const double below = lower.mean() - noise(p), above = upper.mean() - noise(p + 1);
    if (!(below > 0 && above > beyond_chance * std::sqrt(2 / degrees(p + 1)) * noise(p + 1))) continue;
    // No frequency has a ratio above 4: a period has at least two frames.
    return std::numbers::pi * h / std::asin(std::sqrt(std::min(1.0, above / below / 4)));
  }
  return std::numeric_limits<double>::infinity();
}

LocalStarts fit_local_starts(const Observation& o) {
  LocalStarts starts;
  const double sigma = mean_sigma(o), scale = scatter_over_sigma(o, sigma);
  starts.shortest_period = shortest_period(o, scale * sigma) * o.recording_frame.clock_scale;
  const Window window = choose_window(o, starts.shortest_period, scale);
  starts.frames = window.frames;
  starts.degree = window.degree;
  starts.span = window.span;
  const double left_out = window.left_out(starts.shortest_period);
  const Eigen::Vector2d unit(1, 1 / window.span);  // v = c_1/span
  for (std::size_t m = 0; m < o.markers.size(); ++m) {
    LocalStart& start = starts.markers.emplace_back();
    for (std::size_t a = 0; a < 3; ++a) {
      const std::optional<LocalPolynomial>& found = window.polynomials[3 * m + a];
      const Series& series = window.series[3 * m + a];
      start.samples[a] = static_cast<Index>(series.times.size());
      if (!found) continue;
      start.x[a] = found->coefficients[0];
      start.v[a] = found->coefficients[1] / window.span;
      const Eigen::Vector2d bias = unit.cwiseProduct(found->next.head<2>());
      const Eigen::Matrix2d noise = unit.asDiagonal() * found->inverse.topLeftCorner<2, 2>() * unit.asDiagonal();
      start.covariance[a] = series.sigma * series.sigma * noise + left_out * bias * bias.transpose();
    }
  }
  return starts;
}

}  // namespace pithball::optim
