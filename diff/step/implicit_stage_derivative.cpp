#include "diff/step/implicit_stage_derivative.hpp"

#include "diff/step/force_linearization.hpp"
#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/linear/gmres.hpp"

namespace pithball::diff {
namespace {

constexpr double largest_growth =
    1e8;  // of a solution over that of masses alone: what lies beyond is near a point of buckling

}  // namespace

ImplicitStageDerivative::ImplicitStageDerivative(const sim::Model& model, const sim::StageSolution& solution)
    : model_(model),
      solution_(solution),
      state_{solution.problem.t, solution.place(), solution.velocity()},
      preconditioner_(solution.preconditioner) {
  model.place_held(state_.t, state_.x, &state_.v);
  if (!preconditioner_) {  // the stage was solved where it began, or stores none
    sim::StageProblem around = solution.problem;
    around.lagged = state_.x;
    const auto H = sim::zero_hessian(model, solution);
    sim::assemble_stage_hessian(model, around, solution.change, true, *H);
    preconditioner_ = sim::simple_preconditioner(H);
  }
}

Panel ImplicitStageDerivative::force_changes(sim::Directions d) {
  Panel df = Panel::Zero(d.x.rows(), d.x.cols());
  clear_held(model_, d.v);
  add_force_jvps(model_, state_, d, df, every_term);
  cost_.force_products += d.count();
  return df;
}

sim::Variation ImplicitStageDerivative::force_adjoint(const Points& w) {
  sim::Variation g = sim::Variation::zero(w.cols(), model_.values().size());
  add_force_vjp(model_, state_, w, g, every_term);
  ++cost_.force_products;
  model_.clear_held(g.v);
  return g;
}

Points ImplicitStageDerivative::solve(const sim::LinearOperator& A, const Points& rhs) {
  Points x;
  // One digit more than for definite matrices, whose errors the condition enlarges less.
  const sim::SolveLimits limits{0.1 * StageDerivative::solve_tolerance, sim::StageLinearSolver::max_cg_iterations};
  const auto report = sim::solve_gmres(A, *preconditioner_, rhs, limits, x);
  ++cost_.linear_solves;
  cost_.cg_iterations += report.iterations;
  const double plain = (rhs * model_.mass().cwiseInverse().asDiagonal()).norm();
  if (!(report.relative_residual <= StageDerivative::acceptable_residual) || x.norm() > largest_growth * plain)
    cost_.reliable = false;
  return x;
}

Panel ImplicitStageDerivative::jvp(const StageDirections& d) {
  const auto& s = solution_.problem;
  const Vector no_values = Vector::Zero(model_.values().size());
  const Panel df = s.g * s.g * force_changes({d.predictor, d.velocity, d.values});
  const auto J = [&](const Points& in, Points& out) {
    Points velocity = in / s.g, df_in = Points::Zero(3, in.cols());
    model_.clear_held(velocity);
    add_force_jvp(model_, state_, {in, std::move(velocity), no_values}, df_in, every_term);
    ++cost_.force_products;
    out = in * model_.mass().asDiagonal() - s.g * s.g * df_in;
    model_.clear_held(out);
  };
  Panel change(df.rows(), df.cols());
  for (Index p = 0; p < df.rows(); ++p) {
    Points rhs = sim::points_of(df, p);
    rhs -= solution_.change * model_.values().of(d.values->each[p], sim::Model::mass_block).asDiagonal();
    model_.clear_held(rhs);
    sim::set_points(change, p, solve(J, rhs));
  }
  return change;
}

void ImplicitStageDerivative::vjp(const Points& a, StageVariation& g) {
  const auto& s = solution_.problem;
  Points rhs = a;
  model_.clear_held(rhs);
  const auto transpose = [&](const Points& in, Points& out) {
    const sim::Variation back = force_adjoint(in);
    out = in * model_.mass().asDiagonal();
    out -= s.g * s.g * (back.x + back.v / s.g);
    model_.clear_held(out);
  };
  const Points lambda = solve(transpose, rhs);

  // Transposes of the summands of jvp, in turn.
  model_.values().of(g.values, sim::Model::mass_block) -=
      lambda.cwiseProduct(solution_.change).colwise().sum().transpose();
  const sim::Variation back = force_adjoint(s.g * s.g * lambda);
  g.values += back.values;
  g.predictor += back.x;
  g.velocity += back.v;
}

void ImplicitStageDerivative::add_cost(DerivativeCost& cost) const {
  cost.force_products += cost_.force_products;
  cost.linear_solves += cost_.linear_solves;
  cost.cg_iterations += cost_.cg_iterations;
  cost.reliable = cost.reliable && cost_.reliable;
}

}  // namespace pithball::diff
