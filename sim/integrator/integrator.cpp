#include "sim/integrator/integrator.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "sim/core/error.hpp"
#include "sim/core/finite.hpp"
#include "sim/core/stop.hpp"
#include "sim/integrator/impulses.hpp"
#include "sim/integrator/stage_solver.hpp"
#include "sim/integrator/substeps.hpp"

namespace pithball::sim {
namespace {

double largest(const Points& p) { return p.colwise().norm().maxCoeff(); }

/// Whether the ends of a spring were torn apart; `farthest`: the largest norm of `carried`.
bool has_torn(const Model& model, const Points& carried, double farthest) {
  const auto block = model.values().find("rest_length");
  if (!block || model.values().block(*block).size == 0) return false;
  const auto lengths = model.values()[*block];
  if (2 * farthest <= absurd_flight * lengths[0]) return false;  // the usual case: the maximum is at least lengths[0]
  const double longest = lengths.maxCoeff();
  if (!(longest > 0)) return false;
  for (const auto& [i, j] : model.springs())
    if ((carried.col(i) - carried.col(j)).norm() > absurd_flight * longest) return true;
  return false;
}

}  // namespace

bool has_diverged(const Model& model, const State& before, const State& after, double h) {
  if (!is_finite(after.x) || !is_finite(after.v)) return true;
  Points carried = h * (after.v - before.v);
  model.clear_held(carried);
  const double speed = largest(before.v), farthest = largest(carried);
  if (has_torn(model, carried, farthest)) return true;
  if (farthest <= absurd_flight * h * speed) return false;
  const double extent = (before.x.rowwise().maxCoeff() - before.x.rowwise().minCoeff()).norm();
  if (!(farthest > absurd_flight * (extent + h * speed))) return false;
  const Points a = acceleration(model, before);
  const double time = shortest_time(model, before, a, every_term);
  return farthest > absurd_flight * time * (speed + time * largest(a));
}

namespace {

/// Throws InvalidArgument if the integrator does not suit the kicks of a force.
void check_kick(const Kick& kick, const std::string& force, const IntegratorInfo& info) {
  const auto reject = [&](const std::string& required, const std::string& got) {
    throw InvalidArgument(
        {"", "simulation.integrator", required, info.name + ", " + got, "use velocity_verlet or imex_midpoint"});
  };
  if (info.startup_steps > 0)
    reject("must allow velocities that forces." + force + " changes instantaneously", "which uses earlier steps");
  const bool first_order = info.position_order < 2;
  if (kick.need() == KickNeed::PresentVelocities && first_order && info.symplectic)
    reject("must move particles before it brakes them, so that they spread rightly by forces." + force,
           "which brakes first");
  // Accepted for models with constraints, which have no other integrator: its substeps reduce the error.
  if (kick.need() == KickNeed::SecondOrder && first_order && !info.supports.constraints)
    reject("must be of second order, so that particles under a force drift at the right speed with forces." + force,
           "of first order");
}

}  // namespace

std::string to_string(StepStatus status) {
  switch (status) {
    case StepStatus::Ok:
      return "ok";
    case StepStatus::NotConverged:
      return "not_converged";
    case StepStatus::Diverged:
      return "diverged";
  }
  return "unknown";
}

std::size_t StepTape::bytes() const {
  const auto of = [](const Points& p) { return p.size() * sizeof(double); };
  std::size_t sum = of(before.x) + of(before.v) + of(after.x) + of(after.v);
  for (const Points& p : history_before) sum += of(p);
  for (const StageSolution& stage : stages) sum += stage.bytes();
  for (const StepTape& substep : substeps) sum += substep.bytes();
  if (forces_at) sum += of(forces_at->x) + of(forces_at->v);
  return sum;
}

History Integrator::start(const Model& model, State& state) {
  check(model, state);
  return do_start(model, state);
}

History Integrator::extend(const Model& model, State& state, const History& earlier) {
  check(model, state);
  return do_extend(model, state, earlier);
}

void Integrator::check(const Model& model, State& state) const {
  if (model.is_tracers() && !info().supports.tracers)
    throw InvalidArgument({"", "simulation.integrator",
                           "must be an integrator for first-order equations, because tracers have no velocity",
                           info().name, "use rk4; `pithball list integrators` lists the others"});
  if (!model.constraints().empty() && !info().supports.constraints)
    throw InvalidArgument({"", "simulation.integrator", "must be xpbd for a model with constraints", info().name,
                           "write `integrator: xpbd`, or leave the constraints out"});
  for (const auto& term : model.terms())
    if (const Kick* kick = term->as<Kick>()) check_kick(*kick, term->traits().name, info());
  model.place_held(state.t, state.x, &state.v);
  model.validate(state);
}

void Integrator::synchronize(const Model& model, double h, State& state, const History& history, Losses* book) const {
  do_synchronize(model, h, state, history, book);
  model.place_held(state.t, state.x, &state.v);
}

StepRecord Integrator::step(const Model& model, const TimeStep& step, State& state, History& history, StepTape* tape,
                            Losses* book) {
  require_not_stopped();
  const std::vector<TimeStep> parts =
      divides_steps(info()) ? make_step_parts(model, state.t, step, info().adaptive) : std::vector<TimeStep>{};
  if (parts.empty()) return undivided_step(model, step, state, history, tape, book);
  if (tape) *tape = {.h = step.h, .before = state, .after = {}, .history_before = history, .stages = {}};
  StepRecord record;
  record.h = step.h;
  for (const TimeStep& part : parts) {
    StepTape own;
    StepRecord made = undivided_step(model, part, state, history, tape ? &own : nullptr, book);
    record.add(made);
    record.t = made.t;
    if (made.substeps.empty()) made.substeps = {part.h};
    record.substeps.insert(record.substeps.end(), made.substeps.begin(), made.substeps.end());
    if (tape && info().adaptive)
      std::ranges::move(own.substeps, std::back_inserter(tape->substeps));
    else if (tape)
      tape->substeps.push_back(std::move(own));
    if (record.status != StepStatus::Ok) break;
  }
  if (tape) tape->after = state;
  return record;
}

StepRecord Integrator::undivided_step(const Model& model, const TimeStep& step, State& state, History& history,
                                      StepTape* tape, Losses* book) {
  if (tape) *tape = {.h = step.h, .before = state, .after = {}, .history_before = history, .stages = {}};
  const std::optional<State> copy = tape ? std::nullopt : std::optional(state);
  const State& before = tape ? tape->before : *copy;
  StepRecord record;
  record.h = step.h;
  StepOutput out{record, tape, book};
  do_step(model, step, state, history, out);
  // Adaptive integrators book the losses to the surroundings in each of their substeps.
  if (book && !info().adaptive) book_surroundings(model, before, state, info().position_order, *book);
  record.t = state.t;
  if (has_diverged(model, before, state, step.h)) record.status = StepStatus::Diverged;
  if (tape) tape->after = state;
  return record;
}

void Integrator::place_held(const Model& model, double t, const Points& passed, StageProblem& stage) {
  for (const Held& held : model.topology().held) {
    const Index i = held.particle;
    stage.move.col(i) = held.path ? Vec3(held.path->position(t) - stage.start.col(i)) : Vec3::Zero();
    stage.velocity.col(i) = (stage.move.col(i) - passed.col(i)) / stage.g;
  }
}

void Integrator::solve_stage(StageSolver& solver, const Model& model, StageSolution& solution, StepRecord& record) {
  add_stage(solver.solve(model, solution), record);
}

void Integrator::add_stage(const StageReport& report, StepRecord& record) {
  record.work.force_evaluations += report.force_evaluations;
  record.work.linear_solves += report.linear_solves;
  record.work.cg_iterations += report.cg_iterations;
  record.escapes += report.escapes;
  record.residual = std::max(report.residual, record.residual);  // this order of arguments keeps NaN
  record.derivative_reliable = record.derivative_reliable && report.derivative_reliable;
  if (!report.converged)
    record.status = std::isfinite(report.residual) ? StepStatus::NotConverged : StepStatus::Diverged;
}

const std::string& Integrator::linear_solver() const {
  static const std::string none;
  return none;
}

}  // namespace pithball::sim
