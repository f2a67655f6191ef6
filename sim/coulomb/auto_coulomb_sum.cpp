#include "sim/coulomb/auto_coulomb_sum.hpp"

#include <cmath>

#include "sim/coulomb/fmm/operators.hpp"

namespace pithball::sim {

AutoCoulombSum::AutoCoulombSum(double tolerance, double softening)
    : crossover_(crossover(tolerance)), direct_(softening), fmm_(tolerance, softening) {}

Index AutoCoulombSum::crossover(double tolerance) {
  // Costs of one point in units of one pair, fitted to measured crossovers of a torus mesh: about 2,600, 4,500 and
  // 8,000 points at 1e-3, 1e-6 and 1e-9 (random points in a cube cross within a third of these).
  const fmm::Costs costs = fmm::Operators::costs_of(fmm::order_for(tolerance));
  return static_cast<Index>(600 + 2.2 * costs.per_point_on_surface());
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
