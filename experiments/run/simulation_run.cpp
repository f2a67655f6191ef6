#include "experiments/run/simulation_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "experiments/backend/backend.hpp"
#include "experiments/backend/chosen_backend.hpp"
#include "experiments/run/interruption.hpp"
#include "experiments/run/json_text.hpp"
#include "experiments/run/kept_states.hpp"
#include "experiments/run/progress.hpp"
#include "experiments/run/run_end.hpp"
#include "experiments/run/step_remedy.hpp"
#include "experiments/spec/population_spec.hpp"
#include "experiments/version.hpp"
#include "sim/core/error.hpp"
#include "sim/run/energy_balance.hpp"
#include "sim/run/simulator.hpp"

namespace pithball::experiments {
namespace {

using nlohmann::ordered_json;

/// What the steps of a run took, summed.
struct Cost {
  long force_evaluations = 0, linear_solves = 0, cg_iterations = 0, capped_substeps = 0;
  Index unreliable_step = -1;
  long escapes = 0;
  Index first_escape = -1;
  Index most_contacts = 0;
  double deepest_contact = 0;
  ordered_json broken = ordered_json::array();
  void add(const sim::StepRecord& record, Index step) {
    force_evaluations += record.force_evaluations;
    linear_solves += record.linear_solves;
    cg_iterations += record.cg_iterations;
    capped_substeps += record.capped_substeps;
    if (!record.derivative_reliable && unreliable_step < 0) unreliable_step = step;
    escapes += record.escapes;
    if (record.escapes > 0 && first_escape < 0) first_escape = step;
    most_contacts = std::max(most_contacts, record.contacts);
    deepest_contact = std::max(deepest_contact, record.deepest);
    for (const sim::BrokenLink& link : record.broken)
      broken.push_back({{"step", step},
                        {"time", link.t},
                        {"constraint", link.constraint},
                        {"link", link.row.item},
                        {"particles", {link.row.particles[0], link.row.particles[1]}},
                        {"tension", link.tension}});
  }
};

/// The kept steps from `first_step` on, counted from there.
std::vector<Index> wanted_steps(const Experiment& experiment, Index first_step) {
  std::vector<Index> wanted;
  for (Index step = first_step + 1; step <= experiment.scenario.steps; ++step)
    if (step % experiment.every == 0 || step == experiment.scenario.steps) wanted.push_back(step - first_step);
  return wanted;
}

/// The steps by another program from a state on, which is kept as step `first_step`, with energies of our own; `last` is
/// the row of that state in an earlier run. It does not tell what its forces took out: all that is missing is numerical.
template <class Keep>
BackendOutcome run_backend(Backend& backend, const Experiment& experiment, sim::State start, Index first_step,
                           const sim::EnergyRow* last, const Keep& keep) {
  const sim::Model& model = experiment.scenario.model;
  model.place_held(start.t, start.x, &start.v);
  const BackendJob job{&model, start, experiment.scenario.time_step, wanted_steps(experiment, first_step)};
  const double energy = last ? last->conserved() + last->numerical : sim::energy_of(model, start).total();
  const auto visit = [&](Index step, const sim::State& state) {
    sim::EnergyRow row = sim::energy_of(model, state);
    row.step = first_step + step;
    row.numerical = energy - row.total();
    keep(state, row);
  };
  visit(0, start);
  return job.wanted.empty() ? BackendOutcome{} : backend.run(job, visit);
}

/// Whose steps they were, and what these alone took; unknown of our own.
ordered_json backend_json(const std::string& name, const std::string& its_version, const BackendOutcome* outcome) {
  return {{"name", name},
          {"version", its_version},
          {"seconds", outcome ? ordered_json(outcome->seconds) : ordered_json(nullptr)},
          {"compile_seconds",
           outcome && outcome->compile_seconds ? ordered_json(*outcome->compile_seconds) : ordered_json(nullptr)}};
}

/// Who has come and gone in the whole run, earlier parts of it included.
ordered_json population_json(const Experiment& experiment, const sim::Roster& roster, double time) {
  long emitted = 0;
  for (const sim::Emitter& emitter : experiment.population->emitters)
    emitted += emitter.emitted(time) - emitter.emitted(experiment.scenario.initial.t);
  const auto left = static_cast<long>(roster.size());
  return {{"emitted", emitted}, {"taken", experiment.scenario.model.particles() + emitted - left}, {"left", left}};
}

/// Whether something acts that can take energy out of a body or bring it in. Steps of a backend have no book of that.
bool can_lose_energy(const diff::Scenario& scenario) {
  const sim::Model& model = scenario.model;
  return !model.key_frames().empty() || !model.constraints().empty() ||
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

/// A run whose energy is off by more than this part of what it moves about shows another motion than that of its forces:
/// ten times what coarse but useful runs show, and a tenth of what a body shows whose energy comes from the steps.
constexpr double doubtful_energy_error = 0.1;

void doubt_energy(const sim::EnergyBalance& balance, const sim::EnergyRow& start, const diff::Scenario& scenario,
                  RunVerdict& verdict) {
  if (!(balance.max > doubtful_energy_error)) return;
  const double gained = sim::unaccounted_energy(balance.worst, start);
  const StepTrouble trouble = gained > 0 ? StepTrouble::GainedEnergy : StepTrouble::LostEnergy;
  verdict.doubt(fmt::format("by step {} (t = {:g} s) the steps themselves had {} {:.3g} J, {:.3g} times as much as any kind "
                            "of energy changes in the run",
                            balance.worst.step, balance.worst.t, gained > 0 ? "added" : "taken away", std::abs(gained),
                            balance.max),
                step_remedy(trouble, scenario));
}

/// What a reader of the results should know, though every step was made.
std::vector<std::string> notes_on(const Cost& cost) {
  std::vector<std::string> notes;
  if (cost.capped_substeps > 0)
    notes.push_back(fmt::format(
        "{} substep{} of imex_adaptive had to be longer than the forces ask for, as most_substeps allows no more in a "
        "step; enlarge it or shorten simulation.time_step",
        cost.capped_substeps, cost.capped_substeps == 1 ? "" : "s"));
  if (cost.escapes > 0)
    notes.push_back(fmt::format(
        "{} drawn at random, the first in step {}: the body was pressed exactly in line, and nothing else says which way it "
        "buckles; move its start a little to that side to which it shall go",
        cost.escapes == 1 ? "a direction of buckling was" : fmt::format("{} directions of buckling were", cost.escapes),
        cost.first_escape));
  return notes;
}

}  // namespace

RunResult run_simulation(const Experiment& experiment, const RunOrder& order) {
  using Clock = std::chrono::steady_clock;
  const diff::Scenario& scenario = experiment.scenario;
  const BackendInfo* const other = find_backend(chosen_backend(experiment.filled));
  if (other && experiment.population) refuse_population(experiment, "simulation.backend: " + other->name);
  RunFolder::check(order.target, order.earlier);
  const std::unique_ptr<Backend> backend = other ? other->start() : nullptr;
  const Clock::time_point start = Clock::now();

  const Interruption interruption;  // listens before there is anything to keep
  RunFolder folder(order.target, make_input_record(experiment.filled, order.provenance), order.earlier);
  folder.write_experiment(experiment.filled, order.provenance);
  KeptStates states(folder, experiment);
  const bool resumed = states.last().has_value();
  const sim::State& first = resumed ? states.last()->state : scenario.initial;
  const sim::EnergyRow* const last_row = resumed ? &states.last()->energy : nullptr;
  const Index first_step = resumed ? last_row->step : 0;
  std::optional<sim::Population> population;
  if (experiment.population && resumed)
    population.emplace(*experiment.population, scenario.model, *states.last()->roster);
  else if (experiment.population)
    population.emplace(*experiment.population, scenario.model, first.t);

  Cost cost;
  Index last_step = first_step;
  double last_time = first.t;
  std::string linear_solver;
  sim::StepStatus status = sim::StepStatus::Ok;
  bool begun = false;
  std::string failure;  // of emitters or sinks, after the last step
  BackendOutcome outcome;
  RunResult result;
  const auto summarise = [&](const sim::EnergyBalance& balance, bool complete) -> ordered_json {
    const RunVerdict& verdict = result.verdict;
    return {
        {"program", fmt::format("pithball {}", version)},
        {"command", "simulate"},
        {"name", experiment.name},
        {"status", verdict.status},
        {"complete", complete},
        {"steps", last_step},
        {"steps_wanted", scenario.steps},
        {"failed_step", !failure.empty()                ? ordered_json(last_step + 1)
                        : status == sim::StepStatus::Ok ? ordered_json(nullptr)
                                                        : ordered_json(last_step)},
        {"why", text_or_null(verdict.why)},
        {"remedy", text_or_null(verdict.remedy)},
        {"notes", result.notes},
        {"changing_values", states.changing()},
        {"energy_error",
         {{"mean", number_or_null(balance.mean)}, {"max", number_or_null(balance.max)}, {"scale", balance.scale}}},
        {"seconds", std::chrono::duration<double>(Clock::now() - start).count()},
        {"backend",
         backend ? backend_json(other->name, backend->version(), &outcome) : backend_json(own_backend, version, nullptr)},
        {"cost",
         {{"force_evaluations", cost.force_evaluations},
          {"linear_solves", cost.linear_solves},
          {"cg_iterations", cost.cg_iterations},
          {"capped_substeps", cost.capped_substeps}}},
        {"contacts", {{"most", cost.most_contacts}, {"deepest", number_or_null(cost.deepest_contact)}}},
        {"broken_links", cost.broken},
        {"population", population && failure.empty() ? population_json(experiment, population->roster(), last_time)
                                                     : ordered_json(nullptr)},
        {"resumed_from_step", resumed ? ordered_json(first_step) : ordered_json(nullptr)},
        {"particles", scenario.model.particles()},
        {"springs", scenario.model.springs().size()},
        {"integrator", scenario.integrator.name()},
        {"time_step", scenario.time_step},
        {"linear_solver", linear_solver},
        {"threads", order.provenance.threads},
        {"folder", order.target.string()}};
  };
  // Until the run ends its folder says this, so that what a killed one kept can be looked at.
  result.verdict = {"incomplete", "the run goes on, or was killed", "let it end, or give --resume to complete it"};
  folder.write_text("summary.json", json_text(summarise({}, false)) + "\n");
  Progress bar("simulate " + experiment.name, static_cast<double>(scenario.steps), order.progress);
  if (backend) {
    const auto keep_and_tell = [&](const sim::State& state, const sim::EnergyRow& row) {
      states.keep(state, row, nullptr);
      bar.update(static_cast<double>(row.step));
    };
    try {
      outcome = run_backend(*backend, experiment, first, first_step, last_row, keep_and_tell);
    } catch (const std::exception&) {  // the other program broke: there is no run
      if (!resumed) folder.abandon();
      throw;
    }
    status = outcome.status;
    last_step = first_step + outcome.step;
    last_time += static_cast<double>(outcome.step) * scenario.time_step;
    cost.force_evaluations = outcome.step;  // velocity Verlet: one for each step
  } else {
    const auto observe = [&](Index step, const sim::State& state, const sim::StepRecord& record,
                             const sim::EnergyRow* kept) {
      begun = true;
      if (step > first_step) cost.add(record, step);
      if (kept) states.keep(state, *kept, population ? &population->roster() : nullptr);
      last_step = step;
      last_time = state.t;
      bar.update(static_cast<double>(step));
      return !interruption.requested();
    };
    try {
      const sim::RunEnd end = sim::run(population ? population->model() : scenario.model, first, run_options(experiment),
                                       observe, last_row, population ? &*population : nullptr);
      status = end.status;
      linear_solver = end.linear_solver;
    } catch (const InvalidArgument& error) {
      // Emitted where the model has no forces, say: the run ends there, with what it has.
      if (!population || !begun) {
        if (!resumed) folder.abandon();
        throw;
      }
      failure = error.what();
    }
  }
  RunVerdict& verdict = result.verdict;
  verdict = verdict_on_end(status, last_step, last_time, scenario);
  if (!failure.empty())
    verdict = {"failed",
               fmt::format("failed after step {} (t = {:g} s), as the model cannot go on with the particles that come next: {}",
                           last_step, last_time, failure),
               ""};
  const sim::EnergyBalance balance = balance_of(scenario, states.energies(), backend.get());
  doubt_energy(balance, states.energies().start(), scenario, verdict);
  result.notes = notes_on(cost);
  const bool complete = verdict.status != "interrupted";
  states.finish(complete);
  result.steps = last_step;
  result.summary = summarise(balance, complete);
  result.seconds = result.summary["seconds"];
  Provenance provenance = order.provenance;
  provenance.linear_solver = linear_solver;
  folder.write_experiment(experiment.filled, provenance);
  folder.write_text("summary.json", json_text(result.summary) + "\n");
  if (complete)
    folder.finish();
  else
    folder.leave_incomplete();
  result.folder = folder.place();
  result.summary["folder"] = result.folder.string();
  return result;
}

}  // namespace pithball::experiments
