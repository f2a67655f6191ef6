#include "sim/integrator/stage_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/integrator/stage_minimization.hpp"
#include "sim/integrator/stage_problem.hpp"
#include "sim/linear/krylov_solvers.hpp"

namespace pithball::sim {

struct StageSolver::Impl {
  StageOptions options;
  StageLinearSolver linear;
  std::optional<StageWorkspace> workspace;
};

StageSolver::StageSolver(StageOptions options) {
  const auto& names = linear_solvers();
  if (std::find(names.begin(), names.end(), options.linear_solver) == names.end())
    throw InvalidArgument(
        {"", "simulation.linear_solver", "must be one of " + joined(names), options.linear_solver, ""});
  StageLinearSolver linear(options.linear_solver);
  impl_ = std::make_unique<Impl>(Impl{std::move(options), std::move(linear), {}});
}
StageSolver::~StageSolver() = default;

StageReport StageSolver::solve(const Model& model, const StageProblem& problem, StageSolution& solution) {
  solution.problem = problem;
  return solve(model, solution);
}

StageReport StageSolver::solve(const Model& model, StageSolution& solution) {
  auto& [options, linear, workspace] = *impl_;
  linear.prepare(model, solution.problem.g);
  if (!workspace || workspace->H->particles() != model.particles()) workspace.emplace(model.topology());
  return minimize_stage({model, options, linear, *workspace}, solution);
}
const std::string& StageSolver::linear_solver() const { return impl_->linear.kind(); }

namespace {

/// Returns the state at which the forces of the stage are evaluated; held particles have their own velocity at its
/// time.
State stage_state(const Model& model, const StageProblem& s, const Points& change) {
  State state{s.t, s.place(change), s.velocity_at(change)};
  model.place_held(s.t, state.x, &state.v);
  return state;
}

Points all_forces(const Model& model, const State& at) {
  Points force = Points::Zero(3, model.particles());
  model.add_forces(at, force, every_term);
  return force;
}

/// All forces and the residual M δ − g² F, zero for held particles, at one δ.
struct Imbalance {
  Points force, residual;
};

Imbalance imbalance_at(const Model& model, const StageProblem& s, const Points& change, StageReport& report) {
  Imbalance e{all_forces(model, stage_state(model, s, change)), change * model.mass().asDiagonal()};
  e.residual -= s.g * s.g * e.force;
  model.clear_held(e.residual);
  ++report.force_evaluations;
  return e;
}

/// Returns the problem with its sparse terms linearized at the current positions, which determine their directions.
StageProblem around(const StageProblem& s, const Points& change) {
  StageProblem at = s;
  at.lagged = s.place(change);
  return at;
}

/// Estimates the effect on the residual of rounding all coordinates, through all forces including charges, with a few
/// random signs [kg m].
Vector rounding_of_coordinates(const Model& model, const StageProblem& s, const Points& change) {
  const State at = stage_state(model, s, change);
  std::mt19937 generator(1);
  Variation d = Variation::zero(model.particles(), model.values().size());
  Vector largest = Vector::Zero(model.particles());
  for (int draw = 0; draw < 3; ++draw) {
    for (double& entry : d.x.reshaped()) entry = generator() % 2 == 0 ? 1 : -1;
    d.x *= at.x.cwiseAbs().maxCoeff();
    Points response = Points::Zero(3, model.particles());
    for (const auto& term : model.terms()) term->add_jvp(model, at, d, response);
    largest = largest.cwiseMax(column_norms(response));
  }
  return StageLimits::rounding * s.g * s.g * largest;
}

}  // namespace

ImplicitStageSolver::ImplicitStageSolver(StageOptions options)
    : options_(std::move(options)), linear_(options_.linear_solver, StageIterations::Gmres) {}

void ImplicitStageSolver::prepare(const Model& model, const StageProblem& s) {
  linear_.prepare(model, s.g);
  if (!H_ || H_->particles() != model.particles()) H_ = std::make_shared<BlockMatrix>(model.topology());
}

std::shared_ptr<const Preconditioner> ImplicitStageSolver::precondition(const Model& model, const StageProblem& s,
                                                                        const Points& change) {
  assemble_stage_hessian(model, around(s, change), change, true, *H_);
  return linear_.make(H_);
}

double ImplicitStageSolver::solve_linear(const Model& model, const StageProblem& s, const LinearSystem& system,
                                         Points& step, StageReport& report) {
  Variation d = Variation::zero(model.particles(), model.values().size());
  const LinearOperator J = [&](const Points& in, Points& out) {
    d.x = in;
    d.v = in / s.g;
    Points change = Points::Zero(3, in.cols());
    for (const auto& term : model.terms()) term->add_jvp(model, system.at, d, change);
    out = in * model.mass().asDiagonal();
    out -= s.g * s.g * change;
    model.clear_held(out);
  };
  const GmresReport gmres =
      solve_gmres(J, system.preconditioner, system.rhs, {system.tolerance, StageLinearSolver::max_cg_iterations}, step);
  ++report.linear_solves;
  report.cg_iterations += gmres.iterations;
  return step.allFinite() ? gmres.relative_residual : std::numeric_limits<double>::quiet_NaN();
}

StageReport ImplicitStageSolver::solve(const Model& model, const StageProblem& s, StageSolution& solution) {
  prepare(model, s);
  StageReport report;
  Points change = Points::Zero(3, model.particles()), step;
  Imbalance now = imbalance_at(model, s, change, report);
  std::shared_ptr<const Preconditioner> preconditioner;
  StageLimits limits;
  limits.begin(model, s, options_.tolerance);
  const double finest = std::max(0.1 * options_.tolerance, std::numeric_limits<double>::epsilon());
  double ratio = now.residual.isZero(0) ? 0 : std::numeric_limits<double>::infinity();  // residual over its limits
  bool stuck = false;
  while (now.residual.allFinite() && ratio > 1 && !stuck && report.linear_solves < options_.max_iterations) {
    preconditioner = nullptr;  // it may refer to H
    preconditioner = precondition(model, s, change);
    // As many digits as the limits require, plus one.
    const double forcing = std::clamp(0.1 / ratio, finest, 1e-3);
    if (!preconditioner) break;
    const State at = stage_state(model, s, change);
    if (!std::isfinite(solve_linear(model, s, {at, *preconditioner, -now.residual, forcing}, step, report))) break;
    limits.set(*H_, column_norms(change) + column_norms(step), now.force);
    stuck = true;
    for (double part = 1; stuck && part > 1e-3; part /= 2) {
      const Points trial = change + part * step;
      Imbalance there = imbalance_at(model, s, trial, report);
      // Either measure suffices: the residual of a weakly loaded particle may grow while the others converge.
      const Vector left = column_norms(there.residual), before = column_norms(now.residual);
      const bool better =
          limits.ratio(left) < limits.ratio(before) || largest_change(model, left) < largest_change(model, before);
      if (!better) continue;
      change = trial;
      now = std::move(there);
      stuck = false;
    }
    if (stuck) limits.allow(rounding_of_coordinates(model, s, change));
    ratio = limits.ratio(column_norms(now.residual));
  }
  report.converged = ratio <= 1;
  report.residual = !now.residual.allFinite() ? std::numeric_limits<double>::quiet_NaN()
                    : std::isinf(ratio)       ? 1
                                              : ratio * options_.tolerance;
  if (linear_.kind() == "ssor_cg") preconditioner = nullptr;  // a derivative rebuilds it
  solution = {s, std::move(change), std::move(preconditioner), nullptr, H_->pattern()};
  return report;
}

StageReport ImplicitStageSolver::solve_linearized(const Model& model, const StageProblem& s, const State& beginning,
                                                  StageSolution& solution) {
  prepare(model, s);
  StageReport report;
  // Forces at (x + d, v + δv) ≈ F + ∂F/∂x d + ∂F/∂v δv with d = move + δ, δv = w + δ/g − v; terms that do not depend on
  // the unknown δ of free particles go to the right-hand side.
  const State at{s.t, beginning.x, beginning.v};
  Variation d = Variation::zero(model.particles(), model.values().size());
  d.x = s.move;
  d.v = stage_state(model, s, Points::Zero(3, model.particles())).v - beginning.v;
  Points force = all_forces(model, at);
  ++report.force_evaluations;
  for (const auto& term : model.terms()) term->add_jvp(model, at, d, force);
  Points rhs = s.g * s.g * force;
  model.clear_held(rhs);

  StageProblem begun = s;
  begun.move.setZero();
  begun.velocity = beginning.v;
  const auto preconditioner = precondition(model, begun, Points::Zero(3, model.particles()));
  Points change = Points::Zero(3, model.particles());
  report.residual = preconditioner ? solve_linear(model, s, {at, *preconditioner, rhs, 1e-13}, change, report)
                                   : std::numeric_limits<double>::quiet_NaN();
  report.converged = report.residual <= 1e-8;  // far below the error of a linearization; false for NaN
  solution = {s, std::move(change), linear_.kind() == "ssor_cg" ? nullptr : preconditioner, nullptr, H_->pattern()};
  return report;
}

}  // namespace pithball::sim
