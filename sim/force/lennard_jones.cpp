#include "sim/force/lennard_jones.hpp"

#include "sim/core/text.hpp"
#include "sim/kernel/lennard_jones.hpp"

namespace pithball::sim {

LennardJones::LennardJones(double epsilon, double sigma, PairRange range)
    : PairForce(std::move(range), {{"lennard_jones_epsilon", "J", ValueSign::Positive, ValueScaling::Force, epsilon},
                                   {"lennard_jones_sigma", "m", ValueSign::Positive, ValueScaling::Invariant, sigma}}) {
}

std::vector<std::shared_ptr<ForceTerm>> LennardJones::make(Settings& settings) {
  const double epsilon =
      settings.number("epsilon", "J", "depth ε of the potential well in U = 4ε [(σ/r)^12 − (σ/r)^6]");
  const double sigma = settings.number("sigma", "m", "distance σ at which U is 0; the minimum is at 1.122 σ");
  if (!(sigma > 0)) settings.reject("sigma", "must be > 0 m", to_text(sigma), "give the size of a particle");
  const std::string cutoff_meaning = "cutoff distance: pairs farther apart do not interact";
  if (settings.describing()) settings.document("cutoff", "number [m]", "2.5 sigma", cutoff_meaning);
  return {std::make_shared<LennardJones>(epsilon, sigma, read_pair_range(settings, 2.5 * sigma, cutoff_meaning))};
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

void LennardJones::linearize(const Vector& theta, std::size_t count, const double* r2, Linearized& out) const {
  const double epsilon = theta[0], sigma = theta[1];
  for (std::size_t k = 0; k < count; ++k) {
    out.push[k] = kernel::lennard_jones_push(r2[k], epsilon, sigma);
    out.push_slope[k] = kernel::lennard_jones_push_slope(r2[k], epsilon, sigma);
    out.by_value[0][k] = kernel::lennard_jones_push(r2[k], 1.0, sigma);
    out.by_value[1][k] = kernel::lennard_jones_push_by_distance(r2[k], epsilon, sigma);
  }
}

}  // namespace pithball::sim
