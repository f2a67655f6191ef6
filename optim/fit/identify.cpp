#include "optim/fit/identify.hpp"

#include <algorithm>
#include <cmath>

#include "optim/fit/resolved_fit.hpp"
#include "optim/uncertainty/lone_combination.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// The name of the direction from which most of parameter k's variance comes: Σ_j (V_kj/s_j)², up to the column's
/// scale.
std::string main_direction(const Uncertainty& u, const Vector& column_norm, Index k,
                           const std::vector<std::string>& names) {
  Index worst = 0;
  double largest = -1;
  for (Index j = 0; j < u.rank; ++j) {
    // u.directions holds D⁻¹V with columns of length 1; undo both to compare.
    const Vector scaled = u.directions.col(j).cwiseProduct(column_norm);
    const double share = std::abs(scaled[k]) / (scaled.norm() * u.singular_values[j]);
    if (share > largest) {
      largest = share;
      worst = j;
    }
  }
  return direction_name(u.directions.col(worst), names);
}

/// The noise that residuals are in units of.
std::vector<SupposedSigma> supposed_sigmas(const FitProblem& problem) {
  std::vector<SupposedSigma> sigmas;
  for (std::size_t s = 0; s < problem.observations.size(); ++s) {
    const Observation& o = problem.observations[s];
    SupposedSigma one{problem.scenarios[s].name, std::numeric_limits<double>::infinity(), 0, o.sigma_origin,
                      &kind_of(o)};
    for (Index m = 0; m < o.sigma.size(); ++m)
      for (int a = 0; a < 3; ++a) {
        one.least = std::min(one.least, o.component_sigma(m, a));
        one.most = std::max(one.most, o.component_sigma(m, a));
      }
    if (one.most > 0) sigmas.push_back(one);
  }
  return sigmas;
}

/// Puts what is known before below J.
Evaluation add_priors(const ResolvedFit& fit, const Vector& theta, const EarlierEstimates& earlier,
                      Eigen::MatrixXd& J) {
  Eigen::MatrixXd below;
  if (const Evaluation evaluation = prior_rows(fit, theta, earlier, below); !evaluation.ok()) return evaluation;
  if (below.rows() == 0) return {};
  remove_scale_symmetry(fit.map(), theta, J);
  J.conservativeResize(J.rows() + below.rows(), Eigen::NoChange);
  J.bottomRows(below.rows()) = below;
  return {};
}

std::vector<PredictedParameter> predict(const ParameterMap& map, const Vector& theta, const Eigen::MatrixXd& J,
                                        const Uncertainty& u) {
  const Vector p = map.physical(theta), slope = map.physical_derivative(theta);
  const Vector column_norm = J.colwise().norm().transpose();
  const std::vector<std::string> names = map.names();
  std::vector<PredictedParameter> table;
  for (Index k = 0; k < map.size(); ++k) {
    const std::size_t i = k;
    const ParameterInfo& info = map.info()[i];
    PredictedParameter parameter;
    parameter.name = info.name;
    parameter.value = info.value;
    parameter.unit = info.unit;
    parameter.at = p[k];
    parameter.standard_error = slope[k] * u.standard_error[k];
    if (!u.identifiable[i]) {
      parameter.weak_direction = u.weak_direction[i];
    } else {
      parameter.interval_lower = info.transform.value(theta[k] - u.half_width[k]);
      parameter.interval_upper = info.transform.value(theta[k] + u.half_width[k]);
      const bool is_log = info.transform.kind() == Transform::Kind::Log;
      const double most = is_log ? std::log(identifiable_factor) : 1;
      parameter.determination = u.half_width[k] <= most ? Determination::Determined : Determination::Poor;
      if (parameter.determination == Determination::Poor)
        parameter.weak_direction = main_direction(u, column_norm, k, names);
    }
    table.push_back(std::move(parameter));
  }
  return table;
}

