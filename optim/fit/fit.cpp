#include "optim/fit/fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "optim/fit/resolved_fit.hpp"
#include "optim/uncertainty/scale_symmetry.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Whether θ lies on a bound. Transforms make 1 a large change of θ, but for the identity, whose θ has a unit.
bool lies_on(double theta, double bound, Transform::Kind kind) {
  const double scale = kind == Transform::Kind::Identity ? std::max(std::abs(theta), std::abs(bound)) : 1;
  return std::isfinite(bound) && std::abs(theta - bound) <= 1e-6 * scale;
}

std::vector<FittedParameter> tabulate(const ParameterMap& map, const Vector& theta) {
  const Vector estimate = map.physical(theta), lower = map.lower(), upper = map.upper();
  std::vector<FittedParameter> table;
  for (Index k = 0; k < map.size(); ++k) {
    const ParameterInfo& info = map.info()[k];
    FittedParameter p;
    p.name = info.name;
    p.value = info.value;
    p.group = info.group;
    p.recording = info.recording;
    p.unit = info.unit;
    p.initial = info.initial;
    p.estimate = estimate[k];
    const Transform::Kind kind = info.transform.kind();
    p.at_bound = lies_on(theta[k], lower[k], kind) || lies_on(theta[k], upper[k], kind);
    table.push_back(p);
  }
  return table;
}

void judge_profiles(const Residual& weighted, const ParameterMap& map, const FitProblem& problem, const Uncertainty& u,
                    FitReport& report) {
  const std::vector<Index> wanted = find_parameters(map, problem.profile);
  if (wanted.empty()) return;
  if (!(std::isfinite(u.s) && u.s > 0)) {
    report.notes.push_back("profiles were not computed: the residuals have no scatter to compare with");
    return;
  }
  for (const Index k : wanted) {
    report.profiles.push_back(profile_parameter(map, weighted, report.theta, k, u, problem.minimizer));
    for (const std::string& warning : report.profiles.back().warnings()) report.notes.push_back(warning);
  }
}

bool wants_errors(const ResolvedFit& fit) { return fit.map().size() <= fit.problem().uncertainty_limit; }

void judge(const ResolvedFit& fit, const WholeRun& run, FitReport& report) {
  const FitResidual& residual = fit.residual();
  const FitProblem& problem = fit.problem();
  const ParameterMap& map = fit.map();
  if (!wants_errors(fit)) {
    report.notes.push_back("standard errors were not computed: more than " + std::to_string(problem.uncertainty_limit) +
                           " parameters");
    return;
  }
  Vector r = run.r;
  Eigen::MatrixXd J = run.J;
  const Evaluation evaluation = run.evaluation.ok() ? residual.complete(report.theta, r, J) : run.evaluation;
  if (!evaluation.ok()) {
    report.notes.push_back("standard errors could not be computed: " + evaluation.failure);
    return;
  }
  const auto symmetry = find_scale_symmetry(map, report.theta, J);
  UncertaintyOptions options = problem.uncertainty;
  if (symmetry) options.rank_tolerance = std::max(options.rank_tolerance, scale_symmetry_tolerance);
  const Uncertainty u = compute_uncertainty(r, J, map.names(), options);
  report.correlation = u.correlation;
  report.weak_directions = u.weak_directions;
  report.singular_values = u.singular_values;
  report.condition = u.condition;
  report.residual_scale = u.s;
  report.degrees_of_freedom = u.degrees_of_freedom;
  const Vector slope = map.physical_derivative(report.theta);
  for (Index k = 0; k < map.size(); ++k) {
    FittedParameter& p = report.parameters[k];
    const Transform& transform = map.info()[k].transform;
    p.standard_error = slope[k] * u.standard_error[k];
    p.interval_lower = transform.value(report.theta[k] - u.half_width[k]);
    p.interval_upper = transform.value(report.theta[k] + u.half_width[k]);
    p.identifiable = u.identifiable[k];
    p.weak_direction = u.weak_direction[k];
    if (p.at_bound) report.notes.push_back(p.name + ": the estimate lies on a bound; its standard error means little");
  }
  for (const WeakDirection& weak : u.weak_directions)
    report.notes.push_back("the data do not determine the direction " + weak.name);
  if (symmetry) report.notes.push_back(symmetry->sentence());
  report.growth =
      compute_sensitivity_growth(problem.scenarios, problem.observations, J.topRows(residual.trajectories().rows()));
  judge_profiles(residual.all(), map, problem, u, report);
}

