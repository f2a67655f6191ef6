#pragma once
#include "sim/core/types.hpp"

namespace pithball::sim {

/// The two ends of a spring, as particle indices; b = x_i − x_j.
struct Spring {
  Index i = 0, j = 0;
};

}  // namespace pithball::sim
