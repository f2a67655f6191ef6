#include "sim/force/lennard_jones.hpp"

#include "sim/core/text.hpp"
#include "sim/kernel/lennard_jones.hpp"

namespace pithball::sim {

LennardJones::LennardJones(double energy, double distance, PairRange range)
    : PairForce(std::move(range),
                {{"lennard_jones_energy", "J", ValueSign::Positive, ValueScaling::Force, energy},
                 {"lennard_jones_distance", "m", ValueSign::Positive, ValueScaling::Invariant, distance}}) {}

std::vector<std::shared_ptr<ForceTerm>> LennardJones::make(Settings& settings) {
  const double energy = settings.number("energy", "J", "depth ε of the well in U = 4ε [(σ/r)^12 − (σ/r)^6]");
  const double distance = settings.number("distance", "m", "σ, where U is 0; the well is deepest at 1.122 σ");
  if (!(distance > 0)) settings.refuse("distance", "must be > 0 m", to_text(distance), "give the size of a particle");
  return {std::make_shared<LennardJones>(
      energy, distance,
      read_pair_range(settings, 2.5 * distance,
                      "pairs farther apart do not act on each other; 2.5 `distance` if left out"))};
}

const ForceTraits& LennardJones::traits() const {
  static const ForceTraits traits{.name = "lennard_jones", .energy = EnergyKind::Interaction};
  return traits;
}

void LennardJones::compute_energies(const Vector& theta, std::size_t count, const double* r2, double* out) const {
  for (std::size_t k = 0; k < count; ++k) out[k] = kernel::lennard_jones_energy(r2[k], theta[0], theta[1]);
}

void LennardJones::compute_pushes(const Vector& theta, std::size_t count, const double* r2, double* out) const {
  const double epsilon = theta[0], sigma = theta[1];
  for (std::size_t k = 0; k < count; ++k) out[k] = kernel::lennard_jones_push(r2[k], epsilon, sigma);
}

void LennardJones::linearise(const Vector& theta, std::size_t count, const double* r2, Linearised& out) const {
  const double epsilon = theta[0], sigma = theta[1];
  for (std::size_t k = 0; k < count; ++k) {
    out.push[k] = kernel::lennard_jones_push(r2[k], epsilon, sigma);
    out.push_slope[k] = kernel::lennard_jones_push_slope(r2[k], epsilon, sigma);
    out.by_value[0][k] = kernel::lennard_jones_push(r2[k], 1.0, sigma);
    out.by_value[1][k] = kernel::lennard_jones_push_by_distance(r2[k], epsilon, sigma);
  }
}

}  // namespace pithball::sim
