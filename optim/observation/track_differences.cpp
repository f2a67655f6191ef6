#include "optim/observation/track_differences.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::optim {
namespace {

/// The median of |z| of a normal variable z, and the mean of z² where |z| < c = 4: 1 − 2 c φ(c)/(2Φ(c) − 1).
constexpr double normal_median = 0.6744897501960817, truncated_square = 0.9989293;
constexpr int most_rounds = 50;

}  // namespace

double quantile(std::vector<double> values, double q) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (values.empty()) return NAN;
  const auto rank = values.begin() + std::lround(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), rank, values.end());
  return *rank;
}

RobustScale robust_scale(const std::vector<double>& values, double least) {
  std::vector<double> squares;
  squares.reserve(values.size());
  for (const double value : values)
    if (!std::isnan(value)) squares.push_back(value * value);
  RobustScale found;
  if (squares.empty()) return found;
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  const double start = std::max(std::sqrt(*middle) / normal_median, least);
  double limit = start > 0 ? robust_cut * robust_cut * start * start : INFINITY;
  for (int round = 0; round < most_rounds; ++round) {
    double sum = 0;
    std::size_t kept = 0;
    for (const double square : squares) {
      const bool inside = square <= limit;
      sum += inside ? square : 0;
      kept += inside ? 1 : 0;
    }
    const bool settled = round > 0 && kept == found.kept;
    found.kept = kept;
    const double part = kept < squares.size() ? truncated_square : 1;
    found.sigma = std::sqrt(sum / (static_cast<double>(kept) * part));
    if (settled || std::isinf(limit)) break;
    limit = robust_cut * robust_cut * std::max(found.sigma, least) * std::max(found.sigma, least);
  }
  found.apart = squares.size() - found.kept;
  return found;
}

namespace {

/// Returns the degrees of freedom of one difference of order p.
double degrees_of_one(int p) { return std::pow(binomial(2 * p, p), 2) / binomial(4 * p, 2 * p); }

/// Returns the weights of the divided difference at these times, normalized so that their squares add up to 1: the
/// difference of independent values then has their variance. Empty where a frame between them is missing.
std::vector<double> difference_weights(const double* times, int p, double longest_step) {
  std::vector<double> weights(static_cast<std::size_t>(p) + 1);
  for (int i = 0; i < p; ++i)
    if (times[i + 1] - times[i] > longest_step) return {};
  double square = 0;
  for (int i = 0; i <= p; ++i) {
    double product = 1;
    for (int j = 0; j <= p; ++j)
      if (j != i) product *= longest_step / (times[i] - times[j]);
    weights[i] = product;
    square += product * product;
  }
  for (double& weight : weights) weight /= std::sqrt(square);
  return weights;
}

/// Unwraps readings that wrapped at a period; returns others unchanged.
std::vector<double> unwrapped(std::vector<double> x, double period) {
  if (!(period > 0)) return x;
  double least = INFINITY, most = -INFINITY;
  for (const double value : x) {
    least = std::fmin(least, value);
    most = std::fmax(most, value);
  }
  constexpr double beyond = 1e-3;  // of a period
  return most - least > (1 + beyond) * period ? std::move(x) : continued(std::move(x), period);
}

}  // namespace

void DifferenceSum::add(const DifferenceSum& other) {
  square += other.square;
  count += other.count;
  apart += other.apart;
  square_apart += other.square_apart;
}

void DifferenceSum::take(std::vector<double> differences) {
  if (static_cast<Index>(differences.size()) < least_differences) {
    unjudged = std::move(differences);
    return;
  }
  const RobustScale scale = robust_scale(differences);
  double all = 0;
  for (const double difference : differences) all += std::isnan(difference) ? 0 : difference * difference;
  square = scale.sigma * scale.sigma * static_cast<double>(scale.kept);
  count = static_cast<Index>(scale.kept);
  apart = static_cast<Index>(scale.apart);
  square_apart = std::max(0.0, all - square);
}

void DifferenceSum::judge(double limit) {
  for (const double difference : unjudged) {
    const bool inside = std::abs(difference) <= limit;
    square += inside ? difference * difference : 0;
    count += inside ? 1 : 0;
    apart += inside ? 0 : 1;
    square_apart += inside ? 0 : difference * difference;
  }
  unjudged = {};
}

