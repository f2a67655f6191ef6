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
      H_(sim::stage_hessian(model, solution)),
      preconditioner_(solution.preconditioner) {
  if (!preconditioner_) preconditioner_ = std::make_shared<sim::BlockJacobi>(*H_);
}

Points StageDerivative::solve(const Points& rhs) {
  Points x;
  const auto report = sim::solve_conjugate_gradients(*H_, *preconditioner_, rhs, solve_tolerance, sim::StageLinearSolver::max_cg_iterations, x);
  ++linear_solves_;
  cg_iterations_ += report.iterations;
  if (!(report.relative_residual <= acceptable_residual) || report.negative_curvature) reliable_ = false;
  return x;
}

Points StageDerivative::jvp(const StageVariation& d) {
  const auto& s = solution_.problem;
  const Points& z = solution_.z;
  const Index n = z.cols();
  const auto dm = model_.values().of(d.values, sim::Model::mass_block);

  // Known part of δz: held particles move as they are told.
  Points dz_held = Points::Zero(3, n);
  for (const auto& held : model_.topology().held) dz_held.col(held.particle) = d.predictor.col(held.particle);

  Points df = d.force;
  sim::Variation at_z{dz_held, Points::Zero(3, n), d.values};
  sim::Variation at_lagged{d.lagged, (dz_held - d.reference) / s.g, d.values};
  const sim::State elastic{s.t, z, Points::Zero(3, n)}, damping = sim::damping_state(s, z);
  for (const auto& term : model_.terms()) {
    const auto& t = term->traits();
    if (t.implicit) term->add_jvp(model_, t.velocity_dependent ? damping : elastic, t.velocity_dependent ? at_lagged : at_z, df);
  }
  Points rhs = d.predictor * model_.mass().asDiagonal();
  rhs += s.g * s.g * df;
  rhs -= (z - s.predictor) * dm.asDiagonal();
  model_.clear_held(rhs);
  return solve(rhs) + dz_held;
}

void StageDerivative::vjp(const Points& a, StageVariation& g) {
  const auto& s = solution_.problem;
  const Points& z = solution_.z;
  const Index n = z.cols();
  Points rhs = a;
  model_.clear_held(rhs);
  const Points lambda = solve(rhs);

  // Transposes of the summands of jvp, in turn.
  g.predictor += lambda * model_.mass().asDiagonal();
  model_.values().of(g.values, sim::Model::mass_block) -= lambda.cwiseProduct(z - s.predictor).colwise().sum().transpose();
  const Points w = s.g * s.g * lambda;
  g.force += w;
  sim::Variation at_z = sim::Variation::zero(n, g.values.size()), at_lagged = at_z;
  const sim::State elastic{s.t, z, Points::Zero(3, n)}, damping = sim::damping_state(s, z);
  for (const auto& term : model_.terms()) {
    const auto& t = term->traits();
    if (t.implicit) term->add_vjp(model_, t.velocity_dependent ? damping : elastic, w, t.velocity_dependent ? at_lagged : at_z);
  }
  g.values += at_z.values + at_lagged.values;
  g.lagged += at_lagged.x;
  g.reference -= at_lagged.v / s.g;
  for (const auto& held : model_.topology().held) {
    const Index i = held.particle;
    g.predictor.col(i) += a.col(i) + at_z.x.col(i) + at_lagged.v.col(i) / s.g;
  }
}

}  // namespace pithball::diff
