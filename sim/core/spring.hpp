#pragma once
#include "sim/core/types.hpp"

namespace pithball::sim {

/// The two ends of a spring, as particle indices; b = x_i − x_j.
struct Spring {
  Index i = 0,  ///< first end
      j = 0;    ///< second end
};

}  // namespace pithball::sim
