#pragma once
#include <functional>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/core/settings.hpp"
#include "sim/integrator/integrator.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// The parts into which a step from the time `from` [s] is divided by what switches in it; empty if nothing does.
///
/// A part ends where forces or their rates of change jump (ends of tables, key frames), so that a pulse shorter than
/// the step gives its full impulse, and the step keeps its order. A sudden jump gets a part of its own, a few roundings
/// of the time long: no other part then evaluates forces on both sides of it. With `knots`, parts also end at the knots
/// of paths.
std::vector<TimeStep> make_step_parts(const Model& model, double from, const TimeStep& step, bool knots);

/// What varies with time alone between two times [s]: forces, key frames, the flow of tracers, and the paths of held
/// particles.
TimeCourse course_of(const Model& model, double from, double to);

/// The nodes of a scheme in a substep, as parts of it, and their weights in the change of velocity.
struct TimeQuadrature {
  std::vector<double> nodes,  ///< 0 … 1
      weights;                ///< with the sum 1
};

/// Looks for pulses of forces that vary with time by themselves (F(t), E(x, t), a charge on a path), which the stages
/// of a substep may miss: the impulse by the scheme's own nodes is compared with that by the eight of Gauss and
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
  /// The largest |a| of each particle in all evaluations of this step [m/s²]; of tracers [m/s].
  const Vector& largest() const { return largest_; }
  /// The largest ∫|a| dt of each particle in one of them [m/s]; of tracers [m].
  const Vector& impulse() const { return impulse_; }

  /// Remembers the time at which the last evaluation found the largest |a|, because a shorter substep evaluates other
  /// times.
  void remember() { peak_ = strongest_; }
  /// The time from t [s] until that time [s]; infinite if it has passed, or is closer than `near` [s].
  double reach(double t, double near) const {
    return peak_ - t > near ? peak_ - t : std::numeric_limits<double>::infinity();
  }

 private:
  /// The accelerations due to what varies, or velocities of tracers, at the fraction `way` of a substep.
  Points sample(const State& before, const State& after, double way);

  const Model& model_;
  std::vector<std::shared_ptr<ForceTerm>> terms_;
  bool varies_ = false;
  Vector largest_, impulse_;
  double most_ = 0, strongest_ = 0,  // the largest |a| of the last evaluation, and its time
      peak_ = -std::numeric_limits<double>::infinity();
};

/// The shortest time [s] in which one of the forces that `select` accepts changes significantly while particles move
/// with these velocities and the accelerations a [m/s²] (`ForceTerm::shortest_time`); for tracers, that in which the
/// field's velocity changes along their paths, |u|/|∂u/∂x u|. Infinite if nothing changes; NaN if something is not
/// finite.
double shortest_time(const Model&, const State&, const Points& a, const std::function<bool(const ForceTerm&)>& select);

/// The shortest time [s] in which particles that move in this way reach the source of a force
/// (`ForceTerm::time_to_touch`).
double time_to_touch(const Model&, const State&, const Points& a);

/// Reads the maximum number of substeps or iterations per step, 1 to 1,000,000: a run can only be stopped between
/// steps, and the parts of a step are kept in memory for its derivative. Throws InvalidArgument at the key for other
/// numbers.
Index read_substep_count(Settings& settings, std::string_view key, std::string_view meaning, Index fallback);

/// Reads `max_step`, the longest substep of an adaptive integrator [s]; infinite if it is left out.
double read_max_step(Settings& settings);

}  // namespace pithball::sim
