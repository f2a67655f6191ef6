#include "optim/uncertainty/posterior.hpp"

#include <cmath>
#include <limits>

#include "optim/uncertainty/student_t.hpp"
#include "sim/core/dense.hpp"

namespace pithball::optim {
namespace {

constexpr double no_scale = std::numeric_limits<double>::quiet_NaN();
constexpr long degrees_when_known = 1000000000;  // degrees of freedom of a scale that is known

/// Length of the longest column.
double longest(const Eigen::MatrixXd& J) { return J.rows() == 0 ? 0 : J.colwise().norm().maxCoeff(); }

/// Directions of θ along which data and priors tell independently, with the information that each has: column i of
/// `basis` has length² data_i in J_d and priors_i in J_p.
struct Shares {
  Eigen::MatrixXd basis;
  Vector data, priors;
};

/// From the stack of both with each divided by its length, which `balanced` is of: what only the weaker one determines
/// would otherwise be lost in the rounding of the stronger.
Shares find_shares(const FitRows& fit, const Uncertainty& balanced, double data_length) {
  if (balanced.spectrum.rank == 0) return {balanced.root, {}, {}};
  const Eigen::MatrixXd seen = fit.J * balanced.root / data_length;
  const sim::Spectrum spectrum = sim::symmetric_spectrum(seen.transpose() * seen);
  Shares shares{balanced.root * spectrum.vectors, {}, {}};
  shares.data = (fit.J * shares.basis).colwise().squaredNorm().transpose();
  shares.priors = (fit.prior_J * shares.basis).colwise().squaredNorm().transpose();
  return shares;
}

/// A scale s of the data with its degrees of freedom; ∞: s is known.
ScaleEstimate make_scale(double s, double degrees, double confidence) {
  ScaleEstimate scale;
  scale.s = s;
  scale.degrees_of_freedom = std::lround(std::max(0.0, std::floor(degrees + 1e-9)));
  const bool is_known = std::isinf(degrees);
  if (std::isnan(s)) return scale;
  const long known = is_known ? degrees_when_known : std::max(1L, scale.degrees_of_freedom);
  scale.quantile = student_t_quantile(confidence, known);
  scale.one_sided = one_sided_quantile(confidence, known);
  return scale;
}

}  // namespace

double solve_data_scale(const Vector& data, const Vector& priors, Index rows, double square) {
  const auto R = static_cast<double>(rows);
  // What no prior touches takes a whole degree of freedom, however large s.
  const double largest = priors.size() > 0 ? priors.maxCoeff() : 0;
  const auto without_prior = static_cast<double>((priors.array() <= 1e-12 * largest).count());
  if (!(square > 0) || R <= without_prior) return no_scale;
  // x R − Σ x a/(a + x p) − Q rises with x and is convex, so that Newton's steps from above the root come down to it.
  const auto excess = [&](double x) {
    return x * R - (x * data.array() / (data.array() + x * priors.array())).sum() - square;
  };
  double x = square / R;
  while (excess(x) < 0) x *= 2;
  for (int step = 0; step < 200; ++step) {
    const Eigen::ArrayXd part = data.array() / (data.array() + x * priors.array());
    const double next = x - excess(x) / (R - part.square().sum());
    if (!(next > 0) || !(x - next > 1e-15 * x)) break;
    x = next;
  }
  return x;
}

Posterior compute_posterior(const FitRows& fit, const Scores& scores, const std::vector<std::string>& names,
                            const UncertaintyOptions& options) {
  const bool has_loss = fit.loss.kind != RobustLoss::Kind::None;
  const double w = scores.curvature;
  Posterior posterior;
  Uncertainty& u = posterior.formal;
  if (fit.prior_J.rows() == 0) {
    UncertaintyOptions plain = options;
    plain.absolute_sigma = options.absolute_sigma && !has_loss;
    u = compute_uncertainty(scores.psi, fit.J, names, plain);
    u.scale.s /= w;
    fill_errors(u);
    posterior.data_scale = std::sqrt(w) * u.scale.s;
    posterior.determined_by_data = static_cast<double>(u.spectrum.rank);
    return posterior;
  }
  const double data_length = longest(fit.J) > 0 ? longest(fit.J) : 1, prior_length = longest(fit.prior_J);
  const Index R = fit.r.size(), all = R + fit.prior.size();
  Eigen::MatrixXd stack(all, fit.parameters());
  stack << fit.J / data_length, fit.prior_J / (prior_length > 0 ? prior_length : 1);
  UncertaintyOptions known = options;
  known.absolute_sigma = true;
  u = compute_uncertainty(Vector::Zero(all), stack, names, known);
  const Shares shares = find_shares(fit, u, data_length);
  double square = 1, degrees = std::numeric_limits<double>::infinity();
  const bool estimate = has_loss || !options.absolute_sigma;
  if (estimate) square = solve_data_scale(shares.data, shares.priors, R, scores.psi.squaredNorm() / (w * w));
  const Eigen::ArrayXd told = shares.data.array() / (shares.data.array() + square * shares.priors.array());
  posterior.determined_by_data = told.sum();
  if (estimate) degrees = static_cast<double>(R) - posterior.determined_by_data;
  u.scale = make_scale(std::sqrt(square), degrees, options.confidence);
  if (!estimate) u.scale.degrees_of_freedom = static_cast<long>(R - u.spectrum.rank);
  // s² W Wᵀ = C.
  u.root = shares.basis * (shares.data.array() + square * shares.priors.array()).rsqrt().matrix().asDiagonal();
  fill_errors(u);
  posterior.data_scale = std::sqrt(w) * u.scale.s;
  return posterior;
}

}  // namespace pithball::optim
