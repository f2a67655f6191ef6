#include "sim/run/simulator.hpp"

#include "sim/constraint/constraint.hpp"
#include "sim/core/error.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::sim {

EnergyRow energy_of(const Model& model, const State& s) {
  EnergyRow row;
  row.t = s.t;
  row.kinetic = 0.5 * (s.v.cwiseProduct(s.v) * model.mass()).sum();
  for (const auto& term : model.terms()) {
    const std::optional<double> energy = term->energy(model, s);
    if (energy) row.of(term->traits().energy.value()) += *energy;
  }
  if (!model.constraints().empty()) {
    const Model now = model.at(s.t);
    for (const auto& constraint : now.constraints()) row.elastic += stored_energy(*constraint, now, s.x);
  }
  return row;
}

namespace {

/// Lets emitters and sinks act on what the step from time `before` led to.
void turn_over(Population& population, double before, Stepper& stepper, Losses& book) {
  const Turnover turnover = population.turnover(before, stepper.state(), stepper.n());
  if (!turnover.any) return;
  const double energy = energy_of(stepper.model(), stepper.state()).total();
  const State next = population.apply(turnover, before, stepper.state());
  stepper.restart(population.model(), next);
  book[LossKind::Events] -= energy_of(stepper.model(), stepper.state()).total() - energy;
}

}  // namespace

RunEnd run(const Model& model, const State& initial, const RunOptions& options, const RunObserver& observe,
           const EnergyRow* goes_on_from, Population* population) {
  if (population && options.integrator.info().startup_steps > 0)
    throw InvalidArgument({"", "simulation.integrator", "must allow particles to be added or removed",
                           options.integrator.name() + ", which uses earlier steps",
                           "use velocity_verlet or imex_midpoint"});
  RunEnd end;
  Stepper stepper(model, initial, options.integrator, options.stage, options.time_step,
                  goes_on_from ? goes_on_from->step : 0);
  Losses book = goes_on_from ? goes_on_from->losses : Losses{};
  const double start =
      goes_on_from ? goes_on_from->conserved() + goes_on_from->numerical : energy_of(model, stepper.state()).total();

  const auto show = [&](const StepRecord& record) {
    const Index n = stepper.n();
    const bool kept = n % options.every == 0 || n == options.steps || record.status != StepStatus::Ok;
    if (!kept) return observe(n, stepper.state(), record, nullptr);
    Losses taken = book;
    const State state = stepper.synchronized(&taken);
    EnergyRow row = energy_of(stepper.model(), state);
    row.step = n;
    row.losses = taken;
    row.numerical = start - row.conserved();
    return observe(n, state, record, &row);
  };

  const auto note_solver = [&] {
    if (!stepper.integrator().linear_solver().empty()) end.linear_solver = stepper.integrator().linear_solver();
  };

  bool go_on = show({.t = stepper.state().t});
  while (go_on && stepper.n() < options.steps && end.status == StepStatus::Ok) {
    const double before = stepper.state().t;
    const StepRecord record = stepper.advance(nullptr, &book);
    if (population && record.status == StepStatus::Ok) {
      note_solver();  // another model begins with a new integrator
      population->links_broke(record.broken);
      turn_over(*population, before, stepper, book);
    }
    end.status = record.status;
    go_on = show(record);
  }
  end.complete = stepper.n() == options.steps || end.status != StepStatus::Ok;
  note_solver();
  return end;
}

Trajectory simulate(const Model& model, const State& initial, const RunOptions& options, const RunObserver& observe,
                    const EnergyRow* goes_on_from, Population* population) {
  Trajectory all;
  const Index first = goes_on_from ? goes_on_from->step : 0;
  const auto keep = [&](Index n, const State& state, const StepRecord& record, const EnergyRow* kept) {
    if (n > first) all.records.push_back(record);
    if (kept) {
      all.step.push_back(n);
      all.states.push_back(state);
      if (population) all.rosters.push_back(population->roster());
      all.energy.push_back(*kept);
    }
    return !observe || observe(n, state, record, kept);
  };
  const RunEnd end = run(model, initial, options, keep, goes_on_from, population);
  all.status = end.status;
  all.complete = end.complete;
  return all;
}

}  // namespace pithball::sim
