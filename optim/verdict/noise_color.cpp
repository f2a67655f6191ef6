#include "optim/verdict/noise_color.hpp"

#include <algorithm>
#include <cmath>

#include "optim/uncertainty/significance.hpp"
#include "optim/uncertainty/time_blocks.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// ln Q in its standard deviations.
double excess_over_color(const RecordingMisfit& misfit, const RecordingWhiteness& residuals) {
  const auto n = static_cast<double>(residuals.all.samples);
  const double rho = std::clamp(residuals.all.lag_1, -1 + 1 / n, 1 - 1 / n), seen = (1 - rho) / (1 + rho);
  // A sigma that was written may stand for errors that differences do not see.
  const double noise = misfit.sigma > misfit.noise ? misfit.sigma : misfit.noise;
  const double excess = std::log(std::pow(misfit.misfit / noise, 2) * seen);
  return excess / std::sqrt(residuals.shared_scatter() * (2 + 4 * seen) / n + 2 / misfit.noise_degrees);
}

/// p-value of the same correlation in both halves of the frames; NaN: unknown.
double test_halves(const RecordingWhiteness& residuals) {
  const auto& [first, second] = residuals.lag_1_of_halves;
  const double ratio = (1 - first) / (1 - second), n = static_cast<double>(residuals.all.samples) / 2;
  const double degrees = n * residuals.effective_part();
  if (!(ratio > 0) || !std::isfinite(ratio) || !(degrees > 0)) return std::numeric_limits<double>::quiet_NaN();
  return 2 * f_tail(std::max(ratio, 1 / ratio), degrees, degrees);
}

}  // namespace

std::string refuse_noise(const RecordingMisfit& misfit, const RecordingWhiteness& residuals) {
  if (excess_over_color(misfit, residuals) > rarely_beyond)
    return formatted("which correlation from frame to frame (%.2g) does not explain", residuals.all.lag_1);
  if (test_halves(residuals) < change_alarm)
    return formatted(
        "and residuals are correlated from frame to frame by %.2g in the first half and by %.2g in the "
        "second, which noise does not explain",
        residuals.lag_1_of_halves[0], residuals.lag_1_of_halves[1]);
  return "";
}

}  // namespace pithball::optim
