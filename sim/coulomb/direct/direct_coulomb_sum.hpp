#pragma once
#include "sim/coulomb/coulomb_sum.hpp"

namespace pithball::sim {

/// Floating-point precision of a sum over pairs.
enum class Precision {
  Double,
  Single,  ///< pairs in float32, totals in double: field and potential to 1e-6, at about 1.5 times the speed
};

/// All pairs, O(N²): vectorized for the machine at run time, in parallel; the result is bit-identical for any number of
/// threads. Double precision is exact up to rounding. Single precision applies only to fields and potentials of points
/// that all have a charge; everything else, including the Jacobian products, is computed in double precision.
class DirectCoulombSum final : public CoulombSum {
 public:
  /// ε ≥ 0 [m].
  explicit DirectCoulombSum(double softening = 0, Precision precision = Precision::Double)
      : softening_(softening), precision_(precision) {}
  std::string name() const override { return "direct"; }
  using CoulombSum::make_plan;  ///< also `make_plan(x)`, which makes the structure
  std::unique_ptr<Plan> make_plan(const Points& x, std::shared_ptr<const Structure>) const override;
  std::unique_ptr<Plan> make_partial_plan(const Points& x, const std::vector<Index>& some) const override;

 private:
  double softening_;  ///< ε [m]
  Precision precision_;
};

}  // namespace pithball::sim
