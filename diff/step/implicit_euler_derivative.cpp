#include "diff/step/implicit_euler_derivative.hpp"

#include "diff/step/force_linearization.hpp"
#include "diff/step/stage_derivative.hpp"
#include "diff/step/step_derivative.hpp"
#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/linear/krylov_solvers.hpp"

namespace pithball::diff {

/// The derivative of a converged stage δ(y, w, values) of `sim::ImplicitStageSolver` by the implicit function theorem.
/// From
///   G = M δ − g² F(y + δ, w + δ/g, t) = 0 on free particles, δ = 0 on held ones,
/// follows J dδ = g² [ ∂F/∂x dy + ∂F/∂v dw + ∂F/∂θ dθ ] − δ dM, J = M − g² ∂F/∂x − g ∂F/∂v. J is neither definite nor
/// symmetric: tangents solve with products J w, adjoints with products Jᵀ w, both by GMRES. `lagged` and `force` of the
/// inputs are not used.
class ImplicitStageDerivative {
 public:
  /// Both must outlive this object; the solution must have converged.
  ImplicitStageDerivative(const sim::Model& model, const sim::StageSolution& solution);

  /// Returns dδ for several changes of the inputs.
  Panel jvp(const StageDirections& d);
  /// For a = ∂L/∂δ: adds ∂L/∂(inputs) to g.
  void vjp(const Points& a, StageVariation& g);
  /// Stores the preconditioner in the constructor's solution, or in a copy of it, for later derivatives.
  void keep_matrices(sim::StageSolution& solution) const { solution.preconditioner = preconditioner_; }
  /// Cost of the solves.
  void add_cost(DerivativeCost& cost) const;

 private:
  Points solve(const sim::LinearOperator& A, const Points& rhs);
  /// Returns the changes of F, with prescribed velocities of held particles.
  Panel force_changes(sim::Directions d);
  /// Its transpose.
  sim::Variation force_adjoint(const Points& w);

  const sim::Model& model_;
  const sim::StageSolution& solution_;
  sim::State state_;  // where the forces act
  std::shared_ptr<const sim::Preconditioner> preconditioner_;
  DerivativeCost cost_;
};

namespace {

constexpr double largest_growth =
    1e8;  // of a solution relative to that with masses alone; more indicates a point of buckling

}  // namespace

ImplicitStageDerivative::ImplicitStageDerivative(const sim::Model& model, const sim::StageSolution& solution)
    : model_(model),
      solution_(solution),
      state_{solution.problem.t, solution.place(), solution.velocity()},
      preconditioner_(solution.preconditioner) {
  model.place_held(state_.t, state_.x, &state_.v);
  if (!preconditioner_) {  // the stage converged at its start, or stores none
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
  // One digit more than for definite matrices, for which the condition number amplifies errors less.
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

void ImplicitEulerDerivative::tangent(const sim::Model& model, const sim::StepTape& tape,
                                      std::vector<StateDirections>& groups, DerivativeCost& cost) const {
  const double h = tape.h;
  ImplicitStageDerivative stage(model, tape.stages[0]);
  for (StateDirections& d : groups) {
    StageDirections in{d.x + h * d.v, d.v, {}, {}, d.values};
    place_held_variation(model, d.x, in.predictor);
    const Panel change = stage.jvp(in);
    d.v += change / h;
    d.x = in.predictor + change;
    restrict_held(model, d.x, d.v);
  }
  stage.add_cost(cost);
}

void ImplicitEulerDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape,
                                      std::vector<StateVariation>& all, DerivativeCost& cost) const {
  const double h = tape.h;
  ImplicitStageDerivative stage(model, tape.stages[0]);
  for (StateVariation& a : all) {
    restrict_held(model, a.x, a.v);
    StageVariation in = StageVariation::zero(model.particles(), std::move(a.values));
    stage.vjp(a.x + a.v / h, in);
    a.values = std::move(in.values);
    a.x += in.predictor;
    a.v += h * a.x + in.velocity;
    restrict_held(model, a.x, a.v);  // the predictor of a held particle is its prescribed position, not x + h v
  }
  stage.add_cost(cost);
}

void ImplicitEulerDerivative::keep_stage_matrices(const sim::Model& model, sim::StepTape& tape) const {
  for (sim::StageSolution& stage : tape.stages) ImplicitStageDerivative(model, stage).keep_matrices(stage);
}

}  // namespace pithball::diff
