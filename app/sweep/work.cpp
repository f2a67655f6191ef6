#include "app/sweep/work.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "app/backend/backend_choice.hpp"
#include "app/base/child_process.hpp"
#include "app/base/estimate_text.hpp"
#include "app/base/interruption.hpp"
#include "app/base/progress.hpp"
#include "app/experiment/fit_spec.hpp"
#include "app/experiment/sweep_spec.hpp"
#include "app/result/sweep_record.hpp"
#include "app/run/fit_identities.hpp"
#include "app/run/fit_screening.hpp"
#include "app/run/prediction_run.hpp"
#include "app/run/run_judge.hpp"
#include "optim/fit.hpp"
#include "optim/verdict/fit_verdict.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/run/energy_balance.hpp"

namespace pithball::app {

/// Does a task in memory: simulates, fits, or predicts which values the recordings determine. Writes nothing. Returns
/// none if an Interruption requested a stop. Rethrows errors of reading or running the experiment.
std::optional<TaskResult> run_task(const SweepTask& task, const ExperimentDocument& experiment,
                                   const std::string& command);

namespace {

using Figures = std::vector<std::pair<std::string, Figure>>;

std::string on_one_line(const std::vector<std::string>& notes) { return fmt::format("{}", fmt::join(notes, "; ")); }

/// Returns a parameter's name without the name of the only recording, so that tasks with one recording each share
/// columns.
std::string common_name(std::string name, const FitSpec& spec) {
  if (spec.recordings.size() != 1) return name;
  const std::string mark = "[" + spec.recordings.front().name + "]";
  if (const std::size_t at = name.find(mark); at != std::string::npos) name.erase(at, mark.size());
  return name;
}

/// Returns the center of mass [m]; for tracers, which have no mass, the mean position.
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
  const FitSpec written = read_fit(document);
  const bool are_open = has_open_identities(written);
  const IdentifiedFit identified =
      are_open ? find_fit_identities(written, {.stop = &Interruption::flag()}) : IdentifiedFit{written, {}};
  const FitSpec& spec = identified.spec;
  const optim::FitReport report = optim::fit(*spec.fit, {}, {.minimizer = {.stop = &Interruption::flag()}});
  if (report.search.status == optim::MinimizerStatus::Stopped) return {};
  optim::RunVerdict verdict = report.verdict;
  explain_failed_start(spec, report.theta, verdict);
  const FitScreening screening = screen_fit(spec);
  judge_findings(screening.findings, verdict);
  judge_identities(spec, identified.identities, verdict);
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
  figures.emplace_back("notes", on_one_line(notes));
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
  figures.emplace_back("notes", on_one_line(report.notes));
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

namespace {

/// If the program was killed this often during a task, the task counts as failed: it would kill the next program, too.
constexpr int most_killed = 10;

TaskResult failed_result(const SweepTask& task, const std::string& error) {
  return {.task = task.number, .status = TaskResult::task_failed, .labels = task.labels, .figures = {}, .error = error};
}

/// Returns the result of a claimed task; none if it was stopped.
std::optional<TaskResult> attempt(const PlanFolder& plan, const SweepTask& task, int earlier_starts) {
  if (earlier_starts >= most_killed)
    return failed_result(task, fmt::format("the program was killed {} times during this task", earlier_starts));
  std::vector<std::string> errors = plan.failures(task.number);
  while (errors.size() < most_failures) {
    try {
      return run_task(task, plan.experiment(task), plan.record().command);
    } catch (const std::exception& error) {
      if (Interruption::flag()) return {};
      errors.emplace_back(error.what());
      plan.add_failure(task.number, errors.back());
    }
  }
  return failed_result(task, errors.back());
}

enum class TaskEnd { Done, There, Busy, Stopped };

/// Does a task unless it has a result or is claimed by another program.
TaskEnd do_task(const PlanFolder& plan, Index number) {
  if (plan.has_result(number)) return TaskEnd::There;
  std::optional<TaskClaim> claim = plan.claim(number);
  if (!claim) return TaskEnd::Busy;
  TaskEnd end = TaskEnd::There;  // the result if another program has finished the task meanwhile
  if (!plan.has_result(number)) {
    const std::optional<TaskResult> result = attempt(plan, plan.task(number), claim->earlier_starts());
    if (result) plan.write(*result);
    end = result ? TaskEnd::Done : TaskEnd::Stopped;
  }
  claim->settle();
  return end;
}

Index results_in(const PlanFolder& plan, TaskRange range) {
  Index count = 0;
  for (Index number = range.first; number < range.end; ++number) count += plan.has_result(number);
  return count;
}

Index failures_in(const PlanFolder& plan, TaskRange range) {
  Index failed = 0;
  for (Index number = range.first; number < range.end; ++number) {
    const std::optional<TaskResult> result = plan.result(number);
    failed += result && result->failed();
  }
  return failed;
}

}  // namespace

WorkDone do_tasks(const PlanFolder& plan, TaskRange range, bool progress) {
  const Interruption interruption;
  Progress bar("run " + plan.record().name, static_cast<double>(range.end - range.first), progress);
  WorkDone work;
  for (Index number = range.first; number < range.end && !work.stopped; ++number) {
    bar.update(static_cast<double>(number - range.first));
    const TaskEnd end = do_task(plan, number);
    work.done += end == TaskEnd::Done;
    work.there += end == TaskEnd::There;
    work.busy += end == TaskEnd::Busy;
    work.stopped = end == TaskEnd::Stopped;
  }
  work.failed = failures_in(plan, range);
  return work;
}

WorkDone do_tasks(const PlanFolder& plan, TaskRange range, bool progress, const LocalWorkers& workers) {
  const Interruption interruption;
  WorkDone work;
  work.there = results_in(plan, range);
  const Index all = range.end - range.first;
  if (work.there < all) {
    Progress bar("run " + plan.record().name, static_cast<double>(all), progress);
    WorkerProcesses processes(
        {workers.program.string(), "run", plan.folder().string(), "--quiet", "--task",
         fmt::format("{}-{}", range.first, range.end - 1), "--threads", fmt::format("{}", workers.threads)},
        workers.processes);
    const auto look = [&, first = range.first, known = Index(0)]() mutable {
      while (first < range.end && plan.has_result(first)) ++first, ++known;  // earlier tasks are not checked again
      bar.update(static_cast<double>(known));
      return static_cast<long>(known);
    };
    try {
      processes.wait(look);
    } catch (const std::runtime_error&) {
      if (!interruption.requested()) throw;
      work.stopped = true;
    }
  }
  const Index now = results_in(plan, range);
  work.done = now - work.there;
  work.busy = work.stopped ? 0 : all - now;
  work.failed = failures_in(plan, range);
  return work;
}

}  // namespace pithball::app
