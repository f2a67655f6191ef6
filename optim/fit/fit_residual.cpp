#include "optim/fit/fit_residual.hpp"

#include "optim/fit/fit.hpp"

namespace pithball::optim {

FitResidual::FitResidual(const FitProblem& problem) : FitResidual(problem, make_parameter_map(problem)) {}

FitResidual::FitResidual(const FitProblem& problem, ParameterMap map)
    : trajectories_(std::move(map), problem.observations),
      data_(trajectories_, problem.loss, trajectories_.samples()),
      priors_(trajectories_.map(), problem.parameters),
      all_(data_, priors_) {
  trajectories_.set_adjoint_budget(problem.adjoint_budget_mb);
}

}  // namespace pithball::optim
