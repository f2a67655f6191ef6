#include "optim/fit/fit_prior.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "optim/fit/fit_optimum.hpp"
#include "optim/fit/problem.hpp"
#include "optim/fit/scaled_fit.hpp"
#include "optim/observation/free_diffusion.hpp"
#include "optim/residual/robust_residual.hpp"
#include "sim/core/dense.hpp"
#include "sim/core/error.hpp"
#include "sim/core/stop.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// The maximizer of a function of x in [low, high], to within a width, by golden-section search.
template <class F>
double largest_in(double low, double high, double within, const F& f) {
  const double part = (std::sqrt(5.0) - 1) / 2;
  double a = high - part * (high - low), b = low + part * (high - low), at_a = f(a), at_b = f(b);
  while (high - low > within) {
    if (at_a > at_b) {
      high = std::exchange(b, a);
      at_b = at_a;
      a = high - part * (high - low);
      at_a = f(a);
    } else {
      low = std::exchange(a, b);
      at_a = at_b;
      b = low + part * (high - low);
      at_b = f(b);
    }
  }
  return (low + high) / 2;
}

/// Largest change of ln w for which the linearization at the optimum holds.
constexpr double longest_change = 2;
/// Below this change of ln w, estimates that depend on the prior change by a small part of their errors.
constexpr double settled_change = 0.02;
constexpr int most_width_rounds = 12;

/// The widths that the residual of a fit uses.
std::vector<PriorWidth> widths_of(const ResolvedFit& fit) {
  std::vector<PriorWidth> widths;
  for (const OpenWidth& open : fit.residual().priors().open_widths())
    widths.push_back(
        {fit.problem().parameters[open.declaration].printed_name(), open.prior.deviation, open.prior.relative});
  return widths;
}

/// Returns the most likely width of each prior at θ, given those of the others in `now`, the widths that `fit` uses;
/// empty if the fit cannot be evaluated there. `open` are the priors without a given width.
std::vector<PriorWidth> most_likely(const ResolvedFit& fit, const FitOptimum& optimum,
                                    const std::vector<OpenWidth>& open, const std::vector<PriorWidth>& now) {
  const Vector& theta = optimum.end.theta;
  Vector r, prior;
  Eigen::MatrixXd J, prior_J;
  FitRows rows;
  if (!fit.residual().trajectories().evaluate(theta, r, &J).ok() ||
      !fit.residual().priors().evaluate(theta, prior, &prior_J).ok() ||
      !make_fit_rows(fit, theta, r, J, optimum.scales.threshold, rows).ok())
    return {};
  const double scale =
      compute_posterior(rows, compute_scores(rows), fit.map().names(), fit.problem().uncertainty.options).data_scale;
  if (!(scale > 0 && std::isfinite(scale))) return {};
  weigh_samples(rows.loss, rows.order.samples, rows.r, &rows.J);
  Quadratic all{Vector::Zero(theta.size()), Eigen::MatrixXd::Zero(theta.size(), theta.size())};
  all.add(rows.r, rows.J, 1 / (scale * scale));
  all.add(prior, prior_J, 1);
  std::vector<PriorWidth> found = now;
  for (std::size_t k = 0; k < open.size(); ++k) {
    const double w = now[k].standard_deviation;
    const Vector d = w * prior.segment(open[k].first_row, open[k].rows);
    const Eigen::MatrixXd D = w * prior_J.middleRows(open[k].first_row, open[k].rows);
    Quadratic others = all;
    others.add(d, D, -1 / (w * w));
    const WidthLikelihood likelihood(std::move(others), d, D);
    const double at = std::log(w);
    found[k].standard_deviation = std::exp(largest_in(at - longest_change, at + longest_change, settled_change / 4,
                                                      [&](double x) { return likelihood(std::exp(x)); }));
  }
  return found;
}

double largest_change(const std::vector<PriorWidth>& a, const std::vector<PriorWidth>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    largest = std::max(largest, std::abs(std::log(a[k].standard_deviation / b[k].standard_deviation)));
  return largest;
}

