#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "sim/model/model.hpp"

namespace pithball::sim {

/// Whether a force of the model begins where particles touch obstacles, so that steps can end there.
bool meets_obstacles(const Model&);

/// Calls visit(force, gap) for the gaps of all forces, in the same order at all states of a model.
void for_each_gap(const Model&, const State&, const std::function<void(const MeetsObstacle&, const WallGap&)>& visit);

/// Whether a particle touches an obstacle at one of two states only.
bool touches_differ(const Model&, const State&, const State& other);

/// A part of a step as a function of its length: `at(τ)` is the state after the part that is τ [s] long.
struct Course {
  const State& begin;               ///< at(0)
  const State& end;                 ///< at(h)
  double h;                         ///< longest part [s]
  std::function<State(double)> at;  ///< for 0 < τ < h
};

/// Finds where touches with obstacles begin and end within one step, in parts that each begin where the last one ended.
class TouchChanges {
 public:
  /// A step in which one touch changes more often than this does not resolve its contact: a contact that is resolved
  /// lasts for several steps.
  static constexpr int most_of_a_gap = 8;

  /// The part of the course to where a touch first changes [s], to rounding; empty if none does. It is looked for at
  /// each eighth of the course, so that a touch that begins and ends between two of them is missed. Several touches
  /// that change at the same time are one change.
  std::optional<double> find_next(const Model&, const Course&);

  /// Whether a gap has changed too often.
  bool too_many() const;

 private:
  std::vector<int> of_gap_;  // changes so far
};

}  // namespace pithball::sim
