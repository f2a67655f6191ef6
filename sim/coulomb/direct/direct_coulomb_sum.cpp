#include "sim/coulomb/direct/direct_coulomb_sum.hpp"

#include "sim/coulomb/direct/direct_plan.hpp"
#include "sim/coulomb/direct/partial_pattern.hpp"

namespace pithball::sim {

std::unique_ptr<CoulombSum::Plan> DirectCoulombSum::make_plan(const Points& x, std::shared_ptr<const Structure>) const {
  return std::make_unique<direct::DirectPlan>(x, softening_, precision_);
}

std::unique_ptr<CoulombSum::Plan> DirectCoulombSum::make_partial_plan(const Points& x,
                                                                      const std::vector<Index>& some) const {
  // Their pairs are summed from both sides: 2 N of them for each. The sum over all visits N²/2, two in the time of
  // three of these.
  if (4 * static_cast<Index>(some.size()) > x.cols()) return nullptr;
  return std::make_unique<direct::PairSums>(x, direct::partial_pattern(x.cols(), some), softening_);
}

}  // namespace pithball::sim
