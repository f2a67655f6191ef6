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
#include "app/run/energy_doubt.hpp"
#include "app/run/run_end.hpp"
#include "app/run_folder/kept_states.hpp"
#include "sim/core/error.hpp"
#include "sim/run/energy_balance.hpp"
#include "sim/run/simulator.hpp"

namespace pithball::app {
namespace {

/// What the steps of a run took, summed.
struct Cost {
  StepCost steps;
  Index unreliable_step = -1;
  long escapes = 0;
  Index first_escape = -1;
  Index most_contacts = 0;
  double deepest_contact = 0;
  std::vector<BrokenInStep> broken;
  void add(const sim::StepRecord& record, Index step) {
    steps.force_evaluations += record.force_evaluations;
    steps.linear_solves += record.linear_solves;
    steps.cg_iterations += record.cg_iterations;
    steps.capped_substeps += record.capped_substeps;
    if (!record.derivative_reliable && unreliable_step < 0) unreliable_step = step;
    escapes += record.escapes;
    if (record.escapes > 0 && first_escape < 0) first_escape = step;
    most_contacts = std::max(most_contacts, record.contacts);
    deepest_contact = std::max(deepest_contact, record.deepest);
    for (const sim::BrokenLink& link : record.broken) broken.push_back({step, link});
  }
};

/// The kept steps from `first_step` on, counted from there.
std::vector<Index> wanted_steps(const Experiment& experiment, Index first_step) {
  std::vector<Index> wanted;
  for (Index step = first_step + 1; step <= experiment.scenario.steps; ++step)
    if (step % experiment.every == 0 || step == experiment.scenario.steps) wanted.push_back(step - first_step);
  return wanted;
}

/// The steps by another program from a state on, which is kept as step `first_step`, with energies of our own;
/// `earlier` are the rows of the part before it. It does not tell what its forces took out: all that is missing is
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

/// Who has come and gone in the whole run, earlier parts of it included.
PassingParticles passing_particles(const Experiment& experiment, const sim::Roster& roster, double time) {
  long emitted = 0;
  for (const sim::Emitter& emitter : experiment.population->emitters)
    emitted += emitter.emitted(time) - emitter.emitted(experiment.scenario.initial.t);
  const long left = roster.size();
  return {emitted, experiment.scenario.model.particles() + emitted - left, left};
}

/// Whether something acts that can take energy out of a body or bring it in. Steps of a backend have no book of that.
bool can_lose_energy(const diff::Scenario& scenario) {
  const sim::Model& model = scenario.model;
  return !model.has_constant_values() || !model.constraints().empty() ||
         std::ranges::any_of(model.topology().held, [](const auto& held) { return bool(held.path); }) ||
         std::ranges::any_of(model.terms(), [&](const auto& term) {
           return !term->energy(model, scenario.initial) || term->changes_between(0, 1);
         });
}

/// The balance of the energies of a run; empty where a backend's steps leave some of it unknown.
sim::EnergyBalance balance_of(const diff::Scenario& scenario, const sim::EnergyBalancer& energies,
                              const Backend* backend) {
  if (backend && can_lose_energy(scenario)) return {};
  return energies.balance();
}

/// What a reader of the results should know, though every step was made.
std::vector<std::string> notes_on(const Cost& cost) {
  std::vector<std::string> notes;
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

/// A run from its first to its last step, with what it leaves.
class SimulationRun {
 public:
  /// Makes the folder, or takes up the one that is there.
  SimulationRun(const Experiment& experiment, const RunOrder& order, std::unique_ptr<Backend> backend);
  RunResult run();

 private:
  using Clock = std::chrono::steady_clock;

  /// The folder, once it says what is run.
  static RunFolder& described(RunFolder& folder, const Experiment& experiment, const RunOrder& order) {
    folder.write_experiment(experiment.filled, order.provenance);
    return folder;
  }
  sim::State first() const { return resumed_ ? states_.last()->state : scenario_.initial; }
  void emplace_population();
  void make_steps();
  void make_backend_steps();
  void judge();
  void write_summary(bool complete);
  std::optional<Index> failed_step() const;
  StepsBy steps_by() const;
  SimulationOutcome outcome() const;

  const Experiment& experiment_;
  const diff::Scenario& scenario_;
  const RunOrder& order_;
  std::unique_ptr<Backend> backend_;  // null: our own steps
  Clock::time_point start_ = Clock::now();
  Interruption interruption_;  // listens before there is anything to keep
  RunFolder folder_;
  KeptStates states_;
  bool resumed_;
  Index first_step_;
  std::optional<sim::Population> population_;

  Cost cost_;
  Index last_step_;
  double last_time_;
  std::string linear_solver_;
  sim::StepStatus status_ = sim::StepStatus::Ok;
  std::string failure_;  // of emitters or sinks, after the last step
  BackendOutcome outcome_;
  sim::EnergyBalance balance_;
  RunResult result_;
};

SimulationRun::SimulationRun(const Experiment& experiment, const RunOrder& order, std::unique_ptr<Backend> backend)
    : experiment_(experiment),
      scenario_(experiment.scenario),
      order_(order),
      backend_(std::move(backend)),
      folder_(order.target, make_input_record(experiment.filled, order.provenance), order.earlier),
      states_(described(folder_, experiment, order), experiment),
      resumed_(states_.last().has_value()),
      first_step_(resumed_ ? states_.last()->energy.step : 0),
      last_step_(first_step_),
      last_time_(first().t) {
  emplace_population();
}

void SimulationRun::emplace_population() {
  if (!experiment_.population) return;
  if (resumed_)
    population_.emplace(*experiment_.population, scenario_.model, *states_.last()->roster);
  else
    population_.emplace(*experiment_.population, scenario_.model, last_time_);
}

void SimulationRun::make_steps() {
  Progress bar("simulate " + experiment_.name, scenario_.steps, order_.progress);
  bool begun = false;
  const auto observe = [&](Index step, const sim::State& state, const sim::StepRecord& record,
                           const sim::EnergyRow* kept) {
    begun = true;
    if (step > first_step_) cost_.add(record, step);
    if (kept) states_.keep(state, *kept, population_ ? &population_->roster() : nullptr);
    last_step_ = step;
    last_time_ = state.t;
    bar.update(step);
    return !interruption_.requested();
  };
  try {
    const sim::RunEnd end =
        sim::run(population_ ? population_->model() : scenario_.model, first(), run_options(experiment_), observe,
                 states_.earlier_rows(), population_ ? &*population_ : nullptr);
    status_ = end.status;
    if (cost_.steps.linear_solves > 0) linear_solver_ = end.linear_solver;
  } catch (const InvalidArgument& error) {
    // Emitted where the model has no forces, say: the run ends there, with what it has.
    if (!population_ || !begun) {
      if (!resumed_) folder_.abandon();
      throw;
    }
    failure_ = error.what();
  }
}

void SimulationRun::make_backend_steps() {
  Progress bar("simulate " + experiment_.name, scenario_.steps, order_.progress);
  const auto keep = [&](const sim::State& state, const sim::EnergyRow& row) {
    states_.keep(state, row, nullptr);
    bar.update(row.step);
  };
  try {
    outcome_ = run_backend(*backend_, experiment_, first(), first_step_, states_.earlier_rows(), keep);
  } catch (const std::exception&) {  // the other program broke: there is no run
    if (!resumed_) folder_.abandon();
    throw;
  }
  status_ = outcome_.status;
  last_step_ = first_step_ + outcome_.step;
  last_time_ += outcome_.step * scenario_.time_step;
  cost_.steps.force_evaluations = outcome_.step;  // velocity Verlet: one for each step
}

void SimulationRun::judge() {
  RunVerdict& verdict = result_.verdict;
  verdict = verdict_on_end(status_, last_step_, last_time_, scenario_);
  if (!failure_.empty())
    verdict = {RunStatus::Failed,
               fmt::format("failed after step {} (t = {:g} s), because the model rejects the particles added next: {}",
                           last_step_, last_time_, failure_),
               ""};
  balance_ = balance_of(scenario_, states_.energies(), backend_.get());
  doubt_energy(balance_, states_.energies().start(), scenario_, verdict);
  result_.notes = experiment_.notes;
  for (std::string& note : notes_on(cost_)) result_.notes.push_back(std::move(note));
}

std::optional<Index> SimulationRun::failed_step() const {
  if (!failure_.empty()) return last_step_ + 1;
  return status_ == sim::StepStatus::Ok ? std::nullopt : std::optional(last_step_);
}

/// Whose steps they were, and what these alone took; unknown of our own.
StepsBy SimulationRun::steps_by() const {
  if (!backend_) return {.name = own_backend, .version = version};
  return {experiment_.backend->name, backend_->version(), outcome_.seconds,
          outcome_.compile_seconds.value_or(not_known)};
}

/// How the run ended, or is going on.
SimulationOutcome SimulationRun::outcome() const {
  SimulationOutcome outcome;
  outcome.completed_steps = last_step_;
  outcome.requested_steps = scenario_.steps;
  outcome.failed_step = failed_step();
  outcome.why = result_.verdict.why;
  outcome.remedy = result_.verdict.remedy;
  outcome.notes = result_.notes;
  outcome.changing_values = states_.changing();
  outcome.energy_error = {balance_.mean, balance_.max, balance_.scale};
  outcome.steps_by = steps_by();
  outcome.cost = cost_.steps;
  outcome.most_contacts = cost_.most_contacts;
  outcome.deepest_contact = cost_.deepest_contact;
  outcome.broken = cost_.broken;
  if (population_ && failure_.empty())
    outcome.population = passing_particles(experiment_, population_->roster(), last_time_);
  if (resumed_) outcome.resumed_from_step = first_step_;
  outcome.particles = scenario_.model.particles();
  outcome.springs = scenario_.model.springs().size();
  outcome.integrator = scenario_.integrator.name();
  outcome.time_step = scenario_.time_step;
  outcome.linear_solver = linear_solver_;
  return outcome;
}

void SimulationRun::write_summary(bool complete) {
  result_.summary = {.program = fmt::format("pithball {}", version),
                     .command = "simulate",
                     .name = experiment_.name,
                     .status = to_string(result_.verdict.status),
                     .complete = complete,
                     .seconds = std::chrono::duration<double>(Clock::now() - start_).count(),
                     .threads = order_.provenance.threads,
                     .folder = order_.target.string()};
  result_.outcome = outcome();
  folder_.write_text("summary.json", json_text(to_json(result_.summary, result_.outcome)) + "\n");
}

RunResult SimulationRun::run() {
  // Until the run ends its folder says this, so that what a killed one kept can be looked at.
  result_.verdict = {RunStatus::Incomplete, "the run is still in progress or was killed",
                     "wait for it to end, or complete it with --resume"};
  write_summary(false);
  backend_ ? make_backend_steps() : make_steps();
  judge();
  const bool complete = result_.verdict.status != RunStatus::Interrupted;
  states_.finish(complete);
  Provenance provenance = order_.provenance;
  provenance.linear_solver = linear_solver_;
  folder_.write_experiment(experiment_.filled, provenance);
  write_summary(complete);
  if (complete)
    folder_.finish();
  else
    folder_.leave_incomplete();
  result_.folder = folder_.place();
  result_.summary.folder = result_.folder.string();
  return std::move(result_);
}

}  // namespace

RunResult run_simulation(const Experiment& experiment, const RunOrder& order) {
  if (experiment.backend && experiment.population)
    reject_population(experiment, "simulation.backend: " + experiment.backend->name);
  RunFolder::check(order.target, order.earlier);
  return SimulationRun(experiment, order, experiment.backend ? experiment.backend->start() : nullptr).run();
}

}  // namespace pithball::app
