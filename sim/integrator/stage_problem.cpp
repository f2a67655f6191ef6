#include "sim/integrator/stage_problem.hpp"

#include <algorithm>

#include "sim/core/parallel_parts.hpp"

namespace pithball::sim {

std::size_t StageSolution::bytes() const {
  const auto of = [](const Points& p) { return p.size() * sizeof(double); };
  return of(problem.start) + of(problem.move) + of(problem.velocity) + of(problem.lagged) + of(problem.force) +
         of(change) + (preconditioner ? preconditioner->bytes() : 0) + (hessian ? hessian->bytes() : 0);
}

void assemble_constant_hessian(const Model& model, const StageProblem& s, const StageStates& at, BlockMatrix& H) {
  H.set_zero();
  particle_parts(model.particles(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) H.add_diagonal(i, model.mass()[i] * Mat3::Identity());
  });
  for (const auto& term : model.terms())
    if (const auto* damper = term->as<LinearDissipation>()) damper->add_velocity_blocks(model, at.damping, -s.g, H);
}

void add_changing_hessian(const Model& model, const StageProblem& s, const StageStates& at, bool definite,
                          BlockMatrix& H) {
  for (const auto& term : model.terms()) {
    if (const auto* stiff = term->as<StiffPotential>())
      stiff->add_position_blocks(model, at.elastic, -s.g * s.g, definite, H);
    if (const auto* drag = s.damping(*term); drag && !term->as<LinearDissipation>())
      drag->add_velocity_blocks(model, at.damping, -s.g, H);
  }
}

void assemble_stage_hessian(const Model& model, const StageProblem& s, const Points& change, bool definite,
                            BlockMatrix& H) {
  const State elastic = s.elastic_state(change), damping = s.damping_state(change);
  assemble_constant_hessian(model, s, {elastic, damping}, H);
  add_changing_hessian(model, s, {elastic, damping}, definite, H);
}

std::shared_ptr<BlockMatrix> zero_hessian(const Model& model, const StageSolution& solution) {
  if (solution.pattern) return std::make_shared<BlockMatrix>(solution.pattern);
  return std::make_shared<BlockMatrix>(model.topology());
}

std::shared_ptr<const BlockMatrix> stage_hessian(const Model& model, const StageSolution& solution) {
  if (solution.hessian) return solution.hessian;
  auto H = zero_hessian(model, solution);
  assemble_stage_hessian(model, solution.problem, solution.change, false, *H);
  return H;
}

void book_stage(const Model& model, const StageSolution& solution, double duration, Losses& book) {
  const StageProblem& s = solution.problem;
  Impulses felt(model);
  Points force = Points::Zero(3, solution.change.cols());
  felt.add_forces(model, s.damping_state(solution.change), force, duration,
                  [&](const ForceTerm& term) { return s.damping(term) != nullptr; });
  if (felt.driven()) {  // elastic forces have a potential
    model.add_forces(s.elastic_state(solution.change), force, StageProblem::is_elastic);
    felt.bear(model, duration, force);
  }
  book.add(1, felt.work(solution.velocity()));
}

}  // namespace pithball::sim
