#pragma once
#include <memory>
#include <optional>

#include "sim/coulomb/direct/pair_sums.hpp"
#include "sim/coulomb/fmm/far_field.hpp"
#include "sim/coulomb/fmm/fmm_structure.hpp"
#include "sim/coulomb/fmm/order_check.hpp"

namespace pithball::sim::fmm {

/// A tree with positions. The first charges that a structure is used with settle its order of expansion: the order for
/// the tolerance, or a higher one if `sample_sums` finds that it takes one.
class FmmPlan final : public CoulombSum::Plan {
 public:
  /// x [m], 3×N; a structure for x or nearby positions, not null.
  FmmPlan(const Points& x, std::shared_ptr<const FmmStructure> structure);

  void evaluate(const CoulombSources& sources, const CoulombResult& result) const override;
  void force_jvp(const Vector& charge, const Points& dx, const Vector& dcharge, Points& df) const override;
  void force_vjp(const Vector& charge, const Points& w, Points& dx, Vector& dcharge) const override;

 private:
  class Far;
  /// Charges as expansions of the settled order.
  struct Charged {
    std::shared_ptr<const FmmPlan> better;  ///< the plan with that order; null: this one
    std::optional<Expansions> expansions;   ///< in the boxes of that plan; empty: no charges, or all pairs are near

    const FmmPlan& plan(const FmmPlan& own) const { return better ? *better : own; }
  };
  Charged expand_settled(const Vector* charge) const;
  Charged settle(const Vector& charge) const;
  std::shared_ptr<const FmmPlan> with_order_for(double tolerance) const;
  SampledSums sample(const Expansions& charges, const Vector& charge) const;
  SquareSums square_sums(const Expansions& charges, const Vector& charge) const;

  Points positions() const;
  direct::Channels by_place(const Vector& numbers) const;
  Expansions expand(const Vector* charge, const Points* dipole) const;
  Far values(const Expansions& expansions, const Wanted& wanted) const;
  void add_far(const Expansions& expansions, const CoulombResult& result) const;

  std::shared_ptr<const FmmStructure> structure_;
  direct::PairSums near_;
  FarField far_;
};

}  // namespace pithball::sim::fmm
