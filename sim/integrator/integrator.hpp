#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/losses.hpp"
#include "sim/core/state.hpp"
#include "sim/integrator/impulses.hpp"
#include "sim/integrator/stage_problem.hpp"
#include "sim/integrator/step_record.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// Data of one step for its derivative: its beginning, its end, and the converged stages in between.
struct StepTape {
  double h = 0;                         ///< length of the step [s]
  State before,                         ///< state before the step
      after;                            ///< state after it
  std::vector<Points> history_before;   ///< before the step, in the order of `IntegratorInfo::history`
  std::vector<StageSolution> stages;    ///< in the order in which they were solved; none of an explicit integrator
  std::vector<StepTape> substeps = {};  ///< of an integrator with substeps, or of a divided step: one each, in order
  bool holds_touches = false;  ///< made with the touches at its beginning, up to their change or its planned end
  Index iterations = 0;        ///< over the constraints in each substep, for an integrator with constraints
  std::optional<State> forces_at = {};  ///< where forces were evaluated, if once for all substeps
  std::size_t bytes() const;            ///< memory held, for the budget
};

/// The substeps chosen by a run, by the time at which their step began, so that other runs can use the same ones:
/// finite differences then see a smooth function of the initial state and the physical values. Thread-safe.
class SubstepMemory {
 public:
  /// The substeps [s] of the step that begins at t [s], if a run has chosen them.
  std::optional<std::vector<double>> find(double t) const {
    const std::lock_guard lock(mutex_);
    const auto at = substeps_.find(t);
    return at == substeps_.end() ? std::nullopt : std::optional(at->second);
  }
  /// Stores the substeps [s] of the step that begins at t [s]; does nothing if that step already has some.
  void keep(double t, const std::vector<double>& substeps) {
    const std::lock_guard lock(mutex_);
    substeps_.try_emplace(t, substeps);
  }

 private:
  mutable std::mutex mutex_;
  std::map<double, std::vector<double>> substeps_;
};

/// Largest displacement by a velocity change in one step, as a multiple of every length scale of the motion: beyond it
/// the step is considered diverged.
inline constexpr double absurd_flight = 1e6;

/// Whether a step of h [s], or a motion made of such steps, has diverged between these states: something is not finite,
/// or h (v⁺ − v), the displacement by the velocity change in a step, exceeds `absurd_flight` times
/// - the longest rest length, for the difference between the ends of a spring, or
/// - the body's extent and the flight h |v|, and also T (|v| + T |a|), with T the shortest time in which a force
/// changes at the first state (`shortest_time`) and a the acceleration there: the step was much too long for the force.
/// Fast uniform motion changes no velocity and free fall has no T, so neither counts as divergence. Forces are
/// evaluated only if the first two lengths are exceeded.
bool has_diverged(const Model&, const State& before, const State& after, double h);

class StageSolver;

/// What a step does where a touch with an obstacle begins or ends within it.
enum class TouchSteps {
  Through,   ///< it continues with other forces
  MaySplit,  ///< likewise; a setting splits it
  Split,     ///< it ends there, and another part begins
};

/// What a model may have that only some integrators support.
struct SpecialModels {
  bool tracers = false;      ///< also integrates dx/dt = u(x, t), with the order of its positions
  bool constraints = false;  ///< on positions; the other properties of the integrator then refer to a model without any
  TouchSteps touches = TouchSteps::Through;  ///< of particles with obstacles
};

/// Properties of an integrator, as data.
struct IntegratorInfo {
  std::string name;        ///< as in the experiment file
  std::string summary;     ///< one sentence: when to use it
  int position_order = 0;  ///< observed order of the positions, including start-up
  int velocity_order = 0;  ///< likewise of the velocities
  int force_evaluations =
      0;  ///< force evaluations per step after the start-up; for a fully implicit or adaptive integrator the minimum
  bool implicit = false;         ///< solves for the end of the step
  bool time_reversible = false;  ///< a step of −h leads back, without dissipation
  bool symplectic = false;       ///< preserves the symplectic form without dissipation
  int startup_steps = 0;  ///< number of first steps at lower order or by another integrator; > 0: the state alone does
                          ///< not determine the future
  std::vector<std::string> history = {};  ///< names of the point arrays that `History` carries
  SpecialModels supports = {};            ///< what it supports in addition to masses and forces
  bool adaptive =
      false;  ///< divides a step into as many substeps as it needs; the other properties refer to a single substep
};

