#pragma once
#include <limits>
#include <memory>
#include <vector>

#include "sim/integrator/integrator.hpp"

namespace pithball::sim {

/// The nodes of a scheme in a substep, as parts of it, and their weights in the change of velocity.
struct TimeQuadrature {
  std::vector<double> nodes,  ///< 0 … 1
      weights;                ///< with the sum 1
};

/// Looks for pulses of forces that vary with time by themselves (F(t), E(x, t), a charge on a path), which the stages
/// of a substep may lie beside: the impulse by the scheme's own nodes is compared with that by the eight of Gauss and
/// Legendre, both along the cubic through the ends of the substep. For smooth forces the difference is of higher order
/// than the scheme's error. What is narrower than the gaps between the nodes may remain unseen.
class TimeProbe {
 public:
  /// For one step from the time `from` [s]; the model must outlive the probe.
  TimeProbe(const Model& model, double from, const TimeStep& step);

  /// Whether anything varies.
  bool looks() const { return varies_; }
  /// Whether it looks at the flow of tracers.
  bool of_tracers() const { return model_.is_tracers(); }
  /// The difference |∫ a dt by Gauss − ∫ a dt by the scheme's nodes| of each particle [m/s]; of tracers, with a the
  /// velocity of the flow [m].
  Vector missed(const State& before, const State& after, const TimeQuadrature& scheme);
  /// The largest |a| of each particle in all looks at this step [m/s²]; of tracers [m/s].
  const Vector& largest() const { return largest_; }
  /// The largest ∫|a| dt of each particle in one of them [m/s]; of tracers [m].
  const Vector& impulse() const { return impulse_; }

  /// Keeps in mind where the last look saw the most, as a shorter substep looks elsewhere.
  void remember() { peak_ = strongest_; }
  /// The time from t [s] to there [s]; infinite if it has passed, or is closer than `near` [s].
  double reach(double t, double near) const {
    return peak_ - t > near ? peak_ - t : std::numeric_limits<double>::infinity();
  }

 private:
  /// The accelerations by what varies, or velocities of tracers, at the part `way` of a substep.
  Points sample(const State& before, const State& after, double way);

  const Model& model_;
  std::vector<std::shared_ptr<ForceTerm>> terms_;
  bool varies_ = false;
  Vector largest_, impulse_;
  double most_ = 0, strongest_ = 0,  // the largest |a| of the last look, and its time
      peak_ = -std::numeric_limits<double>::infinity();
};

}  // namespace pithball::sim
