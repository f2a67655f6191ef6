#pragma once
#include <optional>
#include <string>

#include "sim/model/model.hpp"

namespace pithball::sim {

/// Two particles, or one and a center of force, closer than the steps of a run resolve.
struct CloseApproach {
  std::string force;  ///< that acts between them, as in the experiment file
  Index particle,     ///< its number
      other;          ///< that of the other; −1 for a center, such as a point charge
  Index step;         ///< at whose end
  double t;           ///< then [s]
  double distance;    ///< between them [m]

  /// "particles 0 and 1 are 2e-07 m apart at step 12 (t = 0.12 s), a close approach that the steps do not resolve"
  std::string sentence() const;
};

/// Watches a run for the step in which the kinetic energy of one particle changed most: where its energy comes from the
/// steps, most of it came there. Costs nothing in a model without forces that grow beyond all bounds where two things
/// meet.
class ApproachMeter {
 public:
  /// For particles that are the same all the time. The model must outlive it.
  explicit ApproachMeter(const Model& model);
  /// Takes the states before and after a step; a failed one may be the last.
  void add(Index step, const State& before, const State& after);
  /// What came close in that step of length h [s], if the force between them was the largest on the particle and the
  /// time in which they cross the distance is below ten steps: the least that `imex_adaptive` takes.
  std::optional<CloseApproach> found(double h) const;

 private:
  const Model& model_;
  bool watches_;
  Index step_ = 0, particle_ = -1;  // of the largest change: end of the step, and which particle
  double change_ = 0;               // of its kinetic energy [J]
  State before_, after_;            // at both ends of that step
};

}  // namespace pithball::sim