/// `unit` is that of the values. `is_found`: from the recordings; otherwise it is the one that the search began with.
std::string sentence_of(const PriorWidth& width, const std::string& unit, bool is_found) {
  const double shown = width.relative ? 100 * width.standard_deviation : width.standard_deviation;
  const char* const shown_unit = width.relative ? "%" : unit.c_str();
  return "smooth prior of " + width.parameter +
         formatted(is_found ? ": the recordings suggest a standard deviation between neighbors of %.2g %s"
                            : ": its width was not found from the recordings, and %.2g %s between neighbors was "
                              "assumed; give it: `smooth: {relative_standard_deviation: 5 %%}`",
                   shown, shown_unit);
}

}  // namespace

void Quadratic::add(const Vector& r, const Eigen::MatrixXd& J, double weight) {
  gradient += weight * (J.transpose() * r);
  curvature.noalias() += weight * (J.transpose() * J);
}

WidthLikelihood::WidthLikelihood(Quadratic others, const Vector& d, const Eigen::MatrixXd& D)
    : others_(std::move(others)), pull_(D.transpose() * d), K_(D.transpose() * D), square_(d.squaredNorm()) {
  const Vector size = sim::symmetric_spectrum(K_).values;
  const double rounding = static_cast<double>(size.size()) * std::numeric_limits<double>::epsilon();
  rank_ = static_cast<double>((size.array() > rounding * size.maxCoeff()).count());
}

double WidthLikelihood::operator()(double w) const {
  const double per = 1 / (w * w);
  const Eigen::LLT<Eigen::MatrixXd> H(others_.curvature + per * K_);
  if (H.info() != Eigen::Success) return -std::numeric_limits<double>::infinity();
  const Vector g = others_.gradient + per * pull_;
  const double fall = g.dot(H.solve(g)), half_log_det = H.matrixLLT().diagonal().array().log().sum();
  return -(per * square_ - fall) / 2 - (rank_ - 1) * std::log(w) - half_log_det;
}

FitProblem with_prior_widths(FitProblem problem, const std::vector<PriorWidth>& widths) {
  auto width = widths.begin();
  for (Parameter& parameter : problem.parameters)
    for (Prior& prior : parameter.priors)
      if (const auto* smooth = std::get_if<SmoothPrior>(&prior); smooth && smooth->open && width != widths.end()) {
        prior = SmoothPrior{width->standard_deviation, width->relative, false};
        ++width;
      }
  return problem;
}

std::shared_ptr<const ResolvedFit> with_prior_widths(std::shared_ptr<const ResolvedFit> fit,
                                                     const std::vector<PriorWidth>& widths) {
  if (widths.empty()) return fit;
  return std::make_shared<const ResolvedFit>(with_prior_widths(fit->problem(), widths));
}

WidthFit find_prior_widths(const ResolvedFit& fit, FitOptimum optimum, const MinimizerWatch& watch) {
  const std::shared_ptr<const ResolvedFit> given(std::shared_ptr<const void>(), &fit);
  WidthFit found{given, std::move(optimum)};
  const std::vector<OpenWidth> open = fit.residual().priors().open_widths();
  if (open.empty() || found.optimum.end.status == MinimizerStatus::Failed) return found;
  std::vector<PriorWidth> now = widths_of(fit);
  double change = std::numeric_limits<double>::infinity();
  try {
    for (int round = 0; round < most_width_rounds && change > settled_change && !watch.is_stopped(); ++round) {
      std::vector<PriorWidth> next = most_likely(*found.fit, found.optimum, open, now);
      if (next.empty()) break;
      const std::shared_ptr<const ResolvedFit> with_next = with_prior_widths(given, next);
      found = {with_next, searched_from(*with_next, found.optimum, watch)};
      if (found.optimum.end.status == MinimizerStatus::Failed) return found;
      change = largest_change(next, now);
      now = std::move(next);
    }
  } catch (const sim::Stopped&) {
    note_stop(found.optimum.end);
    return found;
  }
  const bool is_found = std::isfinite(change);
  for (std::size_t k = 0; k < now.size(); ++k) {
    const auto values = std::ranges::find(fit.map().info(), open[k].declaration, &ParameterInfo::declaration);
    found.optimum.notes.push_back(sentence_of(now[k], values->unit, is_found));
  }
  if (is_found && change > settled_change)
    found.optimum.notes.push_back(
        "the width of smooth priors has not settled, and estimates depend on it; give it: `smooth: "
        "{relative_standard_deviation: 5 %}`");
  if (is_found) found.optimum.widths = std::move(now);
  return found;
}

