#pragma once
#include <vector>

#include "optim/observer.hpp"
#include "optim/parameter_map.hpp"
#include "optim/residual.hpp"
#include "optim/robust_loss.hpp"

namespace pithball::optim {

/// How often a fit asked for what; each counts all recordings once.
struct EvaluationCounts {
  long forward = 0, tangent = 0, adjoint = 0;
};

/// Residuals of simulated against observed positions of all recordings, stacked in the order of the recordings; within
/// one, the order of `Observer`. Recordings are simulated in parallel; every sum has a fixed order, so that results do
/// not depend on the number of threads. Use one object from one thread at a time.
class TrajectoryResidual final : public Residual {
 public:
  /// observations: one for each scenario of the map. Only frames to be fitted count; each rollout ends at the last of
  /// them. Throws InvalidArgument if a scheme has no derivative, an observation does not suit its scenario or no frame is left to fit.
  TrajectoryResidual(ParameterMap map, std::vector<Observation> observations);

  const ParameterMap& map() const { return map_; }
  Index rows() const override { return first_row_.back(); }
  Index parameters() const override { return map_.size(); }
  /// First row of every sample, and the number of rows at the end; see RobustResidual.
  std::vector<Index> samples() const;

  /// r by forward runs; with a Jacobian, both by tangents.
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override;
  /// J d by one tangent.
  Evaluation jvp(const Vector& theta, const Vector& d, Vector& Jd) const;
  /// Jᵀ w by one adjoint.
  Evaluation vjp(const Vector& theta, const Vector& w, Vector& Jtw) const;
  /// L = ½ Σ ρ(|r_j|²) and, unless null, its gradient by one adjoint.
  Evaluation loss(const Vector& theta, const RobustLoss& loss, double& value, Vector* gradient) const;

  const EvaluationCounts& counts() const { return counts_; }
  /// Memory for the recorded forward runs of the adjoint, all recordings together [MB].
  void set_adjoint_budget(double budget_mb) { adjoint_budget_mb_ = budget_mb; }

 private:
  template <class Work>  // work(scenario number, scenario) → Evaluation, for every recording with rows
  Evaluation for_each_recording(const Vector& theta, Work work) const;
  template <class Weights>  // weights(scenario number, residual of the recording) → ∂L/∂r of the recording
  Evaluation reverse(const Vector& theta, Weights weights, Vector& gradient) const;
  Index row_count(std::size_t s) const { return first_row_[s + 1] - first_row_[s]; }

  ParameterMap map_;
  std::vector<Observer> observers_;
  std::vector<Index> first_row_;  ///< by scenario, and the total
  double adjoint_budget_mb_ = 1024;
  mutable EvaluationCounts counts_;
};

/// The loss of a trajectory residual as a function for minimisers that want gradients only.
class TrajectoryObjective final : public Objective {
 public:
  /// `residual` must outlive this object.
  TrajectoryObjective(const TrajectoryResidual& residual, RobustLoss loss) : residual_(residual), loss_(loss) {}
  Index parameters() const override { return residual_.parameters(); }
  Evaluation evaluate(const Vector& theta, double& loss, Vector* gradient) const override {
    return residual_.loss(theta, loss_, loss, gradient);
  }

 private:
  const TrajectoryResidual& residual_;
  RobustLoss loss_;
};

}  // namespace pithball::optim
