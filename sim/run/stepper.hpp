#pragma once
#include <memory>

#include "sim/integrator/integrator_choice.hpp"

namespace pithball::sim {

/// The part of a run that was made earlier.
struct EarlierSteps {
  Index n;    ///< number of steps
  double t0;  ///< time of step 0 [s]
};

/// A simulation in progress: its state and history after n steps of one size, shared by simulations, tangents and
/// adjoints. The model must outlive it.
class Stepper {
 public:
  /// Starts at the state; throws InvalidArgument if the model cannot start there.
  Stepper(const Model& model, const State& initial, const IntegratorChoice& choice, const StageOptions& options,
          double h)
      : Stepper(model, initial, choice, options, h, {.n = 0, .t0 = initial.t}) {}
  /// The same at the state after earlier steps of the run, whose further times are those of the whole run.
  Stepper(const Model& model, const State& initial, const IntegratorChoice& choice, const StageOptions& options,
          double h, const EarlierSteps& earlier)
      : model_(&model),
        choice_(choice),
        options_(options),
        integrator_(choice.make(options)),
        h_(h),
        t0_(earlier.t0),
        n_(earlier.n),
        state_(initial) {
    history_ = integrator_->start(model, state_);
  }

  /// One step. The time is t0 + n h, without accumulated rounding. After a step in which links broke, the run continues
  /// with a model without them. With a book, adds the energy that the step removed [J]; then all steps of the run must
  /// use one.
  StepRecord advance(StepTape* tape = nullptr, Losses* book = nullptr) {
    ++n_;
    const TimeStep step{h_, t0_ + n_ * h_};
    StepRecord record = integrator_->step(*model_, step, state_, history_, tape, book);
    state_.t = record.t = step.end;  // of a failed step, too
    if (!record.broken.empty()) restart(model_->without(record.broken));
    if (record.status == StepStatus::Ok) {
      const double heat = kick();
      if (book) (*book)[LossKind::Thermostats] -= heat;
    }
    return record;
  }

  /// Returns to an earlier step, with copies of its state and history.
  void rewind(Index n, const State& state, const History& history) {
    n_ = n;
    state_ = state;
    history_ = history;
  }

  /// Continues from the present state with another model of the same particles, as after an event: velocities are moved
  /// to the state's time, and the history restarts. Throws InvalidArgument if the model cannot start there.
  void restart(const Model& model) {
    synchronize();
    restart(model, state_);
  }
  /// The same with other particles, and a state for them with velocities at its own time (`synchronize`).
  void restart(const Model& model, const State& state) {
    replace(model, state);
    history_ = integrator_->start(*model_, state_);
  }
  /// The same with further particles behind the present ones, whose model and state are unchanged.
  void extend(const Model& model, const State& state) {
    replace(model, state);
    history_ = integrator_->extend(*model_, state_, history_);
  }
  /// Moves velocities that the integrator stores for another time to the time of the state. The history does not match
  /// afterwards: only `restart` may follow.
  void synchronize() { state_ = synchronized(); }
  /// A copy of the state with such velocities, for storage or measurement; the run itself does not change. A book is
  /// moved to the same time.
  State synchronized(Losses* book = nullptr) const {
    State copy = state_;
    integrator_->synchronize(*model_, h_, copy, history_, book);
    return copy;
  }

  Index n() const { return n_; }                  ///< number of steps taken, those of an earlier run included
  const Model& model() const { return *model_; }  ///< the model of the next steps
  /// After step n; velocities at the integrator's own time: see `synchronized`.
  const State& state() const { return state_; }
  const History& history() const { return history_; }            ///< of the integrator, after step n
  const Integrator& integrator() const { return *integrator_; }  ///< the one in use; replaced by `restart`

 private:
  void replace(const Model& model, const State& state) {
    own_ = std::make_unique<const Model>(model);
    model_ = own_.get();
    integrator_ = choice_.make(options_);  // its workspaces belong to the earlier particles
    state_ = state;
  }
  /// Applies the random kicks; returns the kinetic energy that they added [J].
  double kick() {
    bool kicked = false, by_velocity = false;
    const auto kinetic_energy = [&] { return 0.5 * (state_.v.cwiseProduct(state_.v) * model_->mass()).sum(); };
    double before = 0;
    for (const auto& term : model_->terms()) {
      by_velocity = by_velocity || is_velocity_dependent(*term);
      const Kick* force = term->as<Kick>();
      if (!force) continue;
      if (!kicked) before = kinetic_energy();
      kicked = true;
      force->kick(*model_, h_, n_, state_);
    }
    if (!kicked) return 0;
    // The history of velocity-dependent forces refers to the velocities before the kicks.
    if (by_velocity && !history_.empty()) history_ = integrator_->start(*model_, state_);
    return kinetic_energy() - before;
  }

  const Model* model_;
  std::unique_ptr<const Model> own_;  // the present model, once it differs from the initial one
  IntegratorChoice choice_;
  StageOptions options_;
  std::unique_ptr<Integrator> integrator_;
  double h_, t0_;
  Index n_;
  State state_;
  History history_;
};

}  // namespace pithball::sim
