#include "app/experiment/recording/brownian_spec.hpp"

#include "sim/force/free_drift.hpp"

namespace pithball::app {
namespace {

constexpr double boltzmann_constant = 1.380649e-23;  // [J/K], exact by definition of the kelvin

}  // namespace

void read_brownian(Node& node, Recording& recording) {
  Node brownian = node.child("brownian",
                             "Brownian motion of free particles in their medium, in closed form: it adds 2D min(t, t′) "
                             "to the covariance of a coordinate (docs/medium.md)");
  if (!node.applies(brownian.tree())) return;
  const double temperature = brownian.number(
      "temperature", "K", "temperature T of the medium, in D = k_B T (1 + A/r)/(6π η r)", {}, sim::ValueSign::Positive);
  const std::string hindrance = sim::find_hindrance(recording.own.scenario.model);
  node.require(hindrance.empty(), "brownian", "must be of particles that drift freely", hindrance,
               "leave it out; in other motions random impulses have no effect in closed form");
  if (!recording.kind->geometry.is_place)
    node.reject("brownian", "must be of positions of points", "`measurement: " + recording.kind->name + "`",
                "leave it out");
  if (recording.free.clock.offset || recording.free.clock.scale)
    node.reject("brownian", "must not be given together with a fitted clock", "both", "fix the clock");
  if (recording.observation.noise.sigma.array().isNaN().any())
    node.reject("brownian", "must be given together with sigma", "none",
                "write `residual: {sigma: …}`, the standard deviation of a coordinate without the motion");
  recording.observation.noise.thermal_energy = boltzmann_constant * temperature;
}

}  // namespace pithball::app
