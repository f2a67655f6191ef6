#include "optim/uncertainty/autocorrelation.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/uncertainty/significance.hpp"
#include "sim/core/counter_noise.hpp"

namespace pithball::optim {
namespace {

/// A column counts as dependent if less than this fraction of it is unexplained by the others, which is rounding error.
constexpr double dependent_part = 1e-8;
/// Number of values of ρ at which the likelihood is computed, from 0 to just below 1.
constexpr Index tried_correlations = 100;
/// Largest lag, in frames, whose correlation is estimated on its own, and the largest ρ.
constexpr Index longest_lag = 4;
constexpr double most_correlation = 0.99;

/// The products of filtered columns as a polynomial in ρ, A − ρ B + ρ² C.
class FilteredProducts {
 public:
  explicit FilteredProducts(const LinearRows& rows) {
    const Eigen::MatrixXd& columns = rows.columns;
    Eigen::MatrixXd before = Eigen::MatrixXd::Zero(columns.rows(), columns.cols()), starts = before;
    for (Index t = 0; t < columns.rows(); ++t) {
      if (rows.previous[t] >= 0) {
        before.row(t) = columns.row(rows.previous[t]);
      } else {
        starts.row(t) = columns.row(t);
        ++series_;
      }
    }
    at_0_ = columns.transpose() * columns;
    const Eigen::MatrixXd crossed = columns.transpose() * before;
    linear_ = crossed + crossed.transpose();
    square_ = before.transpose() * before - starts.transpose() * starts;
    free_ = static_cast<double>(columns.rows() - columns.cols() + 1);
  }

  /// The contribution of these rows to the restricted likelihood of ρ.
  struct Part {
    double rest = 0;         ///< squared length of the filtered residuals that columns do not explain
    double free = 0;         ///< its degrees of freedom
    double information = 0;  ///< log of the determinant of the columns' products, less that of the starts' weights
    bool ok = false;
  };
  Part at(double rho) const {
    const Eigen::MatrixXd all = at_0_ - rho * linear_ + rho * rho * square_;
    const Index q = all.cols() - 1;
    const Eigen::LLT<Eigen::MatrixXd> root(all.topLeftCorner(q, q));
    const Vector part = all.col(q).head(q);
    if (q > 0 && root.info() != Eigen::Success) return {};
    const double information = 2 * root.matrixLLT().diagonal().array().log().sum() - series_ * std::log(1 - rho * rho);
    return {all(q, q) - part.dot(root.solve(part)), free_, information, true};
  }

 private:
  Eigen::MatrixXd at_0_, linear_, square_;
  double free_ = 0, series_ = 0;  // degrees of freedom in addition to the columns, and uninterrupted series
};

/// Returns −2 × the logarithm of the restricted likelihood of ρ; NaN if it is not determined.
double restricted_deviance(const std::vector<FilteredProducts>& parts, double rho) {
  FilteredProducts::Part sum;
  for (const FilteredProducts& products : parts) {
    const FilteredProducts::Part part = products.at(rho);
    if (!part.ok) return std::numeric_limits<double>::quiet_NaN();
    sum.rest += part.rest;
    sum.free += part.free;
    sum.information += part.information;
  }
  if (!(sum.rest > 0)) return std::numeric_limits<double>::quiet_NaN();
  return sum.free * std::log(sum.rest) + sum.information;
}

/// Returns the ρ with the largest restricted likelihood.
double find_likeliest(const std::vector<LinearRows>& parts) {
  const std::vector<FilteredProducts> products(parts.begin(), parts.end());
  double best = 0, least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < tried_correlations; ++i) {
    const double rho = static_cast<double>(i) / static_cast<double>(tried_correlations);
    const double deviance = restricted_deviance(products, rho);
    if (!(deviance < least)) continue;
    least = deviance;
    best = rho;
  }
  return best;
}

}  // namespace

Eigen::MatrixXd independent_basis(const Eigen::MatrixXd& columns) {
  if (columns.size() == 0) return Eigen::MatrixXd(columns.rows(), 0);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
  qr.setThreshold(dependent_part);
  qr.compute(columns);
  return qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), qr.rank());
}

Eigen::MatrixXd filter_rows(const std::vector<Index>& previous, const Eigen::MatrixXd& rows, double rho) {
  Eigen::MatrixXd filtered = rows;
  for (Index t = 0; t < rows.rows(); ++t) {
    const Index before = previous[t];
    if (before < 0)
      filtered.row(t) *= std::sqrt(1 - rho * rho);
    else
      filtered.row(t) -= rho * rows.row(before);
  }
  return filtered;
}

