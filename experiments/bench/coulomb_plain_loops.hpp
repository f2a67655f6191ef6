#pragma once
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::experiments {

/// A straightforward loop over all pairs, for comparison.
struct PlainLoop {
  std::string name;
  std::string summary;
  /// Fields of charges q at their points x [V/m].
  void (*field)(const sim::Points& x, const sim::Vector& q, sim::Points& e);
};

/// plain_eigen (an array of Eigen::Vector3d, -O2) and, where the compiler built it and this machine can run it,
/// plain_native (structure of arrays, -O3 -march=native -ffast-math), on as many threads as are worthwhile.
std::vector<PlainLoop> plain_loops();

}  // namespace pithball::experiments
