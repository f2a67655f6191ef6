#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/coulomb/coulomb_sum.hpp"
#include "sim/coulomb/ddef/ddef_options.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"

namespace pithball::sim {

/// What an experiment can say about its Coulomb sum; each method takes what concerns it.
struct CoulombOptions {
  std::string method = "auto";              ///< a name of `coulomb_methods()`
  double softening = 0;                     ///< Plummer softening ε [m], all methods
  double tolerance = 1e-6;                  ///< promised relative L2 error of the field, methods that have one
  Precision precision = Precision::Double;  ///< method `direct`
  DdefOptions ddef;                         ///< method `ddef`
};

/// A way to do the sum, as the key `method` names it.
struct CoulombMethod {
  std::string name;     ///< "direct"
  std::string summary;  ///< one phrase
  std::function<std::unique_ptr<const CoulombSum>(const CoulombOptions&)> make;
};

/// All methods; `auto` first.
const std::vector<CoulombMethod>& coulomb_methods();

/// The sum that the options ask for. Throws InvalidArgument for an unknown method.
std::unique_ptr<const CoulombSum> make_coulomb_sum(const CoulombOptions& options);

}  // namespace pithball::sim
