#include "sim/coulomb/direct/direct_coulomb_sum.hpp"

#include "sim/coulomb/direct/direct_plan.hpp"

namespace pithball::sim {

std::unique_ptr<CoulombSum::Plan> DirectCoulombSum::make_plan(const Points& x, std::shared_ptr<const Structure>) const {
  return std::make_unique<direct::DirectPlan>(x, softening_, precision_);
}

}  // namespace pithball::sim
