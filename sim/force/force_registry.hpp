#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/settings.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// A kind of force as the list `forces:` of an experiment names it.
struct ForceInfo {
  std::string name;                                                        ///< the key: "coulomb"
  std::string summary;                                                     ///< one sentence with the equation
  std::function<std::vector<std::shared_ptr<ForceTerm>>(Settings&)> make;  ///< reads the key's settings
  bool differentiable = true;                                              ///< as in the traits of what it makes
};

/// All forces that an experiment can list. Springs and their dampers come with the body, not with this list.
const std::vector<ForceInfo>& forces();

}  // namespace pithball::sim
