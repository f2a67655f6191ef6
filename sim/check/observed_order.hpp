#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/check/known_motion.hpp"
#include "sim/integrator/integrator_choice.hpp"

namespace pithball::sim {

/// The integrator of that name without control of its step: one substep each, so that the step alone decides about the
/// error.
IntegratorChoice uncontrolled(const std::string& name);

/// Errors of a run, norms over all particles and instants: of positions [m] and of velocities [m/s].
struct RunErrors {
  double x = 0, v = 0;
};

/// A motion whose states are known at equidistant times, the last of which is its end (one instant alone could be an
/// accidental zero).
struct WantedMotion {
  const Model& model;
  const State& initial;
  double duration;  ///< [s]
  const std::vector<State>& states;
  const std::set<std::size_t>& restarts = {};  ///< instants after which a run begins again, as after an event
};

/// The errors of a run of `steps` steps, a multiple of the number of states. Empty if a step fails.
std::optional<RunErrors> measure_errors(const WantedMotion& wanted, const IntegratorChoice& integrator, Index steps);

/// Steps of the coarser of two runs that show an order over about one period: errors of high order need longer steps to
/// stand far above rounding.
Index steps_for_order(int order);

/// Likewise where a motion has a curved path: first order and the long memory of Adams methods follow their leading
/// term at shorter steps only.
Index steps_to_measure(const IntegratorInfo& info);

/// By how much an observed order may differ from the stated one at those steps: the next term of the error's expansion.
double order_margin(int order);

/// What runs of an integrator say of it, as `IntegratorInfo` states it.
struct MeasuredIntegrator {
  double position_order = 0, velocity_order = 0;
  int force_evaluations = 0;
};

/// Measures an integrator with its default settings, but without step control, start-up included: the lower of the
/// orders of its errors where the step is halved, in the motions of `known_motion.hpp` that have a mass, and the
/// smallest number of sums of an explicit force that a step after the start-up asked for, counted in the force itself.
MeasuredIntegrator measure_integrator(const std::string& name);

}  // namespace pithball::sim