NoiseEstimate DifferenceSum::estimate(int p) const {
  if (count == 0) return {};
  const double scatter = std::sqrt((square + square_apart) / static_cast<double>(count + apart));
  return {std::sqrt(variance()), p, count, apart, scatter, static_cast<double>(count) * degrees_of_one(p)};
}

std::vector<double> continued(std::vector<double> readings, double period) {
  double before = NAN, turns = 0;
  for (double& value : readings) {
    if (std::isnan(value)) continue;
    if (!std::isnan(before)) turns -= std::round((value - before) / period);
    before = value;
    value += turns * period;
  }
  return readings;
}

std::vector<double> recorded_series(const Observation& o, Index marker, int component) {
  std::vector<double> x;
  x.reserve(o.times.size());
  for (std::size_t f = 0; f < o.times.size(); ++f) x.push_back(o.sight(f, marker)[component]);
  return unwrapped(std::move(x), kind_of(o).period);
}

/// Weights of the differences, one set for each order and first frame.
class TrackDifferences::Weights {
 public:
  Weights(const std::vector<double>& times, double longest) {
    for (int p = lowest_order; p <= highest_order; ++p)
      for (std::size_t f = 0; f + static_cast<std::size_t>(p) < times.size(); ++f)
        weights_[p].push_back(difference_weights(&times[f], p, longest));
  }

  /// Returns the sums of one series of F values; NaN: missing.
  DifferenceSums of(const std::vector<double>& x) const {
    DifferenceSums sums;
    for (std::size_t p = lowest_order; p <= highest_order; ++p) {
      std::vector<double> differences;
      differences.reserve(weights_[p].size());
      for (std::size_t f = 0; f < weights_[p].size(); ++f) {
        const std::vector<double>& weights = weights_[p][f];
        double difference = weights.empty() ? NAN : 0;
        for (std::size_t i = 0; i < weights.size(); ++i) difference += weights[i] * (x[f + i] - x[f]);
        if (!std::isnan(difference)) differences.push_back(difference);
      }
      sums[p].take(std::move(differences));
    }
    return sums;
  }

 private:
  std::array<std::vector<std::vector<double>>, highest_order + 1> weights_;
};

TrackDifferences::TrackDifferences(const std::vector<double>& times)
    : times_(times), longest_(1.5 * usual_interval(times)), all_(std::make_unique<Weights>(times, longest_)) {}

TrackDifferences::~TrackDifferences() = default;

DifferenceSums TrackDifferences::of(const std::vector<double>& x) {
  std::vector<double> own, values, steps;
  for (std::size_t f = 0; f < x.size(); ++f) {
    if (std::isnan(x[f])) continue;
    if (!own.empty()) steps.push_back(times_[f] - own.back());
    own.push_back(times_[f]);
    values.push_back(x[f]);
  }
  constexpr double upper_quartile = 0.75;
  const double longest = steps.empty() ? 0 : 1.5 * quantile(std::move(steps), upper_quartile);
  constexpr double longer = 1.2;  // than gaps due to uneven times of all frames
  if (!(longest > longer * longest_)) return all_->of(x);
  if (own != own_times_) {
    own_ = std::make_unique<Weights>(own, longest);
    own_times_ = std::move(own);
  }
  return own_->of(values);
}

/// Judges series that are too short for a scale of their own by a common scale.
void judge_short_series(std::vector<std::array<DifferenceSums, 3>>& sums) {
  for (std::size_t p = lowest_order; p <= highest_order; ++p) {
    std::vector<double> together;
    for (const std::array<DifferenceSums, 3>& marker : sums)
      for (const DifferenceSums& component : marker)
        together.insert(together.end(), component[p].unjudged.begin(), component[p].unjudged.end());
    double limit = INFINITY;
    if (static_cast<Index>(together.size()) >= least_differences)
      if (const RobustScale scale = robust_scale(together); scale.apart > 0) limit = robust_cut * scale.sigma;
    for (std::array<DifferenceSums, 3>& marker : sums)
      for (DifferenceSums& component : marker) component[p].judge(limit);
  }
}

}  // namespace pithball::optim
