#include "app/run/simulation_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/backend/backend_choice.hpp"
#include "app/base/interruption.hpp"
#include "app/base/json_text.hpp"
#include "app/base/progress.hpp"
#include "app/base/version.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/run_judge.hpp"
#include "app/run/run_meters.hpp"
#include "app/run_folder/kept_states.hpp"
#include "sim/core/error.hpp"
#include "sim/run/energy_balance.hpp"
#include "sim/run/simulator.hpp"

namespace pithball::app {
namespace {

/// Total cost of the steps of a run.
struct Cost {
  StepCost steps;
  Contacts contacts;
  std::vector<BrokenInStep> broken;
  long escapes = 0;
  Index first_escape = -1;
  void add(const sim::StepRecord& record, Index step) {
    steps.force_evaluations += record.work.force_evaluations;
    steps.linear_solves += record.work.linear_solves;
    steps.cg_iterations += record.work.cg_iterations;
    steps.capped_substeps += record.work.capped_substeps;
    contacts.most = std::max(contacts.most, record.pushing.contacts);
    contacts.deepest = std::max(contacts.deepest, record.pushing.deepest);
    for (const sim::BrokenLink& link : record.broken) broken.push_back({step, link});
    escapes += record.escapes;
    if (record.escapes > 0 && first_escape < 0) first_escape = step;
  }
};

/// The run folder, which describes the run, and the states kept in it.
struct RunFiles {
  RunFolder folder;
  KeptStates states;

  /// Creates the folder, or resumes the existing one.
  RunFiles(const Experiment& experiment, const RunOrder& order)
      : folder(order.target, make_input_record(experiment.filled, order.provenance), order.earlier),
        states(described(folder, experiment, order), experiment) {}

  /// Removes the folder of a run that could not start; the kept states of a resumed run remain.
  void abandon() {
    if (!states.last()) folder.abandon();
  }

