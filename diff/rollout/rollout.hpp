#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/integrator/integrator_choice.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {
class Stepper;
struct Equilibrium;
}  // namespace pithball::sim

namespace pithball::diff {

using sim::Index;
using sim::Points;
using sim::State;
using sim::Vector;

/// One recording's simulation: what is simulated, from where, how far. Its physical values in one flat vector are
/// [model.values | initial positions (or displacements from rest) | initial velocities]: every gradient and tangent of
/// a rollout has this layout.
struct Scenario {
  std::string name;
  sim::Model model;
  State initial;
  /// If given, the run starts from the model's own position of rest near these points, and `initial.x` are
  /// displacements from it.
  std::optional<Points> rest_near = {};
  sim::IntegratorChoice integrator = sim::default_integrator;
  double time_step = 0.01;  ///< [s]
  Index steps = 0;
  sim::StageOptions stage;

  Index size() const { return model.values().size() + 6 * model.particles(); }
  Index position_offset() const { return model.values().size(); }
  Index velocity_offset() const { return model.values().size() + 3 * model.particles(); }
  Vector physical_values() const;                      ///< gather, in the layout above
  Scenario with_physical_values(const Vector&) const;  ///< scatter; throws InvalidArgument on a forbidden value
};

/// How a rollout ended.
struct RolloutStatus {
  sim::StepStatus status = sim::StepStatus::Ok;
  Index step = 0;              ///< last step made (the failing one if status is not Ok)
  Index unreliable_step = -1;  ///< first step whose derivative is unreliable (nearly singular stage Hessian), −1: none
  std::string cause = {};      ///< why a run had no start, or its start no derivative, in a phrase; otherwise empty
  std::shared_ptr<const sim::Equilibrium> rest = {};  ///< where it began, if that was the model's own position of rest
  bool ok() const { return status == sim::StepStatus::Ok; }
};

/// How a run that did not end well ended, in a phrase: its cause, or "diverged at step 12".
std::string to_string(const RolloutStatus& status);

/// What a pass cost, for reports and benchmarks.
struct RolloutCost {
  long force_evaluations = 0, linear_solves = 0, cg_iterations = 0;
  long capped_substeps = 0;  ///< of forward steps, as in `StepRecord`
};

/// Called once for each step n = 0…steps with the state at t = n·h (n = 0: the initial state).
using StateVisitor = std::function<void(Index n, const State& state)>;

/// Runs a scenario forward without derivatives.
RolloutStatus run_forward(const Scenario&, const StateVisitor& visit, RolloutCost* cost = nullptr);

/// Called once for each step n = 0…steps with δx and δv for every direction: entry (3i+a, p) is the derivative of
/// component a of particle i in direction p (3N×P).
using TangentVisitor =
    std::function<void(Index n, const State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv)>;

/// Runs forward and carries the derivatives along `directions` (scenario.size()×P, in the flat layout) with every step.
RolloutStatus run_tangent(const Scenario&, const Eigen::MatrixXd& directions, const TangentVisitor& visit,
                          RolloutCost* cost = nullptr);

/// Called once for each step n = 0…steps with the stepper that made it, and δx and δv as `TangentVisitor` gets them;
/// both empty where no derivatives are carried.
using StepVisitor = std::function<void(const sim::Stepper&, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv)>;

/// The same, with derivatives up to the step `until` only (−1: none at all): one run that serves those who want states
/// and those who want derivatives.
RolloutStatus run_tangent_until(const Scenario&, const Eigen::MatrixXd& directions, Index until,
                                const StepVisitor& visit, RolloutCost* cost = nullptr);

/// The reverse pass asks, once for each step from the last to 0, for the loss's direct derivative with respect to the
/// state at step n: add ∂L/∂x_n to gx and ∂L/∂v_n to gv (3×N).
using Seed = std::function<void(Index n, const State& state, Points& gx, Points& gv)>;

/// A recorded forward run whose derivative can be asked for as often as wanted, backward (adjoint) and forward
/// (tangent). Tapes are kept while they fit the budget; beyond it, states are checkpointed and segments recomputed. The
/// derivative is the same either way, to the last bit.
class AdjointRollout {
 public:
  /// budget_mb: memory for states and tapes [MB].
  AdjointRollout(const Scenario& scenario, double budget_mb = 1024);
  ~AdjointRollout();
  /// Forward with recording.
  RolloutStatus forward(const StateVisitor& visit);
  /// Backward: dL/d(physical values), scenario.size() entries. `forward` must have ended with Ok.
  Vector backward(const Seed& seed);
  /// The derivatives along `directions`, as `run_tangent` gives them, from the tapes. `forward` must have ended with
  /// Ok. Not Ok, and nothing visited, if the start has no derivative along one of them.
  RolloutStatus tangent(const Eigen::MatrixXd& directions, const TangentVisitor& visit);
  /// Whether the start has a derivative along these directions: a cheap question with no rollout.
  RolloutStatus check_start(const Eigen::MatrixXd& directions) const;
  /// The last step at which a solve of `backward` fell short, so that the gradient is unreliable; −1: none.
  Index unreliable_step() const;
  /// Why the share of the start in the last gradient could not be found; empty: it was.
  const std::string& backward_failure() const;
  const RolloutCost& forward_cost() const;
  const RolloutCost& backward_cost() const;
  const RolloutCost& tangent_cost() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pithball::diff
