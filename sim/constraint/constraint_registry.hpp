#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/constraint/constraint.hpp"
#include "sim/core/registry.hpp"
#include "sim/core/settings.hpp"

namespace pithball::sim {

/// A kind of constraint in the list `constraints:` of an experiment.
struct ConstraintInfo {
  std::string name;     ///< the key: "distance"
  std::string summary;  ///< one sentence with the condition
  /// Reads the key's settings; the positions are the initial ones of the body [m], 3×N.
  std::function<std::shared_ptr<Constraint>(Settings&, const Points& drawn)> make;
  bool differentiable = false;  ///< whether it has `DifferentiableRows`
};

/// All kinds of constraints; a program may add its own.
Registry<ConstraintInfo>& constraints();

}  // namespace pithball::sim
