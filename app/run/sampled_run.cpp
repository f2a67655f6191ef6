#include "app/run/sampled_run.hpp"

#include <chrono>
#include <cmath>

#include "app/base/interruption.hpp"
#include "diff/rollout/forward_rollout.hpp"
#include "sim/run/simulator.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::app {
namespace {

constexpr double same_instant = 1e-6;  // in steps: far above the rounding of a time, below any error of interest

Sample sample_of(const sim::Model& model, const sim::State& state, const sim::Losses& losses) {
  sim::EnergyRow energy = sim::energy_of(model, state);
  energy.losses = losses;
  return {state.t, state.x, energy};
}

/// Returns the losses at the fraction s of a step between two books.
sim::Losses interpolate(const sim::Losses& a, const sim::Losses& b, double s) {
  sim::Losses at;
  at.add(1 - s, a);
  at.add(s, b);
  return at;
}

/// Returns the cubic Hermite interpolant of two states, and its derivative, at the fraction s of the step h between
/// them.
sim::State interpolate(const sim::State& a, const sim::State& b, double h, double s) {
  const Points chord = b.x - a.x, from = h * a.v - chord, to = chord - h * b.v;
  sim::State at = a;
  at.t = a.t + s * h;
  at.x = a.x + s * chord + s * (1 - s) * ((1 - s) * from + s * to);
  at.v = (chord + (1 - 4 * s + 3 * s * s) * from + (2 * s - 3 * s * s) * to) / h;
  return at;
}

}  // namespace

Index steps_to(double time, double time_step) { return static_cast<Index>(std::ceil(time / time_step - same_instant)); }

SampledRun sample_run(const diff::Scenario& scenario, const sim::IntegratorChoice& integrator, double time_step,
                      const std::vector<double>& instants, const SampleVisitor& visit, const StepVisitor& step) {
  using Clock = std::chrono::steady_clock;
  const sim::Model& model = scenario.model;
  const auto coulomb = std::make_shared<sim::ForceCount>();
  const sim::Model counted = model.with_terms([&](const std::shared_ptr<sim::ForceTerm>& term) {
    const bool counts = term->traits().name == "coulomb";
    return counts ? std::make_shared<sim::CountedForce>(term, coulomb) : term;
  });
  sim::Stepper stepper(counted, scenario.initial, integrator, scenario.stage, time_step);
  sim::Losses book;
  // Returns the state with velocities synchronized to its time, and sets `taken` to the losses until then. The run
  // itself is not affected.
  const auto look = [&](sim::Losses& taken) {
    sim::State state = stepper.state();
    taken = book;
    stepper.integrator().synchronize(model, time_step, state, stepper.history(), &taken);
    return state;
  };
  SampledRun run;
  visit(0, sample_of(model, stepper.state(), {}));
  for (std::size_t k = 0; k < instants.size();) {
    const bool sampled = steps_to(instants[k], time_step) <= stepper.n() + 1;
    sim::Losses taken_before, taken;
    const sim::State before = sampled ? look(taken_before) : sim::State{};
    const Clock::time_point start = Clock::now();
    const sim::StepRecord record = stepper.advance(nullptr, &book);
    run.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    diff::note_step(record, stepper.n(), run.status, &run.cost);
    step();
    if (!run.status.ok()) break;
    if (!sampled) continue;
    const sim::State after = look(taken);
    for (; k < instants.size() && steps_to(instants[k], time_step) <= stepper.n(); ++k) {
      const double part = instants[k] / time_step - (stepper.n() - 1);
      const bool at_end = part > 1 - same_instant;
      visit(k + 1, at_end ? sample_of(model, after, taken)
                          : sample_of(model, interpolate(before, after, time_step, part),
                                      interpolate(taken_before, taken, part)));
    }
  }
  run.coulomb = *coulomb;
  return run;
}

SampledRun sample_run(const diff::Scenario& scenario, Backend& backend, double time_step,
                      const std::vector<double>& instants, const SampleVisitor& visit, const StepVisitor& step) {
  const sim::Model& model = scenario.model;
  BackendJob job{&model, scenario.initial, time_step, {}};
  model.place_held(job.start.t, job.start.x, &job.start.v);
  for (const double instant : instants) job.wanted.push_back(steps_to(instant, time_step));
  visit(0, sample_of(model, job.start, {}));
  std::size_t k = 0;
  Index told = 0;
  const BackendOutcome outcome = backend.run(job, [&](Index n, const sim::State& state) {
    ++k;
    if (state.x.allFinite() && state.v.allFinite()) visit(k, sample_of(model, state, {}));
    for (; told < n; ++told) step();
  });
  require_no_interruption();
  SampledRun run;
  run.status = {outcome.status, outcome.step, -1};
  run.cost.force_evaluations = outcome.step;  // velocity Verlet: one per step
  run.seconds = outcome.seconds;
  run.compile_seconds = outcome.compile_seconds;
  return run;
}

}  // namespace pithball::app
