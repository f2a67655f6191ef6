#pragma once
#include "sim/core/types.hpp"

namespace pithball::sim {

/// Number of active contacts, and their largest overlap [m].
struct Pushing {
  Index contacts = 0;  ///< number of rows with λ > 0
  double deepest = 0;  ///< 0 without contacts
};

}  // namespace pithball::sim
