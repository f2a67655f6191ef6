#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/integrator/integrator_choice.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// A motion whose solution is known in closed form.
struct KnownMotion {
  std::string name;                    ///< for messages: "elliptic orbit"
  Model model;                         ///< the body and its forces
  State initial;                       ///< at t = 0
  double duration = 0;                 ///< [s]
  std::function<State(double)> exact;  ///< the state at time t [s]
};

/// Two masses on a line with a spring, of rest length l0 > 0, and a damper. Their distance b swings about l0,
/// μ b'' = −k (b − l0) − c b', while their center moves uniformly. `damping` c [N s/m], 0 for the harmonic oscillator.
KnownMotion oscillator(double damping);

/// Two opposite charges on an ellipse around their center of mass, which moves uniformly: Kepler's problem with
/// k_c q² in place of G m M, an eccentricity of 0.3, and 1.6 s of its period of about 2 s.
KnownMotion elliptic_orbit();

/// Tracers on circles and helices in a vortex whose angular velocity falls with the radius and pulsates in time:
///   u = ω (−y, x, 0) + (0, 0, w),  ω = Ω (1 + cos t)/(1 + x² + y²);   φ(t) = φ_0 + Ω (t + sin t)/(1 + r²).
KnownMotion vortex_tracers();

/// The integrator with this name, without step control: one substep per step, so that the time step alone determines
/// the error.
IntegratorChoice uncontrolled(const std::string& name);

/// Errors of a run, norms over all particles and instants: of positions [m] and of velocities [m/s].
struct RunErrors {
  double x = 0,  ///< of positions [m]
      v = 0;     ///< of velocities [m/s]
};

/// A motion with known states at equidistant times, the last of which is its end (at a single instant an error could be
/// zero by accident).
struct WantedMotion {
  const Model& model;                          ///< must outlive this object
  const State& initial;                        ///< at t = 0
  double duration;                             ///< [s]
  const std::vector<State>& states;            ///< at duration · k/K, k = 1 … K
  const std::set<std::size_t>& restarts = {};  ///< instants after which the run restarts, as after an event
};

/// The errors of a run of `steps` steps, a multiple of the number of states. Empty if a step fails.
std::optional<RunErrors> measure_errors(const WantedMotion& wanted, const IntegratorChoice& integrator, Index steps);

/// Number of steps of the coarser of two runs over about one period that shows an order: high orders need longer steps,
/// so that errors are well above rounding.
Index steps_for_order(int order);

/// The same for a motion along a curved path: first-order and high-order Adams methods reach their asymptotic error
/// only at shorter steps.
Index steps_to_measure(const IntegratorInfo& info);

/// Tolerance of an observed order at those steps: the next term of the error expansion.
double order_margin(int order);

/// Measured properties of an integrator, to compare with its `IntegratorInfo`.
struct MeasuredIntegrator {
  double position_order = 0,  ///< of positions; NaN if a run fails
      velocity_order = 0;     ///< likewise of velocities
  int force_evaluations = 0;  ///< in a step after the start-up, at least
};

/// Measures an integrator with its default settings, but without step control, including the start-up: the lower of the
/// orders of its errors when the step is halved, in the known motions that have a mass, and the
/// smallest number of evaluations of an explicit force in a step after the start-up, counted in the force itself.
MeasuredIntegrator measure_integrator(const std::string& name);

}  // namespace pithball::sim
