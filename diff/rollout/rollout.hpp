#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

/// The simulation of one recording: model, initial state, integrator and number of steps. Its physical values in one
/// flat vector are [model.values | initial positions (or displacements from equilibrium) | initial velocities]: every
/// gradient and tangent of a rollout has this layout.
struct Scenario {
  std::string name;  ///< of the recording, for messages
  sim::Model model;  ///< body, forces and constraints, with their physical values
  State initial;     ///< state at t = 0: positions [m] (or displacements, see `rest_near`) and velocities [m/s]
  /// If given, the run starts from the model's equilibrium near these points, and `initial.x` are displacements from
  /// it.
  std::optional<Points> rest_near = {};
  /// The time-stepping method; derivatives need its partner in diff/step.
  sim::IntegratorChoice integrator = sim::default_integrator;
  double time_step = 0.01;  ///< [s]
  Index steps = 0;          ///< number of time steps, ≥ 0
  sim::StageOptions stage;  ///< tolerances and solvers of implicit stages

  /// Length of the flat vector of physical values.
  Index size() const { return model.values().size() + 6 * model.particles(); }
  /// Where the initial positions begin in the flat vector: x, y, z of particle 0, then of the next one.
  Index position_offset() const { return model.values().size(); }
  /// Where the initial velocities begin in the flat vector, in the same order.
  Index velocity_offset() const { return model.values().size() + 3 * model.particles(); }
  Vector physical_values() const;                      ///< flat vector in the layout above
  Scenario with_physical_values(const Vector&) const;  ///< the inverse; throws InvalidArgument on a forbidden value
};

/// Where the derivative of a step is unreliable, in a clause.
inline constexpr const char* where_unreliable =
    "where the implicit step is nearly singular (buckling), or forces jump at a touch that grazes a wall";

/// How a rollout ended.
struct RolloutStatus {
  sim::StepStatus status = sim::StepStatus::Ok;  ///< `Ok`, or why the run ended early
  Index step = 0;                                ///< last step (the failing one if status is not Ok)
  Index unreliable_step = -1;  ///< first step whose derivative is unreliable (`where_unreliable`), −1: none
  std::string cause =
      {};  ///< why a run could not start, or its initial state has no derivative, in a phrase; otherwise empty
  std::shared_ptr<const sim::Equilibrium> rest = {};  ///< the equilibrium from which it started, if any
  /// Whether all steps were taken. The derivative can be unreliable nevertheless (`unreliable_step`).
  bool ok() const { return status == sim::StepStatus::Ok; }
};

/// How a failed run ended, in a phrase: its cause, or "diverged at step 12".
std::string to_string(const RolloutStatus& status);

/// Cost of a pass, for reports and benchmarks.
struct RolloutCost {
  long force_evaluations = 0,  ///< evaluations of all explicit forces, or products with their linearization
      linear_solves = 0,       ///< solves with stage Hessians
      cg_iterations = 0;       ///< iterations of conjugate gradients or GMRES within them
  long capped_substeps = 0;    ///< of forward steps (`StepRecord`)
};

/// Called once for each step n = 0…steps with the state at t = n·h (n = 0: the initial state).
using StateVisitor = std::function<void(Index n, const State& state)>;

/// Runs a scenario forward without derivatives.
RolloutStatus run_forward(const Scenario&, const StateVisitor& visit, RolloutCost* cost = nullptr);

/// Called once for each step n = 0…steps with δx and δv for every direction: entry (3i+a, p) is the derivative of
/// component a of particle i in direction p (3N×P).
using TangentVisitor =
    std::function<void(Index n, const State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv)>;

/// Runs forward and propagates the derivatives along `directions` (scenario.size()×P, in the flat layout) with every
/// step. The derivatives may follow on another thread, which then calls `visit`.
RolloutStatus run_tangent(const Scenario&, const Eigen::MatrixXd& directions, const TangentVisitor& visit,
                          RolloutCost* cost = nullptr);

/// Called once for each step n = 0…steps with the stepper.
using StepVisitor = std::function<void(const sim::Stepper&)>;

/// The same, with derivatives only up to step `until` (−1: none): one run for users of states and of derivatives.
/// `show` and `visit` may be called at the same time.
RolloutStatus run_tangent_until(const Scenario&, const Eigen::MatrixXd& directions, Index until,
                                const StepVisitor& show, const TangentVisitor& visit, RolloutCost* cost = nullptr);

/// Cost of a run up to a step, in point pairs summed directly; used to distribute runs over processors.
double run_cost(const Scenario& scenario, Index steps);

/// Called by the reverse pass once for each step, from the last to 0, for the loss's direct derivative with respect to
/// the state at step n: add ∂L/∂x_n to gx and ∂L/∂v_n to gv (3×N).
using Seed = std::function<void(Index n, const State& state, Points& gx, Points& gv)>;

/// A recorded forward run that can be differentiated repeatedly, backward and forward, also by several threads at once.
/// Tapes are kept if they fit the budget; otherwise states are checkpointed and segments recomputed, by one thread at a
/// time. The derivative is the same either way, bit for bit.
class AdjointRollout {
 public:
  /// budget_mb: memory for states and tapes [MB].
  AdjointRollout(const Scenario& scenario, double budget_mb = 1024);
  ~AdjointRollout();
  /// Runs forward and records.
  RolloutStatus forward(const StateVisitor& visit);
  /// Backward pass: dL/d(physical values), scenario.size() entries. `forward` must have ended with Ok.
  Vector backward(const Seed& seed);
  /// The same for several losses in one pass, which shares what does not depend on the loss: scenario.size() × seeds.
  Eigen::MatrixXd backward(const std::vector<Seed>& seeds);
  /// The derivatives along `directions`, as from `run_tangent`, computed from the tapes. `forward` must have ended with
  /// Ok. Not Ok, and nothing visited, if the initial state has no derivative along one of them.
  RolloutStatus tangent(const Eigen::MatrixXd& directions, const TangentVisitor& visit);
  /// Whether the initial state has a derivative along these directions; cheap, without a rollout.
  RolloutStatus check_start(const Eigen::MatrixXd& directions) const;
  /// The last step at which a solve of `backward` was inaccurate, so that the gradient is unreliable; −1: none.
  Index unreliable_step() const;
  /// Why the contribution of the initial state to the last gradient could not be computed; empty on success.
  const std::string& backward_failure() const;
  /// Cost of the last `forward`.
  const RolloutCost& forward_cost() const;
  /// Cost of the last `backward`, with the segments that it computed again.
  const RolloutCost& backward_cost() const;
  /// Cost of the last `tangent`, with the segments that it computed again.
  const RolloutCost& tangent_cost() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pithball::diff
