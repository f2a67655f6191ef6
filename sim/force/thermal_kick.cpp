#include "sim/force/thermal_kick.hpp"

#include <algorithm>

#include "sim/core/text.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

Index ThermalKick::free_particles(const Model& model) {
  return model.particles() - static_cast<Index>(model.topology().held.size());
}

double ThermalKick::read_thermal_energy(Settings& settings) {
  const double energy = settings.number("thermal_energy", "J", "k_B T of the thermostat; 4.14e-21 J at 300 K");
  if (!(energy >= 0)) settings.reject("thermal_energy", "must be >= 0 J", to_text(energy), "give k_B T");
  return energy;
}

std::uint64_t ThermalKick::read_seed(Settings& settings) {
  const Index seed = settings.integer("seed", "seed of the random numbers", 1);
  if (seed < 0) settings.reject("seed", "must be >= 0", std::to_string(seed), "give any other whole number");
  return seed;
}

CounterNoise ThermalKick::noise_of(const Values& values, std::string_view name, std::uint64_t seed,
                                   std::uint64_t purpose) {
  constexpr std::uint64_t purposes = 1000;  // more than there are: "purpose" of no other stream
  const auto earlier = std::ranges::count(values.blocks(), name, &ValueBlock::name);
  return {seed, purpose + purposes * static_cast<std::uint64_t>(earlier)};
}

}  // namespace pithball::sim
