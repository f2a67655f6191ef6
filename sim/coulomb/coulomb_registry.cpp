#include "sim/coulomb/coulomb_registry.hpp"

#include "sim/core/error.hpp"
#include "sim/coulomb/auto_coulomb_sum.hpp"
#include "sim/coulomb/ddef/ddef_coulomb_sum.hpp"

namespace pithball::sim {

const std::vector<CoulombMethod>& coulomb_methods() {
  static const std::vector<CoulombMethod> registry{
      {"auto", "the fastest method that keeps the tolerance at this number of particles",
       [](const CoulombOptions& o) { return std::make_unique<AutoCoulombSum>(o.tolerance, o.softening); }},
      {"direct", "every pair, exactly, O(N²)",
       [](const CoulombOptions& o) { return std::make_unique<DirectCoulombSum>(o.softening, o.precision); }},
      {"fmm", "fast multipole method, to a promised tolerance, O(N)",
       [](const CoulombOptions& o) { return std::make_unique<FmmCoulombSum>(o.tolerance, o.softening); }},
      {"ddef", "the paper's tetrahedral grid, errors of percents: a baseline to compare with",
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
