#include "optim/fit/laplace_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "optim/fit/resolved_fit.hpp"
#include "optim/uncertainty/student_t.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// What the prior adds to the information on p in the posterior covariance.
double information_of(const LaplacePrior& prior, double p) {
  return std::min(std::pow(prior.slope(p), 2), 1 / prior.variance());
}

}  // namespace

const LaplacePrior* find_laplace_prior(const FitProblem& problem, const ParameterInfo& info) {
  for (const Prior& prior : problem.parameters[info.declaration].priors)
    if (const auto* found = std::get_if<LaplacePrior>(&prior)) return found;
  return nullptr;
}

std::pair<double, double> laplace_interval(const LaplacePrior& prior, double estimate, double w, double confidence,
                                           double t) {
  if (!(w >= 0) || !(confidence > 0 && confidence < 1))
    throw InvalidArgument({"", "laplace_interval", "w must be >= 0 and confidence in (0, 1)", "", ""});
  constexpr long normal = std::numeric_limits<int>::max();  // degrees of freedom
  const double wide = t / student_t_quantile(confidence, normal), other = w / (wide * wide);
  const auto slope = [&](double z) { return z / std::hypot(z, LaplacePrior::smoothing); };
  const auto cost = [&](double z) { return std::hypot(z, LaplacePrior::smoothing); };
  const double z0 = (estimate - prior.value) / prior.scale, v = other * prior.scale * prior.scale;
  // In z − z₀: beyond, the density is below the rounding of its sum.
  constexpr double far = 30;
  constexpr int cells = 20000;
  const double by_prior = 2 * far + std::abs(z0), reach = v > 0 ? std::min(by_prior, 8 / std::sqrt(v)) : by_prior;
  std::vector<double> sums{0};
  const double width = 2 * reach / cells;
  for (int n = 0; n < cells; ++n) {
    const double d = -reach + (n + 0.5) * width;
    sums.push_back(sums.back() + std::exp(-0.5 * v * d * d + slope(z0) * d - cost(z0 + d) + cost(z0)));
  }
  const auto quantile = [&](double part) {
    const auto above = std::ranges::lower_bound(sums, part * sums.back());
    return estimate + prior.scale * (-reach + static_cast<double>(above - sums.begin()) * width);
  };
  return {quantile((1 - confidence) / 2), quantile((1 + confidence) / 2)};
}

std::optional<std::pair<double, double>> find_laplace_interval(const ResolvedFit& fit, const BoundedErrors& errors,
                                                               Index k, const FittedParameter& p) {
  const ParameterInfo& info = fit.map().info()[k];
  const LaplacePrior* prior = find_laplace_prior(fit.problem(), info);
  if (!prior || !p.identifiable || !std::isfinite(p.standard_error) || errors.sides[k] != BoundSide::None) return {};
  const double w = 1 / (p.standard_error * p.standard_error) - information_of(*prior, p.estimate);
  const double t = errors.errors.parameters[k].half_width / errors.errors.parameters[k].standard_error;
  const auto [lower, upper] =
      laplace_interval(*prior, p.estimate, std::max(0.0, w), fit.problem().uncertainty.options.confidence, t);
  return std::pair(std::max(info.lower, lower), std::min(info.upper, upper));
}

}  // namespace pithball::optim
