#include "sim/integrator/stage_solver.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/integrator/stage_minimization.hpp"

namespace pithball::sim {

struct StageSolver::Impl {
  StageOptions options;
  StageLinearSolver linear;
  std::optional<StageWorkspace> workspace;
};

StageSolver::StageSolver(StageOptions options) {
  const auto& names = linear_solvers();
  if (std::find(names.begin(), names.end(), options.linear_solver) == names.end()) {
    std::string known;
    for (const auto& name : names) known += (known.empty() ? "" : ", ") + name;
    throw InvalidArgument({"", "simulation.linear_solver", "must be one of " + known, options.linear_solver, ""});
  }
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

}  // namespace pithball::sim
