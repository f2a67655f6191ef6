#include "optim/uncertainty/parameter_errors.hpp"

#include <algorithm>
#include <cmath>

#include "optim/uncertainty/carried_error.hpp"
#include "optim/uncertainty/student_t.hpp"

namespace pithball::optim {

std::string to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Formal:
      return "formal";
    case ErrorKind::Robust:
      return "robust";
    case ErrorKind::Jackknife:
      return "jackknife";
    case ErrorKind::RandomEffects:
      return "random effects";
  }
  return "";
}

namespace {

/// Satterthwaite's degrees of freedom of a² + b², rounded down.
long pooled_degrees(double a, long degrees_of_a, double b, Index degrees_of_b) {
  const double A = a / std::hypot(a, b), B = b / std::hypot(a, b);
  const double degrees = 1 / (std::pow(A, 4) / static_cast<double>(std::max(1L, degrees_of_a)) +
                              std::pow(B, 4) / static_cast<double>(degrees_of_b));
  return std::max(1L, std::lround(std::floor(degrees)));
}

/// The widest kind of one entry of θ.
ParameterErrors choose_errors(const AllErrors& all, Index k, double confidence) {
  const Uncertainty& u = all.posterior.formal;
  ParameterErrors errors;
  errors.formal = errors.standard_error = u.standard_error[k];
  errors.half_width = u.half_width[k];
  errors.one_sided = u.scale.one_sided * u.standard_error[k];
  errors.identifiable = u.identifiable[k];
  errors.weak_direction = u.weak_direction[k];
  const auto offer = [&](ErrorKind kind, double error, long degrees) {
    const double half_width = error * student_t_quantile(confidence, degrees);
    if (!(half_width > errors.half_width)) return;
    errors.widest = kind;
    errors.standard_error = error;
    errors.half_width = half_width;
    errors.one_sided = error * one_sided_quantile(confidence, degrees);
  };
  if (u.identifiable[k] && all.robust.covariance.size() > 0) {
    errors.robust = std::sqrt(all.robust.covariance(k, k));
    offer(ErrorKind::Robust, errors.robust, all.robust.degrees_of(k));
  }
  errors.jackknife = all.jackknife.standard_error[k];
  if (std::isfinite(errors.jackknife))
    offer(ErrorKind::Jackknife, errors.jackknife, static_cast<long>(all.jackknife.telling[k] - 1));
  if (const double between = all.homogeneity.between[k]; u.identifiable[k] && between > 0) {
    const bool is_robust = errors.robust > errors.formal;
    const double within = is_robust ? errors.robust : errors.formal;
    const long degrees = is_robust ? all.robust.degrees_of_freedom : u.scale.degrees_of_freedom;
    errors.random_effects = std::hypot(within, between);
    offer(ErrorKind::RandomEffects, errors.random_effects,
          pooled_degrees(within, degrees, between, all.homogeneity.telling[k] - 1));
  }
  return errors;
}

void choose_all(double confidence, AllErrors& all) {
  all.parameters.clear();
  for (Index k = 0; k < all.posterior.formal.standard_error.size(); ++k)
    all.parameters.push_back(choose_errors(all, k, confidence));
}

}  // namespace

AllErrors compute_all_errors(const FitRows& fit, const Scores& scores, const std::vector<std::string>& names,
                             const UncertaintyOptions& options) {
  AllErrors all{compute_posterior(fit, scores, names, options), {}, {}, {}, {}};
  all.robust = compute_robust_errors(fit, scores, all.posterior);
  all.jackknife = compute_jackknife(fit, scores, all.posterior);
  all.homogeneity = compare_recordings(fit, scores, all.posterior);
  choose_all(options.confidence, all);
  return all;
}

void add_covariance(const Eigen::MatrixXd& added, double confidence, AllErrors& errors) {
  carry_error(added, errors.posterior.formal);
  if (errors.robust.covariance.size() > 0) errors.robust.covariance += added;
  choose_all(confidence, errors);
}

}  // namespace pithball::optim
