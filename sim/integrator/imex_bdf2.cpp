#include "sim/integrator/imex_bdf2.hpp"

#include "sim/linear/block_matrix.hpp"

namespace pithball::sim {

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
  std::optional<Impulses> felt;
  if (out.book) felt.emplace(model);
  add_forces(model, s, force, is_fully_explicit, felt ? &*felt : nullptr, 1);
  if (felt) felt->bear(model, 1, force);
  const Losses explicit_powers = felt ? felt->work(s.v) : Losses{};
  const State before = s;
  if (history.empty()) {
    History start = first_.start(model, s);
    out.record = first_.undivided_step(model, step, s, start, out.tape);
    out.record.work.force_evaluations += 2;  // for this history and for that
    if (out.book) {                          // by the trapezoidal rule, which for dampers is what the midpoint does
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
  if (out.book) {  // forces as the step takes them: explicit ones extrapolated, those of the stage by the trapezoidal
                   // rule
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
