#include "optim/uncertainty/resampling.hpp"

#include <algorithm>
#include <cmath>

#include "optim/uncertainty/student_t.hpp"
#include "sim/core/counter_noise.hpp"

namespace pithball::optim {
namespace {

/// Streams of random numbers of one seed.
enum ResampledBy : std::uint64_t { Signs = 301, Offsets };

/// Degrees of freedom at which Student's t is the normal distribution.
constexpr long normal_degrees = 1'000'000'000;

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

double normal_quantile(double probability) {
  return probability < 0.5 ? -one_sided_quantile(1 - probability, normal_degrees)
                           : one_sided_quantile(probability, normal_degrees);
}

/// The quantile of sorted draws, the i-th of n standing for (i + ½)/n.
double quantile_of(const std::vector<double>& sorted, double probability) {
  const double at =
      std::clamp(probability * static_cast<double>(sorted.size()) - 0.5, 0.0, static_cast<double>(sorted.size() - 1));
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - std::floor(at)) * (sorted[above] - sorted[below]);
}

/// Variance of the mean over that of independent numbers, of an autoregression cut into blocks of this length.
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
  // Never 0 or 1, where no correction would be large enough.
  const double share =
      std::clamp((static_cast<double>(below) + 0.5 * static_cast<double>(equal)) / n, 0.5 / n, 1 - 0.5 / n);
  const double z0 = normal_quantile(share), z = normal_quantile((1 + confidence) / 2);
  return {quantile_of(draws, normal_probability(2 * z0 - z)), quantile_of(draws, normal_probability(2 * z0 + z))};
}

}  // namespace pithball::optim
