#include "sim/coulomb/coulomb_registry.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/coulomb/ddef/ddef_coulomb_sum.hpp"
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

namespace {

std::vector<CoulombMethod> built_in_coulomb_methods() {
  return {
      {"auto", "the fastest method within the tolerance for this number of particles",
       [](const CoulombOptions& o) { return std::make_unique<AutoCoulombSum>(o.tolerance, o.softening); }},
      {"direct", "every pair, exactly, O(N²)",
       [](const CoulombOptions& o) { return std::make_unique<DirectCoulombSum>(o.softening, o.precision); }},
      {"fmm", "fast multipole method, with a requested tolerance, O(N)",
       [](const CoulombOptions& o) { return std::make_unique<FmmCoulombSum>(o.tolerance, o.softening); }},
      {"ddef", "the paper's tetrahedral grid, with errors of a few percent: a baseline for comparison",
       [](const CoulombOptions& o) { return std::make_unique<DdefCoulombSum>(o.ddef, o.softening); }},
  };
}

}  // namespace

const Registry<CoulombMethod>& coulomb_methods() {
  static const Registry<CoulombMethod> registry("forces.coulomb.method", built_in_coulomb_methods());
  return registry;
}

std::unique_ptr<const CoulombSum> make_coulomb_sum(const CoulombOptions& options) {
  return coulomb_methods().at(options.method).make(options);
}

}  // namespace pithball::sim
