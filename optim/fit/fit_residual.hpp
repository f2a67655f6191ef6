#pragma once
#include "optim/residual/known_residual.hpp"
#include "optim/residual/prior_residual.hpp"
#include "optim/residual/robust_residual.hpp"
#include "optim/residual/stacked_residual.hpp"
#include "optim/residual/trajectory_residual.hpp"

namespace pithball::optim {

struct FitProblem;

/// The function minimized by a fit: the residuals of all recordings with their loss, followed by the priors.
class FitResidual {
 public:
  /// Throws InvalidArgument on an invalid problem, without running anything.
  explicit FitResidual(const FitProblem& problem);
  /// The same for resolved parameters.
  FitResidual(const FitProblem& problem, ParameterMap map);
  FitResidual(const FitResidual&) = delete;
  FitResidual& operator=(const FitResidual&) = delete;

  /// Parameters of θ, resolved against the problem's scenarios.
  const ParameterMap& map() const { return trajectories_.map(); }
  /// Runs so far, for residuals and derivatives.
  const EvaluationCounts& counts() const { return trajectories_.counts(); }
  /// Whether a parameter of the problem has a prior, requested or of an initial state.
  bool has_priors() const { return priors_.rows() > 0; }
  const TrajectoryResidual& trajectories() const { return trajectories_; }  ///< without loss and priors
  /// Data with their loss, then priors: the rows whose squares the fit minimizes.
  const Residual& all() const { return all_; }
  const PriorResidual& priors() const { return priors_; }  ///< alone, in units of their own standard deviations
  /// Known values of `trajectories()` at θ, r (R) and J (R×P), so that `all()` need not compute them again.
  void know(Vector theta, Vector r, Eigen::MatrixXd jacobian);
  /// Before a search by Levenberg–Marquardt: see `KnownResidual::foresee`.
  void foresee() { known_.foresee(); }

 private:
  TrajectoryResidual trajectories_;
  KnownResidual known_;
  RobustResidual data_;
  PriorResidual priors_;
  StackedResidual all_;
};

}  // namespace pithball::optim
