#pragma once
#include <functional>
#include <memory>

#include "app/run/simulation_failed.hpp"
#include "app/spec/fit_spec.hpp"

namespace pithball::app {

/// Positions [m] and velocities [m/s] of N particles in T snapshots: entry (3i + a, t) is component a of particle i.
struct Motion {
  Eigen::MatrixXd x,  ///< positions [m]
      v;              ///< velocities [m/s], 3N×T
};

/// A motion, and whether it should be used.
struct JudgedMotion {
  Motion motion;      ///< in its snapshots
  std::string doubt;  ///< what `simulate` would say against it, "doubtful: …"; empty: nothing
};

/// Called after every step of a rollout; may throw to end it.
using AfterStep = std::function<void()>;

/// The motion of an experiment as a function of some of its values p: those that `fit.parameters` lists, in SI units
/// and whatever their `transform`. It is seen in the snapshots of a run: every `output.every` steps, and after the
/// last. Derivatives are those of the discrete steps, exact to rounding. All members may be called from several threads
/// at once.
class ValueRollout {
 public:
  /// Recordings that the document names are not read. Throws InvalidArgument as `read_fit` does.
  explicit ValueRollout(const ExperimentDocument& document);

  /// Names, units and bounds of p, P.
  const std::vector<optim::ParameterInfo>& values() const { return fit().map().info(); }
  optim::Vector start() const;                           ///< p as the experiment has it, P
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

/// A rollout whose motion can be pulled back as often as wanted; from one thread at a time.
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

}  // namespace pithball::app
