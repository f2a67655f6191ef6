#include "diff/rollout/segmented_rollout.hpp"

namespace pithball::diff {
namespace {

/// The scenario of one segment.
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

/// Goes through the segments: run(number, scenario, first step, whether it is the last) → RolloutStatus.
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
                                   const Eigen::MatrixXd& directions, const TangentVisitor& visit, GapTangents& between,
                                   RolloutCost* cost) {
  auto& [gaps, gap_tangents] = between;
  const std::vector<Index> free = free_coordinates(scenario.model);
  const Index half = free.size();
  const Index P = directions.cols(), own = 2 * half, all = P + static_cast<Index>(segments.begin.size()) * own;
  gaps.assign(segments.begin.size(), {});
  gap_tangents.assign(segments.begin.size(), {});
  const auto widen = [&](const Eigen::MatrixXd& narrow, std::size_t k) {
    Eigen::MatrixXd wide = Eigen::MatrixXd::Zero(narrow.rows(), all);
    wide.leftCols(P) = narrow.leftCols(P);
    if (k > 0) wide.middleCols(P + static_cast<Index>(k - 1) * own, own) = narrow.rightCols(own);
    return wide;
  };
  return in_turn(scenario, segments, [&](std::size_t k, const Scenario& part, Index begin, bool is_last) {
    Eigen::MatrixXd along = Eigen::MatrixXd::Zero(part.size(), k == 0 ? P : P + own);
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
          if (n < part.steps || is_last) return visit(begin + n, state, widen(dx, k), widen(dv, k));
          gaps[k] = difference(state, segments.states[k]);
          gap_tangents[k] = {widen(dx, k), widen(dv, k)};
          const Index next = P + static_cast<Index>(k) * own;
          for (Index c = 0; c < half; ++c) {
            gap_tangents[k].dx(free[c], next + c) -= 1;
            gap_tangents[k].dv(free[c], next + half + c) -= 1;
          }
        },
        cost);
  });
}

}  // namespace pithball::diff
