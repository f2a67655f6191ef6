#include "app/spec/fit_spec.hpp"
#include "app/spec/population_spec.hpp"

#include <fmt/format.h>

#include <set>

#include "app/spec/parameter_spec.hpp"
#include "app/spec/search_spec.hpp"

namespace pithball::app {
namespace {

/// Noise, loss and uncertainty; returns the standard deviation of markers that have none of their own.
double read_residual(Node residual, optim::FitProblem& problem) {
  const double sigma =
      residual.number("sigma", "m", "standard deviation of each recorded coordinate", 1e-3, sim::ValueSign::Positive);
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

void read_profile(Node& fit, optim::FitProblem& problem) {
  fit.document("profile", "list of parameter names", "none",
               "parameters whose interval is found by fitting all others along it, without linearity");
  if (!fit.describing() && fit.has("profile")) problem.profile = fit.texts("profile", "");
}

}  // namespace

FitSpec read_fit(const ExperimentDocument& document, FitPurpose purpose) {
  Reading reading(document.root, document.folder, document.inputs);
  Node root = reading.root();
  Experiment base = read_sections(reading, root, *document.meshes, 0.0);
  refuse_population(base, root.where());
  Node fit = root.child("fit", "", true);
  FitSpec spec{std::move(base), {}, {}, {}};
  optim::FitProblem problem;
  const double sigma = read_residual(fit.child("residual", ""), problem);
  read_solver(fit, spec.base, problem);
  std::set<std::string> names;
  for (Node& item : fit.items("recordings", "", true)) {
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
  problem.parameters = read_parameters(fit, spec.base, spec.recordings);
  read_profile(fit, problem);
  root.ignore("compare");
  root.ignore("scan");
  root.ignore("plan");
  reading.refuse_unknown_keys();
  for (const Recording& recording : spec.recordings) {
    problem.scenarios.push_back(recording.scenario);
    problem.observations.push_back(recording.observation);
  }
  std::vector<std::string> profile = std::move(problem.profile);
  problem.profile.clear();
  fit.located("", [&] { spec.fit = std::make_shared<optim::ResolvedFit>(std::move(problem)); });
  fit.located("profile", [&] { spec.fit->want_profiles(std::move(profile)); });
  spec.filled = reading.filled();
  return spec;
}

void describe_fit(Node& root, const Experiment& placeholder) {
  Node fit = root.child("fit", "recordings, what is free, and how to fit");
  optim::FitProblem problem;
  const double sigma = read_residual(fit.child("residual", "noise and loss"), problem);
  read_solver(fit, placeholder, problem);
  std::vector<Recording> recordings;
  for (Node& item : fit.items("recordings", "what was recorded, one item or many", true))
    recordings.push_back(read_recording(item, placeholder, {}, sigma));
  read_parameters(fit, placeholder, recordings);
  read_profile(fit, problem);
}

}  // namespace pithball::app