double upper_autocorrelation(std::vector<LinearRows> parts, Index frames) {
  // The error of an estimate from a single series of white noise.
  const double error = 1 / std::sqrt(static_cast<double>(frames));
  double largest = 0;
  for (Index lag = 1; lag <= longest_lag; lag *= 2) {
    const double rho = find_likeliest(parts);
    if (lag == 1 || rho > 2 * error) largest = std::max(largest, std::pow(rho, 1 / static_cast<double>(lag)));
    for (LinearRows& part : parts) {
      const std::vector<Index> earlier = part.previous;
      for (Index& row : part.previous)
        if (row >= 0) row = earlier[row];
    }
  }
  return std::min(most_correlation, largest + std::sqrt(1 - largest * largest) * error);
}

namespace {

/// Streams of random numbers for one seed.
enum ResampledBy : std::uint64_t { Signs = 301, Offsets };

/// Degrees of freedom at which Student's t is the normal distribution.
constexpr long normal_degrees = 1'000'000'000;

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

double normal_quantile(double probability) {
  return probability < 0.5 ? -one_sided_quantile(1 - probability, normal_degrees)
                           : one_sided_quantile(probability, normal_degrees);
}

/// The quantile of sorted draws, where the i-th of n stands for (i + ½)/n.
double quantile_of(const std::vector<double>& sorted, double probability) {
  const double at =
      std::clamp(probability * static_cast<double>(sorted.size()) - 0.5, 0.0, static_cast<double>(sorted.size() - 1));
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - std::floor(at)) * (sorted[above] - sorted[below]);
}

/// Returns the variance of the mean of an autoregression over a block of this length, relative to that of independent
/// numbers.
double block_variance(double rho, Index length) {
  double sum = 1, power = 1;
  for (Index j = 1; j < length; ++j) {
    power *= rho;
    sum += 2 * (1 - static_cast<double>(j) / static_cast<double>(length)) * power;
  }
  return sum;
}

}  // namespace

Index block_length(double autocorrelation, Index frames) {
  const double rho = autocorrelation, F = static_cast<double>(frames);
  const double best = std::cbrt(std::pow(2 * rho / (1 - rho * rho), 2) * F);
  return std::max<Index>(1, static_cast<Index>(std::lround(std::min(best, F / 8))));
}

BlockSigns::BlockSigns(const RowOrder& order, double autocorrelation) : order_(order) {
  std::vector<Index> frames(order.recordings.size(), 0);
  for (const FrameRows& frame : order.frames) frame_.push_back(frames[frame.recording]++);
  double wanted = 0, made = 0;
  for (const Index count : frames) {
    length_.push_back(block_length(autocorrelation, count));
    wanted += static_cast<double>(count) * (1 + autocorrelation) / (1 - autocorrelation);
    made += static_cast<double>(count) * block_variance(autocorrelation, length_.back());
  }
  if (made > 0) stretch_ = std::sqrt(wanted / made);
}

Vector BlockSigns::resample(const Vector& r, std::uint64_t seed, Index draw) const {
  const sim::CounterNoise signs(seed, Signs), offsets(seed, Offsets);
  Vector drawn = stretch_ * r;
  for (std::size_t f = 0; f < order_.frames.size(); ++f) {
    const FrameRows& frame = order_.frames[f];
    const Index length = length_[frame.recording];
    const auto offset = static_cast<Index>(offsets.uniform(draw, frame.recording) * static_cast<double>(length));
    const Index block = (frame_[f] + offset) / length;
    if (signs.uniform(draw, frame.recording, block) < 0.5) drawn.segment(frame.first, frame.end - frame.first) *= -1;
  }
  return drawn;
}

PercentileEnds percentile_interval(std::vector<double> draws, double estimate, double confidence) {
  std::sort(draws.begin(), draws.end());
  const auto n = static_cast<double>(draws.size());
  const auto below = std::lower_bound(draws.begin(), draws.end(), estimate) - draws.begin();
  const auto equal = std::upper_bound(draws.begin(), draws.end(), estimate) - draws.begin() - below;
  // Clamped away from 0 and 1, for which the correction would be infinite.
  const double share =
      std::clamp((static_cast<double>(below) + 0.5 * static_cast<double>(equal)) / n, 0.5 / n, 1 - 0.5 / n);
  const double z0 = normal_quantile(share), z = normal_quantile((1 + confidence) / 2);
  return {quantile_of(draws, normal_probability(2 * z0 - z)), quantile_of(draws, normal_probability(2 * z0 + z))};
}

}  // namespace pithball::optim
