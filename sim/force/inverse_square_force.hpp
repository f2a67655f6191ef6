#pragma once
#include <optional>
#include <string>
#include <vector>

#include "sim/core/settings.hpp"
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// Forces between all pairs of particles that carry weights w (charges, masses) by an inverse-square law:
/// U = κ Σ_{i<j} k_c w_i w_j / ρ_ij with ρ² = |x_i − x_j|² + ε², force on i κ k_c w_i Σ_j w_j r_ij / ρ³. The sum itself
/// is a `CoulombSum`, chosen by name; what distinguishes one law from another is whose weights they are and κ.
class InverseSquareForce : public ForceWith<Approximation> {
 public:
  void add_force(const Model&, const State&, Points& f) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  void validate(const Model&, const State&) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  double shortest_time(const Model&, const State&, const Points& a) const override;  ///< closest approach of carriers
  Index crossings() const override;

  const CoulombSum& sum() const { return *sum_; }
  double softening() const { return softening_; }  ///< ε [m]

 protected:
  /// Whose weights: a block of the model's values with one entry for each particle, and the name of what carries one.
  struct Weights {
    Index block;
    std::string carriers;  ///< "charged particles"
  };
  /// The factor κ = scale · (the value of that block, if there is one).
  struct Factor {
    double scale = 1;
    std::optional<Index> block = {};
  };

  InverseSquareForce(std::shared_ptr<const CoulombSum> sum, double softening, Weights weights)
      : sum_(std::move(sum)), softening_(softening), weights_(std::move(weights)) {}

  /// The particles that carry a weight.
  std::vector<Index> carriers(const Model&) const;
  /// Reads how the sum is done.
  static CoulombOptions read_options(Settings&);

  void set_factor(const Factor& factor) { factor_ = factor; }
  /// From now on keeps to the cells that it decides on once for each time.
  void freeze();

 private:
  class Memory;
  std::unique_ptr<CoulombSum::Plan> plan(const State& s) const;
  double factor(const Model&) const;

  std::shared_ptr<const CoulombSum> sum_;
  double softening_;  // ε [m]
  Weights weights_;
  Factor factor_;
  std::shared_ptr<Memory> memory_;  // of a frozen force only
};

}  // namespace pithball::sim
