#pragma once
#include "diff/step/runge_kutta_derivative.hpp"
#include "sim/integrator/touch_changes.hpp"

namespace pithball::diff {

/// A substep that was made with the touches of its beginning, for variations of it that begin at another time.
/// Let s [s] be the change of the time of its beginning and τ [s] that of its length. It ends where touches change, or
/// as planned: then τ = −s.
class TouchSplit {
 public:
  /// `step`: length of the whole step [s]. All arguments must outlive this object.
  TouchSplit(const sim::Model& model, const sim::StepTape& substep, const RungeKuttaDerivative& derivative,
             double step);

  /// Whether it ends as planned.
  bool ends_as_planned() const { return changes_.empty(); }
  /// False where a touch grazes, or a particle meets two walls at once, and forces jump there.
  bool reliable() const { return reliable_; }

  /// Adds what s and τ change to a change of its end at a fixed time, and makes s that of the end.
  void add_tangent(sim::Variation& d, double& s) const;
  /// The transpose: from a = ∂L/∂(end) and ∂L/∂s of the end to those of an end at a fixed time and of the beginning.
  void add_adjoint(sim::Variation& a, double& gs) const;

 private:
  /// A touch that changes at the end.
  struct Change {
    const sim::MeetsObstacle* force;
    sim::WallGap gap;
    double by_length,  // ∂depth/∂τ, and by the clock alone [m/s]
        by_clock;
    sim::Vec3 jump;  // of the acceleration [m/s²]
    bool grazes;     // so slowly that the time of the touch says nothing
  };
  void find_changes(double step);
  void find_jumps();

  const sim::Model& model_;
  const sim::StepTape& substep_;
  sim::Model held_;
  sim::Variation by_start_, by_length_;  // ∂(x, v)/∂s and ∂(x, v)/∂τ of the end
  std::vector<Change> changes_;          // τ is that of the first one
  bool reliable_ = true;
};

}  // namespace pithball::diff