namespace {

constexpr int most_diffusion_rounds = 5;
/// Relative change of D below which it has settled: weights then change by a part of it, and estimates by a small part
/// of their errors.
constexpr double settled_diffusion = 0.01;

bool has_thermal_energy(const Observation& seen) { return seen.noise.thermal_energy > 0; }

/// Returns the largest relative change of D between two problems with the same recordings.
double change_of_diffusion(const FitProblem& a, const FitProblem& b) {
  double change = 0;
  for (std::size_t s = 0; s < a.observations.size(); ++s)
    if (has_thermal_energy(a.observations[s])) {
      const Vector &from = a.observations[s].noise.diffusion, &to = b.observations[s].noise.diffusion;
      change = std::max(change, (to.array() / from.array()).log().abs().maxCoeff());
    }
  return change;
}

std::string say_diffusion(const diff::Scenario& scenario, const Vector& diffusion) {
  const double least = diffusion.minCoeff(), most = diffusion.maxCoeff();
  const std::string range = least == most ? formatted("%.3g", least) : formatted("%.3g to %.3g", least, most);
  return scenario.name + ": the errors contain Brownian motion with D = " + range + " m²/s, from the fitted drag";
}

}  // namespace

FitProblem with_diffusion(FitProblem problem, const std::vector<diff::Scenario>& scenarios) {
  for (std::size_t s = 0; s < scenarios.size(); ++s)
    if (Observation& seen = problem.observations[s]; has_thermal_energy(seen))
      seen.noise.diffusion = compute_diffusion(scenarios[s], seen);
  return problem;
}

std::shared_ptr<const ResolvedFit> with_diffusion_at(std::shared_ptr<const ResolvedFit> fit, const Vector& theta) {
  if (std::ranges::none_of(fit->problem().observations, has_thermal_energy)) return fit;
  return std::make_shared<const ResolvedFit>(with_diffusion(fit->problem(), fit->map().scatter(theta)));
}

WidthFit settle_diffusion(WidthFit found, const MinimizerWatch& watch) {
  const FitProblem& given = found.fit->problem();
  if (std::ranges::none_of(given.observations, has_thermal_energy)) return found;
  FitProblem now = with_diffusion(given, given.scenarios);
  found.fit = std::make_shared<const ResolvedFit>(now);
  double change = INFINITY;
  try {
    for (int round = 0; round < most_diffusion_rounds && !watch.is_stopped(); ++round) {
      if (found.optimum.end.status == MinimizerStatus::Failed) return found;
      FitProblem next = with_diffusion(now, found.fit->map().scatter(found.optimum.end.theta));
      change = change_of_diffusion(now, next);
      if (!(change > settled_diffusion)) break;
      now = std::move(next);
      const auto again = std::make_shared<const ResolvedFit>(now);
      found = {again, searched_from(*again, found.optimum, watch)};
    }
  } catch (const sim::Stopped&) {
    note_stop(found.optimum.end);
    return found;
  }
  for (std::size_t s = 0; s < now.observations.size(); ++s)
    if (has_thermal_energy(now.observations[s]))
      found.optimum.summary.push_back(say_diffusion(now.scenarios[s], now.observations[s].noise.diffusion));
  if (change > settled_diffusion)
    found.optimum.notes.push_back("the diffusion of particles has not settled, and estimates depend on it");
  return found;
}

