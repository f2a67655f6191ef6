#include "sim/integrator/imex.hpp"

#include "sim/core/parallel_for.hpp"
#include "sim/integrator/impulses.hpp"
#include "sim/linear/block_matrix.hpp"

namespace pithball::sim {

const IntegratorInfo ImexEuler::integrator{
    .name = "imex_euler",
    .summary = "springs implicit, charges explicit, first order: stays bounded in violent motion, damps calm motion",
    .position_order = 1,
    .velocity_order = 1,
    .force_evaluations = 1,
    .implicit = true};

void ImexEuler::do_step(const Model& model, const TimeStep& step, State& s, History&, StepOutput& out) {
  const double h = step.h;
  StageProblem& stage = solution_.problem;
  stage.g = h;
  stage.t = step.end;
  stage.drag = true;
  stage.start = stage.lagged = s.x;
  stage.velocity = s.v;
  apply_velocity_flows(model, s, h, {FlowOrder::Forward, is_turn}, stage.velocity);
  stage.move = h * stage.velocity;
  ImpulseWork work(out.book, model, stage.velocity);
  stage.force.setZero(3, model.particles());
  place_held(model, stage.t, stage.force, stage);  // `passed` is 0: forces are still zero
  add_forces(model, s, stage.force, is_explicit, work.impulses(), h);
  if (work.impulses()) work.impulses()->add_reactions(model, h, stage.force);
  out.record.work.force_evaluations = 1;
  solve_stage(stages_, model, solution_, out.record);

  s.v = solution_.velocity();
  s.x += solution_.displacement();
  s.t = step.end;
  model.place_held(s.t, s.x, &s.v);
  if (out.book) book_stage(model, solution_, h, *out.book);
  work.close(s.v);
  if (out.tape) out.tape->stages.push_back(std::move(solution_));
}

const IntegratorInfo ImexMidpoint::integrator{
    .name = "imex_midpoint",
    .summary =
        "springs by implicit midpoint, charges by velocity half-steps, second order: most accurate at large steps",
    .position_order = 2,
    .velocity_order = 2,
    .force_evaluations = 1,
    .implicit = true,
    .time_reversible = true,
    .symplectic = true,
    .history = {"force"}};

History ImexMidpoint::do_start(const Model& model, const State& s) {
  Points force = Points::Zero(3, model.particles());
  model.add_forces(s, force, is_slow);
  return {std::move(force)};
}

History ImexMidpoint::do_extend(const Model& model, const State& s, const History& earlier) {
  return {extended_force(model, s, earlier[0], is_slow)};
}

void ImexMidpoint::do_step(const Model& model, const TimeStep& step, State& s, History& history, StepOutput& out) {
  const double h = step.h;
  const double g = h / 2;
  const Index n = model.particles();
  inverse_mass_ = model.mass().cwiseInverse();
  for (const Held& held : model.topology().held) inverse_mass_[held.particle] = 0;
  // `at`: the state at which the force was evaluated.
  const auto kick = [&](const State& at, const Points& force, Points& v) {
    ImpulseWork work(out.book, model, v);
    particle_parts(n, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        if (inverse_mass_[i] > 0) v.col(i) += g * force.col(i) * inverse_mass_[i];
    });
    if (work.impulses()) {
      Points again = Points::Zero(3, n);  // separate, as `force` is the sum of all forces
      work.impulses()->add_forces(model, at, again, g,
                                  [](const ForceTerm& term) { return is_slow(term) && Impulses::books(term); });
      work.impulses()->add_reactions(model, g, force);
    }
    work.close(v);
  };

  Points& u = first_velocity_;
  u = s.v;
  kick(s, history[0], u);
  apply_velocity_flows(model, s, g, FlowOrder::Forward, u, flow_book(model, s, g, out.book));

  StageProblem& stage = solution_.problem;
  stage.g = g;
  stage.t = s.t + g;
  for (Points* points : {&stage.start, &stage.move, &stage.velocity, &stage.lagged}) points->resize(3, n);
  particle_parts(n, [&](Index begin, Index end) {
    const auto part = [=](auto& points) { return points.middleCols(begin, end - begin); };
    part(stage.start) = part(s.x);
    part(stage.move) = g * part(u);
    part(stage.velocity) = part(u);
    part(stage.lagged) = part(s.x) + part(stage.move);
  });
  stage.force.setZero(3, n);
  // Held particles are placed half-way between their positions at the ends of the step, not at the midpoint of the
  // path: only then is the stage's velocity their mean over the step, which dampers to driven particles need for second
  // order.
  place_held(model, step.end, stage.force, stage);  // `passed` is 0: forces are still zero
  for (const Held& held : model.topology().held) {
    stage.move.col(held.particle) /= 2;
    stage.velocity.col(held.particle) /= 2;
    stage.lagged.col(held.particle) = stage.start.col(held.particle) + stage.move.col(held.particle);
  }
  solve_stage(stages_, model, solution_, out.record);

