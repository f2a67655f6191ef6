#include "optim/fit/fit_residual.hpp"

#include <utility>

#include "optim/fit/problem.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {

FitResidual::FitResidual(const FitProblem& problem) : FitResidual(problem, make_parameter_map(problem)) {}

FitResidual::FitResidual(const FitProblem& problem, ParameterMap map)
    : trajectories_(std::move(map), problem.observations),
      known_(trajectories_),
      data_(known_, problem.loss, trajectories_.samples()),
      priors_(trajectories_.map(), problem.parameters),
      all_(data_, priors_) {
  if (trajectories_.map().size() == 0 && trajectories_.rows() > 0)
    throw InvalidArgument({"", "parameters", "must be at least one where there are positions to fit", "none",
                           "give a value to fit, such as charge or stiffness; or let every recording only be judged"});
  trajectories_.set_adjoint_budget(problem.adjoint_budget_mb);
}

void FitResidual::know(Vector theta, Vector r, Eigen::MatrixXd jacobian) {
  known_.know(std::move(theta), std::move(r), std::move(jacobian));
}

}  // namespace pithball::optim
