#include "optim/fit/identify.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "diff/check/gradient_doubts.hpp"
#include "optim/fit/problem.hpp"
#include "optim/uncertainty/identifiability.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

constexpr Determination determinations[] = {Determination::Determined, Determination::Poor, Determination::None};

/// Number of directions, those with the smallest singular values, whose components are kept.
constexpr Index most_vectors = 12;

/// Returns the name of the direction that contributes most to the variance of parameter k, which is Σ_j (V_kj/s_j)² up
/// to the scale of the column.
std::string main_direction(const JacobianSpectrum& spectrum, const Vector& column_norm, Index k,
                           const std::vector<std::string>& names) {
  Index worst = 0;
  double largest = -1;
  for (Index j = 0; j < spectrum.rank; ++j) {
    // spectrum.directions holds D⁻¹V with columns of length 1; both scalings are undone for the comparison.
    const Vector scaled = spectrum.directions.col(j).cwiseProduct(column_norm);
    const double share = std::abs(scaled[k]) / (scaled.norm() * spectrum.singular_values[j]);
    if (share > largest) {
      largest = share;
      worst = j;
    }
  }
  return direction_name(spectrum.directions.col(worst), names);
}

/// "tracks: sigma 1.2 mm, its measurement noise"
std::string say_sigma(const SupposedSigma& sigma, const Observation& o) {
  const MeasurementKind& kind = kind_of(o);
  const std::string size =
      (sigma.least == sigma.most ? "" : formatted("%.3g to ", kind.shown_unit.factor * sigma.least)) +
      kind.shown(sigma.most);
  return sigma.recording + ": sigma " + size + ", " +
         (o.noise.origin == SigmaOrigin::Written  ? "as written"
          : o.noise.origin == SigmaOrigin::Tracks ? "its measurement noise"
                                                  : "an assumption: standard errors are proportional to it");
}

/// Returns the noise by which the residuals of each recording are divided.
std::vector<SupposedSigma> supposed_sigmas(const FitProblem& problem) {
  std::vector<SupposedSigma> sigmas;
  for (std::size_t s = 0; s < problem.observations.size(); ++s) {
    const Observation& o = problem.observations[s];
    SupposedSigma one{problem.scenarios[s].name, std::numeric_limits<double>::infinity(), 0, ""};
    for (Index m = 0; m < o.noise.sigma.size(); ++m)
      for (int a = 0; a < 3; ++a) {
        one.least = std::min(one.least, o.noise.component_sigma(m, a));
        one.most = std::max(one.most, o.noise.component_sigma(m, a));
      }
    if (!(one.most > 0)) continue;
    one.said = say_sigma(one, o);
    sigmas.push_back(std::move(one));
  }
  return sigmas;
}

/// The standard deviations of the weighted residuals of the recordings, in units of sigma: the weights of their frames.
Vector weights_of_rows(const FitProblem& problem, const TrajectoryResidual& residual) {
  Vector weight = Vector::Ones(residual.rows());
  for (std::size_t s = 0; s < problem.observations.size(); ++s) {
    const std::vector<double>& by_frame = problem.observations[s].frame_weight;
    if (by_frame.empty()) continue;
    for (const MeasurementModel::Sample& sample : residual.measurement(s).samples())
      weight.segment(residual.first_row(s) + sample.first_row, sample.row_count).setConstant(by_frame[sample.frame]);
  }
  return weight;
}

/// Returns derivatives K of independent rows of standard deviation 1 with the information of weighted rows J, whose
/// standard deviations are W. With A = JᵀJ, the covariance of the estimates is A⁻¹ JᵀW²J A⁻¹, so that
///    KᵀK = A (JᵀW²J)⁺ A;   J = QR, WQ = Q′R′:   K = R′⁻ᵀ R.
Eigen::MatrixXd without_weights(const Eigen::MatrixXd& J, const Vector& W) {
  const Index count = std::min(J.rows(), J.cols());
  const Eigen::HouseholderQR<Eigen::MatrixXd> plain(J);
  const Eigen::MatrixXd Q = plain.householderQ() * Eigen::MatrixXd::Identity(J.rows(), count);
  const Eigen::HouseholderQR<Eigen::MatrixXd> weighted(W.asDiagonal() * Q);
  const Eigen::MatrixXd R = plain.matrixQR().topRows(count).triangularView<Eigen::Upper>();
  return weighted.matrixQR().topRows(count).triangularView<Eigen::Upper>().transpose().solve(R);
}

/// Appends the prior information as rows below J.
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
        parameter.weak_direction = main_direction(u.spectrum, column_norm, k, names);
    }
    table.push_back(std::move(parameter));
  }
  return table;
}

SingularSpectrum spectrum_of(const ParameterMap& map, const Uncertainty& u) {
  SingularSpectrum spectrum{{}, u.spectrum.weak_directions, u.spectrum.condition()};
  const std::vector<std::string> names = map.names();
  for (Index k = 0; k < map.size(); ++k) {
    const Vector direction = u.spectrum.directions.col(k);
    spectrum.directions.push_back({u.spectrum.singular_values[k], direction_name(direction, names),
                                   k + most_vectors < map.size() ? Vector() : direction});
  }
  return spectrum;
}

