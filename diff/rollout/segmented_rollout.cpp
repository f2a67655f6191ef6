#include "diff/rollout/segmented_rollout.hpp"

namespace pithball::diff {
namespace {

/// Returns the scenario of segment k.
Scenario segment_of(const Scenario& whole, const Segments& segments, std::size_t k) {
  Scenario part = whole;
  const Index begin = k == 0 ? 0 : segments.begin[k - 1];
  const Index end = k < segments.begin.size() ? segments.begin[k] : whole.steps;
  part.steps = end - begin;
  if (k > 0) {
    part.initial = segments.states[k - 1];
    part.initial.t = whole.initial.t + begin * whole.time_step;
    part.rest_near.reset();
  }
  return part;
}

/// Runs the segments in turn: run(index, scenario, first step, whether it is the last) → RolloutStatus.
template <class Run>
RolloutStatus in_turn(const Scenario& whole, const Segments& segments, Run run) {
  RolloutStatus status;
  for (std::size_t k = 0; k <= segments.begin.size(); ++k) {
    const Index begin = k == 0 ? 0 : segments.begin[k - 1];
    const RolloutStatus part = run(k, segment_of(whole, segments, k), begin, k == segments.begin.size());
    status.status = part.status;
    status.step = begin + part.step;
    status.cause = part.cause;
    if (part.rest) status.rest = part.rest;
    if (part.unreliable_step >= 0 && status.unreliable_step < 0) status.unreliable_step = begin + part.unreliable_step;
    if (!status.ok()) break;
  }
  return status;
}

State difference(const State& a, const State& b) { return {a.t, a.x - b.x, a.v - b.v}; }

}  // namespace

std::vector<Index> even_segments(Index steps, Index count) {
  std::vector<Index> begin;
  for (Index k = 1; k < count; ++k) {
    const Index step = k * steps / count;
    if (step > (begin.empty() ? 0 : begin.back())) begin.push_back(step);
  }
  return begin;
}

RolloutStatus run_segments(const Scenario& scenario, const Segments& segments, const StateVisitor& visit,
                           std::vector<State>& gaps, RolloutCost* cost) {
  gaps.assign(segments.begin.size(), {});
  return in_turn(scenario, segments, [&](std::size_t k, const Scenario& part, Index begin, bool is_last) {
    return run_forward(
        part,
        [&](Index n, const State& state) {
          if (n == part.steps && !is_last)
            gaps[k] = difference(state, segments.states[k]);
          else
            visit(begin + n, state);
        },
        cost);
  });
}

std::vector<Index> free_coordinates(const sim::Model& model) {
  std::vector<Index> free;
  for (Index i = 0; i < model.particles(); ++i)
    for (Index a = 3 * i; a < 3 * i + 3 && !model.is_held(i); ++a) free.push_back(a);
  return free;
}

RolloutStatus run_segments_tangent(const Scenario& scenario, const Segments& segments,
                                   const Eigen::MatrixXd& directions, const SegmentTangentVisitor& visit,
                                   GapTangents& between, RolloutCost* cost) {
  const std::vector<Index> free = free_coordinates(scenario.model);
  const Index half = free.size(), P = directions.cols();
  between.gaps.assign(segments.begin.size(), {});
  between.tangents.assign(segments.begin.size(), {});
  return in_turn(scenario, segments, [&](std::size_t k, const Scenario& part, Index begin, bool is_last) {
    Eigen::MatrixXd along = Eigen::MatrixXd::Zero(part.size(), k == 0 ? P : P + 2 * half);
    along.leftCols(P) = directions;
    if (k > 0) {
      along.bottomRows(part.size() - part.position_offset()).setZero();
      for (Index c = 0; c < half; ++c) {
        along(part.position_offset() + free[c], P + c) = 1;
        along(part.velocity_offset() + free[c], P + half + c) = 1;
      }
    }
    return run_tangent(
        part, along,
        [&](Index n, const State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
          if (n < part.steps || is_last) return visit(static_cast<Index>(k), begin + n, state, dx, dv);
          between.gaps[k] = difference(state, segments.states[k]);
          between.tangents[k] = {dx, dv};
        },
        cost);
  });
}

}  // namespace pithball::diff
