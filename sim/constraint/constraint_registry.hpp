#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/constraint/constraint.hpp"
#include "sim/core/settings.hpp"

namespace pithball::sim {

/// A kind of constraint as the list `constraints:` of an experiment names it.
struct ConstraintInfo {
  std::string name;     ///< the key: "distance"
  std::string summary;  ///< one sentence with the condition
  /// Reads the key's settings; the positions are those of the body as it is drawn [m], 3×N.
  std::function<std::shared_ptr<Constraint>(Settings&, const Points& drawn)> make;
  bool differentiable = false;  ///< whether it is `DifferentiableRows`
};

/// All constraints that an experiment can list.
const std::vector<ConstraintInfo>& constraints();

}  // namespace pithball::sim
