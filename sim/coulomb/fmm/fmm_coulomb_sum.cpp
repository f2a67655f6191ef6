#include "sim/coulomb/fmm/fmm_coulomb_sum.hpp"

#include "sim/core/error.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/coulomb/fmm/fmm_plan.hpp"

namespace pithball::sim {
FmmCoulombSum::FmmCoulombSum(double tolerance, double softening) : tolerance_(tolerance), softening_(softening) {
  if (!(tolerance >= finest && tolerance <= coarsest))
    throw InvalidArgument({"", "forces.coulomb.tolerance", "must be between 1e-10 and 0.1 for fmm",
                           std::to_string(tolerance), "use method: direct for more digits"});
}

std::shared_ptr<const CoulombSum::Structure> FmmCoulombSum::make_structure(const Points& x) const {
  return std::make_shared<fmm::FmmStructure>(
      x, fmm::Accuracy{tolerance_, softening_},
      fmm::FmmStructure::Orders{.operators = fmm::Operators::of(fmm::order_for(tolerance_))});
}

std::unique_ptr<CoulombSum::Plan> FmmCoulombSum::make_plan(const Points& x,
                                                           std::shared_ptr<const Structure> structure) const {
  return std::make_unique<fmm::FmmPlan>(x, std::static_pointer_cast<const fmm::FmmStructure>(structure));
}

std::unique_ptr<CoulombSum::Plan> FmmCoulombSum::make_partial_plan(const Points& x,
                                                                   const std::vector<Index>& some) const {
  // Two pairs of each with each point; at the coarsest tolerances the whole sum costs some hundred for each point.
  constexpr std::size_t few = 32;
  return some.size() > few ? nullptr : DirectCoulombSum(softening_).make_partial_plan(x, some);
}

}  // namespace pithball::sim
