#include "sim/run/simulator.hpp"

#include "sim/constraint/constraint.hpp"
#include "sim/run/dissipation.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::sim {

EnergyRow energy_of(const Model& model, const State& s) {
  EnergyRow row;
  row.t = s.t;
  row.kinetic = 0.5 * (s.v.cwiseProduct(s.v) * model.mass()).sum();
  for (const auto& term : model.terms()) {
    const std::optional<double> energy = term->energy(model, s);
    if (!energy) continue;
    const std::string& kind = term->traits().energy;
    (kind == "elastic"       ? row.elastic
     : kind == "coulomb"     ? row.coulomb
     : kind == "interaction" ? row.interaction
                             : row.external) += *energy;
  }
  if (!model.constraints().empty()) {
    const Model now = model.at(s.t);
    for (const auto& constraint : now.constraints()) row.elastic += stored_energy(*constraint, now, s.x);
  }
  return row;
}

double dissipated_power(const Model& model, const State& s) {
  Points force = Points::Zero(3, model.particles());
  model.add_forces(s, force, [](const ForceTraits& t) { return t.velocity_dependent; });
  return -flat(force).dot(flat(s.v));
}

Trajectory simulate(const Model& model, const State& initial, const RunOptions& options, const RunObserver& observe,
                    RunChoices* choices, Index first_step, double dissipated) {
  Trajectory run;
  Stepper stepper(model, initial, options.integrator, options.stage, options.time_step, first_step);
  Dissipation taken_out(model, stepper.state(), dissipated);

  const auto keep = [&](const StepRecord& record) {
    const Index n = stepper.n();
    const bool kept = n % options.every == 0 || n == options.steps || record.status != StepStatus::Ok;
    if (kept) {
      EnergyRow row = energy_of(stepper.model(), stepper.state());
      row.step = n;
      row.dissipated = taken_out.work();
      run.step.push_back(n);
      run.states.push_back(stepper.state());
      run.energy.push_back(row);
    }
    return !observe || observe(n, stepper.state(), record, kept ? &run.energy.back() : nullptr);
  };

  bool go_on = keep({.t = stepper.state().t});
  while (go_on && stepper.n() < options.steps && run.status == StepStatus::Ok) {
    const StepRecord record = stepper.advance();
    taken_out.add_step(stepper.state(), record);
    run.records.push_back(record);
    run.status = record.status;
    go_on = keep(record);
  }
  run.complete = stepper.n() == options.steps || run.status != StepStatus::Ok;
  if (choices) choices->linear_solver = stepper.integrator().linear_solver();
  return run;
}

}  // namespace pithball::sim
