#include "diff/step/stage_derivative.hpp"

#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/linear/conjugate_gradients.hpp"

namespace pithball::diff {

StageVariation StageVariation::zero(Index particles, Index values) {
  const Points none = Points::Zero(3, particles);
  return {none, none, none, none, Vector::Zero(values)};
}

StageDerivative::StageDerivative(const sim::Model& model, const sim::StageSolution& solution)
    : model_(model),
      solution_(solution),
      elastic_(solution.problem.elastic_state(solution.change)),
      damping_(solution.problem.damping_state(solution.change)),
      preconditioner_(solution.preconditioner) {
  if (!preconditioner_) {
    H_ = sim::stage_hessian(model, solution);
    preconditioner_ = sim::simple_preconditioner(*H_);
  }
  sweeps_ = std::dynamic_pointer_cast<const sim::SymmetricSweeps>(preconditioner_);
  if (!sweeps_ && !H_) H_ = sim::stage_hessian(model, solution);
}

Points StageDerivative::solve(const Points& rhs) {
  Points x;
  const sim::SolveLimits limits{solve_tolerance, sim::StageLinearSolver::max_cg_iterations};
  const sim::CgReport report =
      sweeps_ ? sweeps_->solve(rhs, limits, x) : sim::solve_conjugate_gradients(*H_, *preconditioner_, rhs, limits, x);
  ++linear_solves_;
  cg_iterations_ += report.iterations;
  if (!(report.relative_residual <= acceptable_residual) || report.negative_curvature) reliable_ = false;
  return x;
}

const sim::State* StageDerivative::state_of(const sim::ForceTerm& term) const {
  if (sim::StageProblem::is_elastic(term)) return &elastic_;
  return solution_.problem.damping(term) ? &damping_ : nullptr;
}

Points StageDerivative::jvp(const StageVariation& d) {
  const auto& s = solution_.problem;
  Points df = d.force;
  const sim::Variation at_z{d.predictor, Points::Zero(3, df.cols()), d.values},
      at_lagged{d.lagged, d.velocity, d.values};
  for (const auto& term : model_.terms())
    if (const sim::State* at = state_of(*term)) term->add_jvp(model_, *at, at == &elastic_ ? at_z : at_lagged, df);
  Points rhs = s.g * s.g * df;
  rhs -= solution_.change * model_.values().of(d.values, sim::Model::mass_block).asDiagonal();
  model_.clear_held(rhs);
  return solve(rhs);
}

void StageDerivative::vjp(const Points& a, StageVariation& g) {
  const auto& s = solution_.problem;
  Points rhs = a;
  model_.clear_held(rhs);
  const Points lambda = solve(rhs);

  // Transposes of the summands of jvp, in turn.
  model_.values().of(g.values, sim::Model::mass_block) -=
      lambda.cwiseProduct(solution_.change).colwise().sum().transpose();
  const Points w = s.g * s.g * lambda;
  g.force += w;
  sim::Variation at_z = sim::Variation::zero(a.cols(), g.values.size()), at_lagged = at_z;
  for (const auto& term : model_.terms())
    if (const sim::State* at = state_of(*term)) term->add_vjp(model_, *at, w, at == &elastic_ ? at_z : at_lagged);
  g.values += at_z.values + at_lagged.values;
  g.predictor += at_z.x;
  g.lagged += at_lagged.x;
  model_.clear_held(at_lagged.v);
  g.velocity += at_lagged.v;
}

}  // namespace pithball::diff