/// Whether steps may have any length: not if earlier steps of the same length count, nor with constraints, whose
/// substeps belong together.
inline bool divides_steps(const IntegratorInfo& info) { return info.startup_steps == 0 && !info.supports.constraints; }

/// Past values that an integrator needs besides the state, in the order of `IntegratorInfo::history`: a vector space,
/// so that checkpoints, tangents and adjoints of (State, History) need not interpret it. Multistep integrators start
/// with fewer arrays; their number tells how many past steps there are.
using History = std::vector<Points>;

/// One step in time. Its end is that of the run, t0 + n h, from which the sum of its beginning and h differs by
/// rounding: all that a step leaves behind (time, places of held particles, forces in the history) must equal that of a
/// new start there, so that a resumed run has the same bits.
struct TimeStep {
  double h;    ///< length [s]
  double end;  ///< time at its end [s]
};

/// Optional outputs of a step besides the new state.
struct StepOutput {
  StepRecord& record;  ///< cost and outcome of the step, to be filled in
  StepTape* tape;      ///< data for the step's derivative; null: not requested
  Losses* book;        ///< accumulates the energy that the step removed [J]; null: no book
};

/// A time step. `step` is a pure function of (model, step, state, history): the object holds only settings and
/// workspaces (symbolic analyses, prefactorizations) that never change a motion, so use one object per thread. A book
/// of losses belongs to one run: a multistep integrator also stores the powers of earlier steps, outside the history.
class Integrator {
 public:
  virtual ~Integrator() = default;
  /// Its properties with the settings of this object, which owns them.
  virtual const IntegratorInfo& info() const = 0;
  /// The linear solver of the stage problems, after the first step has chosen it; empty for explicit integrators.
  virtual const std::string& linear_solver() const;

  /// From now on, steps use the substeps stored in the memory for their time, and store those that they choose; no
  /// effect on a non-adaptive integrator.
  virtual void freeze(std::shared_ptr<SubstepMemory>) {}

  /// Checks the input, moves held particles to their positions, and computes the history at the initial state. Throws
  /// InvalidArgument if the model cannot start there, has tracers that the integrator does not support, or has
  /// constraints that it does not support.
  History start(const Model& model, State& state);

  /// The history at a state that differs from an earlier one, where the history was `earlier`, only by new particles at
  /// its end: that of `start`, up to rounding and with the same checks, but at less cost if the contributions of the
  /// new particles to the forces cost less than the forces.
  History extend(const Model& model, State& state, const History& earlier);

  /// Moves velocities that the integrator stores for another time (half a step earlier in leapfrog) to the time of the
  /// state; required before a restart of the history, as after an event, and for a copy of the state that is stored or
  /// measured. A book is moved too.
  void synchronize(const Model& model, double h, State& state, const History& history, Losses* book = nullptr) const;

  /// Advances `state` and `history` to the end of the step. Numerical failure is a status; the state is then the failed
  /// one. With a tape, records the data for the step's derivative; with a book, adds the energy that the step removed
  /// [J] according to the integrator's own forces, so that the remainder is the integration error. A step in which
  /// something switches is made in parts (`make_step_parts`), which are substeps on the tape, if the integrator
  /// `divides_steps`.
  StepRecord step(const Model& model, const TimeStep& step, State& state, History& history, StepTape* tape = nullptr,
                  Losses* book = nullptr);
  /// The same in one piece, whatever switches.
  StepRecord undivided_step(const Model& model, const TimeStep& step, State& state, History& history,
                            StepTape* tape = nullptr, Losses* book = nullptr);

 protected:
  /// Moves held particles of a stage to their positions at time t; pinned ones stay. Their velocity w is (y − r)/g,
  /// with r = start + `passed` the reference point of the integrator.
  static void place_held(const Model& model, double t, const Points& passed, StageProblem& stage);
  /// Solves the problem of a solution and adds the cost to the record.
  static void solve_stage(StageSolver&, const Model&, StageSolution&, StepRecord&);
  /// Adds the cost of a stage to the record; a stage that did not converge fails the step.
  static void add_stage(const StageReport&, StepRecord&);

 private:
  void check(const Model& model, State& state) const;
  virtual History do_start(const Model&, const State&) { return {}; }
  virtual History do_extend(const Model& model, const State& state, const History&) { return do_start(model, state); }
  virtual void do_synchronize(const Model&, double h, State&, const History&, Losses* book) const {}
  virtual void do_step(const Model&, const TimeStep&, State&, History&, StepOutput& out) = 0;
};

}  // namespace pithball::sim
