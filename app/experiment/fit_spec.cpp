#include "app/experiment/fit_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "app/experiment/candidate_forces.hpp"
#include "app/experiment/dynamics_spec.hpp"
#include "app/experiment/experiment.hpp"
#include "app/experiment/parameter_spec.hpp"
#include "app/experiment/recording/recorded_noise.hpp"
#include "app/experiment/recording/recording_list.hpp"
#include "app/experiment/recording/recording_parameters.hpp"
#include "app/experiment/recording/started_recordings.hpp"
#include "optim/fit/judged_starts.hpp"
#include "optim/fit/problem.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

/// Reads `fit.starts` and `fit.stages` (`fit`: the node above them).
void read_search(Node& fit, const Experiment& base, optim::SearchStrategy& search);

namespace {

optim::SearchStage read_stage(Node& item, const Experiment& base) {
  optim::SearchStage stage;
  if (item.document("integrator", "as `simulation.integrator`", "simulation.integrator",
                    "integrator of this stage; imex_euler is fast and strongly damped")) {
    Node integrator = item.form("integrator");
    stage.integrator = read_named_integrator(integrator, base.body);
  }
  stage.time_step = item.optional_number("time_step", "s", "time step of this stage (default: that of the simulation)",
                                         sim::ValueSign::Positive);
  const auto horizon = item.optional_number("horizon", "s", "use only frames before this simulated time (default: all)",
                                            sim::ValueSign::Positive);
  if (horizon) stage.horizon = *horizon;
  stage.segments = item.integer(
      "segments", "number of multiple-shooting segments; their initial states are estimated from the recording", 1, 1);
  const Index whole = optim::MinimizerOptions().max_iterations;
  if (item.has("max_iterations"))
    stage.max_iterations =
        read_iteration_count(item, "max_iterations",
                             "maximum number of solver iterations in this stage; 0: evaluate the cost only", whole, 0);
  stage.keep = item.integer("keep", "number of distinct best points passed to the next stage", 1, 1);
  return stage;
}

void read_starts(Node& fit, optim::SearchStrategy& search) {
  search.further_starts = !fit.is_written("starts");
  if (fit.is_scalar("starts")) {
    if (const std::string word = fit.text("starts", ""); word != "none")
      fit.reject("starts", "must be a mapping of keys, or none", "'" + word + "'", "write `starts: {count: 10}`");
    return;
  }
  Node starts = fit.child("starts",
                          "starting points of the search, in addition to the given one, or `none`; default: further "
                          "ones where the fit is off or aliases are possible, for no more than the search cost");
  search.starts.count = starts.integer(
      "count", "number of starting points, including the given one; the others form a Latin hypercube", 1, 1);
  search.starts.factor = starts.number(
      "factor", "",
      "without bounds, starting points lie between the initial value divided by this and multiplied by this",
      search.starts.factor, sim::ValueSign::Positive);
  if (!(search.starts.factor > 1))
    starts.reject("factor", "must be > 1", fmt::format("{:g}", search.starts.factor), "write 3");
  search.starts.seed = starts.integer("seed", "seed of the random starting points", 1);
  if (starts.has("only")) {
    search.starts.only = starts.integer("only", "number, from 0, of the one starting point to search from", 0);
    if (*search.starts.only >= search.starts.count)
      starts.reject("only", fmt::format("must be below count = {}", search.starts.count),
                    fmt::format("{}", *search.starts.only), "starting points are numbered from 0");
  }
}

}  // namespace

void read_search(Node& fit, const Experiment& base, optim::SearchStrategy& search) {
  read_starts(fit, search);
  search.stages.clear();
  search.choose_stages = !fit.is_written("stages");
  for (Node& item : fit.items(
           "stages",
           "easier problems solved before the full one, each starting from the result of the previous one; "
           "default, without `starts`: growing horizons where the sensitivity at the start requires them; []: none"))
    search.stages.push_back(read_stage(item, base));
}

