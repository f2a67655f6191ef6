#include "sim/coulomb/coulomb_registry.hpp"

#include "sim/core/error.hpp"
#include "sim/coulomb/auto_coulomb_sum.hpp"
#include "sim/coulomb/ddef/ddef_coulomb_sum.hpp"

namespace pithball::sim {

const std::vector<CoulombMethod>& coulomb_methods() {
  static const std::vector<CoulombMethod> registry{
      {"auto", "the fastest method within the tolerance for this number of particles",
       [](const CoulombOptions& o) { return std::make_unique<AutoCoulombSum>(o.tolerance, o.softening); }},
      {"direct", "every pair, exactly, O(N²)",
       [](const CoulombOptions& o) { return std::make_unique<DirectCoulombSum>(o.softening, o.precision); }},
      {"fmm", "fast multipole method, with a requested tolerance, O(N)",
       [](const CoulombOptions& o) { return std::make_unique<FmmCoulombSum>(o.tolerance, o.softening); }},
      {"ddef", "the paper's tetrahedral grid, with errors of a few percent: a baseline for comparison",
       [](const CoulombOptions& o) { return std::make_unique<DdefCoulombSum>(o.ddef, o.softening); }},
  };
  return registry;
}

std::unique_ptr<const CoulombSum> make_coulomb_sum(const CoulombOptions& options) {
  std::string names;
  for (const CoulombMethod& method : coulomb_methods()) {
    if (method.name == options.method) return method.make(options);
    names += (names.empty() ? "" : ", ") + method.name;
  }
  throw InvalidArgument({"", "forces.coulomb.method", "must be one of " + names, options.method, "choose one of them"});
}

}  // namespace pithball::sim
