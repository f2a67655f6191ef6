#pragma once
#include <cstdint>
#include <limits>
#include <optional>

#include "sim/integrator/integrator_choice.hpp"

namespace pithball::optim {

using sim::Index;

/// One stage of a search before the last: a simplified problem that approaches the minimum cheaply. The last stage is
/// always the problem itself.
struct SearchStage {
  /// Only frames before this simulated time are used [s]: over a short horizon the cost has fewer minima.
  double horizon = std::numeric_limits<double>::infinity();
  std::optional<sim::IntegratorChoice> integrator = {};  ///< instead of the scenarios' own
  std::optional<double> time_step = {};                  ///< likewise [s]
  Index segments = 1;                             ///< more than 1: multiple shooting with this number of segments
  std::optional<int> max_iterations = {};         ///< 0: only evaluate the cost
  std::optional<double> function_tolerance = {};  ///< instead of the search's own
  Index keep = 1;                                 ///< number of best different points that continue
};

/// Starting points of a search.
struct SearchStarts {
  Index count = 1;         ///< 1: only the given start; more: further ones are drawn
  double factor = 3;       ///< > 1: from start/factor to start·factor, for parameters without two finite bounds
  std::uint64_t seed = 1;  ///< the same starts for the same seed, on every machine
  std::optional<Index> only = {};  ///< the one of them to search from, for searches that are shared among programs
};

}  // namespace pithball::optim
