#include "optim/fit_residual.hpp"

#include "optim/fit.hpp"

namespace pithball::optim {

FitResidual::FitResidual(const FitProblem& problem)
    : trajectories_(make_parameter_map(problem), problem.observations),
      data_(trajectories_, problem.loss, trajectories_.samples()),
      priors_(trajectories_.map(), problem.parameters),
      all_(data_, priors_) {
  trajectories_.set_adjoint_budget(problem.adjoint_budget_mb);
}

}  // namespace pithball::optim
