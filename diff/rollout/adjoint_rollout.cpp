#include <cmath>
#include <mutex>

#include "diff/rollout/forward_rollout.hpp"
#include "diff/rollout/initial_state.hpp"
#include "diff/rollout/rollout.hpp"
#include "diff/rollout/tangent_rollout.hpp"
#include "diff/step/force_linearization.hpp"
#include "sim/core/error.hpp"
#include "sim/core/stop.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::diff {
namespace {

/// A state from which the run can be resumed.
struct Checkpoint {
  State state;
  sim::History history;
  double bytes() const {
    const double arrays = 2 + history.size();
    return arrays * state.x.size() * sizeof(double);
  }
};

/// A run in segments; only one segment at a time has tapes.
struct SegmentedRun {
  Index length = 1;                     // steps in a segment
  Index recorded = -1;                  // the segment that has tapes
  bool keeps_stage_matrices = false;    // whether those of all steps also fit the budget
  std::vector<Checkpoint> checkpoints;  // at the beginning of each segment
  std::vector<sim::StepTape> tapes;     // of the recorded segment
};

/// Result of the forward run.
struct ForwardPass {
  RolloutStatus status;
  RolloutCost cost;
  bool ready = false;  // it ended with status ok
};

/// Result of the last backward pass.
struct BackwardPass {
  RolloutCost cost;
  Index unreliable_step = -1;
  std::string failure;
};

/// Returns the number of steps per segment for which the tapes of one segment and all checkpoints fit the budget: all
/// steps if possible, otherwise the most that fit, or if no number fits, the one that needs the least memory (√(N
/// c/t)).
Index segment_length(Index steps, double checkpoint_bytes, double tape_bytes, double budget) {
  const double N = steps;
  if (N * tape_bytes + checkpoint_bytes <= budget) return steps;
  // tape K + checkpoint N/K = budget, larger root
  const double root = budget * budget - 4 * tape_bytes * checkpoint_bytes * N;
  const double length =
      root > 0 ? (budget + std::sqrt(root)) / (2 * tape_bytes) : std::sqrt(N * checkpoint_bytes / tape_bytes);
  return std::clamp<Index>(static_cast<Index>(length), 1, steps);
}

}  // namespace

struct AdjointRollout::Impl {
  Impl(const Scenario& scenario, double budget_mb)
      : s(scenario), derivative(step_derivative(s.integrator.name(), s.model)), budget(budget_mb * 1e6), start(s) {
    if (start.found()) stepper.emplace(s.model, start.state(), s.integrator, s.stage, s.time_step);
    if (!(budget_mb > 0))
      throw InvalidArgument({"AdjointRollout", "budget", "must be > 0 MB", std::to_string(budget_mb), ""});
  }

  Index segment_end(Index k) const { return std::min((k + 1) * run.length, s.steps); }
  /// Runs one segment from its checkpoint and keeps its tapes.
  void record(Index k, const StateVisitor* visit, RolloutStatus* into, RolloutCost* cost) {
    run.tapes.clear();
    run.recorded = -1;  // until all tapes are recorded, as a pass may be stopped
    const Index end = segment_end(k);
    for (Index n = k * run.length; n < end; ++n) {
      run.tapes.emplace_back();
      const sim::StepRecord step = stepper->advance(&run.tapes.back());
      RolloutStatus local;
      note_step(step, stepper->n(), into ? *into : local, cost);
      if (step.status != sim::StepStatus::Ok) return;
      if (run.keeps_stage_matrices) derivative.keep_stage_matrices(s.model, run.tapes.back());
      if (visit) (*visit)(stepper->n(), stepper->state());
    }
    run.recorded = k;
  }
  /// Ensures that the tapes of segment k are recorded.
  void take_up(Index k, RolloutCost& cost) {
    if (run.recorded == k) return;
    const Checkpoint& from = run.checkpoints[k];
    stepper->rewind(k * run.length, from.state, from.history);
    record(k, nullptr, nullptr, &cost);
  }
  void require_ready(const char* what) const {
    if (!forward.ready)
      throw InvalidArgument({what, "forward", "must have ended with status ok", to_string(forward.status.status), ""});
  }

  Scenario s;
  const StepDerivative& derivative;
  double budget;
  InitialState start;
  std::optional<sim::Stepper> stepper;  // empty if no equilibrium was found
  SegmentedRun run;
  ForwardPass forward;
  BackwardPass backward;
  RolloutCost tangent_cost;
  /// A pass modifies the record only if it has to record segments again: such passes take turns, others run
  /// concurrently.
  std::mutex segments, results;
  std::unique_lock<std::mutex> take_turn() {
    return run.checkpoints.size() > 1 ? std::unique_lock(segments) : std::unique_lock<std::mutex>();
  }
};

AdjointRollout::AdjointRollout(const Scenario& scenario, double budget_mb)
    : impl_(std::make_unique<Impl>(scenario, budget_mb)) {}
AdjointRollout::~AdjointRollout() = default;

