#include "diff/step/stage_derivative.hpp"

#include <type_traits>

#include "diff/step/force_linearization.hpp"
#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/linear/krylov_solvers.hpp"

namespace pithball::diff {

StageVariation StageVariation::zero(Index particles, Vector values) {
  const Points none = Points::Zero(3, particles);
  return {none, none, none, none, std::move(values)};
}

StageDerivative::StageDerivative(const sim::Model& model, const sim::StageSolution& solution)
    : model_(model),
      solution_(solution),
      elastic_(solution.problem.elastic_state(solution.change)),
      damping_(solution.problem.damping_state(solution.change)),
      preconditioner_(solution.preconditioner) {
  // Derivatives are solved to a much higher accuracy than the run: then sweeps are faster than diagonal blocks for
  // every body.
  if (!preconditioner_ || std::dynamic_pointer_cast<const sim::BlockJacobi>(preconditioner_)) {
    H_ = sim::stage_hessian(model, solution);
    preconditioner_ = sim::simple_preconditioner(H_);
  }
  sweeps_ = std::dynamic_pointer_cast<const sim::SymmetricSweeps>(preconditioner_);
  if (!sweeps_ && !H_) H_ = sim::stage_hessian(model, solution);
}

std::vector<Points> StageDerivative::solve(const std::vector<Points>& rhs) {
  const sim::SolveLimits limits{solve_tolerance, sim::StageLinearSolver::max_cg_iterations};
  std::vector<Points> x(rhs.size());
  if (sweeps_) {
    for (const sim::CgReport& report : sweeps_->solve(rhs, limits, x)) note(report);
  } else {
    for (std::size_t c = 0; c < rhs.size(); ++c)
      note(sim::solve_conjugate_gradients(*H_, *preconditioner_, rhs[c], limits, x[c]));
  }
  return x;
}

void StageDerivative::note(const sim::CgReport& report) {
  ++linear_solves_;
  cg_iterations_ += report.iterations;
  if (!(report.relative_residual <= acceptable_residual) || report.negative_curvature) reliable_ = false;
}

/// Calls visit for each term, one set of terms after the other; `d.values` is moved into the changes of each set and
/// back.
template <class Changes, class Visit>
void StageDerivative::for_each_term(Changes& d, const Visit& visit) const {
  using Change = std::conditional_t<std::is_same_v<Changes, StageDirections>, sim::Directions, sim::Variation>;
  const auto lend = [&](const sim::State& at, auto& x, auto& v, const auto& select) {
    if (!has_terms(model_, select)) return;
    Change change{std::move(x), std::move(v), std::move(d.values)};
    for (const auto& term : model_.terms())
      if (select(*term)) visit(*term, at, change);
    x = std::move(change.x);
    v = std::move(change.v);
    d.values = std::move(change.values);
  };
  auto none = d.predictor;  // for forces that depend only on positions
  none.setZero();
  lend(elastic_, d.predictor, none, sim::StageProblem::is_elastic);
  lend(damping_, d.lagged, d.velocity, [this](const sim::ForceTerm& term) {
    return !sim::StageProblem::is_elastic(term) && solution_.problem.damping(term);
  });
}

std::vector<Panel> StageDerivative::jvp(std::vector<StageDirections>& groups) {
  const double g = solution_.problem.g;
  const Index first = model_.values().block(sim::Model::mass_block).offset;
  std::vector<Points> rhs;
  for (StageDirections& d : groups) {
    Panel df = d.force;
    for_each_term(d, [&](const sim::ForceTerm& term, const sim::State& at, const sim::Directions& change) {
      term.add_jvps(model_, at, change, df);
    });
    for (Index i = 0; i < model_.particles(); ++i)
      for (int a = 0; a < 3; ++a)
        df.col(3 * i + a) = g * g * df.col(3 * i + a) - solution_.change(a, i) * d.values->panel.col(first + i);
    clear_held(model_, df);
    for (Index p = 0; p < df.rows(); ++p) rhs.push_back(sim::points_of(df, p));
  }
  const std::vector<Points> solutions = solve(rhs);
  std::vector<Panel> changes;
  auto next = solutions.begin();
  for (const StageDirections& d : groups) {
    Panel& change = changes.emplace_back(d.predictor.rows(), d.predictor.cols());
    for (Index p = 0; p < change.rows(); ++p) sim::set_points(change, p, *next++);
  }
  return changes;
}

void StageDerivative::vjp(std::vector<Points> a, std::vector<StageVariation>& all) {
  const double g = solution_.problem.g;
  for (Points& rhs : a) model_.clear_held(rhs);
  const std::vector<Points> solutions = solve(a);
  for (std::size_t c = 0; c < all.size(); ++c) {
    // Transposes of the summands of jvp, in turn.
    const Points& lambda = solutions[c];
    StageVariation& of = all[c];
    model_.values().of(of.values, sim::Model::mass_block) -=
        lambda.cwiseProduct(solution_.change).colwise().sum().transpose();
    const Points w = g * g * lambda;
    of.force += w;
    for_each_term(of, [&](const sim::ForceTerm& term, const sim::State& at, sim::Variation& change) {
      term.add_vjp(model_, at, w, change);
    });
    model_.clear_held(of.velocity);
  }
}

}  // namespace pithball::diff
