#include "datasets/film/spot_search.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "datasets/film/picture_filter.hpp"

namespace pithball::datasets {
namespace {

constexpr double fine_sigma = 1.2, coarse_sigma = 2.4;  // of the two Gaussians, in pixels of their octave

/// Peak of the response to a round spot of height 1 and standard deviation s ≈ `fine_sigma`:
/// s²/(s² + fine²) − s²/(s² + coarse²).
constexpr double peak_response = 0.3;

using Kernel = std::vector<double>;

Kernel convolved(const Kernel& a, const Kernel& b) {
  Kernel product(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  return product;
}

/// The kernel with `step` − 1 zeros between its samples.
Kernel spread(const Kernel& kernel, std::size_t step) {
  Kernel wide((kernel.size() - 1) * step + 1, 0.0);
  for (std::size_t k = 0; k < kernel.size(); ++k) wide[k * step] = kernel[k];
  return wide;
}

/// Σ a b of two kernels with the same center.
double product(const Kernel& a, const Kernel& b) {
  const auto &small = a.size() < b.size() ? a : b, &large = a.size() < b.size() ? b : a;
  const std::size_t margin = (large.size() - small.size()) / 2;
  double sum = 0;
  for (std::size_t k = 0; k < small.size(); ++k) sum += small[k] * large[k + margin];
  return sum;
}

double variance(const Kernel& kernel) {
  const double center = 0.5 * static_cast<double>(kernel.size() - 1);
  double sum = 0;
  for (std::size_t k = 0; k < kernel.size(); ++k) sum += kernel[k] * (k - center) * (k - center);
  return sum;
}

double second_sigma() { return std::sqrt(coarse_sigma * coarse_sigma - fine_sigma * fine_sigma); }

/// Whether the extremum of a 3 × 3 neighborhood is its middle, which is `value` of the given sign.
bool is_extremum(const Picture& response, Index y, Index x, float value) {
  const float sign = value > 0 ? 1.0F : -1.0F;
  for (Index dy = -1; dy <= 1; ++dy)
    for (Index dx = -1; dx <= 1; ++dx) {
      const float other = sign * response(y + dy, x + dx);
      // Of equal neighbors the first in reading order counts.
      if (other > sign * value || (other == sign * value && (dy < 0 || (dy == 0 && dx < 0)))) return false;
    }
  return true;
}

/// Where a parabola through three neighbors has its extremum, from the middle one.
double peak_offset(double before, double middle, double after) {
  const double curvature = 2 * middle - before - after;
  return curvature == 0 ? 0 : std::clamp(0.5 * (after - before) / curvature, -0.5, 0.5);
}

using Mask = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Which pixels of a picture are outside of all discs.
Mask pixels_outside(const Picture& picture, const std::vector<Disc>& discs) {
  Mask outside = Mask::Constant(picture.rows(), picture.cols(), true);
  const auto first = [](double center, double reach) {
    return std::max<Index>(0, static_cast<Index>(std::ceil(center - reach)));
  };
  const auto end = [](double center, double reach, Index size) {
    return std::min(size, static_cast<Index>(std::floor(center + reach)) + 1);
  };
  for (const Disc& disc : discs)
    for (Index row = first(disc.y, disc.radius); row < end(disc.y, disc.radius, picture.rows()); ++row) {
      const double dy = static_cast<double>(row) - disc.y,
                   reach = std::sqrt(std::max(0.0, disc.radius * disc.radius - dy * dy));
      const Index left = first(disc.x, reach), right = end(disc.x, reach, picture.cols());
      if (right > left) outside.row(row).segment(left, right - left) = false;
    }
  return outside;
}

/// Standard deviation of normal numbers by the median of their magnitudes, of some thousand of the responses outside of
/// spots. `outside`: of the picture; `pixel`: pixels of it for one of the response; null: all.
double median_deviation(const Picture& response, Index pixel, const Mask* outside) {
  constexpr Index wanted = 3000;
  constexpr std::size_t fewest = 100;
  constexpr double normal_by_median = 1.4826;
  const Index step = std::max<Index>(1, response.size() / wanted) | 1;  // odd: it rarely lines up in columns
  std::vector<float> counted, all;
  for (Index k = 0; k < response.size(); k += step) {
    all.push_back(std::abs(response.data()[k]));
    if (outside && (*outside)(pixel * (k / response.cols()), pixel * (k % response.cols())))
      counted.push_back(all.back());
  }
  if (counted.size() < fewest) counted = std::move(all);
  const auto middle = counted.begin() + static_cast<std::ptrdiff_t>(counted.size() / 2);
  std::ranges::nth_element(counted, middle);
  return normal_by_median * *middle;
}

/// Of whole numbers: an error that is even within ±½.
const double rounding_noise = std::sqrt(1.0 / 12);

}  // namespace

SpotSearch::SpotSearch(double largest) {
  const Kernel fine = blur_kernel(fine_sigma), coarse = convolved(fine, blur_kernel(second_sigma()));
  const Kernel half(std::begin(half_kernel), std::end(half_kernel));
  Kernel reduction{1.0};  // from the picture to the octave
  std::size_t step = 1;
  do {
    Octave octave;
    octave.pixel = static_cast<double>(step);
    const Kernel a = convolved(reduction, spread(fine, step)), b = convolved(reduction, spread(coarse, step));
    const double aa = product(a, a), ab = product(a, b), bb = product(b, b);
    octave.gain = std::sqrt(aa * aa - 2 * ab * ab + bb * bb);
    octave.scale = std::sqrt(variance(a));
    octaves_.push_back(std::move(octave));
    reduction = convolved(reduction, spread(half, step));
    step *= 2;
  } while (octaves_.back().scale * std::sqrt(2.0) < largest);
}

void SpotSearch::filter(const Picture& picture) {
  for (std::size_t k = 0; k < octaves_.size(); ++k) {
    Octave& octave = octaves_[k];
    if (k > 0) halve(k == 1 ? picture : octaves_[k - 1].picture, octave.picture);
    blur(k == 0 ? picture : octave.picture, fine_sigma, octave.fine);
    blur(octave.fine, second_sigma(), octave.coarse);
    octave.response = octave.fine - octave.coarse;
  }
}

void SpotSearch::guess_noise() {
  measurements_ = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const Octave& octave : octaves_)
    least = std::min(least, median_deviation(octave.response, static_cast<Index>(octave.pixel), nullptr) / octave.gain);
  for (Octave& octave : octaves_) octave.noise = octave.gain * std::max(least, rounding_noise);
}

void SpotSearch::measure_noise(const std::vector<Disc>& spots) {
  constexpr double memory = 16;
  measurements_ = std::min(measurements_ + 1, memory);
  const Mask outside = pixels_outside(octaves_.front().response, spots);
  for (Octave& octave : octaves_) {
    const double measured = std::max(median_deviation(octave.response, static_cast<Index>(octave.pixel), &outside),
                                     octave.gain * rounding_noise);
    octave.noise += (measured - octave.noise) / measurements_;
  }
}

void SpotSearch::add_candidates(const Octave& octave, double threshold, std::vector<SpotCandidate>& candidates) const {
  const Picture& response = octave.response;
  const float least = static_cast<float>(threshold * octave.noise);
  constexpr Index stretch = 32;  // pixels that are passed over at once where none of them exceeds the threshold
  for (Index y = 1; y + 1 < response.rows(); ++y) {
    const float* row = response.data() + y * response.cols();
    for (Index x = 1; x + 1 < response.cols(); ++x) {
      if (x % stretch == 1)
        while (x + stretch + 1 < response.cols() && response.row(y).segment<stretch>(x).abs().maxCoeff() <= least)
          x += stretch;
      if (std::abs(row[x]) <= least || !is_extremum(response, y, x, row[x])) continue;
      const double at_x = static_cast<double>(x) + peak_offset(row[x - 1], row[x], row[x + 1]);
      const double at_y = static_cast<double>(y) + peak_offset(response(y - 1, x), row[x], response(y + 1, x));
      candidates.push_back({octave.pixel * at_x, octave.pixel * at_y, octave.scale, row[x] / peak_response,
                            std::abs(row[x]) / octave.noise});
    }
  }
}

std::vector<SpotCandidate> SpotSearch::find(double threshold) const {
  std::vector<SpotCandidate> candidates;
  for (const Octave& octave : octaves_)
    if (octave.noise > 0) add_candidates(octave, threshold, candidates);
  std::ranges::stable_sort(candidates, std::greater<>(), &SpotCandidate::significance);
  return candidates;
}

double SpotSearch::pixel_noise(double scale) const {
  // Linear in the logarithm of the scale between two octaves.
  const auto noise = [](const Octave& octave) { return octave.noise / octave.gain; };
  for (std::size_t k = 0; k + 1 < octaves_.size(); ++k) {
    const double part = std::log(scale / octaves_[k].scale) / std::log(octaves_[k + 1].scale / octaves_[k].scale);
    if (part >= 1) continue;
    return std::lerp(noise(octaves_[k]), noise(octaves_[k + 1]), std::max(part, 0.0));
  }
  return noise(octaves_.back());
}

}  // namespace pithball::datasets
