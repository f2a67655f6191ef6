#include "optim/uncertainty/sampled_errors.hpp"

#include <algorithm>
#include <cmath>

#include "optim/uncertainty/posterior_samples.hpp"
#include "optim/uncertainty/significance.hpp"

namespace pithball::optim {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// A value is undetermined if its unit vector has a larger part than this in directions without information, as for
/// whole Jacobians.
constexpr double significant = 1e-3;
/// An error is exact once its variance changes by less than this, relatively, over the last fifth of the iterations.
constexpr double exact_change = 1e-7;
/// If it still changes by more than this after all iterations, it is discarded.
constexpr double acceptable_change = 0.1;
constexpr Index most_exact_iterations = 1000;

std::vector<ErrorOrigin> judge_origins(const SamplesAtScale& solved, const CurvatureProducts& H) {
  std::vector<ErrorOrigin> origins(H.size(), ErrorOrigin::Samples);
  for (Index k = 0; k < H.size(); ++k) {
    if (H.is_held(k))
      origins[k] = ErrorOrigin::Held;
    else if (!solved.scaling->takes_part(k))
      origins[k] = ErrorOrigin::Unfelt;
    else if (solved.null.parts.row(k).norm() > significant)
      origins[k] = ErrorOrigin::Null;
    else if (!solved.is_settled[k])
      origins[k] = ErrorOrigin::Unsettled;
  }
  return origins;
}

/// Computes γ = P − tr(H⁻¹J_pᵀJ_p), the number of values that the data determine; P excludes values without effect.
Evaluation count_determined(const Linearization* priors, const std::vector<ErrorOrigin>& origins,
                            const Eigen::MatrixXd& samples, double& gamma) {
  double determined = 0;
  for (const ErrorOrigin origin : origins)
    determined += origin != ErrorOrigin::Held && origin != ErrorOrigin::Unfelt ? 1 : 0;
  if (priors) {
    Eigen::MatrixXd along;
    const Evaluation evaluation = priors->jvp_block(samples, along);
    if (!evaluation.ok()) return evaluation;
    determined -= along.squaredNorm() / static_cast<double>(error_samples);
  }
  gamma = std::max(0.0, determined);
  return {};
}

/// Samples of the posterior, with the scale of the residuals.
struct SampledPosterior {
  SamplesAtScale solved;
  std::vector<ErrorOrigin> origins;
  double gamma = 0;
  double square = 1;     ///< s² with this γ, close to that of the samples
  Index iterations = 0;  ///< over all scales
};

bool is_scale_estimated(const ManyValues& fit, const UncertaintyOptions& options) {
  return fit.loss.is_robust() || !options.absolute_sigma;
}

/// Returns s² if the data determine γ values.
double estimate_square(const Scores& scores, double gamma) {
  const double degrees = static_cast<double>(scores.psi.size()) - gamma;
  return degrees > 0 ? scores.psi.squaredNorm() / (degrees * scores.curvature * scores.curvature) : std::nan("");
}

/// Iterates if there are priors, because the scale then depends on the samples.
Evaluation sample_posterior(const ManyValues& fit, const Scores& scores, bool is_estimated, const DrawnSides& sides,
                            CurvatureProducts& H, SampledPosterior& posterior) {
  constexpr int most_rounds = 3;
  constexpr double same_scale = 0.06;  // change of ln s²: a fifth of the sampling scatter
  const Evaluation no_scale_of_residuals{"the residuals have no scale"};
  const auto square_at = [&](double gamma) { return is_estimated ? estimate_square(scores, gamma) : 1; };
  const double most = fit.priors ? static_cast<double>(scores.psi.size()) / 2 : infinite;
  posterior.gamma = std::min(static_cast<double>(H.free()), most);
  posterior.square = square_at(posterior.gamma);
  for (int round = 0; round < most_rounds; ++round) {
    const double square = posterior.square;
    if (!(square > 0)) return no_scale_of_residuals;
    if (Evaluation evaluation = solve_at_scale(fit, sides, square, H, posterior.solved); !evaluation.ok())
      return evaluation;
    posterior.iterations += posterior.solved.iterations;
    posterior.origins = judge_origins(posterior.solved, H);
    const Evaluation evaluation =
        count_determined(fit.priors, posterior.origins, posterior.solved.samples, posterior.gamma);
    if (!evaluation.ok()) return evaluation;
    posterior.square = square_at(posterior.gamma);
    if (!fit.priors || !(posterior.square > 0) || std::abs(std::log(posterior.square / square)) < same_scale) break;
  }
  return posterior.square > 0 && std::isfinite(std::sqrt(posterior.square)) ? Evaluation{} : no_scale_of_residuals;
}

/// Returns ⌊R − γ⌋, the degrees of freedom of the scale.
long degrees_left(Index rows, double gamma) {
  return std::lround(std::max(0.0, std::floor(static_cast<double>(rows) - gamma + 1e-9)));
}

/// Estimates the mean ratio of robust to formal errors with random signs of frames.
Evaluation compare_frames(const ManyValues& fit, const Scores& scores, std::uint64_t seed, const DrawnSides& sides,
                          const SampledPosterior& posterior, RobustErrors& robust) {
  robust.frames = static_cast<Index>(fit.order.frames.size());
  robust.by_mean_ratio = true;
  const double nu = static_cast<double>(std::max(1L, degrees_left(scores.psi.size(), posterior.gamma)));
  robust.degrees_of_freedom = static_cast<long>(nu);
  if (robust.frames < 2) return {};
  robust.autocorrelation = frame_autocorrelation(fit.order, scores.psi);
  const double color = (1 + robust.autocorrelation) / (1 - robust.autocorrelation);
  robust.degrees_of_freedom = std::max(1L, std::lround(std::floor(nu / color)));
  const SamplesAtScale& solved = posterior.solved;
  const double weight = 1 / solved.square;
  Eigen::MatrixXd seen;  // J δ of the pairs
  const Evaluation evaluation = fit.data.jvp_block(solved.samples.leftCols(2 * sample_pairs), seen);
  if (!evaluation.ok()) return evaluation;
  double leverage = 0, squares = 0;
  for (Index m = 0; m < sample_pairs; ++m)
    leverage += seen.col(2 * m).dot(frame_signs(fit, seed, m).cwiseProduct(seen.col(2 * m + 1)));
  leverage *= weight / static_cast<double>(sample_pairs);
  for (Index m = 0; m < sign_columns; ++m)
    squares += sides.of_data.col(error_samples + m).dot(solved.of_signs.col(m)) / static_cast<double>(sign_columns);
  // g_z = J ᵀ(zψ)/τ², τ² = w̄ s²; of_signs = H⁻¹ Jᵀ(zψ)/s².
  squares *= weight / (scores.curvature * scores.curvature);
  const double expected = posterior.gamma - std::max(0.0, leverage);
  if (expected > 1e-9 * posterior.gamma && squares > 0) robust.mean_ratio = std::sqrt(color * squares / expected);
  return {};
}

bool is_undetermined(ErrorOrigin origin) { return origin == ErrorOrigin::Unfelt || origin == ErrorOrigin::Null; }

/// Returns the standard errors from samples.
Vector formal_errors(const Vector& errors, const std::vector<ErrorOrigin>& origins) {
  Vector formal(errors.size());
  for (Index k = 0; k < formal.size(); ++k)
    formal[k] = is_undetermined(origins[k]) ? infinite : origins[k] == ErrorOrigin::Samples ? errors[k] : std::nan("");
  return formal;
}

/// Names the nearest direction without information for each undetermined value.
std::vector<std::string> name_directions(const NullDirections& null, const std::vector<ErrorOrigin>& origins,
                                         const std::vector<std::string>& names) {
  std::vector<std::string> directions(names.size());
  for (Index k = 0; k < null.directions.rows(); ++k) {
    if (origins[k] == ErrorOrigin::Unfelt) directions[k] = names[k] + " +1.00";
    if (origins[k] != ErrorOrigin::Null) continue;
    const Vector nearest = null.directions * null.parts.row(k).transpose();
    directions[k] = direction_name(nearest / nearest.norm(), names);
  }
  return directions;
}

/// Diagonal entries of H⁻¹, each from its own system.
struct SolvedVariances {
  std::vector<Index> values;
  Vector variances;
  Vector change;  ///< relative, over the last fifth of the iterations
  Index iterations = 0;
};

Evaluation solve_variances(const SampledPosterior& posterior, CurvatureProducts& H, SolvedVariances& exact) {
  if (exact.values.empty()) return {};
  const BlockScaling& scaling = *posterior.solved.scaling;
  H.set_scale(posterior.square);
  const auto count = static_cast<Index>(exact.values.size());
  Eigen::MatrixXd unit = Eigen::MatrixXd::Zero(H.size(), count);
  for (Index c = 0; c < count; ++c) unit(exact.values[c], c) = 1;
  const Eigen::MatrixXd b = scaling.scale(unit);
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(H.size(), count);
  std::vector<Vector> variances;  // by iteration
  exact.change = Vector::Constant(count, infinite);
  const Evaluation evaluation = block_conjugate_gradients(
      H.product(), scaling, b, x,
      [&](const BlockIterate& at) {
        variances.push_back(at.x.cwiseProduct(b).colwise().sum().transpose());
        const Vector& before = variances[a_fifth_back(at.iteration)];
        if (at.iteration > 2) exact.change = (variances.back() - before).cwiseAbs().cwiseQuotient(variances.back());
        if (at.residual.norm() <= 1e-12 * b.norm()) exact.change.setZero();
        return exact.change.maxCoeff() <= exact_change;
      },
      most_exact_iterations);
  if (!evaluation.ok()) return evaluation;
  exact.variances = variances.back();
  exact.iterations = static_cast<Index>(variances.size());
  return {};
}

/// Chooses the values whose errors are computed exactly: those of `wanted` that the data determine.
std::vector<Index> choose_exact(const std::vector<Index>& wanted, const std::vector<ErrorOrigin>& origins) {
  std::vector<Index> chosen;
  for (const Index k : wanted)
    if (origins[k] == ErrorOrigin::Samples || origins[k] == ErrorOrigin::Unsettled) chosen.push_back(k);
  return chosen;
}

/// Replaces the sampled errors by exact ones where these have settled.
void take_exact(const SolvedVariances& exact, Vector& formal, std::vector<ErrorOrigin>& origins) {
  for (std::size_t c = 0; c < exact.values.size(); ++c) {
    if (!(exact.change[c] <= acceptable_change) || !(exact.variances[c] > 0)) continue;
    const Index k = exact.values[c];
    origins[k] = ErrorOrigin::Solved;
    formal[k] = std::sqrt(exact.variances[c]);
  }
}

/// Returns the errors and intervals of value k. ν: degrees of freedom of the scale.
ParameterErrors errors_of_value(const SampledErrors& found, Index k, long nu, double confidence) {
  const ErrorOrigin origin = found.origin[k];
  ParameterErrors p;
  p.formal = p.standard_error = found.formal[k];
  p.identifiable = !is_undetermined(origin);
  p.weak_direction = found.direction[k];
  if (!p.identifiable) p.half_width = p.one_sided = infinite;
  if (!std::isfinite(p.formal)) return p;
  const auto degrees = [&](long most) {
    return origin == ErrorOrigin::Samples ? std::min<long>(error_samples, most) : std::min(most, 1000000000L);
  };
  p.half_width = p.formal * student_t_quantile(confidence, degrees(nu));
  p.one_sided = p.formal * one_sided_quantile(confidence, degrees(nu));
  const double ratio = found.robust.mean_ratio;
  if (!std::isfinite(ratio)) return p;
  p.robust = p.formal * ratio;
  const long robust_degrees = degrees(found.robust.degrees_of_freedom);
  const double half_width = p.robust * student_t_quantile(confidence, robust_degrees);
  if (!(half_width > p.half_width)) return p;
  p.widest = ErrorKind::Robust;
  p.standard_error = p.robust;
  p.half_width = half_width;
  p.one_sided = p.robust * one_sided_quantile(confidence, robust_degrees);
  return p;
}

SampledErrors no_errors(std::size_t values, const Evaluation& evaluation) {
  SampledErrors none;
  none.formal = Vector::Constant(static_cast<Index>(values), infinite);
  none.origin.assign(values, ErrorOrigin::Samples);
  none.direction.resize(values);
  none.failure = evaluation.failure;
  return none;
}

}  // namespace

