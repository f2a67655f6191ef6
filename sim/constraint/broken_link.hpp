#pragma once
#include "sim/constraint/constraint.hpp"

namespace pithball::sim {

/// A row that broke because its tension exceeded its strength; it is absent from then on.
struct BrokenLink {
  double t = 0;            ///< end of the substep in which it broke [s]
  Index constraint = 0;    ///< index in `Model::constraints()`
  ConstraintRow row = {};  ///< as it was; `item` is the link
  double tension = 0;      ///< −λ/Δt² [N]
};

}  // namespace pithball::sim
