#pragma once
#include <functional>
#include <vector>

#include "diff/rollout/rollout.hpp"

namespace pithball::diff {

/// A run divided into segments; all but the first start from states of their own (multiple shooting: Bock & Plitt
/// 1984). Over a short segment a run depends smoothly on its values even where the whole run would not.
struct Segments {
  std::vector<Index> begin;   ///< steps at which the second, third, … segment begins, ascending, > 0
  std::vector<State> states;  ///< likewise: its initial state
};

/// Steps `begin` that divide a run of `steps` into `count` segments as evenly as possible; at most one per step.
std::vector<Index> even_segments(Index steps, Index count);

/// Runs all segments forward; `visit` gets the first state of each segment, not the end of the previous one. gaps[k]:
/// end of the segment before state k minus that state; zero where the run is continuous.
RolloutStatus run_segments(const Scenario& scenario, const Segments& segments, const StateVisitor& visit,
                           std::vector<State>& gaps, RolloutCost* cost = nullptr);

/// Changes of a state along the directions, 3N×C both.
struct StateTangents {
  Eigen::MatrixXd dx,  ///< of positions; row 3i + a is component a of particle i
      dv;              ///< of velocities, likewise
};

/// Gaps between the segments, and their derivatives.
struct GapTangents {
  std::vector<State> gaps;              ///< by state, as from `run_segments`: positions [m] and velocities [m/s]
  std::vector<StateTangents> tangents;  ///< by state: derivatives of the end of the segment before it
};

/// Called as a TangentVisitor, with the number of the segment first.
using SegmentTangentVisitor = std::function<void(Index segment, Index n, const State& state, const Eigen::MatrixXd& dx,
                                                 const Eigen::MatrixXd& dv)>;

/// The flat coordinates (3i + a) of the free particles, ascending.
std::vector<Index> free_coordinates(const sim::Model& model);

/// The same with derivatives along `directions` (scenario.size()×P, as in `run_tangent`), and of every segment but the
/// first also with respect to its own first state: positions [m], then velocities [m/s] of its F free coordinates,
/// P + 2F columns. Costs a tangent run with this many directions.
RolloutStatus run_segments_tangent(const Scenario& scenario, const Segments& segments,
                                   const Eigen::MatrixXd& directions, const SegmentTangentVisitor& visit,
                                   GapTangents& between, RolloutCost* cost = nullptr);

}  // namespace pithball::diff