RolloutStatus AdjointRollout::forward(const StateVisitor& visit) {
  Impl& r = *impl_;
  if (!r.stepper) return r.forward.status = begun(r.start);
  if (r.stepper->n() != 0) r.stepper->rewind(0, r.run.checkpoints[0].state, r.run.checkpoints[0].history);
  r.forward.status = begun(r.start);
  r.forward.cost = {};
  r.run.checkpoints.assign(1, {r.stepper->state(), r.stepper->history()});
  visit(0, r.stepper->state());
  if (r.s.steps > 0) {
    // The first steps are made twice: the first time only measures the memory of a checkpoint and of a tape once the
    // integrator's history is complete.
    sim::StepTape tape;
    for (Index n = 0; n < std::min<Index>(r.s.steps, r.s.integrator.info().startup_steps + 1); ++n) {
      tape = {};
      if (r.stepper->advance(&tape).status != sim::StepStatus::Ok) break;
    }
    const Checkpoint later{r.stepper->state(), r.stepper->history()};
    const auto length = [&] { return segment_length(r.s.steps, later.bytes(), tape.bytes(), r.budget); };
    r.run.length = length();
    r.derivative.keep_stage_matrices(r.s.model, tape);
    r.run.keeps_stage_matrices = length() == r.s.steps;
    r.stepper->rewind(0, r.run.checkpoints[0].state, r.run.checkpoints[0].history);
    for (Index k = 0; k * r.run.length < r.s.steps && r.forward.status.ok(); ++k) {
      if (k > 0) r.run.checkpoints.push_back({r.stepper->state(), r.stepper->history()});
      r.record(k, &visit, &r.forward.status, &r.forward.cost);
    }
  }
  r.forward.ready = r.forward.status.ok();
  return r.forward.status;
}

Vector AdjointRollout::backward(const Seed& seed) { return backward(std::vector{seed}).col(0); }

Eigen::MatrixXd AdjointRollout::backward(const std::vector<Seed>& seeds) {
  Impl& r = *impl_;
  r.require_ready("AdjointRollout::backward");
  const auto turn = r.take_turn();
  const sim::Variation none = sim::Variation::zero(r.s.model.particles(), r.s.model.values().size());
  std::vector<StateVariation> a(seeds.size(), {none, std::vector<Points>(r.run.checkpoints[0].history.size(), none.x)});
  const auto sow = [&](Index n, const State& state) {
    for (std::size_t c = 0; c < seeds.size(); ++c) seeds[c](n, state, a[c].x, a[c].v);
  };
  DerivativeCost made;
  RolloutCost cost;
  Index unreliable_step = -1;
  for (Index k = static_cast<Index>(r.run.checkpoints.size()) - 1; k >= 0 && r.s.steps > 0; --k) {
    r.take_up(k, cost);
    for (Index m = static_cast<Index>(r.run.tapes.size()) - 1; m >= 0; --m) {
      sim::require_not_stopped();
      const sim::StepTape& tape = r.run.tapes[m];
      sow(k * r.run.length + m + 1, tape.after);
      r.derivative.adjoint(r.s.model, tape, a, made);
      if (!made.reliable && unreliable_step < 0) unreliable_step = k * r.run.length + m + 1;
    }
  }
  const State& first = r.run.checkpoints[0].state;
  sow(0, first);
  std::string failure;
  Eigen::MatrixXd gradients(r.s.size(), std::ssize(seeds));
  for (std::size_t c = 0; c < seeds.size(); ++c) {
    r.derivative.start_adjoint(r.s.model, first, a[c], made);
    restrict_held(r.s.model, a[c].x, a[c].v);
    const std::string why = r.start.add_vjp(a[c].x, a[c].values);
    if (failure.empty()) failure = why;
    gradients.col(static_cast<Index>(c)) << a[c].values, sim::flat(a[c].x), sim::flat(a[c].v);
  }
  note_derivative(made, cost);
  const std::scoped_lock lock(r.results);
  r.backward.failure = failure;
  r.backward.cost = cost;
  r.backward.unreliable_step = unreliable_step;
  return gradients;
}

RolloutStatus AdjointRollout::tangent(const Eigen::MatrixXd& directions, const TangentVisitor& visit) {
  Impl& r = *impl_;
  r.require_ready("AdjointRollout::tangent");
  const auto turn = r.take_turn();
  TangentSweep sweep(r.s, directions);
  RolloutCost cost;
  const State& first = r.run.checkpoints[0].state;
  const RolloutStatus status = begun(r.start, sweep.begin(r.start, first));
  if (!status.ok()) return status;
  visit(0, first, sweep.dx(), sweep.dv());
  for (Index k = 0; k < static_cast<Index>(r.run.checkpoints.size()) && r.s.steps > 0; ++k) {
    r.take_up(k, cost);
    for (std::size_t m = 0; m < r.run.tapes.size(); ++m) {
      sweep.advance(r.run.tapes[m]);
      visit(k * r.run.length + static_cast<Index>(m) + 1, r.run.tapes[m].after, sweep.dx(), sweep.dv());
    }
  }
  note_derivative(sweep.cost(), cost);
  const std::scoped_lock lock(r.results);
  r.tangent_cost = cost;
  return status;
}

RolloutStatus AdjointRollout::check_start(const Eigen::MatrixXd& directions) const {
  return begun(impl_->start, impl_->start.check(directions));
}

Index AdjointRollout::unreliable_step() const { return impl_->backward.unreliable_step; }
const std::string& AdjointRollout::backward_failure() const { return impl_->backward.failure; }
const RolloutCost& AdjointRollout::forward_cost() const { return impl_->forward.cost; }
const RolloutCost& AdjointRollout::backward_cost() const { return impl_->backward.cost; }
const RolloutCost& AdjointRollout::tangent_cost() const { return impl_->tangent_cost; }

}  // namespace pithball::diff
