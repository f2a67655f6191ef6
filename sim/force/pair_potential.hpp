#pragma once
#include "sim/field/analytic_field.hpp"
#include "sim/force/pair_force.hpp"

namespace pithball::sim {

/// Forces between all pairs closer than a cutoff with a user-defined law: s [U(r) − U(cutoff)] with U(r) [J] given by
/// an expression in r [m]. Value: `pair_potential_strength` s, one entry, initially 1. Evaluating an expression takes
/// about a tenth of a microsecond.
class PairPotential final : public PairForce {
 public:
  /// U(r) [J], not null and finite at the cutoff; s of any sign.
  PairPotential(std::shared_ptr<const RadialExpression> law, double strength, PairRange range);

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;

 private:
  void compute_energies(const Vector& theta, std::size_t count, const double* r2, double* out) const override;
  void compute_pushes(const Vector& theta, std::size_t count, const double* r2, double* out) const override;
  void linearize(const Vector& theta, std::size_t count, const double* r2, Linearized& out) const override;

  std::shared_ptr<const RadialExpression> law_;
};

}  // namespace pithball::sim