namespace {

/// Returns the entry of θ for each earlier estimate; −1 if this fit does not have that value.
std::vector<Index> entries_of(const ParameterMap& map, const EarlierEstimates& earlier) {
  std::vector<Index> entries;
  for (const std::string& name : earlier.names) {
    const auto found = std::ranges::find(map.info(), name, &ParameterInfo::name);
    entries.push_back(found == map.info().end() ? -1 : found - map.info().begin());
  }
  return entries;
}

/// Returns R with RᵀR = C⁻¹, computed from the correlations because values have different units.
Eigen::MatrixXd inverse_root(const Eigen::MatrixXd& covariance) {
  const Vector inverse = covariance.diagonal().cwiseSqrt().cwiseInverse();
  const sim::Spectrum spectrum = sim::symmetric_spectrum(inverse.asDiagonal() * covariance * inverse.asDiagonal());
  const Vector values = spectrum.values.cwiseMax(1e-12 * spectrum.values.maxCoeff());
  return values.cwiseSqrt().cwiseInverse().asDiagonal() * spectrum.vectors.transpose() * inverse.asDiagonal();
}

/// Returns the linearization of the earlier posterior as a prior for the values that this fit has, in θ.
Eigen::MatrixXd posterior_rows(const ParameterMap& map, const Vector& theta, const EarlierEstimates& earlier) {
  const std::vector<Index> all = entries_of(map, earlier);
  std::vector<Index> known, entries;
  for (std::size_t q = 0; q < all.size(); ++q)
    if (all[q] >= 0) {
      known.push_back(static_cast<Index>(q));
      entries.push_back(all[q]);
    }
  if (known.empty()) return Eigen::MatrixXd(0, map.size());
  const Eigen::MatrixXd root = inverse_root(earlier.covariance(known, known));
  const Vector slope = map.physical_derivative(theta);
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(root.rows(), map.size());
  for (std::size_t k = 0; k < entries.size(); ++k)
    rows.col(entries[k]) = root.col(static_cast<Index>(k)) * slope[entries[k]];
  return rows;
}

}  // namespace

Vector start_at(const ParameterMap& map, const EarlierEstimates& earlier) {
  Vector theta = map.initial();
  const std::vector<Index> entries = entries_of(map, earlier);
  for (std::size_t q = 0; q < entries.size(); ++q)
    if (entries[q] >= 0) theta[entries[q]] = map.info()[entries[q]].transform.theta(earlier.estimate[q]);
  if (!theta.allFinite())
    throw InvalidArgument({"", "parameters", "must allow the estimates of the earlier fit", "",
                           "check the transforms and bounds of the parameters"});
  return theta;
}

Evaluation prior_rows(const ResolvedFit& fit, const Vector& theta, const EarlierEstimates& earlier,
                      Eigen::MatrixXd& G) {
  const ParameterMap& map = fit.map();
  G = posterior_rows(map, theta, earlier);
  if (!fit.residual().has_priors()) return {};
  Vector r;
  Eigen::MatrixXd own;
  if (const Evaluation evaluation = fit.residual().priors().evaluate_widths(theta, r, own); !evaluation.ok())
    return evaluation;
  std::vector<bool> is_known(map.size(), false);
  for (const Index entry : entries_of(map, earlier))
    if (entry >= 0) is_known[entry] = true;
  std::vector<Index> kept;
  for (Index i = 0; i < own.rows(); ++i)
    for (Index k = 0; k < own.cols(); ++k)
      if (own(i, k) != 0 && !is_known[k]) {
        kept.push_back(i);
        break;
      }
  G.conservativeResize(G.rows() + static_cast<Index>(kept.size()), Eigen::NoChange);
  G.bottomRows(static_cast<Index>(kept.size())) = own(kept, Eigen::all);
  return {};
}

}  // namespace pithball::optim
