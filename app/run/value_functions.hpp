#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "app/experiment/fit_spec.hpp"

namespace pithball::app {

/// A run that did not reach its last step: "diverged at step 12".
class SimulationFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Positions [m] and velocities [m/s] of N particles in T snapshots: entry (3i + a, t) is component a of particle i.
struct Motion {
  Eigen::MatrixXd x,  ///< positions [m]
      v;              ///< velocities [m/s], 3N×T
};

/// A motion, and whether it should be used.
struct JudgedMotion {
  Motion motion;      ///< in its snapshots
  std::string doubt;  ///< the objection that `simulate` would raise, "doubtful: …"; empty: none
};

/// Called after every step of a rollout; may throw to end it.
using AfterStep = std::function<void()>;

/// The motion of an experiment as a function of some of its values p: those that `fit.parameters` lists, in SI units
/// and whatever their `transform`. It is sampled at the snapshots of a run: every `output.every` steps, and after the
/// last. Derivatives are those of the discrete steps, exact to rounding. All members may be called from several threads
/// at once.
class ValueRollout {
 public:
  /// Recordings that the document names are not read. Throws InvalidArgument as `read_fit` does.
  explicit ValueRollout(const ExperimentDocument& document);

  /// Names, units and bounds of p, P.
  const std::vector<optim::ParameterInfo>& values() const { return fit().map().info(); }
  optim::Vector start() const;                           ///< p of the experiment, P
  const optim::Vector& times() const { return times_; }  ///< of the snapshots [s], T
  /// Number of particles, N.
  Index particles() const { return spec_.base.scenario.model.particles(); }

  /// The motion at p, P. Throws InvalidArgument where the model forbids a value, SimulationFailed where a step fails.
  JudgedMotion run(const optim::Vector& p, const AfterStep& after_step = {}) const;
  /// The change of the motion along dp, P, to first order: J dp. Throws as `run`.
  Motion push_forward(const optim::Vector& p, const optim::Vector& dp, const AfterStep& after_step = {}) const;
  /// Why derivatives there are not those of the motion, one sentence each; empty: nothing is known against them.
  std::vector<std::string> doubts(const optim::Vector& p) const;
  /// A motion for each column of p, P×B, side by side on all threads. Throws as `run`, of the first that fails.
  std::vector<JudgedMotion> run_all(const Eigen::MatrixXd& p) const;

 private:
  friend class RecordedRollout;
  const optim::ResolvedFit& fit() const { return *spec_.fit; }
  void require_values(const optim::Vector& p, const char* what) const;
  diff::Scenario scenario_at(const optim::Vector& p) const;
  /// The snapshot that shows step n; −1: none does.
  Index snapshot_of(Index n) const;
  Motion empty_motion() const;

  FitSpec spec_;
  optim::Vector times_;
};

/// A rollout whose motion can be pulled back any number of times, from one thread at a time.
class RecordedRollout {
 public:
  /// Runs and records; `rollout` must outlive this object. Throws as `ValueRollout::run`.
  RecordedRollout(const ValueRollout& rollout, const optim::Vector& p, const AfterStep& after_step = {});

  /// The motion at p.
  const Motion& motion() const { return motion_; }
  /// dL/dp, P, for dL/dx and dL/dv of every snapshot in `gradient`: Jᵀ times the gradient. An empty matrix means zeros.
  /// Throws SimulationFailed where the derivative is unreliable.
  optim::Vector pull_back(const Motion& gradient);

 private:
  const ValueRollout& rollout_;
  optim::Vector p_;
  diff::AdjointRollout recorded_;
  Motion motion_;
};

/// A logarithm of a probability density, up to a constant, and its gradient.
struct LogDensity {
  double value = 0;        ///< natural logarithm
  optim::Vector gradient;  ///< P
};

/// The residuals that a fit minimizes as a function of the fitted values p, in SI units and whatever their `transform`:
/// those of the recordings divided by their sigma, with their loss, followed by those of the priors. (With priors or a
/// loss and unknown sigma, a fit also settles the scale of the data, `settle_scales`; here sigma is as it was read.)
/// Derivatives are those of the discrete steps. All members may be called from several threads, one after the other.
class ValueResidual {
 public:
  /// Reads the recordings. Throws InvalidArgument as `read_fit` does.
  explicit ValueResidual(ExperimentDocument document);

  /// Names, units and bounds of p, P.
  const std::vector<optim::ParameterInfo>& values() const { return fit().map().info(); }
  optim::Vector start() const;  ///< p of the experiment, P
  /// Number of residuals, R, those of the priors last.
  Index rows() const { return fit().residual().all().rows(); }
  Index data_rows() const { return rows() - fit().residual().priors().rows(); }  ///< of the recordings: the first ones
  const std::vector<std::string>& notes() const { return spec_.doubts; }         ///< about the recordings

  /// Why derivatives at p are not those of the motion, one sentence each; empty: nothing is known against them.
  std::vector<std::string> doubts(const optim::Vector& p) const;

  // All throw InvalidArgument for a wrong number of values or one that is not finite, SimulationFailed where a run
  // fails.
  optim::Vector residual(const optim::Vector& p) const;                                ///< r, R
  Eigen::MatrixXd jacobian(const optim::Vector& p) const;                              ///< ∂r/∂p, R×P
  optim::Vector pull_back(const optim::Vector& p, const optim::Vector& w) const;       ///< Jᵀ w, P
  optim::Vector normal_product(const optim::Vector& p, const optim::Vector& d) const;  ///< Jᵀ J d, P
  /// The likelihood for independent Gaussian noise: −S/2 with S the sum of squares over the recordings if their sigma
  /// is known (`absolute_sigma`). Otherwise −(n/2) ln S, the likelihood averaged over a common factor s of all n sigmas
  /// with the density 1/s. Throws InvalidArgument for a robust loss, whose noise has no such density.
  LogDensity log_likelihood(const optim::Vector& p) const;
  /// The density of the priors in p; 0 (flat) without priors.
  LogDensity log_prior(const optim::Vector& p) const;

 private:
  const optim::ResolvedFit& fit() const { return *spec_.fit; }
  /// θ at p.
  optim::Vector theta_at(const optim::Vector& p) const;
  /// Derivatives with respect to p from those with respect to θ: divided by dp/dθ.
  optim::Vector by_value(const optim::Vector& theta, const optim::Vector& gradient) const;
  std::unique_ptr<optim::Linearization> linearize(const optim::Vector& theta) const;

  FitSpec spec_;
  mutable std::mutex one_at_a_time_;
};

}  // namespace pithball::app
