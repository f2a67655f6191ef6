#pragma once
#include <vector>

#include "diff/rollout/rollout.hpp"

namespace pithball::diff {

/// A run cut into segments, each of which but the first starts from a state of its own (multiple shooting: Bock & Plitt
/// 1984): over a short segment a run follows its values gently even where the whole run would not.
struct Segments {
  std::vector<Index> begin;   ///< steps at which the second, third, … segment begins, ascending, > 0
  std::vector<State> states;  ///< likewise: where it begins
};

/// Steps `begin` that cut a run of `steps` into `count` segments as even as can be; at most one for each step.
std::vector<Index> even_segments(Index steps, Index count);

/// Runs all segments forward; `visit` sees the first state of each segment, not where the one before it ends. gaps[k]:
/// the end of the run into the state k minus that state; zero where the run is continuous.
RolloutStatus run_segments(const Scenario& scenario, const Segments& segments, const StateVisitor& visit,
                           std::vector<State>& gaps, RolloutCost* cost = nullptr);

/// A change of a state for each direction, 3N×C both.
struct StateTangents {
  Eigen::MatrixXd dx, dv;
};

/// What is left between the segments, and its derivatives.
struct GapTangents {
  std::vector<State> gaps;
  std::vector<StateTangents> tangents;
};

/// The flat coordinates (3i + a) of the particles that are not held, ascending.
std::vector<Index> free_coordinates(const sim::Model& model);

/// The same with derivatives along `directions` (scenario.size()×P, as in `run_tangent`) and in every segment's first
/// state, positions [m] and then velocities [m/s] of its F free coordinates: C = P + states·2F columns, in this order,
/// of which a segment depends on the first P and on its own. Costs a tangent run of P + 2F directions.
RolloutStatus run_segments_tangent(const Scenario& scenario, const Segments& segments,
                                   const Eigen::MatrixXd& directions, const TangentVisitor& visit, GapTangents& between,
                                   RolloutCost* cost = nullptr);

}  // namespace pithball::diff
