#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/core/registry.hpp"
#include "sim/core/settings.hpp"
#include "sim/force/force_term.hpp"

namespace pithball::sim {

/// Settings, as YAML, with which a force has no effect, but one of its values can be fitted: "{quadratic: 0}"; several
/// are the same force in several places. A diagnosis of a fit tests whether the force is missing, in the box low … high
/// [m] in which the body moves; of an empty one, none that need a place.
using IdleSettings = std::function<std::vector<std::string>(const Vec3& low, const Vec3& high)>;

/// A kind of force in the list `forces:` of an experiment.
struct ForceInfo {
  std::string name;                                                        ///< the key: "coulomb"
  std::string summary;                                                     ///< one sentence with the equation
  std::function<std::vector<std::shared_ptr<ForceTerm>>(Settings&)> make;  ///< reads the key's settings
  bool differentiable = true;           ///< as in the traits of the terms that it makes
  std::vector<IdleSettings> idle = {};  ///< for each of its values; empty: it cannot be without effect
  /// The force that it equals with `idle`, and whose place it then takes: "coulomb". Empty: none.
  std::string replaces = {};
  /// Whether a second force of this kind on the same particles would only add to the first one, because it has no
  /// place, direction in space or law of its own. Such a repetition gets a note.
  bool is_single = false;
};

/// All forces that an experiment can list; a program may add its own. Springs and their dampers belong to the body.
Registry<ForceInfo>& forces();

}  // namespace pithball::sim
