#include "optim/fit/limits.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "optim/fit/resolved_fit.hpp"
#include "optim/fit/settled_scales.hpp"

namespace pithball::optim {
namespace {

/// Largest meaningful limit, as a multiple of a value's initial magnitude, and the factor below which it counts as 0.
constexpr double far_beyond = 1e3;

/// θ with every value on a logarithmic scale at least this part of its start.
Vector lift_logarithms(const ParameterMap& map, Vector theta, double part) {
  for (Index k = 0; k < map.size(); ++k) {
    const ParameterInfo& info = map.info()[k];
    if (info.transform.kind() == Transform::Kind::Log)
      theta[k] = std::max(theta[k], info.transform.theta(part * info.initial));
  }
  return theta;
}

/// What size the user gives to a value: its start, or the scale of its transform.
double given_size(const ParameterInfo& info) {
  return info.transform.kind() == Transform::Kind::Log ? info.initial : info.transform.scale();
}

/// The upper limit of a value that is smaller than its standard error, if it is meaningful.
std::optional<double> straight_limit(const ParameterInfo& info, const ParameterErrors& errors, double slope,
                                     const FittedParameter& p) {
  if (info.lower != 0 || !p.identifiable || !std::isfinite(p.standard_error)) return {};
  if (!(p.estimate < p.standard_error)) return {};
  const double limit = p.estimate + slope * errors.one_sided;
  if (!(limit < info.upper) || !(limit <= far_beyond * given_size(info))) return {};
  return limit;
}

/// Part of the rise of χ² that a limit claims which the model must show: what is curved shows half of the standard
/// errors, what is flat nothing.
constexpr double least_rise = 0.25;

/// χ² about a fit, in units of the data's scale.
class LimitTrial {
 public:
  LimitTrial(const IntervalBasis& basis, EvaluationCounts& counts)
      : map_(basis.fit.map()),
        u_(basis.errors.errors.posterior.formal),
        parameters_(basis.errors.errors.parameters),
        theta_(basis.optimum.end.theta),
        counts_(counts),
        residual_(with_scales(basis.fit.problem(),
                              {basis.errors.errors.posterior.data_scale, basis.optimum.scales.threshold}),
                  map_) {
    square_ = evaluate(theta_);
  }

  /// Whether value k may as well be 0.
  bool allows(Index k) {
    const double error = u_.scale.s * u_.root.row(k).norm(), end = parameters_[k].half_width / error;
    return evaluate(at_zero(k)) - square_ <= end * end;  // not where it cannot be run
  }

  /// Whether χ² stays as it is up to this limit of value k.
  bool is_open(Index k, double limit) {
    const double claimed = std::pow(parameters_[k].one_sided / parameters_[k].formal, 2);
    return evaluate(at_limit(k, limit)) - square_ < least_rise * claimed;  // not where it cannot be run
  }

 private:
  double evaluate(const Vector& theta) {
    Vector r;
    ++counts_.forward;
    return residual_.all().evaluate(theta, r, nullptr).ok() ? r.squaredNorm() : NAN;
  }
  Vector at_zero(Index k) const {
    const ParameterInfo& info = map_.info()[k];
    const double p = info.transform.value(theta_[k]);
    return with_value(k, -p, info.transform.kind() == Transform::Kind::Log ? info.transform.theta(p / far_beyond) : 0);
  }
  Vector at_limit(Index k, double limit) const {
    const Transform& transform = map_.info()[k].transform;
    return with_value(k, limit - transform.value(theta_[k]), transform.theta(limit));
  }
  /// θ_k, and the others changed as the linearized problem has it for this change of the value.
  Vector with_value(Index k, double change, double theta_k) const {
    const Vector along = u_.root * u_.root.row(k).transpose();  // C_jk/s²
    Vector theta = theta_;
    if (along[k] > 0) theta += change / map_.info()[k].transform.derivative(theta_[k]) / along[k] * along;
    theta[k] = theta_k;
    return theta.cwiseMax(map_.lower()).cwiseMin(map_.upper());
  }

  const ParameterMap& map_;
  const Uncertainty& u_;
  const std::vector<ParameterErrors>& parameters_;
  const Vector& theta_;
  EvaluationCounts& counts_;
  FitResidual residual_;
  double square_ = 0;
};

}  // namespace

SearchEnd raise_vanished(const ResolvedFit& fit, const ResidualScales& scales, SearchEnd end) {
  // Not a search of its own on a linear scale with a bound at 0: that would be another θ for all that follows, to end
  // at an estimate that differs from this one by a small part of its error.
  constexpr double unnoticed = 0.01;  // of a residual's variance
  const ParameterMap& map = fit.map();
  std::optional<FitResidual> residual;
  double square = 0, variance = 1;
  for (const double part : {1e-6, 1e-12, 1e-18}) {
    const Vector lifted = lift_logarithms(map, end.theta, part);
    if (lifted == end.theta) break;
    Vector r;
    if (!residual) {
      residual.emplace(with_scales(fit.problem(), scales), map);
      ++end.evaluations.forward;
      if (!residual->all().evaluate(end.theta, r, nullptr).ok()) break;  // said elsewhere
      square = r.squaredNorm();
      const auto degrees = static_cast<double>(std::max<Index>(1, r.size() - map.size()));
      if (!fit.problem().uncertainty.options.absolute_sigma) variance = square / degrees;
    }
    ++end.evaluations.forward;
    if (!residual->all().evaluate(lifted, r, nullptr).ok()) continue;
    if (r.squaredNorm() - square > unnoticed * variance) continue;
    end.theta = lifted;
    break;
  }
  return end;
}

std::vector<UpperLimit> find_limits(const IntervalBasis& basis, const std::vector<FittedParameter>& table,
                                    EvaluationCounts& counts) {
  const ParameterMap& map = basis.fit.map();
  const double tau = basis.errors.errors.posterior.data_scale;
  std::vector<UpperLimit> limits(table.size());
  if (!(std::isfinite(tau) && tau > 0)) return limits;
  const Vector slope = map.physical_derivative(basis.optimum.end.theta);
  std::optional<LimitTrial> trial;
  for (Index k = 0; k < map.size(); ++k) {
    const auto limit = straight_limit(map.info()[k], basis.errors.errors.parameters[k], slope[k], table[k]);
    if (!limit) continue;
    if (!trial) trial.emplace(basis, counts);
    if (basis.errors.sides[k] != BoundSide::Lower && !trial->allows(k)) continue;  // else it is 0 already
    limits[k].is_open = trial->is_open(k, *limit);
    if (!limits[k].is_open) limits[k].end = limit;
  }
  return limits;
}

}  // namespace pithball::optim
