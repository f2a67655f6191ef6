#include "optim/fit/fit_residual.hpp"

#include "optim/fit/fit.hpp"

namespace pithball::optim {

FitResidual::FitResidual(const FitProblem& problem) : FitResidual(problem, make_parameter_map(problem)) {}

FitResidual::FitResidual(const FitProblem& problem, ParameterMap map)
    : loss_(problem.loss),
      trajectories_(std::move(map), problem.observations),
      data_(trajectories_, problem.loss, trajectories_.samples()),
      priors_(trajectories_.map(), problem.parameters),
      all_(data_, priors_) {
  trajectories_.set_adjoint_budget(problem.adjoint_budget_mb);
}

Evaluation FitResidual::complete(const Vector& theta, Vector& r, Eigen::MatrixXd& J) const {
  weigh_samples(loss_, trajectories_.samples(), r, &J);
  if (!has_priors()) return {};
  Vector below;
  Eigen::MatrixXd slopes;
  if (const Evaluation evaluation = priors_.evaluate(theta, below, &slopes); !evaluation.ok()) return evaluation;
  r.conservativeResize(all_.rows());
  J.conservativeResize(all_.rows(), Eigen::NoChange);
  r.tail(below.size()) = below;
  J.bottomRows(below.size()) = slopes;
  return {};
}

}  // namespace pithball::optim
