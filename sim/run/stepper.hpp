#pragma once
#include <algorithm>
#include <memory>

#include "sim/constraint/rod_reaction.hpp"
#include "sim/integrator/integrator_choice.hpp"
#include "sim/model/heavy_model.hpp"
#include "sim/run/trajectory.hpp"

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
    begin(model);
  }

  /// One step. The time is t0 + n h, without accumulated rounding. After a step in which links broke, the run continues
  /// with a model without them. With a book, adds the energy that the step removed [J]; then all steps of the run must
  /// use one.
  StepRecord advance(StepTape* tape = nullptr, Losses* book = nullptr) {
    ++n_;
    const TimeStep step{h_, t0_ + n_ * h_};
    if (kicked_) kick(2 * n_ - 1, book);
    StepRecord record = move(step, tape, book);
    state_.t = record.t = step.end;  // of a failed step, too
    if (!record.broken.empty()) restart(model_->without(record.broken));
    if (kicked_ && record.status == StepStatus::Ok) kick(2 * n_, book);
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
    begin(*model_);
  }
  /// The same with further particles after the present ones, whose model and state are unchanged.
  void extend(const Model& model, const State& state) {
    replace(model, state);
    begin(*model_, &history_);
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
    heavy_.clear();
    own_ = std::make_unique<const Model>(model);
    model_ = own_.get();
    integrator_ = choice_.make(options_);  // its workspaces belong to the earlier particles
    state_ = state;
  }
  /// Starts the history at the state, or extends an earlier one.
  void begin(const Model& model, const History* earlier = nullptr) {
    kicked_ = std::ranges::any_of(model.terms(), [](const auto& term) { return bool(term->template as<Kick>()); });
    if (kicked_) heavy_.update(model, state_.t, h_);
    const Points given = state_.v;
    heavy_.slow(state_.v);
    const Points slowed = state_.v;
    const Model& moved = heavy_.of(model);
    history_ = earlier ? integrator_->extend(moved, state_, *earlier) : integrator_->start(moved, state_);
    if (state_.v == slowed)
      state_.v = given;  // without the rounding of b v/b: a resumed run is the uninterrupted one
    else
      heavy_.quicken(state_.v);
  }
  /// The integrator's step, with heavy particles where a thermostat has friction.
  StepRecord move(const TimeStep& step, StepTape* tape, Losses* book) {
    if (kicked_ && heavy_.update(*model_, state_.t, h_)) {  // a friction rate that changes with time
      integrator_ = choice_.make(options_);
      begin(*model_);
    } else if (kicked_ && !history_.empty() &&
               std::ranges::any_of(model_->terms(), [](const auto& term) { return is_velocity_dependent(*term); })) {
      begin(*model_);  // the history refers to the velocities before the kicks
    }
    heavy_.slow(state_.v);
    const StepRecord record = integrator_->step(heavy_.of(*model_), step, state_, history_, tape, book);
    heavy_.quicken(state_.v);
    return record;
  }
  /// Applies half of the kicks of a step, their n-th in the run, with the reaction of rods to them; books their work.
  void kick(Index n, Losses* book) {
    const auto kinetic_energy = [&] { return 0.5 * (state_.v.cwiseProduct(state_.v) * model_->mass()).sum(); };
    const double before = kinetic_energy();
    const Points earlier = state_.v;
    for (const auto& term : model_->terms())
      if (const Kick* force = term->as<Kick>()) force->kick(*model_, h_ / 2, n, state_);
    if (!model_->constraints().empty()) {
      Points change = state_.v - earlier;
      heavy_.slow(change);
      remove_motion_along_rods(heavy_.of(*model_).at(state_.t), state_.x, change);
      heavy_.quicken(change);
      state_.v = earlier + change;
    }
    if (book) (*book)[LossKind::Thermostats] -= kinetic_energy() - before;
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
  HeavyModel heavy_;
  bool kicked_ = false;  // whether a force kicks
};

class Stepper;

/// A step of a run that is kept.
struct KeptStep {
  State state;    ///< with velocities at its own time
  EnergyRow row;  ///< of the energy book
};

/// The present step of a run whose steps have this book, from the energy `start` [J] on.
KeptStep keep_step(const Stepper& stepper, const Losses& book, double start);

}  // namespace pithball::sim