void judge_directions(const ParameterMap& map, const Vector& theta, const Eigen::MatrixXd& J,
                      UncertaintyOptions options, IdentifyReport& report) {
  const auto symmetry = find_scale_symmetry(map, theta, J);
  if (symmetry) options.rank_tolerance = std::max(options.rank_tolerance, scale_symmetry_tolerance);
  const Uncertainty u = compute_uncertainty(Vector::Zero(J.rows()), J, map.names(), options);
  report.parameters = predict(map, theta, J, u);
  report.singular_values = u.singular_values;
  report.vectors = u.directions;
  report.weak_directions = u.weak_directions;
  report.condition = u.condition;
  report.correlation = u.correlation;
  const std::vector<std::string> names = map.names();
  for (Index k = 0; k < map.size(); ++k) report.directions.push_back(direction_name(u.directions.col(k), names));
  for (const WeakDirection& weak : u.weak_directions)
    report.notes.push_back("the data do not determine the direction " + weak.name);
  if (symmetry) {
    report.scale_symmetry = symmetry->members;
    report.notes.push_back(symmetry->sentence());
  } else {
    for (std::string& said : say_lone_combinations(map, theta, J, u)) report.notes.push_back(std::move(said));
  }
}

}  // namespace

std::string SupposedSigma::sentence() const {
  const std::string length =
      (least == most ? "" : formatted("%.3g to ", kind->shown_factor * least)) + kind->shown(most);
  return recording + ": sigma " + length + ", " +
         (origin == SigmaOrigin::Written  ? "as written"
          : origin == SigmaOrigin::Tracks ? "its measurement noise"
                                          : "an assumption: standard errors are proportional to it");
}

std::string to_string(Determination determination) {
  return determination == Determination::Determined ? "determined"
         : determination == Determination::Poor     ? "poor"
                                                    : "none";
}

IdentifyReport identify(const ResolvedFit& fit, const Vector& theta, const EarlierEstimates& earlier) {
  const FitProblem& problem = fit.problem();
  const ParameterMap& map = fit.map();
  const TrajectoryResidual& residual = fit.residual().trajectories();
  if (theta.size() != map.size())
    throw InvalidArgument({"", "theta", "must have one entry for each parameter", std::to_string(theta.size()), ""});
  if (map.size() > problem.uncertainty_limit)
    throw InvalidArgument({"", "parameters",
                           "must be at most " + std::to_string(problem.uncertainty_limit) + " for the whole Jacobian",
                           std::to_string(map.size()), "share values by group, or select some of them"});
  IdentifyReport report;
  report.confidence = problem.uncertainty.confidence;
  report.notes = map.notes();
  report.rows = residual.rows();
  Vector r;
  Eigen::MatrixXd J;
  if (const Evaluation evaluation = residual.evaluate(theta, r, &J); !evaluation.ok()) {
    report.failure = evaluation.failure;
    return report;
  }
  UncertaintyOptions options = problem.uncertainty;
  options.absolute_sigma = true;
  report.growth = compute_sensitivity_growth(problem.scenarios, problem.observations, of_the_body(map, J));
  report.sigmas = supposed_sigmas(problem);
  report.has_priors = fit.residual().has_priors() || !earlier.empty();
  if (const Evaluation evaluation = add_priors(fit, theta, earlier, J); !evaluation.ok()) {
    report.failure = evaluation.failure;
    return report;
  }
  judge_directions(map, theta, J, options, report);
  if (fit.residual().has_priors())
    report.notes.push_back(
        "priors enter like measurements: parameters determined only by priors count as identifiable");
  for (const SensitivityGrowth& growth : report.growth)
    for (const std::string& warning : growth.warnings()) report.notes.push_back(warning);
  return report;
}

IdentifyReport identify(const FitProblem& problem, const Vector& theta) {
  return identify(ResolvedFit(problem), theta);
}

IdentifyReport identify(const FitProblem& problem) {
  const ResolvedFit fit(problem);
  return identify(fit, fit.map().initial());
}

}  // namespace pithball::optim