void judge_whiteness(const FitProblem& problem, const WholeRun& run, FitReport& report) {
  if (!run.evaluation.ok()) return;  // said elsewhere
  report.whiteness = compute_whiteness(problem.scenarios, problem.observations, run.r);
  for (const RecordingWhiteness& recording : report.whiteness)
    if (const std::string warning = recording.warning(); !warning.empty()) report.notes.push_back(warning);
}

void compare(std::vector<MarkerTracks> found, FitReport& report) {
  report.tracks = std::move(found);
  for (const MarkerTracks& tracks : report.tracks) {
    if (tracks.unreliable_step >= 0)
      report.notes.push_back(tracks.recording + ": derivative unreliable at step " +
                             std::to_string(tracks.unreliable_step) +
                             ", where the implicit step is nearly singular (buckling); so are the standard errors");
    for (const Part part : all_parts) {
      RecordingErrors errors = compute_errors(tracks, part);
      if (errors.all.samples > 0) report.recordings.push_back(std::move(errors));
    }
  }
  report.fit = pool(report.recordings, Part::Fit);
  report.forecast = pool(report.recordings, Part::Forecast);
  report.held_out = pool(report.recordings, Part::HeldOut);
}

/// What several starts led to, in a sentence.
std::string compare_minima(const ParameterMap& map, const std::vector<FoundMinimum>& minima) {
  const MinimizerReport& best = minima.front().found;
  std::size_t same = 0;
  while (same < minima.size() && minima[same].found.cost <= best.cost * (1 + 1e-3)) ++same;
  std::string text = std::to_string(same) + " of the " + std::to_string(minima.size()) +
                     " searches of the last stage ended at the best cost, " + to_text(best.cost);
  if (same == minima.size()) return text;
  text += "; the next one ended at " + to_text(minima[same].found.cost);
  if (map.size() > 4) return text;
  const Vector p = map.physical(minima[same].found.theta);
  for (Index k = 0; k < map.size(); ++k) {
    char value[32];
    std::snprintf(value, sizeof value, "%.4g", p[k]);
    text += (k == 0 ? ", where " : ", ") + map.names()[k] + " is " + value;
  }
  return text;
}

}  // namespace

std::string to_string(FitSolver solver) {
  switch (solver) {
    case FitSolver::LevenbergMarquardt:
      return "levenberg_marquardt";
    case FitSolver::GaussNewton:
      return "gauss_newton";
    case FitSolver::Lbfgs:
      return "lbfgs";
  }
  return "";
}

ParameterMap make_parameter_map(const FitProblem& problem) {
  std::vector<Viewpoint> viewpoints;
  for (const Observation& observation : problem.observations) viewpoints.push_back(observation.viewpoint);
  return ParameterMap(problem.scenarios, problem.parameters, std::move(viewpoints));
}

void check(const FitProblem& problem) { ResolvedFit{problem}; }

FitReport fit(const FitProblem& problem) { return fit(ResolvedFit(problem)); }

FitReport fit(const ResolvedFit& resolved, const ShowStep& show) {
  const auto begin = std::chrono::steady_clock::now();
  const FitProblem& problem = resolved.problem();
  const ParameterMap& map = resolved.map();

  FitReport report;
  report.notes = map.notes();
  SearchReport found = search(resolved);
  report.status = found.best.status;
  report.message = found.best.message;
  report.theta = found.best.theta;
  report.cost_history = found.best.cost_history;
  for (const StageReport& stage : found.stages)
    for (const FoundMinimum& minimum : stage.minima) report.failed_evaluations += minimum.found.failed_evaluations;
  report.evaluations = found.evaluations;
  report.search = std::move(found.stages);
  report.parameters = tabulate(map, report.theta);
  report.confidence = problem.uncertainty.confidence;
  if (report.status != MinimizerStatus::Failed) {
    WholeRun run =
        run_whole(resolved.residual().trajectories(), problem.observations, report.theta, wants_errors(resolved), show);
    judge(resolved, run, report);
    judge_whiteness(problem, run, report);
    if (resolved.residual().has_priors())
      report.notes.push_back(
          "priors count as data: the cost holds them, standard errors are those of the posterior, and what they alone "
          "determine counts as determined");
    if (report.search.back().minima.size() > 1)
      report.notes.push_back(compare_minima(map, report.search.back().minima));
    compare(std::move(run.tracks), report);
  }
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

FitProblem with_halved_step(FitProblem problem) {
  for (diff::Scenario& scenario : problem.scenarios) {
    scenario.time_step /= 2;
    scenario.steps *= 2;
  }
  return problem;
}

}  // namespace pithball::optim
