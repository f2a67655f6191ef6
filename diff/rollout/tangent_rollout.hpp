#pragma once
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "diff/rollout/initial_state.hpp"
#include "diff/rollout/rollout.hpp"
#include "diff/rollout/shared_columns.hpp"
#include "diff/step/force_linearization.hpp"
#include "diff/step/step_derivative.hpp"
#include "sim/core/error.hpp"
#include "sim/core/stop.hpp"

namespace pithball::diff {

/// Derivatives along some directions, propagated step by step with tapes, in a forward run or from a recorded one.
class TangentSweep {
 public:
  /// `directions`: scenario.size()×P, in the flat layout. `scenario` must outlive this object.
  TangentSweep(const Scenario& scenario, const Eigen::MatrixXd& directions)
      : s_(scenario),
        shared_(scenario, with_all_rows(scenario, directions)),
        derivative_(step_derivative(scenario.integrator.name(), scenario.model)),
        carried_(3 * scenario.model.particles(), shared_.columns().cols()),
        dx_(Eigen::MatrixXd::Zero(3 * scenario.model.particles(), directions.cols())),
        dv_(dx_) {}

  /// The derivative of the initial state. Returns why it has none along some direction, in a phrase; empty on success.
  std::string begin(const InitialState& start, const State& first) {
    const Index n = s_.model.particles();
    const Eigen::MatrixXd& columns = shared_.columns();
    for (Index at = 0; at < columns.cols(); at += group_size) {
      const auto mine = columns.middleCols(at, std::min(group_size, columns.cols() - at));
      StateDirections& d = groups_.emplace_back();
      d.x = mine.middleRows(s_.position_offset(), 3 * n).transpose();
      d.v = mine.middleRows(s_.velocity_offset(), 3 * n).transpose();
      d.values = std::make_shared<const sim::ValueDirections>(mine.topRows(s_.position_offset()));
      for (Index p = 0; p < d.count(); ++p) {
        sim::Variation one = d.alone(p);
        if (std::string why = start.add_jvp(one.values, one.x); !why.empty()) return why;
        d.set(p, one);
      }
      restrict_held(s_.model, d.x, d.v);
      derivative_.start_tangent(s_.model, first, d, cost_);
    }
    flatten();
    return "";
  }
  /// The derivative of the state after one more step.
  void advance(const sim::StepTape& tape) {
    sim::require_not_stopped();
    derivative_.tangent(s_.model, tape, groups_, cost_);
    flatten();
  }

  const Eigen::MatrixXd& dx() const { return dx_; }  ///< 3N×P
  const Eigen::MatrixXd& dv() const { return dv_; }  ///< 3N×P
  /// The cost of all steps so far.
  const DerivativeCost& cost() const { return cost_; }

 private:
  static const Eigen::MatrixXd& with_all_rows(const Scenario& s, const Eigen::MatrixXd& directions) {
    if (directions.rows() == s.size()) return directions;
    throw InvalidArgument({"tangent", "directions", "must have " + std::to_string(s.size()) + " rows",
                           std::to_string(directions.rows()), ""});
  }
  void flatten() {
    flatten(&StateDirections::x, dx_);
    flatten(&StateDirections::v, dv_);
  }
  template <class Member>
  void flatten(Member part, Eigen::MatrixXd& all) {
    Index at = 0;
    for (const StateDirections& d : groups_) {
      carried_.middleCols(at, d.count()) = (d.*part).matrix().transpose();
      at += d.count();
    }
    shared_.spread(carried_, all);
  }

  /// Number of directions that are carried together: the work that a step does once for all of them is then small, and
  /// the columns of two particles still fit into the first-level cache.
  static constexpr Index group_size = 64;

  const Scenario& s_;
  SharedColumns shared_;
  const StepDerivative& derivative_;
  std::vector<StateDirections> groups_;
  Eigen::MatrixXd carried_, dx_, dv_;
  DerivativeCost cost_;
};

/// Hands the steps of a run over to a sweep of derivatives, which may follow on another thread a few steps behind. The
/// sweep does the same in the same order whichever thread carries it, so that results do not depend on threads.
class TangentRelay {
 public:
  /// The sweep is at the beginning of the run, where `visit` has been called. Both must outlive this object.
  TangentRelay(Index particles, TangentSweep& sweep, const TangentVisitor& visit);

  /// For the run: the tape for its next step. Where the sweep is too far behind, carries it on or waits for the thread
  /// that does. Null after the sweep threw: the run should end.
  sim::StepTape* next_tape();
  /// For the run: the step that was recorded on this tape led to step n and this state.
  void add(Index n, const State& state);
  /// For the run: no further step follows, also when the run threw.
  void end();

  /// For the thread that follows: carries the sweep on until the end of the run.
  void follow();

  /// After `follow`: the first step whose derivative is unreliable; −1: none.
  Index unreliable_step() const { return unreliable_step_; }

 private:
  struct Step {
    Index n = 0;
    sim::StepTape tape;
    State state;
  };

  Index waiting() const { return made_ - carried_; }
  Step& place(Index number) { return steps_[number % static_cast<Index>(steps_.size())]; }
  /// Carries the sweep over the earliest step that waits; the caller holds `carrying_`.
  void carry();
  /// Sleeps until the condition holds, which `wake` must announce.
  template <class Condition>
  void sleep_until(const Condition& condition);
  void wake();

  TangentSweep& sweep_;
  const TangentVisitor& visit_;
  std::vector<Step> steps_;  // a ring buffer of steps that were made but not yet carried
  Index half_;               // half of its length: threads sleep and wake for several steps at a time
  std::atomic<Index> made_ = 0, carried_ = 0;
  std::atomic<bool> ended_ = false, failed_ = false;
  Index unreliable_step_ = -1;
  std::mutex carrying_;  // of the sweep
  std::mutex sleeping_;  // of `changed_`
  std::condition_variable changed_;
};

}  // namespace pithball::diff
