#include "sim/integrator/implicit_stage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/linear/gmres.hpp"

namespace pithball::sim {
namespace {

/// The state in which the stage's forces act.
State stage_state(const Model& model, const StageProblem& s, const Points& z) {
  State state{s.t, z, (z - s.reference) / s.g};
  model.place_held(s.t, state.x, &state.v);
  return state;
}

Points all_forces(const Model& model, const State& at) {
  Points force = Points::Zero(3, model.particles());
  model.add_forces(at, force, [](const ForceTraits&) { return true; });
  return force;
}

/// M (z − y) − g² F, zero for held particles.
Points residual_of(const Model& model, const StageProblem& s, const Points& z, StageReport& report) {
  Points residual = (z - s.predictor) * model.mass().asDiagonal();
  residual -= s.g * s.g * all_forces(model, stage_state(model, s, z));
  model.clear_held(residual);
  ++report.force_evaluations;
  return residual;
}

/// max_i |R_i|/(m_i ℓ̄).
double scaled(const Model& model, const Points& residual) {
  const Vector each = residual.colwise().norm().transpose().cwiseQuotient(model.mass());
  return each.allFinite() ? each.maxCoeff() / model.length_scale() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

ImplicitStageSolver::ImplicitStageSolver(StageOptions options)
    : options_(std::move(options)), linear_(options_.linear_solver) {}

std::shared_ptr<const Preconditioner> ImplicitStageSolver::precondition(const Model& model, const StageProblem& s,
                                                                        const Points& z) {
  StageProblem around = s;
  around.lagged = z;
  BlockMatrix H(model.topology());
  assemble_stage_hessian(model, around, z, true, H);
  return linear_.make(H);
}

double ImplicitStageSolver::solve_linear(const Model& model, const StageProblem& s, const State& at,
                                         const Preconditioner& preconditioner, const Points& rhs, double tolerance,
                                         Points& step, StageReport& report) {
  Variation d = Variation::zero(model.particles(), model.values().size());
  const LinearOperator J = [&](const Points& in, Points& out) {
    d.x = in;
    d.v = in / s.g;
    Points change = Points::Zero(3, in.cols());
    for (const auto& term : model.terms()) term->add_jvp(model, at, d, change);
    out = in * model.mass().asDiagonal();
    out -= s.g * s.g * change;
    model.clear_held(out);
  };
  const GmresReport gmres = solve_gmres(J, preconditioner, rhs, tolerance, StageLinearSolver::max_cg_iterations, step);
  ++report.linear_solves;
  report.cg_iterations += gmres.iterations;
  return step.allFinite() ? gmres.relative_residual : std::numeric_limits<double>::quiet_NaN();
}

StageReport ImplicitStageSolver::solve(const Model& model, const StageProblem& s, StageSolution& solution) {
  linear_.prepare(model, s.g);
  StageReport report;
  Points z = s.predictor;
  Points residual = residual_of(model, s, z, report);
  std::shared_ptr<const Preconditioner> preconditioner;
  bool stuck = false;
  Points step;
  double left = 1;  // of the last linear system's right-hand side
  while (true) {
    report.residual = scaled(model, residual);
    report.converged = report.residual <= options_.tolerance;
    if (report.converged || stuck || !std::isfinite(report.residual) || report.linear_solves >= options_.max_iterations)
      break;
    preconditioner = precondition(model, s, z);
    // As many digits as the tolerance can use, with one to spare.
    const double forcing = std::clamp(0.1 * options_.tolerance / report.residual, 1e-12, 1e-3);
    if (!preconditioner) break;
    left = solve_linear(model, s, stage_state(model, s, z), *preconditioner, -residual, forcing, step, report);
    if (!std::isfinite(left)) break;
    stuck = true;
    for (double part = 1; stuck && part > 1e-3; part /= 2) {
      const Points trial = z + part * step;
      Points there = residual_of(model, s, trial, report);
      if (!(scaled(model, there) < report.residual)) continue;
      z = trial;
      residual = std::move(there);
      stuck = false;
    }
  }
  if (!report.converged && std::isfinite(report.residual) && left < 0.1) {
    // Done all the same if only rounding is left: in the residual of the implicit terms, or in where Newton's step
    // goes.
    BlockMatrix H(model.topology());
    StageProblem around = s;
    around.lagged = z;
    assemble_stage_hessian(model, around, z, true, H);
    const double far = z.colwise().norm().maxCoeff();
    report.converged = report.residual <= stage_rounding_floor(model, H, z) ||
                       step.colwise().norm().maxCoeff() <= 16 * std::numeric_limits<double>::epsilon() * far;
  }
  solution = {s, std::move(z), std::move(preconditioner)};
  return report;
}

StageReport ImplicitStageSolver::solve_linearised(const Model& model, const StageProblem& s, const State& beginning,
                                                  StageSolution& solution) {
  linear_.prepare(model, s.g);
  StageReport report;
  // Forces at (x + δ, v + δv) ≈ F + ∂F/∂x δ + ∂F/∂v δv with δv = (x + δ − r)/g − v; what does not depend on the unknown
  // δ of free particles goes to the right-hand side.
  const State at{s.t, beginning.x, beginning.v};
  Variation d = Variation::zero(model.particles(), model.values().size());
  for (const Held& held : model.topology().held)
    d.x.col(held.particle) = s.predictor.col(held.particle) - beginning.x.col(held.particle);
  d.v = stage_state(model, s, beginning.x + d.x).v - beginning.v;
  Points force = all_forces(model, at);
  ++report.force_evaluations;
  for (const auto& term : model.terms()) term->add_jvp(model, at, d, force);
  Points rhs = (s.predictor - beginning.x) * model.mass().asDiagonal();
  rhs += s.g * s.g * force;
  model.clear_held(rhs);

  const auto preconditioner = precondition(model, s, beginning.x);
  Points step = Points::Zero(3, model.particles());
  report.residual = preconditioner ? solve_linear(model, s, at, *preconditioner, rhs, 1e-13, step, report)
                                   : std::numeric_limits<double>::quiet_NaN();
  report.converged = report.residual <= 1e-8;  // far below what a linearisation leaves out; false for NaN
  solution = {s, beginning.x + d.x + step, preconditioner};
  return report;
}

}  // namespace pithball::sim