  if (out.book) book_stage(model, solution_, h, *out.book);
  particle_parts(n, [&](Index begin, Index end) {
    const auto part = [=](auto& points) { return points.middleCols(begin, end - begin); };
    part(s.v) = part(u) + 2 / g * part(solution_.change);
    part(s.x) += 2 * (part(stage.move) + part(solution_.change));
  });
  s.t = step.end;
  model.place_held(s.t, s.x, &s.v);
  apply_velocity_flows(model, s, g, FlowOrder::Backward, s.v, flow_book(model, s, g, out.book));
  history[0].setZero();
  model.add_forces(s, history[0], is_slow);
  out.record.work.force_evaluations = 1;
  kick(s, history[0], s.v);
  if (out.tape) out.tape->stages.push_back(std::move(solution_));
}

const IntegratorInfo ImexBdf2::integrator{
    .name = "imex_bdf2",
    .summary =
        "springs implicit by BDF2, charges extrapolated, second order: damps motion that large steps do not resolve",
    .position_order = 2,
    .velocity_order = 2,
    .force_evaluations = 1,
    .implicit = true,
    .startup_steps = 1,
    .history = {"displacement", "velocity", "force"}};

const std::string& ImexBdf2::linear_solver() const {
  return stages_.linear_solver().empty() ? first_.linear_solver() : stages_.linear_solver();
}

bool ImexBdf2::resolves_drag(const Model& model, double h, const State& s) {
  std::optional<BlockMatrix> drag;
  for (const auto& term : model.terms()) {
    const auto* dissipation = term->as<Dissipation>();
    if (!dissipation || is_implicit(*term)) continue;
    if (!pattern_ || pattern_->particles() != model.particles())
      pattern_ = std::make_shared<const BlockPattern>(model.topology());
    if (!drag) drag.emplace(pattern_);
    dissipation->add_velocity_blocks(model, s, -h, *drag);
  }
  if (!drag) return true;
  for (Index i = 0; i < model.particles(); ++i)
    if (!model.is_held(i) && drag->diagonal(i).norm() > model.mass()[i] / 2) return false;
  return true;
}

void ImexBdf2::do_step(const Model& model, const TimeStep& step, State& s, History& history, StepOutput& out) {
  const double h = step.h;
  Points force = Points::Zero(3, model.particles());
  std::optional<Impulses> impulses;
  if (out.book) impulses.emplace(model);
  add_forces(model, s, force, is_fully_explicit, impulses ? &*impulses : nullptr, 1);
  if (impulses) impulses->add_reactions(model, 1, force);
  const Losses explicit_powers = impulses ? impulses->work(s.v) : Losses{};
  const State before = s;
  if (history.empty()) {
    History start = first_.start(model, s);
    out.record = first_.undivided_step(model, step, s, start, out.tape);
    out.record.work.force_evaluations += 2;  // for both histories
    if (out.book) {                          // by the trapezoidal rule, which for dampers equals the midpoint rule
      Impulses all(model);
      all.add_all(model, before, h / 2);
      all.add_all(model, s, h / 2);
      const Losses taken = all.work((before.v + s.v) / 2);
      out.book->add(1, taken);
      stage_powers_ = {};
      stage_powers_.add(1 / h, taken);
      stage_powers_.add(-1, explicit_powers);
      explicit_powers_ = explicit_powers;
    }
    history = {s.x - before.x, before.v, std::move(force)};
    return;
  }
  const Points& last = history[0];
  StageProblem stage{.g = h,
                     .t = step.end,
                     .start = s.x,
                     .move = h * s.v,
                     .velocity = s.v,
                     .lagged = s.x + last,
                     .force = 2 * force - history[2],
                     .drag = true};
  Points passed = Points::Zero(3, model.particles());
  if (resolves_drag(model, h, s)) {
    stage.g = 2 * h / 3;
    passed = last / 3;
    stage.velocity = s.v + (s.v - history[1]) / 3;
    stage.move = passed + stage.g * stage.velocity;
  }
  place_held(model, stage.t, passed, stage);
  StageSolution solution{std::move(stage), {}, nullptr};
  out.record.work.force_evaluations = 1;
  solve_stage(stages_, model, solution, out.record);
  s.v = solution.velocity();
  Points displacement = solution.displacement();
  s.x += displacement;
  s.t = step.end;
  model.place_held(s.t, s.x, &s.v);
  if (out.book) {  // forces as in the step: explicit ones extrapolated, those of the stage by the trapezoidal rule
    Losses powers;
    book_stage(model, solution, 1, powers);
    out.book->add(3 * h / 2, explicit_powers);
    out.book->add(-h / 2, explicit_powers_);
    out.book->add(h / 2, powers);
    out.book->add(h / 2, stage_powers_);
    stage_powers_ = powers;
    explicit_powers_ = explicit_powers;
  }
  if (out.tape) out.tape->stages.push_back(std::move(solution));
  history = {std::move(displacement), before.v, std::move(force)};
}

}  // namespace pithball::sim