 private:
  static RunFolder& described(RunFolder& folder, const Experiment& experiment, const RunOrder& order) {
    folder.write_experiment(experiment.filled, order.provenance);
    return folder;
  }
};

/// The start of a run: the initial state of the experiment, or the end of an earlier part of the run.
struct RunStart {
  const sim::State& state;
  Index step;
  bool resumed;
};

/// How the steps ended, and their cost.
struct StepsEnd {
  Index step;   // number of the last step
  double time;  // at the end of that step [s]
  StepsBy by;
  sim::StepStatus status = sim::StepStatus::Ok;
  std::string failure = {};  // an error of emitters or sinks after the last step
  Cost cost = {};
  std::string linear_solver = {};
  optim::RunVerdict verdict = {};
  std::vector<std::string> motion_notes = {};
};

/// The parts of a run, each computed once from those before it.
struct SimulationParts {
  const Experiment& experiment;
  const KeptStates& states;
  const RunStart& start;
  const StepsEnd& end;
  std::optional<PassingParticles> population;
  sim::EnergyBalance balance;
  optim::RunVerdict verdict;
  std::vector<std::string> notes;
};

RunStart run_start(const Experiment& experiment, const KeptStates& states) {
  if (const std::optional<KeptState>& last = states.last()) return {last->state, last->energy.step, true};
  return {experiment.scenario.initial, 0, false};
}

/// Returns the population at the start of a run; empty if particles do not come and go.
std::optional<sim::Population> make_population(const Experiment& experiment, const KeptStates& states) {
  if (!experiment.population) return {};
  const diff::Scenario& scenario = experiment.scenario;
  if (states.last()) return sim::Population(*experiment.population, scenario.model, *states.last()->roster);
  return sim::Population(*experiment.population, scenario.model, scenario.initial.t);
}

/// Returns the steps after `first_step` whose states are kept, counted from `first_step`.
std::vector<Index> wanted_steps(const Experiment& experiment, Index first_step) {
  std::vector<Index> wanted;
  for (Index step = first_step + 1; step <= experiment.scenario.steps; ++step)
    if (step % experiment.every == 0 || step == experiment.scenario.steps) wanted.push_back(step - first_step);
  return wanted;
}

/// Lets another program advance a state, which is kept as step `first_step`, and computes the energies here. `earlier`:
/// the rows of the part before it. Because the program does not report its losses, all missing energy counts as
/// numerical.
template <class Keep>
BackendOutcome run_backend(Backend& backend, const Experiment& experiment, sim::State start, Index first_step,
                           const sim::EarlierRows* earlier, const Keep& keep) {
  const sim::Model& model = experiment.scenario.model;
  model.place_held(start.t, start.x, &start.v);
  const BackendJob job{&model, start, experiment.scenario.time_step, wanted_steps(experiment, first_step)};
  const double energy = earlier ? earlier->first.conserved() : sim::energy_of(model, start).total();
  const auto visit = [&](Index step, const sim::State& state) {
    sim::EnergyRow row = sim::energy_of(model, state);
    row.step = first_step + step;
    row.numerical = energy - row.total();
    keep(state, row);
  };
  visit(0, start);
  return job.wanted.empty() ? BackendOutcome{} : backend.run(job, visit);
}

/// Returns the end of a run in which a backend, or Pithball itself if `backend` is null, makes no steps.
StepsEnd no_steps(const Experiment& experiment, const Backend* backend, const RunStart& start) {
  const StepsBy own{.name = own_backend, .version = version};
  return {start.step, start.state.t, backend ? StepsBy{experiment.backend->name, backend->version(), 0} : own};
}

/// Makes Pithball's own steps from the start.
StepsEnd make_own_steps(const Experiment& experiment, const RunOrder& order, const RunStart& start,
                        const Interruption& interruption, std::optional<sim::Population>& population, RunFiles& files) {
  const diff::Scenario& scenario = experiment.scenario;
  Progress bar("simulate " + experiment.name, scenario.steps, order.progress);
  StepsEnd end = no_steps(experiment, nullptr, start);
  RunJudge judge(scenario, !population);
  MotionMeter motion;
  bool begun = false;
  const auto observe = [&](Index step, const sim::State& state, const sim::StepRecord& record,
                           const sim::EnergyRow* kept) {
    const sim::Stoppable whole(nullptr);  // the work after a step must not be interrupted
    begun = true;
    if (step > start.step) end.cost.add(record, step);
    judge.add(step, state, record, kept);
    if (kept) {
      files.states.keep(state, *kept, population ? &population->roster() : nullptr);
      motion.add(state);
    }
    end.step = step;
    end.time = state.t;
    bar.update(step);
    return !interruption.requested();
  };
  try {
    sim::RunEnd last;  // if the run is interrupted, the end of its last complete step
    end_unless_interrupted([&] {
      last = sim::run(population ? population->model() : scenario.model, start.state, run_options(experiment), observe,
                      files.states.earlier_rows(), population ? &*population : nullptr);
    });
    end.status = last.status;
    if (end.cost.steps.linear_solves > 0) end.linear_solver = last.linear_solver;
  } catch (const InvalidArgument& error) {
    // For example, forces are undefined where a particle is emitted: the run ends there and keeps its states.
    if (!population || !begun) {
      files.abandon();
      throw;
    }
    end.failure = error.what();
  }
  end.motion_notes = motion.notes();
  end.verdict =
      end.failure.empty()
          ? judge.verdict(end.status, files.states.energies().balance())
          : optim::RunVerdict{optim::RunStatus::Failed,
                              fmt::format("failed after step {} (t = {:g} s), because the model rejects the particles "
                                          "added next: {}",
                                          end.step, end.time, end.failure),
                              ""};
  return end;
}

/// Whether anything can add energy to a body or remove it. Backends do not account for such energy.
bool can_lose_energy(const diff::Scenario& scenario) {
  const sim::Model& model = scenario.model;
  return !model.has_constant_values() || !model.constraints().empty() ||
         std::ranges::any_of(model.topology().held, [](const auto& held) { return bool(held.path); }) ||
         std::ranges::any_of(model.terms(), [&](const auto& term) {
           return !term->energy(model, scenario.initial) || term->changes_between(0, 1);
         });
}

/// Returns the energy balance of a run; empty if a backend leaves part of it unknown.
sim::EnergyBalance balance_of(const diff::Scenario& scenario, const sim::EnergyBalancer& energies,
                              const Backend* backend) {
  if (backend && can_lose_energy(scenario)) return {};
  return energies.balance();
}

/// Lets a backend make the steps from the start.
StepsEnd make_backend_steps(const Experiment& experiment, const RunOrder& order, const RunStart& start,
                            Backend& backend, RunFiles& files) {
  Progress bar("simulate " + experiment.name, experiment.scenario.steps, order.progress);
  const auto keep = [&](const sim::State& state, const sim::EnergyRow& row) {
    files.states.keep(state, row, nullptr);
    bar.update(row.step);
  };
  BackendOutcome outcome;
  try {
    outcome = run_backend(backend, experiment, start.state, start.step, files.states.earlier_rows(), keep);
  } catch (const std::exception&) {  // the other program failed, so there is no run
    files.abandon();
    throw;
  }
  StepsEnd end = no_steps(experiment, &backend, start);
  end.step += outcome.step;
  end.time += outcome.step * experiment.scenario.time_step;
  end.by.seconds = outcome.seconds;
  end.by.compile_seconds = outcome.compile_seconds.value_or(not_known);
  end.status = outcome.status;
  end.cost.steps.force_evaluations = outcome.step;  // velocity Verlet: one per step
  end.verdict = verdict_on_end(end.status, end.step, end.time, experiment.scenario);
  doubt_energy(balance_of(experiment.scenario, files.states.energies(), &backend), experiment.scenario, {},
               end.verdict);
  return end;
}

/// Returns how many particles came and went in the whole run, including earlier parts; unknown after a failure of
/// emitters or sinks.
std::optional<PassingParticles> passing_particles(const Experiment& experiment,
                                                  const std::optional<sim::Population>& population,
                                                  const StepsEnd& end) {
  if (!population || !end.failure.empty()) return {};
  long emitted = 0;
  for (const sim::Emitter& emitter : experiment.population->emitters)
    emitted += emitter.emitted(end.time) - emitter.emitted(experiment.scenario.initial.t);
  const long left = population->roster().size();
  return PassingParticles{emitted, experiment.scenario.model.particles() + emitted - left, left};
}

/// Returns notes for a reader of the results, which also apply if every step succeeded.
std::vector<std::string> notes_on(const Experiment& experiment, const RunStart& start, const StepsEnd& end) {
  const Cost& cost = end.cost;
  std::vector<std::string> notes = experiment.notes;
  if (start.resumed && end.step > start.step && !experiment.backend && !experiment.population)
    notes.push_back(
        fmt::format("resumed after step {}: the verdict counts the energy of all steps, but close approaches, events "
                    "shorter than a step and the temperature only after it",
                    start.step));
  if (const std::string note = coarse_friction_note(experiment.scenario); !note.empty()) notes.push_back(note);
  notes.insert(notes.end(), end.motion_notes.begin(), end.motion_notes.end());
  if (cost.steps.capped_substeps > 0)
    notes.push_back(
        fmt::format("{} substep{} of imex_adaptive exceeded the time scale of the forces, because max_substeps limits "
                    "their number; increase it or reduce simulation.time_step",
                    cost.steps.capped_substeps, cost.steps.capped_substeps == 1 ? "" : "s"));
  if (cost.escapes > 0)
    notes.push_back(fmt::format(
        "{} chosen at random, the first in step {}: the body was compressed exactly along a line, so that the "
        "direction in which it buckles is not determined; perturb its initial state toward the intended side",
        cost.escapes == 1 ? "a direction of buckling was" : fmt::format("{} directions of buckling were", cost.escapes),
        cost.first_escape));
  return notes;
}

StepNumbers step_numbers(const diff::Scenario& scenario, const RunStart& start, const StepsEnd& end) {
  StepNumbers numbers{.completed = end.step, .requested = scenario.steps, .failed = {}, .resumed_from = {}};
  if (!end.failure.empty())
    numbers.failed = end.step + 1;
  else if (end.status != sim::StepStatus::Ok)
    numbers.failed = end.step;
  if (start.resumed) numbers.resumed_from = start.step;
  return numbers;
}

/// Returns the outcome of a run, ended or in progress.
SimulationOutcome outcome_of(const SimulationParts& parts) {
  const auto& [experiment, states, start, end, population, balance, verdict, notes] = parts;
  const diff::Scenario& scenario = experiment.scenario;
  return {.steps = step_numbers(scenario, start, end),
          .why = verdict.why,
          .remedy = verdict.remedy,
          .notes = notes,
          .energy_error = {balance.mean, balance.max, balance.scale},
          .steps_by = end.by,
          .cost = end.cost.steps,
          .contacts = end.cost.contacts,
          .broken = end.cost.broken,
          .population = population,
          .model = {scenario.model.particles(), scenario.model.springs().size(), states.changing()},
          .method = {scenario.integrator.name(), scenario.time_step, end.linear_solver}};
}

/// Returns the general part of summary.json for a run that began at `begin`.
Summary summary_since(std::chrono::steady_clock::time_point begin, const Experiment& experiment, const RunOrder& order,
                      optim::RunStatus status, bool complete) {
  return {.program = fmt::format("pithball {}", version),
          .command = "simulate",
          .name = experiment.name,
          .status = to_string(status),
          .complete = complete,
          .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          .threads = order.provenance.threads,
          .folder = order.target.string()};
}

void write_summary(RunFolder& folder, const Summary& summary, const SimulationOutcome& outcome) {
  folder.write_text("summary.json", json_text(to_json(summary, outcome)) + "\n");
}

}  // namespace

RunResult run_simulation(const Experiment& experiment, const RunOrder& order) {
  if (experiment.backend && experiment.population)
    reject_population(experiment, "simulation.backend: " + experiment.backend->name);
  RunFolder::check(order.target, order.earlier);
  const std::unique_ptr<Backend> backend = experiment.backend ? experiment.backend->start() : nullptr;
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  const Interruption interruption;  // installed before there is anything to keep
  RunFiles files(experiment, order);
  const RunStart start = run_start(experiment, files.states);
  std::optional<sim::Population> population = make_population(experiment, files.states);

  // The folder has this status until the run ends, so that the states of a killed run can be viewed.
  const optim::RunVerdict going_on{optim::RunStatus::Incomplete, "the run is still in progress or was killed",
                                   "wait for it to end, or complete it with --resume"};
  const StepsEnd none = no_steps(experiment, backend.get(), start);
  write_summary(
      files.folder, summary_since(begin, experiment, order, going_on.status, false),
      outcome_of(
          {experiment, files.states, start, none, passing_particles(experiment, population, none), {}, going_on, {}}));

  const StepsEnd end = backend ? make_backend_steps(experiment, order, start, *backend, files)
                               : make_own_steps(experiment, order, start, interruption, population, files);
  const sim::EnergyBalance balance = balance_of(experiment.scenario, files.states.energies(), backend.get());
  const optim::RunVerdict& verdict = end.verdict;
  const std::vector<std::string> notes = notes_on(experiment, start, end);
  const bool complete = verdict.status != optim::RunStatus::Interrupted;
  files.states.finish(complete);
  Provenance provenance = order.provenance;
  provenance.linear_solver = end.linear_solver;
  files.folder.write_experiment(experiment.filled, provenance);
  RunResult result{verdict,
                   notes,
                   {},
                   summary_since(begin, experiment, order, verdict.status, complete),
                   outcome_of({experiment, files.states, start, end, passing_particles(experiment, population, end),
                               balance, verdict, notes})};
  write_summary(files.folder, result.summary, result.outcome);
  if (complete)
    files.folder.finish();
  else
    files.folder.leave_incomplete();
  result.folder = files.folder.place();
  result.summary.folder = result.folder.string();
  return result;
}

}  // namespace pithball::app
