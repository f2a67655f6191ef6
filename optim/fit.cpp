#include "optim/fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "optim/journal.hpp"
#include "optim/lbfgs.hpp"
#include "optim/levenberg_marquardt.hpp"
#include "optim/robust_residual.hpp"
#include "optim/scale_symmetry.hpp"

namespace pithball::optim {
namespace {

bool lies_on(double value, double bound, double scale) {
  return std::isfinite(bound) && std::abs(value - bound) <= 1e-6 * scale;
}

std::vector<FittedParameter> tabulate(const ParameterMap& map, const Vector& theta) {
  const Vector estimate = map.physical(theta), lower = map.lower(), upper = map.upper();
  std::vector<FittedParameter> table;
  for (Index k = 0; k < map.size(); ++k) {
    const ParameterInfo& info = map.info()[static_cast<std::size_t>(k)];
    FittedParameter p;
    p.name = info.name;
    p.value = info.value;
    p.group = info.group;
    p.recording = info.recording;
    p.unit = info.unit;
    p.initial = info.initial;
    p.estimate = estimate[k];
    p.at_bound = lies_on(theta[k], lower[k], 1) || lies_on(theta[k], upper[k], 1);
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

void judge(const TrajectoryResidual& residual, const Residual& weighted, const FitProblem& problem, FitReport& report) {
  const ParameterMap& map = residual.map();
  if (map.size() > problem.uncertainty_limit) {
    report.notes.push_back("standard errors were not computed: more than " + std::to_string(problem.uncertainty_limit) +
                           " parameters");
    return;
  }
  Vector r;
  Eigen::MatrixXd J;
  if (const Evaluation evaluation = weighted.evaluate(report.theta, r, &J); !evaluation.ok()) {
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
    FittedParameter& p = report.parameters[static_cast<std::size_t>(k)];
    const Transform& transform = map.info()[static_cast<std::size_t>(k)].transform;
    p.standard_error = slope[k] * u.standard_error[k];
    p.interval_lower = transform.value(report.theta[k] - u.half_width[k]);
    p.interval_upper = transform.value(report.theta[k] + u.half_width[k]);
    p.identifiable = u.identifiable[static_cast<std::size_t>(k)];
    p.weak_direction = u.weak_direction[static_cast<std::size_t>(k)];
    if (p.at_bound) report.notes.push_back(p.name + ": the estimate lies on a bound; its standard error means little");
  }
  for (const WeakDirection& weak : u.weak_directions)
    report.notes.push_back("the data do not determine the direction " + weak.name);
  if (symmetry) report.notes.push_back(symmetry->sentence());
  judge_profiles(weighted, map, problem, u, report);
}

void judge_whiteness(const TrajectoryResidual& residual, const FitProblem& problem, FitReport& report) {
  Vector r;
  if (!residual.evaluate(report.theta, r, nullptr).ok()) return;  // said elsewhere
  report.whiteness = compute_whiteness(problem.scenarios, problem.observations, r);
  for (const RecordingWhiteness& recording : report.whiteness)
    if (const std::string warning = recording.warning(); !warning.empty()) report.notes.push_back(warning);
}

void compare(const ParameterMap& map, const FitProblem& problem, FitReport& report) {
  for (Index s = 0; s < static_cast<Index>(problem.scenarios.size()); ++s) {
    const diff::Scenario fitted = map.scatter(report.theta, s);
    report.tracks.push_back(compute_tracks(fitted, problem.observations[static_cast<std::size_t>(s)]));
    const MarkerTracks& tracks = report.tracks.back();
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

/// What is only predicted is looked at only after the search; what is wrong with it is said before.
void check_forecasts(const FitProblem& problem) {
  for (std::size_t s = 0; s < problem.scenarios.size(); ++s)
    for (const Part part : {Part::Forecast, Part::HeldOut})
      Observer(problem.observations[s], problem.scenarios[s], part);
}

/// The search with the solver that the problem names, through its journal if it has one.
MinimizerReport run_search(const FitProblem& problem, const ParameterMap& map, const TrajectoryResidual& residual,
                           const RobustResidual& weighted, const Bounds& bounds) {
  const TrajectoryObjective objective(residual, problem.loss);
  const Vector start = map.initial(), physical_start = map.physical(start);  // θ may be scaled by its own start
  const auto search = [&](const Residual& r, const Objective& o) {
    return problem.solver == FitSolver::Lbfgs ? lbfgs(o, start, bounds, problem.minimizer)
                                              : levenberg_marquardt(r, start, bounds, problem.minimizer);
  };
  if (problem.journal.empty()) return search(weighted, objective);
  std::map<std::vector<double>, JournalEntry> known;
  if (!problem.resume_from.empty()) known = Journal::load(problem.resume_from, physical_start);
  Journal journal(problem.journal, physical_start, std::move(known));
  return search(JournaledResidual(weighted, journal), JournaledObjective(objective, journal));
}

}  // namespace

std::string to_string(FitSolver solver) { return solver == FitSolver::Lbfgs ? "lbfgs" : "levenberg_marquardt"; }

void check(const FitProblem& problem) {
  const ParameterMap map(problem.scenarios, problem.parameters);
  const TrajectoryResidual residual(map, problem.observations);
  check_forecasts(problem);
  find_parameters(map, problem.profile);
}

FitReport fit(const FitProblem& problem) {
  const auto begin = std::chrono::steady_clock::now();
  const ParameterMap map(problem.scenarios, problem.parameters);
  TrajectoryResidual residual(map, problem.observations);
  residual.set_adjoint_budget(problem.adjoint_budget_mb);
  check_forecasts(problem);
  find_parameters(map, problem.profile);
  const RobustResidual weighted(residual, problem.loss, residual.samples());
  const Bounds bounds{map.lower(), map.upper()};

  FitReport report;
  report.notes = map.notes();
  const MinimizerReport search = run_search(problem, map, residual, weighted, bounds);
  report.status = search.status;
  report.message = search.message;
  report.theta = search.theta;
  report.cost_history = search.cost_history;
  report.failed_evaluations = search.failed_evaluations;
  report.evaluations = residual.counts();
  report.parameters = tabulate(map, report.theta);
  report.confidence = problem.uncertainty.confidence;
  if (report.status != MinimizerStatus::Failed) {
    judge(residual, weighted, problem, report);
    judge_whiteness(residual, problem, report);
    compare(map, problem, report);
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
