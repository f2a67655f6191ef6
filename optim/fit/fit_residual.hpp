#pragma once
#include "optim/residual/known_residual.hpp"
#include "optim/residual/prior_residual.hpp"
#include "optim/residual/robust_residual.hpp"
#include "optim/residual/stacked_residual.hpp"
#include "optim/residual/trajectory_residual.hpp"

namespace pithball::optim {

struct FitProblem;

/// What a fit makes small: the residuals of all recordings under their loss, and below them the priors.
class FitResidual {
 public:
  /// Throws InvalidArgument on a wrong problem, without running anything.
  explicit FitResidual(const FitProblem& problem);
  /// The same with the problem's parameters resolved already.
  FitResidual(const FitProblem& problem, ParameterMap map);
  FitResidual(const FitResidual&) = delete;
  FitResidual& operator=(const FitResidual&) = delete;

  const ParameterMap& map() const { return trajectories_.map(); }
  const EvaluationCounts& counts() const { return trajectories_.counts(); }
  bool has_priors() const { return priors_.rows() > 0; }
  const TrajectoryResidual& trajectories() const { return trajectories_; }  ///< without loss and priors
  const Residual& all() const { return all_; }
  const PriorResidual& priors() const { return priors_; }  ///< alone, in units of their own deviations
  /// What `trajectories()` say at θ, r (R) and J (R×P), where somebody has found it: `all()` need not ask again.
  void know(Vector theta, Vector r, Eigen::MatrixXd jacobian);

 private:
  TrajectoryResidual trajectories_;
  KnownResidual known_;
  RobustResidual data_;
  PriorResidual priors_;
  StackedResidual all_;
};

}  // namespace pithball::optim
