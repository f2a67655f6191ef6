#pragma once
#include <memory>

#include "sim/integrator/integrator_choice.hpp"

namespace pithball::sim {

/// A model under way: its state and history after n steps of one size. The one loop body behind simulations, tangents
/// and adjoints. The model must outlive it.
class Stepper {
 public:
  /// Starts at the state (step 0, or step n of an earlier run); throws InvalidArgument if the model cannot start there.
  Stepper(const Model& model, const State& initial, const IntegratorChoice& choice, const StageOptions& options,
          double h, Index n = 0)
      : model_(&model),
        choice_(choice),
        options_(options),
        integrator_(choice.make(options)),
        h_(h),
        n_(n),
        state_(initial) {
    t0_ = state_.t - n * h;
    history_ = integrator_->start(model, state_);
  }

  /// One step. The clock reads t0 + n h, so that it does not drift by summed rounding. After a step in
  /// which links broke, the run goes on with a model without them. With a book, adds what the step took out [J]; then
  /// all steps of the run must.
  StepRecord advance(StepTape* tape = nullptr, Losses* book = nullptr) {
    StepRecord record = integrator_->step(*model_, h_, state_, history_, tape, book);
    ++n_;
    state_.t = t0_ + n_ * h_;
    record.t = state_.t;
    if (!record.broken.empty()) restart(model_->without(record.broken));
    if (record.status == StepStatus::Ok) {
      const double heat = kick();
      if (book) (*book)[LossKind::Thermostats] -= heat;
    }
    return record;
  }

  /// Goes back to an earlier step, with the state and history that were copied there.
  void rewind(Index n, const State& state, const History& history) {
    n_ = n;
    state_ = state;
    history_ = history;
  }

  /// Goes on from the present state with another model of the same particles, as after an event: velocities are brought
  /// to the state's time, and the history begins again. Throws InvalidArgument if the model cannot start there.
  void restart(const Model& model) {
    synchronize();
    restart(model, state_);
  }
  /// The same with other particles, and a state for them whose velocities are of its own time (`synchronize`).
  void restart(const Model& model, const State& state) {
    own_ = std::make_unique<const Model>(model);
    model_ = own_.get();
    integrator_ = choice_.make(options_);  // what it remembers is of the earlier particles
    state_ = state;
    history_ = integrator_->start(*model_, state_);
  }
  /// Brings velocities that the integrator carries for another time to the state's own. The history is of the state
  /// before: only `restart` may follow.
  void synchronize() { state_ = synchronized(); }
  /// A copy of the state with such velocities, for what keeps or measures it; the run itself stays as it is. A book is
  /// brought to the same time.
  State synchronized(Losses* book = nullptr) const {
    State copy = state_;
    integrator_->synchronize(*model_, h_, copy, history_, book);
    return copy;
  }

  Index n() const { return n_; }
  const Model& model() const { return *model_; }  ///< the one that steps are made of now
  const State& state() const { return state_; }
  const History& history() const { return history_; }
  const Integrator& integrator() const { return *integrator_; }

 private:
  /// Lets the forces that kick change velocities; what kinetic energy that gave [J].
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
    // A history of forces that depend on velocities is that of the velocities before.
    if (by_velocity && !history_.empty()) history_ = integrator_->start(*model_, state_);
    return kinetic_energy() - before;
  }

  const Model* model_;
  std::unique_ptr<const Model> own_;  // once it is another one than was given
  IntegratorChoice choice_;
  StageOptions options_;
  std::unique_ptr<Integrator> integrator_;
  double h_, t0_ = 0;
  Index n_;
  State state_;
  History history_;
};

}  // namespace pithball::sim