namespace {

/// Reads noise, loss and uncertainty; returns the standard deviation for markers without their own, if it is given.
std::optional<double> read_residual(Node residual, optim::FitProblem& problem) {
  const std::optional<double> sigma = residual.optional_number(
      "sigma", "m",
      "standard deviation of each recorded coordinate; default: the noise of each recording, estimated from high-order "
      "differences of its marker trajectories (for planned recordings: 1 mm)",
      sim::ValueSign::Positive);
  problem.uncertainty.options.absolute_sigma = residual.flag(
      "absolute_sigma", "use sigma as given for standard errors, instead of rescaling by the reduced χ²", false);
  const std::string loss = residual.choice("loss", optim::losses().names(),
                                           "robust loss function, which reduces the influence of outliers", "none");
  const double threshold =
      residual.number("threshold", "", "residual, in standard deviations, above which a robust loss grows more slowly",
                      optim::RobustLoss::usual_threshold, sim::ValueSign::Positive);
  problem.loss = optim::RobustLoss(loss, threshold);
  return sigma;
}

void read_solver(Node& fit, optim::SearchStrategy& search) {
  std::vector<std::string> solvers = optim::minimizers().names();
  solvers.insert(solvers.begin(), optim::automatic_minimizer);
  search.solver = fit.choice("solver", solvers,
                             "levenberg_marquardt (full Jacobian) for few parameters, geodesic (likewise, "
                             "with geodesic acceleration) for tens to hundreds; gauss_newton (Jacobian "
                             "products) or lbfgs (gradient only) for many; auto: geodesic from 30 on",
                             search.solver);
  search.minimizer.max_iterations = read_iteration_count(fit, "max_iterations", "maximum number of solver iterations",
                                                         search.minimizer.max_iterations);
  search.minimizer.function_tolerance =
      fit.number("function_tolerance", "", "relative decrease of the cost that ends the search",
                 search.minimizer.function_tolerance, sim::ValueSign::Positive);
}

void read_confidence(Node& fit, optim::UncertaintyOptions& options) {
  options.confidence = fit.number("confidence", "", "confidence level of the printed intervals, below 1",
                                  options.confidence, sim::ValueSign::Positive);
  if (options.confidence >= 1)
    fit.reject("confidence", "must be below 1", fmt::format("{}", options.confidence), "write 0.95");
}

/// Reads the settings of the search, and the confidence level of the printed intervals.
void read_optimizer(Node& fit, const Experiment& base, optim::FitProblem& problem) {
  read_solver(fit, problem.search);
  read_confidence(fit, problem.uncertainty.options);
  problem.adjoint_budget_mb = base.memory_budget_mb;
  read_search(fit, base, problem.search);
}

bool read_acceptance(Node& fit) {
  return fit.flag("accept_misfit",
                  "exit with status 0 even if the model does not fit (misfit above 3 times the noise and above 10 % of "
                  "the RMS motion)",
                  false);
}

bool read_cross_validation(Node& fit, const optim::FitProblem& problem) {
  const std::string by = fit.choice("cross_validate", {"none", "recordings"},
                                    "leave-one-recording-out cross-validation; the initial state of each recording is "
                                    "estimated from its first quarter of frames with fixed parameters",
                                    "none");
  const auto fitted = std::ranges::count_if(
      problem.observations, [](const optim::Observation& o) { return !o.times.empty() && !o.is_validation(0); });
  if (by == "recordings" && fitted < 2)
    fit.reject("cross_validate", "requires at least two recordings with role fit", fmt::format("{}", fitted),
               "omit it, or add a recording");
  return by == "recordings";
}

/// Excludes recordings that are only forecast from the fit: their starts are estimated after it.
void judge_forecasts(const std::vector<Recording>& recordings, optim::FitProblem& problem) {
  for (std::size_t s = 0; s < recordings.size(); ++s)
    if (!recordings[s].planned && problem.observations[s].validation.from == -std::numeric_limits<double>::infinity())
      optim::judge_recording(problem, s);
}

/// Rejects an empty list of parameters, unless the fit only evaluates validation recordings.
void reject_nothing_to_fit(const Node& fit, FitPurpose purpose, const optim::FitProblem& problem) {
  if (!problem.parameters.empty()) return;
  const bool only_judges =
      std::ranges::all_of(problem.observations, [](const optim::Observation& o) { return o.is_validation(0); });
  if (purpose == FitPurpose::Fit && only_judges) return;
  fit.reject("parameters", "must contain at least one parameter", "none",
             purpose == FitPurpose::Fit
                 ? "write `parameters: [charge]`, or `role: validation` in every recording for a prediction"
                 : "write `parameters: [charge]`");
}

void read_intervals(Node& fit, optim::UncertaintyAnalysis& uncertainty) {
  std::vector<std::string> methods;
  for (const optim::IntervalMethod known : optim::interval_methods) methods.push_back(optim::to_string(known));
  const std::string method =
      fit.choice("interval", methods,
                 "how intervals are computed: from the linearized problem; from the profile likelihood where the "
                 "linearized interval is not valid; or from fits to 200 resampled recordings",
                 optim::to_string(uncertainty.interval));
  for (const optim::IntervalMethod known : optim::interval_methods)
    if (optim::to_string(known) == method) uncertainty.interval = known;
  uncertainty.profiles = fit.optional_texts("profiles", "list of parameter names", "none",
                                            "parameters whose likelihood profile is always computed");
}

void read_errors(Node& fit, FitPurpose purpose, optim::UncertaintyAnalysis& uncertainty) {
  const std::string errors = fit.choice(
      "standard_errors", {"computed", "none"},
      "`none` skips standard errors and intervals, which may take longer than the fit for more than 500 parameters",
      "computed");
  if (errors == "none" && purpose == FitPurpose::Fit) uncertainty.full_limit = 0;
  uncertainty.exact_standard_errors =
      fit.optional_texts("exact_standard_errors", "list of parameter names", "none",
                         "in a fit with more than 500 parameters: those whose standard error is computed exactly "
                         "instead of estimated from 20 random samples");
}

/// Rejects too many steps: a fit stores a list entry for each step of a recording.
void reject_many_steps(Node& root, const std::vector<Recording>& recordings) {
  constexpr Index most = 1'000'000'000;
  for (const Recording& recording : recordings)
    if (const diff::Scenario& scenario = recording.own.scenario; scenario.steps > most)
      root.form("simulation")
          .reject("time_step", "must divide every recording of a fit into at most 1e9 steps",
                  fmt::format("{:.3g} steps of {:g} s for '{}'", static_cast<double>(scenario.steps),
                              scenario.time_step, recording.name),
                  "check the units of `time_step` and of the times of the recording, or increase `time_step`");
}

/// Adds the notes on values that are valid but probably not intended.
void add_value_notes(const Reading& reading, std::vector<std::string>& doubts) {
  for (const std::string& note : reading.notes())
    if (std::ranges::find(doubts, note) == doubts.end()) doubts.push_back(note);
}

/// Sets the noise and the start of each recording; collects doubts about the recordings.
void take_noise_and_starts(const std::vector<Node>& items, FitSpec& spec) {
  spec.doubts = spec.base.notes;
  for (const Recording& recording : spec.recordings)
    for (const std::string& note : recording.own.notes) spec.doubts.push_back(recording.name + ": " + note);
  for (std::string& doubt : find_constant_coordinates(spec.recordings)) spec.doubts.push_back(std::move(doubt));
  for (std::string& doubt : take_recorded_noise(items, spec.recordings)) spec.doubts.push_back(std::move(doubt));
  for (std::string& doubt : settle_starts(items, spec.recordings)) spec.doubts.push_back(std::move(doubt));
  for (const Recording& recording : spec.recordings) {
    if (!recording.planned)
      for (const std::string& note : recording.motion.capture.notes)
        spec.doubts.push_back(recording.name + ": " + note);
    for (const std::string& doubt : find_placement_doubts(recording)) {
      spec.doubts.push_back(doubt);
      spec.placement_doubts.emplace(recording.name, doubt);
    }
    for (const std::string& doubt : recording.free.placement.doubts)
      spec.doubts.push_back(recording.name + ": " + doubt);
  }
}

}  // namespace