SampledErrors compute_sampled_errors(const ManyValues& fit, const std::vector<std::string>& names,
                                     const UncertaintyOptions& options, std::uint64_t seed) {
  const bool is_estimated = is_scale_estimated(fit, options);
  const Scores scores = compute_scores(fit);
  CurvatureProducts H(fit, static_cast<Index>(names.size()));
  DrawnSides sides;
  Evaluation evaluation = draw_sides(fit, scores.psi, seed, H, sides);
  SampledPosterior posterior;
  if (evaluation.ok()) evaluation = sample_posterior(fit, scores, is_estimated, sides, H, posterior);
  SampledErrors found;
  if (evaluation.ok()) evaluation = compare_frames(fit, scores, seed, sides, posterior, found.robust);
  SolvedVariances exact;
  if (evaluation.ok()) {
    exact.values = choose_exact(fit.exact, posterior.origins);
    evaluation = solve_variances(posterior, H, exact);
  }
  if (!evaluation.ok()) return no_errors(names.size(), evaluation);
  found.s = std::sqrt(posterior.square);
  found.data_scale = std::sqrt(scores.curvature) * found.s;
  found.determined_by_data = posterior.gamma;
  found.degrees_of_freedom = degrees_left(scores.psi.size(), posterior.gamma);
  found.direction = name_directions(posterior.solved.null, posterior.origins, names);
  found.formal = formal_errors(posterior.solved.errors, posterior.origins);
  found.origin = std::move(posterior.origins);
  take_exact(exact, found.formal, found.origin);
  const long nu = is_estimated ? std::max(1L, found.degrees_of_freedom) : std::numeric_limits<long>::max();
  for (Index k = 0; k < found.formal.size(); ++k)
    found.parameters.push_back(errors_of_value(found, k, nu, options.confidence));
  found.iterations = posterior.iterations + exact.iterations;
  found.products = H.products();
  return found;
}

}  // namespace pithball::optim
