#include "app/sweep/task_run.hpp"
#include "app/base/estimate_text.hpp"
#include "optim/verdict/run_status.hpp"

#include <fmt/format.h>

#include <chrono>

#include "app/backend/backend_choice.hpp"
#include "app/base/interruption.hpp"
#include "app/run/failed_start.hpp"
#include "app/run/fit_screening.hpp"
#include "app/run/identify_run.hpp"
#include "app/run/run_end.hpp"
#include "app/run/run_judge.hpp"
#include "app/spec/fit_spec.hpp"
#include "optim/fit.hpp"
#include "optim/verdict/fit_verdict.hpp"
#include "sim/run/energy_balance.hpp"

namespace pithball::app {
namespace {

using Figures = std::vector<std::pair<std::string, Figure>>;

std::string joined(const std::vector<std::string>& notes) { return fmt::format("{}", fmt::join(notes, "; ")); }

/// A parameter's name without that of the only recording, so that tasks that fit one recording each share columns.
std::string common_name(std::string name, const FitSpec& spec) {
  if (spec.recordings.size() != 1) return name;
  const std::string mark = "[" + spec.recordings.front().name + "]";
  if (const std::size_t at = name.find(mark); at != std::string::npos) name.erase(at, mark.size());
  return name;
}

/// Center of mass [m]; of tracers, which have no mass, the mean of their positions.
Vec3 center_of(const sim::Model& model, const sim::State& state) {
  const Vector mass = model.mass();
  if (!(mass.sum() > 0)) return state.x.rowwise().mean();
  return state.x * mass / mass.sum();
}

std::optional<TaskResult> simulate_task(const ExperimentDocument& document) {
  const Experiment experiment = read_experiment(document);
  require_own_backend(experiment.backend, "sweep");
  const diff::Scenario& scenario = experiment.scenario;
  std::optional<sim::Population> population;
  if (experiment.population) population.emplace(*experiment.population, scenario.model, scenario.initial.t);
  RunJudge judge(scenario, !population);
  sim::EnergyBalancer energies;
  sim::EnergyRow last;
  sim::State end_state;
  Index step = 0;
  double evaluations = 0;
  const auto observe = [&](Index n, const sim::State& state, const sim::StepRecord& record,
                           const sim::EnergyRow* kept) {
    if (n > 0) evaluations += static_cast<double>(record.work.force_evaluations);
    judge.add(n, state, record, kept);
    if (kept) {
      energies.add(*kept);
      last = *kept;
    }
    step = n;
    end_state = state;
    return !Interruption::flag();
  };
  const sim::RunEnd end = sim::run(population ? population->model() : scenario.model, scenario.initial,
                                   run_options(experiment), observe, nullptr, population ? &*population : nullptr);
  if (!end.complete) return {};
  const sim::EnergyBalance balance = energies.balance();
  const optim::RunVerdict verdict = judge.verdict(end.status, balance);
  const Vec3 center = population ? Vec3(end_state.x.rowwise().mean()) : center_of(scenario.model, end_state);
  Figures figures{{"energy_error.mean", balance.mean},  {"energy_error.max", balance.max},
                  {"steps", static_cast<double>(step)}, {"end.time [s]", end_state.t},
                  {"end.kinetic [J]", last.kinetic},    {"end.total [J]", last.total()}};
  for (int a = 0; a < 3; ++a) figures.emplace_back(fmt::format("end.center_{} [m]", "xyz"[a]), center[a]);
  figures.emplace_back("force_evaluations", evaluations);
  return TaskResult{
      .status = to_string(verdict.status), .labels = {}, .figures = figures, .error = verdict.explanation()};
}

std::optional<TaskResult> fit_task(const ExperimentDocument& document) {
  const FitSpec spec = read_fit(document);
  const optim::FitReport report = optim::fit(*spec.fit, {}, {.minimizer = {.stop = &Interruption::flag()}});
  if (report.search.status == optim::MinimizerStatus::Stopped) return {};
  optim::RunVerdict verdict = report.verdict;
  explain_failed_start(spec, report.theta, verdict);
  const FitScreening screening = screen_fit(spec);
  judge_findings(screening.findings, verdict);
  Figures figures;
  for (const optim::FittedParameter& p : report.estimates.parameters) {
    const std::string name = common_name(p.name, spec);
    figures.emplace_back(name_with_unit(name, p.unit), p.estimate);
    figures.emplace_back(name + ".standard_error", p.standard_error);
    figures.emplace_back(name + ".lower", p.interval.lower);
    figures.emplace_back(name + ".upper",
                         std::isnan(p.interval.upper_limit) ? p.interval.upper : p.interval.upper_limit);
  }
  figures.emplace_back("chi_square", report.goodness.quality.chi_square);
  figures.emplace_back("reduced_chi_square", report.goodness.quality.reduced());
  figures.emplace_back("cost", report.search.cost_history.empty() ? not_known : report.search.cost_history.back());
  figures.emplace_back("iterations",
                       report.search.cost_history.empty() ? 0.0 : double(report.search.cost_history.size() - 1));
  figures.emplace_back("evaluations.failed", static_cast<double>(report.search.failed_evaluations));
  std::vector<std::string> notes = screening.doubts;
  notes.insert(notes.end(), report.notes.begin(), report.notes.end());
  figures.emplace_back("notes", joined(notes));
  return TaskResult{
      .status = to_string(verdict.status), .labels = {}, .figures = figures, .error = verdict.explanation()};
}

std::optional<TaskResult> identify_task(const ExperimentDocument& document) {
  const FitSpec spec = read_fit(document, FitPurpose::Prediction);
  const optim::IdentifyReport report = identify_recordings(spec, prediction_point(spec.fit->map(), {}));
  if (Interruption::flag()) return {};
  Figures figures;
  for (const optim::PredictedParameter& p : report.parameters) {
    const std::string name = common_name(p.name, spec);
    figures.emplace_back(name_with_unit(name, p.unit), p.at);
    figures.emplace_back(name + ".standard_error", p.standard_error);
    figures.emplace_back(name + ".determination", to_string(p.determination));
  }
  figures.emplace_back("condition", report.spectrum.condition);
  figures.emplace_back("notes", joined(report.notes));
  return TaskResult{.status = to_string(report.ok() ? optim::RunStatus::Ok : optim::RunStatus::NotSimulated),
                    .labels = {},
                    .figures = figures,
                    .error = report.failure};
}

}  // namespace

std::optional<TaskResult> run_task(const SweepTask& task, const ExperimentDocument& experiment,
                                   const std::string& command) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  std::optional<TaskResult> result;
  end_unless_interrupted([&] {
    result = command == "fit"        ? fit_task(experiment)
             : command == "identify" ? identify_task(experiment)
                                     : simulate_task(experiment);
  });
  if (!result) return {};
  result->task = task.number;
  result->labels = task.labels;
  result->seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return result;
}

}  // namespace pithball::app
