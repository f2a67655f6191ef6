#include "sim/coulomb/auto_coulomb_sum.hpp"

#include <cmath>

#include "sim/coulomb/fmm/operators.hpp"

namespace pithball::sim {

AutoCoulombSum::AutoCoulombSum(double tolerance, double softening)
    : crossover_(crossover(tolerance)), direct_(softening), fmm_(tolerance, softening) {}

Index AutoCoulombSum::crossover(double tolerance) {
  return fmm::Operators::costs_of(fmm::order_for(tolerance)).crossover();
}

std::shared_ptr<const CoulombSum::Structure> AutoCoulombSum::make_structure(const Points& x) const {
  return x.cols() < crossover_ ? nullptr : fmm_.make_structure(x);
}

std::unique_ptr<CoulombSum::Plan> AutoCoulombSum::make_plan(const Points& x,
                                                            std::shared_ptr<const Structure> structure) const {
  return structure ? fmm_.make_plan(x, std::move(structure)) : direct_.make_plan(x, nullptr);
}

std::unique_ptr<CoulombSum::Plan> AutoCoulombSum::make_partial_plan(const Points& x,
                                                                    const std::vector<Index>& some) const {
  return x.cols() < crossover_ ? direct_.make_partial_plan(x, some) : fmm_.make_partial_plan(x, some);
}

}  // namespace pithball::sim
