#include "optim/uncertainty/parameter_errors.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/uncertainty/held_error.hpp"
#include "optim/uncertainty/significance.hpp"

namespace pithball::optim {
namespace {

constexpr double untold = std::numeric_limits<double>::quiet_NaN();

/// Solves H shift = g for the parameters that the remaining `H` determines; NaN for the others, such as a parameter on
/// which only the omitted recording depends.
Vector solve_rest(const Eigen::MatrixXd& H, const Vector& scale, const Vector& g) {
  constexpr double least_part = 1e-9;  // of the information from all recordings
  std::vector<Index> left;
  for (Index k = 0; k < g.size(); ++k)
    if (H(k, k) > least_part * scale[k]) left.push_back(k);
  Vector shift = Vector::Constant(g.size(), untold);
  if (left.empty()) return shift;
  const Vector root = scale.cwiseSqrt();
  Eigen::MatrixXd part(left.size(), left.size());
  Vector there(left.size());
  for (std::size_t a = 0; a < left.size(); ++a) {
    there[a] = g[left[a]] / root[left[a]];
    for (std::size_t b = 0; b < left.size(); ++b) part(a, b) = H(left[a], left[b]) / (root[left[a]] * root[left[b]]);
  }
  const Eigen::LDLT<Eigen::MatrixXd> factor(part);
  if (!(factor.vectorD().minCoeff() > least_part * factor.vectorD().maxCoeff())) return shift;
  const Vector moved = factor.solve(there);
  for (std::size_t a = 0; a < left.size(); ++a) shift[left[a]] = moved[a] / root[left[a]];
  return shift;
}

void find_most_influential(const Eigen::MatrixXd& H, const Vector& formal, Jackknife& jackknife) {
  for (Index j = 0; j < jackknife.recordings; ++j) {
    Vector shift = jackknife.shifts.col(j);
    for (Index k = 0; k < shift.size(); ++k)  // values that only this recording determines do not count
      if (std::isnan(shift[k]) || jackknife.telling[k] < 2) shift[k] = 0;
    const double distance = shift.dot(H * shift) / static_cast<double>(shift.size());
    if (!(distance > jackknife.cook_distance)) continue;
    jackknife.cook_distance = distance;
    jackknife.most_influential = j;
    shift.cwiseAbs().cwiseQuotient(formal).maxCoeff(&jackknife.moved_most);
  }
}

}  // namespace

Jackknife compute_jackknife(const FitRows& fit, const Scores& scores, const Posterior& posterior) {
  const std::vector<FrameRows> spans = recording_rows(fit.order);
  const Index P = fit.parameters();
  Jackknife jackknife;
  jackknife.recordings = static_cast<Index>(spans.size());
  jackknife.standard_error = Vector::Constant(P, untold);
  jackknife.telling.assign(static_cast<std::size_t>(P), 0);
  const FitCurvature H(fit, scores, posterior);
  if (!H.ok() || jackknife.recordings < least_recordings) return jackknife;
  const Vector scale = H.matrix().diagonal().cwiseMax(std::numeric_limits<double>::min());
  jackknife.shifts.resize(P, jackknife.recordings);
  Eigen::ArrayXXd tells(P, jackknife.recordings);
  for (Index j = 0; j < jackknife.recordings; ++j) {
    const FrameRows& span = spans[j];
    const Eigen::MatrixXd own = H.data_part(span.first, span.end);
    jackknife.shifts.col(j) = solve_rest(H.matrix() - own, scale, H.score(span.first, span.end));
    for (Index k = 0; k < P; ++k) {
      tells(k, j) = own(k, k) > 0 ? 1 : 0;
      jackknife.telling[k] += own(k, k) > 0 ? 1 : 0;
    }
  }
  for (Index k = 0; k < P; ++k) {
    const auto G = static_cast<double>(jackknife.telling[k]);
    if (jackknife.telling[k] < least_recordings || !posterior.formal.identifiable[k]) continue;
    const Eigen::ArrayXd part = tells.row(k).transpose(), shift = jackknife.shifts.row(k).transpose().array();
    const double mean = (part * shift).sum() / G;
    jackknife.standard_error[k] = std::sqrt((G - 1) / G * (part * (shift - mean).square()).sum());
  }
  find_most_influential(H.matrix(), posterior.formal.standard_error, jackknife);
  return jackknife;
}

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

/// Returns Satterthwaite's degrees of freedom for a² + b², rounded down.
long pooled_degrees(double a, long degrees_of_a, double b, Index degrees_of_b) {
  const double A = a / std::hypot(a, b), B = b / std::hypot(a, b);
  const double degrees = 1 / (std::pow(A, 4) / static_cast<double>(std::max(1L, degrees_of_a)) +
                              std::pow(B, 4) / static_cast<double>(degrees_of_b));
  return std::max(1L, std::lround(std::floor(degrees)));
}

/// Returns the errors of one entry of θ and uses the largest kind for its interval.
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
