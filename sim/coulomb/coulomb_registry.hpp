#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/coulomb/coulomb_sum.hpp"
#include "sim/coulomb/ddef/ddef_options.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"

namespace pithball::sim {

/// Settings of a Coulomb sum; each method uses those that apply to it.
struct CoulombOptions {
  std::string method = "auto";              ///< a name of `coulomb_methods()`
  double softening = 0;                     ///< Plummer softening ε [m], all methods
  double tolerance = 1e-6;                  ///< requested relative L2 error of the field, for methods that support one
  Precision precision = Precision::Double;  ///< method `direct`
  DdefOptions ddef;                         ///< method `ddef`
};

/// A Coulomb method, as named by the key `method`.
struct CoulombMethod {
  std::string name;     ///< "direct"
  std::string summary;  ///< one phrase
  /// Makes the sum; reads only the options of its method, and throws InvalidArgument for one out of range.
  std::function<std::unique_ptr<const CoulombSum>(const CoulombOptions&)> make;
};

/// All methods; `auto` first.
const std::vector<CoulombMethod>& coulomb_methods();

/// The sum with these options. Throws InvalidArgument for an unknown method.
std::unique_ptr<const CoulombSum> make_coulomb_sum(const CoulombOptions& options);

}  // namespace pithball::sim
