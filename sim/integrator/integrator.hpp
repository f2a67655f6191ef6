#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/core/losses.hpp"
#include "sim/core/state.hpp"
#include "sim/integrator/impulses.hpp"
#include "sim/integrator/step_record.hpp"
#include "sim/integrator/step_tape.hpp"
#include "sim/integrator/substep_memory.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// What an integrator is, as data.
struct IntegratorInfo {
  std::string name;        ///< as in the experiment file
  std::string summary;     ///< one sentence: when to use it
  int position_order = 0;  ///< observed order of the positions, start-up included
  int velocity_order = 0;  ///< likewise of the velocities
  int force_evaluations =
      0;  ///< force evaluations in a step after the start-up; of a fully implicit or adaptive integrator the least
  bool implicit = false;  ///< solves for the end of the step
  bool time_reversible = false;
  bool symplectic = false;  ///< without dissipation the step keeps the symplectic form
  int startup_steps =
      0;  ///< first steps, at lower order or by another integrator; > 0: the state alone does not determine the future
  std::vector<std::string> history = {};  ///< names of the point arrays that `History` carries
  bool first_order = false;  ///< also integrates dx/dt = u(x, t), with the order of its positions: carries tracers
  bool adaptive = false;     ///< makes a step of as many substeps as it needs; all else here is said of a single one
  bool constraints = false;  ///< projects on the model's constraints; all else here is said of a model without any
};

/// Past values that an integrator needs besides the state, in the order of `IntegratorInfo::history`: a vector space,
/// so that checkpoints, tangents and adjoints of (State, History) need not know what it holds. Multi-step integrators
/// begin with fewer arrays, and see from their number how much past there is.
using History = std::vector<Points>;

/// What a step fills besides the state that it leads to.
struct StepOutput {
  StepRecord& record;
  StepTape* tape;  ///< what the step's derivative needs; null where none is asked for
  Losses* book;    ///< gets the energy that the step has taken out [J]; null where no book is kept
};

/// A time step. `step` is a pure function of (model, h, state, history): the object itself holds only settings and
/// workspaces (symbolic analyses, prefactorizations) that never change a motion, so use one object per thread. A book
/// of losses is of one run: what a multi-step integrator books needs its earlier steps, which it remembers beside the
/// history.
class Integrator {
 public:
  virtual ~Integrator() = default;
  virtual const IntegratorInfo& info() const = 0;
  /// The linear solver that the stage problems use once the first step has chosen it; empty for explicit integrators.
  virtual const std::string& linear_solver() const;

  /// From now on a step takes the substeps that the memory holds for its time, and leaves those there that it chose
  /// itself; nothing to do for an integrator that chooses none.
  virtual void freeze(std::shared_ptr<SubstepMemory>) {}

  /// Checks the input, places held particles, and computes the history at the initial state. Throws InvalidArgument if
  /// the model cannot start there, holds tracers and the integrator is none for first-order problems, or has
  /// constraints on which the integrator does not project.
  History start(const Model& model, State& state);

  /// Brings velocities that the integrator carries for another time (half a step back, in leapfrog) to the state's own
  /// time; due before a history begins again, as after an event, and in a copy of the state that is kept or
  /// measured. A book is brought there too.
  void synchronize(const Model& model, double h, State& state, const History& history, Losses* book = nullptr) const;

  /// Advances `state` and `history` by h [s]. Numerical failure is a status; the state is then the failed one. With a
  /// tape, records what the step's derivative needs; with a book, adds the energy that the step has taken out [J], as
  /// the integrator's own forces did, so that what is left is the integrator's error.
  StepRecord step(const Model& model, double h, State& state, History& history, StepTape* tape = nullptr,
                  Losses* book = nullptr);

 protected:
  /// Lets held particles of a stage go to the places that they have at time t: pinned ones stay. Their velocity w is
  /// (y − r)/g, r = start + `passed` being the point from which the integrator counts it.
  static void place_held(const Model& model, double t, const Points& passed, StageProblem& stage);
  /// Solves a stage and adds what it took to the record.
  static void solve_stage(StageSolver&, const Model&, const StageProblem&, StageSolution&, StepRecord&);
  /// Adds what a stage took to the record; one that did not converge fails the step.
  static void add_stage(const StageReport&, StepRecord&);

 private:
  virtual History do_start(const Model&, const State&) { return {}; }
  virtual void do_synchronize(const Model&, double h, State&, const History&, Losses* book) const {}
  virtual void do_step(const Model&, double h, State&, History&, StepOutput& out) = 0;
};

}  // namespace pithball::sim