/// Fills in the predictions that follow from J, the derivatives of residuals and priors together.
void predict_from(const ParameterMap& map, const Vector& theta, const Eigen::MatrixXd& J, UncertaintyOptions options,
                  IdentifyReport& report) {
  const auto symmetry = find_scale_symmetry(map, theta, J);
  if (symmetry) options.rank_tolerance = std::max(options.rank_tolerance, scale_symmetry_tolerance);
  const Uncertainty u = compute_uncertainty(Vector::Zero(J.rows()), J, map.names(), options);
  report.parameters = predict(map, theta, J, u);
  report.spectrum = spectrum_of(map, u);
  report.correlation = u.correlation;
  for (const WeakDirection& weak : u.spectrum.weak_directions)
    report.notes.push_back("the data do not determine the direction " + weak.name);
  if (symmetry) {
    report.scale_symmetry = symmetry->members;
    report.notes.push_back(symmetry->sentence());
  } else {
    for (std::string& said : describe_lone_combinations(map, theta, J, u)) report.notes.push_back(std::move(said));
  }
}

}  // namespace

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
  if (map.size() > problem.uncertainty.full_limit)
    throw InvalidArgument(
        {"", "parameters",
         "must be at most " + std::to_string(problem.uncertainty.full_limit) + " for the whole Jacobian",
         std::to_string(map.size()), "share values by group, or select some of them"});
  IdentifyReport report;
  report.confidence = problem.uncertainty.options.confidence;
  report.notes = map.notes();
  report.rows = residual.rows();
  Vector r;
  Eigen::MatrixXd J;
  if (const Evaluation evaluation = residual.evaluate(theta, r, &J); !evaluation.ok()) {
    report.failure = evaluation.failure;
    return report;
  }
  for (const sim::Doubt& doubt : diff::find_gradient_doubts(map.scatter(theta)))
    report.doubts.push_back(doubt.sentence());
  UncertaintyOptions options = problem.uncertainty.options;
  options.absolute_sigma = true;
  report.growth = compute_sensitivity_growth(problem.scenarios, problem.observations, of_the_body(map, J));
  report.sigmas = supposed_sigmas(problem);
  report.has_priors = fit.residual().has_priors() || !earlier.empty();
  if (const Evaluation evaluation = add_priors(fit, theta, earlier, J); !evaluation.ok()) {
    report.failure = evaluation.failure;
    return report;
  }
  if (std::ranges::any_of(problem.observations, [](const Observation& o) { return !o.frame_weight.empty(); })) {
    Vector W = Vector::Ones(J.rows());
    W.head(residual.rows()) = weights_of_rows(problem, residual);
    J = without_weights(J, W);
  }
  predict_from(map, theta, J, options, report);
  if (fit.residual().has_priors())
    report.notes.push_back(
        "priors enter like measurements: parameters determined only by priors count as identifiable");
  for (const OpenWidth& open : fit.residual().priors().open_widths())
    report.notes.push_back(
        formatted("smooth prior of %s: neighbors are taken to differ by a standard deviation of %.3g%s, since only a "
                  "fit finds their width",
                  problem.parameters[open.declaration].printed_name().c_str(), open.prior.deviation,
                  open.prior.relative ? " of their logarithms" : ""));
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

void fields(FieldVisitor& v, PredictedParameter& p) {
  v.is("PredictedParameter", "what recordings would determine of a parameter");
  v("name", p.name, "name of the parameter");
  v("value", p.value, "the value that it belongs to");
  v("unit", p.unit, "unit of its numbers, in base units of SI; empty: pure numbers");
  v("at", p.at, of_parameter, "the physical value for which the prediction is made");
  v("standard_error", p.standard_error, of_parameter, "predicted standard error; null: not identifiable");
  v("interval", Ends{p.interval_lower, p.interval_upper}, of_parameter, "ends of the predicted interval; null: open");
  v("determination", as_word(p.determination, determinations), "how well the recordings determine it");
  v("weak_direction", or_null(p.weak_direction), "the direction that contributes most to its error; null: none");
}

void fields(FieldVisitor& v, SupposedSigma& sigma) {
  v.is("SupposedSigma", "the noise of one recording that a prediction assumes");
  v("recording", sigma.recording, "as in the experiment file");
  v("least", sigma.least, of_kind, "minimum over its markers and components");
  v("most", sigma.most, of_kind, "maximum");
  v("said", sigma.said, "as a text, with its origin");
}

void fields(FieldVisitor& v, SingularDirection& direction) {
  v.is("SingularDirection", "a singular value of the scaled Jacobian and its direction");
  v("value", direction.value, "the singular value; null: the model could not be simulated");
  v("direction", direction.name, "the largest components of its direction");
  v("vector", direction.vector, "all components", only(direction.vector.size() > 0, "of the weakest directions"));
}

void fields(FieldVisitor& v, IdentifyReport& report) {
  v.computed(
      "status", [&] { return std::string(report.ok() ? "ok" : "failed"); },
      "\"ok\", or \"failed\": the model could not be simulated");
  v("failure", or_null(report.failure), "why the model could not be simulated; null: it could");
  v("confidence", known(report.confidence), "level of the predicted intervals");
  v("residuals", report.rows, "number of recorded coordinates");
  v("sigma", report.sigmas, "assumed noise, by recording");
  v("priors", report.has_priors, "whether the prediction includes priors or an earlier fit");
  v("parameters", report.parameters, "one for each value");
  v("singular_values", report.spectrum.directions, "singular values of the scaled Jacobian, largest first");
  v("condition", report.spectrum.condition, "largest / smallest singular value; null: ∞, or not computed");
  v("weak_directions", report.spectrum.weak_directions, "directions without any effect");
  v("scale_symmetry", report.scale_symmetry, "members of the scale symmetry; empty: there is none");
  v("correlation", report.correlation, "a row and a column for each parameter; null: unknown");
  v("growth", report.growth, "growth of the sensitivity, by recording");
  v("notes", report.notes, "what else to know, one sentence each");
  v("doubts", report.doubts, "why the numbers should not be used as they stand, one sentence each");
}

}  // namespace pithball::optim
