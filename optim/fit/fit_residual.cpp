#include "optim/fit/fit_residual.hpp"

#include <utility>

#include "optim/fit/fit.hpp"

namespace pithball::optim {

FitResidual::FitResidual(const FitProblem& problem) : FitResidual(problem, make_parameter_map(problem)) {}

FitResidual::FitResidual(const FitProblem& problem, ParameterMap map)
    : trajectories_(std::move(map), problem.observations),
      known_(trajectories_),
      data_(known_, problem.loss, trajectories_.samples()),
      priors_(trajectories_.map(), problem.parameters),
      all_(data_, priors_) {
  trajectories_.set_adjoint_budget(problem.adjoint_budget_mb);
}

void FitResidual::know(Vector theta, Vector r, Eigen::MatrixXd jacobian) {
  known_.know(std::move(theta), std::move(r), std::move(jacobian));
}

}  // namespace pithball::optim
