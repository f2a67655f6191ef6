#pragma once
#include <functional>
#include <string>

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

}  // namespace pithball::sim