FitSpec read_fit(const ExperimentDocument& written, FitPurpose purpose) {
  reject_unlisted_keys(written);
  const ExperimentDocument document = with_whole_recordings(written);
  Reading reading(document.root, document.folder, document.inputs);
  Node root = reading.root();
  Experiment base = read_sections(reading, root, *document.meshes, 0.0);
  reject_population(base, root.where());
  Node fit = root.child("fit", "", true);
  FitSpec spec{.base = std::move(base), .recordings = {}, .fit = {}, .filled = {}, .doubts = {}, .notes = {}};
  optim::FitProblem problem;
  const std::optional<double> sigma = read_residual(fit.child("residual", ""), problem);
  read_optimizer(fit, spec.base, problem);
  spec.loss_is_written = fit.form("residual").is_written("loss");
  spec.accept_misfit = read_acceptance(fit);
  fit.ignore("recording_defaults");  // still suggested for misspelled keys
  std::set<std::string> names;
  std::vector<Node> items = fit.items("recordings", "", true);
  for (Node& item : items) {
    spec.recordings.push_back(read_recording(item, spec.base, document, sigma));
    if (spec.recordings.back().planned && purpose == FitPurpose::Fit)
      item.reject("planned", "must be recorded before it can be fitted", "a planned recording",
                  "write `file: tracks.csv` instead, or use `pithball plan`");
    const std::string& name = spec.recordings.back().name;
    if (!names.insert(name).second)
      item.reject("name", "must differ from the names of other recordings", "'" + name + "'",
                  "give each recording a `name:`");
  }
  if (spec.recordings.empty())
    fit.reject("recordings", "must contain at least one recording", "none", "write `- file: tracks.csv` below it");
  reject_many_steps(root, spec.recordings);
  take_noise_and_starts(items, spec);
  const SameMotion groups = read_same_motion(fit, spec.recordings);
  problem.parameters = read_parameters(fit, spec.base, spec.recordings);
  share_in_groups(groups, spec.recordings, problem.parameters);
  read_intervals(fit, problem.uncertainty);
  read_errors(fit, purpose, problem.uncertainty);
  for (const Recording& recording : spec.recordings) {
    problem.scenarios.push_back(recording.own.scenario);
    problem.observations.push_back(recording.observation);
    problem.value_errors.push_back(recording.known.errors);
  }
  judge_forecasts(spec.recordings, problem);
  reject_nothing_to_fit(fit, purpose, problem);
  problem.wider_models = [from = std::make_shared<const ExperimentDocument>(written)](const optim::FitProblem& fitted) {
    return find_wider_models(*from, fitted);
  };
  spec.cross_validate = read_cross_validation(fit, problem);
  root.ignore("compare");
  root.ignore("scan");
  root.ignore("plan");
  root.ignore("sweep");
  reading.reject_unknown_keys();
  add_value_notes(reading, spec.doubts);
  fit.located("", [&] { spec.fit = std::make_shared<const optim::ResolvedFit>(std::move(problem)); });
  for (const optim::DifferingValues& values : spec.fit->map().differing())
    (values.keeps_ratios ? spec.notes : spec.doubts).push_back(say_differing(values));
  for (std::string& held : say_held_starts(spec.recordings, spec.fit->map())) spec.notes.push_back(std::move(held));
  spec.filled = reading.filled();
  return spec;
}

void describe_fit(Node& root, const Experiment& placeholder) {
  Node fit = root.child("fit", "recordings, fit parameters and optimizer settings");
  optim::FitProblem problem;
  const std::optional<double> sigma =
      read_residual(fit.child("residual", "measurement noise and loss function"), problem);
  read_optimizer(fit, placeholder, problem);
  read_acceptance(fit);
  describe_recording_defaults(fit);
  std::vector<Recording> recordings;
  for (Node& item : fit.items("recordings", "recordings to fit or validate", true))
    recordings.push_back(read_recording(item, placeholder, {}, sigma));
  read_same_motion(fit, recordings);
  read_parameters(fit, placeholder, recordings);
  read_cross_validation(fit, problem);
  read_intervals(fit, problem.uncertainty);
  read_errors(fit, FitPurpose::Fit, problem.uncertainty);
}

}  // namespace pithball::app
