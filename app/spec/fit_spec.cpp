#include "app/spec/fit_spec.hpp"
#include "app/spec/population_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "app/spec/parameter_spec.hpp"
#include "app/spec/recorded_noise.hpp"
#include "app/spec/search_spec.hpp"
#include "app/spec/started_recordings.hpp"
#include "optim/fit/judged_starts.hpp"

namespace pithball::app {
namespace {

/// Noise, loss and uncertainty; returns the standard deviation of markers that have none of their own, if one is
/// written.
std::optional<double> read_residual(Node residual, optim::FitProblem& problem) {
  const std::optional<double> sigma = residual.optional_number(
      "sigma", "m",
      "standard deviation of each recorded coordinate; by default each recording's own scatter, found from high "
      "differences of its tracks (of films that are only planned: 1 mm)",
      sim::ValueSign::Positive);
  problem.uncertainty.sigma_is_known =
      residual.flag("sigma_is_known", "errors from sigma as given instead of from the scatter of the residuals", false);
  const std::string loss = residual.choice("loss", {"none", "huber", "cauchy"}, "how much far outliers count", "none");
  problem.loss.kind = loss == "huber"    ? optim::RobustLoss::Kind::Huber
                      : loss == "cauchy" ? optim::RobustLoss::Kind::Cauchy
                                         : optim::RobustLoss::Kind::None;
  problem.loss.threshold =
      residual.number("threshold", "", "distance, in standard deviations, from which a robust loss grows more slowly",
                      problem.loss.threshold, sim::ValueSign::Positive);
  return sigma;
}

void read_solver(Node& fit, const Experiment& base, optim::FitProblem& problem) {
  std::vector<std::string> solvers;
  for (const optim::FitSolver known : optim::fit_solvers) solvers.push_back(optim::to_string(known));
  const std::string solver =
      fit.choice("solver", solvers,
                 "on all tangents, for few parameters; on single tangents and adjoints, or on adjoints alone, for many",
                 optim::to_string(problem.solver));
  for (const optim::FitSolver known : optim::fit_solvers)
    if (optim::to_string(known) == solver) problem.solver = known;
  problem.minimizer.max_iterations =
      fit.integer("max_iterations", "of the solver", problem.minimizer.max_iterations, 1);
  problem.minimizer.function_tolerance =
      fit.number("function_tolerance", "", "relative decrease of the cost that ends the search",
                 problem.minimizer.function_tolerance, sim::ValueSign::Positive);
  problem.uncertainty.confidence = fit.number("confidence", "", "of the printed intervals, below 1",
                                              problem.uncertainty.confidence, sim::ValueSign::Positive);
  if (problem.uncertainty.confidence >= 1)
    fit.refuse("confidence", "must be below 1", fmt::format("{}", problem.uncertainty.confidence), "write 0.95");
  problem.adjoint_budget_mb = base.memory_budget_mb;
  read_search(fit, base, problem);
}

bool read_acceptance(Node& fit) {
  return fit.flag("accept_misfit",
                  "a fit that does not fit (its misfit is above 3 times the noise and a tenth of the "
                  "motion) ends with exit status 0 all the same",
                  false);
}

bool read_cross_validation(Node& fit, const optim::FitProblem& problem) {
  const std::string by = fit.choice("cross_validate", {"none", "recordings"},
                                    "judges each recording by a fit to the others, whose start is found from its first "
                                    "quarter of frames with the parameters held",
                                    "none");
  const auto fitted = std::ranges::count_if(
      problem.observations, [](const optim::Observation& o) { return !o.times.empty() && !o.is_forecast(0); });
  if (by == "recordings" && !fit.describing() && fitted < 2)
    fit.refuse("cross_validate", "needs at least two recordings that are fitted", fmt::format("{}", fitted),
               "leave it out, or add a recording");
  return by == "recordings";
}

/// Recordings that are only forecast have no say in the fit: their starts are found after it.
void judge_forecasts(const std::vector<Recording>& recordings, optim::FitProblem& problem) {
  for (std::size_t s = 0; s < recordings.size(); ++s)
    if (!recordings[s].planned && problem.observations[s].forecast_from == -std::numeric_limits<double>::infinity())
      optim::judge_recording(problem, s);
}

void read_intervals(Node& fit, optim::FitProblem& problem) {
  std::vector<std::string> methods;
  for (const optim::IntervalMethod known : optim::interval_methods) methods.push_back(optim::to_string(known));
  const std::string method =
      fit.choice("interval", methods,
                 "how intervals are found: from the linearised problem; from the profile of χ² wherever the linearised "
                 "interval does not hold; or from fits to 200 resampled recordings",
                 optim::to_string(problem.interval));
  for (const optim::IntervalMethod known : optim::interval_methods)
    if (optim::to_string(known) == method) problem.interval = known;
  fit.document("profile", "list of parameter names", "none",
               "parameters whose profile is wanted to be seen, even where the linearised interval holds");
  if (!fit.describing() && fit.has("profile")) problem.profile = fit.texts("profile", "");
}

void read_errors(Node& fit, FitPurpose purpose, optim::FitProblem& problem) {
  const std::string errors = fit.choice(
      "errors", {"computed", "none"},
      "none leaves out standard errors and intervals, which of more than 500 parameters may take longer than "
      "the fit",
      "computed");
  if (errors == "none" && purpose == FitPurpose::Fit) problem.uncertainty_limit = 0;
  fit.document("exact_errors", "list of parameter names", "none",
               "of a fit with more than 500 parameters: those whose standard error is solved for, instead of estimated "
               "from 20 random samples");
  if (!fit.describing() && fit.has("exact_errors")) problem.exact_errors = fit.texts("exact_errors", "");
}

}  // namespace

FitSpec read_fit(const ExperimentDocument& document, FitPurpose purpose) {
  Reading reading(document.root, document.folder, document.inputs);
  Node root = reading.root();
  Experiment base = read_sections(reading, root, *document.meshes, 0.0);
  refuse_population(base, root.where());
  Node fit = root.child("fit", "", true);
  FitSpec spec{std::move(base), {}, {}, {}, false, false, {}};
  optim::FitProblem problem;
  const std::optional<double> sigma = read_residual(fit.child("residual", ""), problem);
  read_solver(fit, spec.base, problem);
  spec.accept_misfit = read_acceptance(fit);
  std::set<std::string> names;
  std::vector<Node> items = fit.items("recordings", "", true);
  for (Node& item : items) {
    spec.recordings.push_back(read_recording(item, spec.base, document, sigma));
    if (spec.recordings.back().planned && purpose == FitPurpose::Fit)
      item.refuse("film", "must be recorded before it can be fitted", "a film that is planned",
                  "write `file: tracks.csv` instead, or use `pithball plan`");
    const std::string& name = spec.recordings.back().name;
    if (!names.insert(name).second)
      item.refuse("name", "must differ from the names of other recordings", "'" + name + "'",
                  "give each recording a `name:`");
  }
  if (spec.recordings.empty())
    fit.refuse("recordings", "must hold at least one recording", "none", "write `- file: tracks.csv` below it");
  spec.doubts = find_constant_coordinates(spec.recordings);
  for (std::string& doubt : take_recorded_noise(items, spec.recordings)) spec.doubts.push_back(std::move(doubt));
  for (std::string& doubt : settle_starts(items, spec.recordings)) spec.doubts.push_back(std::move(doubt));
  for (const Recording& recording : spec.recordings)
    for (std::string& doubt : find_placement_doubts(recording)) spec.doubts.push_back(std::move(doubt));
  problem.parameters = read_parameters(fit, spec.base, spec.recordings);
  read_intervals(fit, problem);
  read_errors(fit, purpose, problem);
  for (const Recording& recording : spec.recordings) {
    problem.scenarios.push_back(recording.scenario);
    problem.observations.push_back(recording.observation);
    problem.value_errors.push_back(recording.value_errors);
  }
  judge_forecasts(spec.recordings, problem);
  spec.cross_validate = read_cross_validation(fit, problem);
  root.ignore("compare");
  root.ignore("scan");
  root.ignore("plan");
  reading.refuse_unknown_keys();
  std::vector<std::string> profile = std::move(problem.profile);
  problem.profile.clear();
  std::vector<std::string> exact = std::move(problem.exact_errors);
  problem.exact_errors.clear();
  fit.located("", [&] { spec.fit = std::make_shared<optim::ResolvedFit>(std::move(problem)); });
  fit.located("profile", [&] { spec.fit->want_profiles(std::move(profile)); });
  fit.located("exact_errors", [&] { spec.fit->want_exact_errors(std::move(exact)); });
  spec.filled = reading.filled();
  return spec;
}

void describe_fit(Node& root, const Experiment& placeholder) {
  Node fit = root.child("fit", "recordings, what is free, and how to fit");
  optim::FitProblem problem;
  const std::optional<double> sigma = read_residual(fit.child("residual", "noise and loss"), problem);
  read_solver(fit, placeholder, problem);
  read_acceptance(fit);
  std::vector<Recording> recordings;
  for (Node& item : fit.items("recordings", "what was recorded, one item or many", true))
    recordings.push_back(read_recording(item, placeholder, {}, sigma));
  read_parameters(fit, placeholder, recordings);
  read_cross_validation(fit, problem);
  read_intervals(fit, problem);
  read_errors(fit, FitPurpose::Fit, problem);
}

}  // namespace pithball::app
