#pragma once
#include "sim/coulomb/coulomb_sum.hpp"

namespace pithball::sim {

/// The fast multipole method (Greengard and Rokhlin, J. Comput. Phys. 73 (1987) 325) on an adaptive octree with solid
/// harmonics: O(N) for a promised relative L2 error of the field. Potential and field gradients keep the same
/// tolerance.
///
/// With the tree fixed, the approximate potential is φ = A(x) q with a symmetric matrix A, the field is exactly −∇φ,
/// and the Jacobian products are those of this approximation. Results do not depend on the number of threads.
///
/// Softening ε acts in the near field only; the boxes are kept so large that its neglect elsewhere, 3/2 (ε/r)², stays
/// within the tolerance.
class FmmCoulombSum final : public CoulombSum {
 public:
  static constexpr double finest = 1e-10,  ///< smallest relative L2 error of the field that can be requested
      coarsest = 1e-1;                     ///< largest one

  /// Throws InvalidArgument for a tolerance out of range.
  explicit FmmCoulombSum(double tolerance = 1e-6, double softening = 0);
  std::string name() const override { return "fmm"; }
  std::shared_ptr<const Structure> make_structure(const Points& x) const override;
  using CoulombSum::make_plan;  ///< also `make_plan(x)`, which makes the structure
  std::unique_ptr<Plan> make_plan(const Points& x, std::shared_ptr<const Structure> structure) const override;
  std::unique_ptr<Plan> make_partial_plan(const Points& x, const std::vector<Index>& some) const override;

 private:
  double tolerance_, softening_;
};

}  // namespace pithball::sim
