#pragma once
#include "sim/core/settings.hpp"
#include "sim/coulomb/coulomb_sum.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// Coulomb forces between all pairs of charged particles: U = Σ_{i<j} k_c q_i q_j / ρ_ij with ρ² = |x_i − x_j|² + ε²,
/// force on i k_c q_i Σ_j q_j r_ij / ρ³. Values: the model's charges [C]. The sum itself is a `CoulombSum`, chosen by
/// name.
class CoulombForce final : public ForceTerm {
 public:
  explicit CoulombForce(std::shared_ptr<const CoulombSum> sum, double softening = 0)
      : sum_(std::move(sum)), softening_(softening) {}

  /// Reads the settings below the key of this name in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  void validate(const Model&, const State&) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  std::shared_ptr<ForceTerm> frozen() const override;
  Index crossings() const override;

  const CoulombSum& sum() const { return *sum_; }
  double softening() const { return softening_; }  ///< ε [m]

 private:
  class Memory;
  std::unique_ptr<CoulombSum::Plan> plan(const State& s) const;

  std::shared_ptr<const CoulombSum> sum_;
  double softening_;                // ε [m]
  std::shared_ptr<Memory> memory_;  // of a frozen force only
};

}  // namespace pithball::sim
