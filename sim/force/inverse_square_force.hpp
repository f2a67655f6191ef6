#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/core/settings.hpp"
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// Inverse-square forces between all pairs of particles with weights w (charges, masses): U = κ Σ_{i<j} k_c w_i w_j /
/// ρ_ij with ρ² = |x_i − x_j|² + ε², force on i κ k_c w_i Σ_j w_j r_ij / ρ³. The sum is computed by a `CoulombSum`,
/// chosen by name; laws differ in their weights and in κ.
class InverseSquareForce : public ForceWith<Approximation, PartialSum> {
 public:
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_jvps(const Model&, const State&, const Directions& d, Panel& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  void validate(const Model&, const State&) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  double shortest_time(const Model&, const State&,
                       const Points& a) const override;  ///< closest approach of particles with weight
  /// Largest number so far of particles outside the frozen cells of the sum; 0 for a force that is not frozen.
  Index crossings() const override;
  /// Sums over the pairs that contain `some`; false where the sum has no plan for them (ddef).
  bool add_partial_force(const Model&, const State&, const std::vector<Index>& some, Points& f) const override;
  /// Sums over the same pairs.
  std::optional<double> partial_energy(const Model&, const State&, const std::vector<Index>& some) const override;

  /// How the sum over all pairs is computed.
  const CoulombSum& sum() const { return *sum_; }
  double softening() const { return softening_; }  ///< ε [m]

 protected:
  /// Source of the weights: a block of the model's values with one entry for each particle, and the name of such
  /// particles.
  struct Weights {
    Index block;           ///< of `Model::values()`, N entries: charges [C] or masses [kg]
    std::string carriers;  ///< "charged particles"
  };
  /// The factor κ = scale · (the value of that block, if any).
  struct Factor {
    double scale = 1;                 ///< constant part; negative: equal weights attract
    std::optional<Index> block = {};  ///< of one entry, which multiplies `scale`; empty: κ = scale
  };

  /// `sum` is not null and was made with the same softening ε ≥ 0 [m]; κ = 1 until `set_factor`.
  InverseSquareForce(std::shared_ptr<const CoulombSum> sum, double softening, Weights weights)
      : sum_(std::move(sum)), softening_(softening), weights_(std::move(weights)) {}

  /// The particles with nonzero weight.
  std::vector<Index> carriers(const Model&) const;
  /// Reads the settings of the sum.
  static CoulombOptions read_options(Settings&);

  /// Sets κ; for a derived class whose factor is a value, in `declare`.
  void set_factor(const Factor& factor) { factor_ = factor; }
  /// From now on uses fixed cells, chosen once for each time.
  void freeze();

 private:
  class Memory;
  std::unique_ptr<CoulombSum::Plan> plan(const State& s) const;
  double factor(const Model&) const;
  /// Force and energy of the pairs of a plan.
  void add_force_of(const CoulombSum::Plan&, const Model&, Points& f) const;
  double energy_of(const CoulombSum::Plan&, const Model&) const;
  void add_jvp_of(const CoulombSum::Plan&, const Model&, const Variation& d, Points& df) const;

  std::shared_ptr<const CoulombSum> sum_;
  double softening_;  // ε [m]
  Weights weights_;
  Factor factor_;
  std::shared_ptr<Memory> memory_;  // for a frozen force only
};

}  // namespace pithball::sim
