#pragma once
#include "sim/force/pair_force.hpp"

namespace pithball::sim {

/// Lennard-Jones forces between all pairs closer than a cutoff, truncated and shifted:
/// U(r) = 4ε [(σ/r)¹² − (σ/r)⁶] minus its value at the cutoff (Allen and Tildesley 2017, Eqs. 1.6 and 5.12).
/// Values: `lennard_jones_epsilon` ε [J] and `lennard_jones_sigma` σ [m], one entry each.
class LennardJones final : public PairForce {
 public:
  /// ε > 0 [J], σ > 0 [m].
  LennardJones(double epsilon, double sigma, PairRange range);

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;

 private:
  void compute_energies(const Vector& theta, std::size_t count, const double* r2, double* out) const override;
  void compute_pushes(const Vector& theta, std::size_t count, const double* r2, double* out) const override;
  void linearize(const Vector& theta, std::size_t count, const double* r2, Linearized& out) const override;
};

}  // namespace pithball::sim
