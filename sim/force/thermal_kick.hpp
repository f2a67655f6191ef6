#pragma once
#include <string_view>

#include "sim/core/counter_noise.hpp"
#include "sim/core/settings.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// A force that acts only by kicks between steps: it has no effect within a step, and no derivatives.
class ThermalKick : public ForceWith<Kick> {
 public:
  void add_force(const Model&, const State&, Points&) const override {}
  void add_jvp(const Model&, const State&, const Variation&, Points&) const override {}
  void add_vjp(const Model&, const State&, const Points&, Variation&) const override {}

 protected:
  /// Three standard normal numbers for particle i at the end of step n.
  static Vec3 normals(const CounterNoise& noise, Index n, Index i) {
    const auto at = [&](std::uint64_t a) { return noise.normal(n, i, a); };
    return {at(0), at(1), at(2)};
  }
  /// The number of free particles.
  static Index free_particles(const Model&);
  /// Reads k_B T [J] >= 0, the common setting of all thermostats.
  static double read_thermal_energy(Settings&);
  /// Reads the seed of random kicks.
  static std::uint64_t read_seed(Settings&);
  /// The random numbers of a thermostat that is about to declare its block `name`. Thermostats of one model have
  /// independent ones even if their seeds are equal; those of the first of a kind do not depend on the others.
  static CounterNoise noise_of(const Values&, std::string_view name, std::uint64_t seed, std::uint64_t purpose);
};

}  // namespace pithball::sim
