#pragma once
#include <array>

#include "sim/core/settings.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// Screened Coulomb forces (Yukawa, Debye–Hückel) between all pairs of charges in a medium:
///   U = Σ_{i<j} k_c q_i q_j e^{−κr}/(ε_r r),   F on i = Σ_j k_c q_i q_j (1 + κr) e^{−κr} r/(ε_r r³),
/// κ = 1/λ with the screening length λ. Values: `screening` κ² = 1/λ² [1/m²], in which F is smooth down to κ² = 0,
/// where nothing is screened; `relative_permittivity` ε_r; and the model's charges [C]. A direct sum, for κ = 0 that of
/// `coulomb`.
class ScreenedCoulomb final : public ForceWith<ActsOnTestCharge> {
 public:
  /// ε_r > 0, κ² ≥ 0 [1/m²].
  ScreenedCoulomb(double permittivity, double screening) : permittivity_(permittivity), screening_(screening) {}

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_jvps(const Model&, const State&, const Directions& d, Panel& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;
  double shortest_time(const Model&, const State&, const Points& a) const override;  ///< closest approach of charges
  double time_to_touch(const Model& model, const State& s, const Points& a) const override {
    return shortest_time(model, s, a);
  }
  /// The particles' charges.
  FieldOrigin field_origin() const override { return FieldOrigin::Charges; }
  /// φ = Σ_j k_c q_j e^{−κr}/(ε_r r) and its negative gradient; NaN at a charge.
  void add_field(const Model&, const SourceCharges&, const Points& at, ChargeField& field) const override;

 private:
  /// df += the changes of F for changes dx (P×3N), dq (P×N), and of ε_r and κ² (P each).
  void add_changes(const Model&, const State&, const Panel& dx, const Eigen::Ref<const Panel>& dq,
                   const std::array<Vector, 2>& by, Panel& df) const;

  double permittivity_, screening_;  // initial values; `Model::values()` has the current ones
  Index permittivity_block_ = 0, screening_block_ = 0;
};

}  // namespace pithball::sim
