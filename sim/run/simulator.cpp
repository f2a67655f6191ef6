#include "sim/run/simulator.hpp"

#include <numeric>

#include "sim/constraint/constraint.hpp"
#include "sim/core/error.hpp"
#include "sim/force/some_particles.hpp"
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

/// A model and one of its states.
struct Body {
  Model model;
  State state;
};

Body body_of(const Stepper& stepper) { return {stepper.model(), stepper.state()}; }

/// Returns the energy of some particles, including that of their interaction with the rest [J].
double energy_of_some(std::vector<Index> some, const Body& whole, const Body& rest) {
  const SomeParticles particles(whole.model, whole.state, std::move(some));
  double energy = particles.kinetic_energy();
  for (std::size_t k = 0; k < whole.model.terms().size(); ++k) {
    const auto& term = whole.model.terms()[k];
    if (!term->traits().energy) continue;
    if (const auto part = particles.energy(term))
      energy += *part;
    else
      energy += term->energy(whole.model, whole.state).value_or(0) -
                rest.model.terms()[k]->energy(rest.model, rest.state).value_or(0);
  }
  for (std::size_t k = 0; k < whole.model.constraints().size(); ++k)
    energy += stored_energy(*whole.model.constraints()[k], whole.model, whole.state.x) -
              stored_energy(*rest.model.constraints()[k], rest.model, rest.state.x);
  return energy;
}

/// Removes some but not all particles, and books their energy.
void remove(const std::vector<Index>& leaving, Population& population, Stepper& stepper, Losses& book) {
  const Body whole = body_of(stepper);
  const State rest = population.remove(leaving, whole.state);
  stepper.restart(population.model(), rest);
  book[LossKind::Events] += energy_of_some(leaving, whole, body_of(stepper));
}

/// Adds the particles emitted since time `since`, and books their energy.
void emit(double since, Population& population, Stepper& stepper, Losses& book) {
  const Body rest = body_of(stepper);
  const State whole = population.emit(since, rest.state);
  stepper.extend(population.model(), whole);
  std::vector<Index> emitted(whole.x.cols() - rest.state.x.cols());
  std::iota(emitted.begin(), emitted.end(), rest.state.x.cols());
  book[LossKind::Events] -= energy_of_some(std::move(emitted), body_of(stepper), rest);
}

/// Replaces all particles with those emitted since time `since`.
void replace_all(double since, const std::vector<Index>& leaving, Population& population, Stepper& stepper,
                 Losses& book) {
  const double energy = energy_of(stepper.model(), stepper.state()).total();
  const State next = population.emit(since, population.remove(leaving, stepper.state()));
  stepper.restart(population.model(), next);
  book[LossKind::Events] -= energy_of(stepper.model(), stepper.state()).total() - energy;
}

/// Applies emitters and sinks to the state after the step from time `before`.
void turn_over(Population& population, double before, Stepper& stepper, Losses& book) {
  const Turnover turnover = population.turnover(before, stepper.state(), stepper.n());
  if (turnover.leaving.size() == population.roster().size())
    return replace_all(before, turnover.leaving, population, stepper, book);
  if (!turnover.leaving.empty()) remove(turnover.leaving, population, stepper, book);
  if (turnover.emitted > 0) emit(before, population, stepper, book);
}

/// Returns the simulation at the initial state, after earlier steps of the run. Particles emitted during the last
/// earlier step are added last here as well, so that sums over particles have identical rounding errors.
Stepper begin(const Body& initial, const RunOptions& options, const EarlierSteps& earlier,
              const Population* population) {
  const auto at = [&](const Body& body) {
    return Stepper(body.model, body.state, options.integrator, options.stage, options.time_step, earlier);
  };
  const double before = earlier.t0 + (earlier.n - 1) * options.time_step;  // beginning of the last earlier step
  const Index all = initial.state.x.cols(),
              emitted = population && earlier.n > 0 ? population->emitted_after(before) : 0;
  if (emitted == 0 || emitted == all) return at(initial);
  const Index rest = all - emitted;
  const Body without{population->model_of(rest),
                     {initial.state.t, initial.state.x.leftCols(rest), initial.state.v.leftCols(rest)}};
  Stepper stepper = at(without);
  stepper.extend(initial.model, initial.state);
  return stepper;
}

}  // namespace

RunEnd run(const Model& model, const State& initial, const RunOptions& options, const RunObserver& observe,
           const EarlierRows* goes_on_from, Population* population) {
  if (population && options.integrator.info().startup_steps > 0)
    throw InvalidArgument({"", "simulation.integrator", "must allow particles to be added or removed",
                           options.integrator.name() + ", which uses earlier steps",
                           "use velocity_verlet or imex_midpoint"});
  RunEnd end;
  const Body first{model, initial};
  const EarlierSteps earlier =
      goes_on_from ? EarlierSteps{goes_on_from->last.step, goes_on_from->first.t} : EarlierSteps{0, initial.t};
  Stepper stepper = begin(first, options, earlier, population);
  Losses book = goes_on_from ? goes_on_from->last.losses : Losses{};
  const double start = goes_on_from ? goes_on_from->first.conserved() : energy_of(model, stepper.state()).total();

  const auto show = [&](const StepRecord& record) {
    const Index n = stepper.n();
    const bool kept = n % options.every == 0 || n == options.steps || record.status != StepStatus::Ok;
    if (!kept) return observe(n, stepper.state(), record, nullptr);
    const KeptStep step = keep_step(stepper, book, start);
    return observe(n, step.state, record, &step.row);
  };

  const auto note_solver = [&] {
    if (!stepper.integrator().linear_solver().empty()) end.linear_solver = stepper.integrator().linear_solver();
  };

  bool go_on = show({.t = stepper.state().t});
  while (go_on && stepper.n() < options.steps && end.status == StepStatus::Ok) {
    const double before = stepper.state().t;
    const StepRecord record = stepper.advance(nullptr, &book);
    if (population && record.status == StepStatus::Ok) {
      note_solver();  // a modified model starts with a new integrator
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
                    const EarlierRows* goes_on_from, Population* population) {
  Trajectory all;
  const Index first = goes_on_from ? goes_on_from->last.step : 0;
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
