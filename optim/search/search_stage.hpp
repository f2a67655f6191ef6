#pragma once
#include <cstdint>
#include <limits>
#include <optional>

#include "sim/integrator/integrator_choice.hpp"

namespace pithball::optim {

using sim::Index;

/// One pass of a search before the last: the same problem made easier, to come near the minimum cheaply. The last pass
/// is always the problem itself.
struct SearchStage {
  /// Only frames before this simulated time count [s]: over a short horizon the cost has fewer minima.
  double horizon = std::numeric_limits<double>::infinity();
  std::optional<sim::IntegratorChoice> integrator = {};  ///< instead of the scenarios' own
  std::optional<double> time_step = {};                  ///< likewise [s]
  Index segments = 1;                                    ///< more: by multiple shooting in so many pieces
  std::optional<int> max_iterations = {};                ///< 0: only look at the cost
  std::optional<double> function_tolerance = {};         ///< instead of the search's own
  Index keep = 1;                                        ///< so many of the best different points go on
};

/// Where a search starts.
struct SearchStarts {
  Index count = 1;         ///< 1: the given start alone; others are drawn besides it
  double factor = 3;       ///< > 1: from start/factor to start·factor, for parameters without two finite bounds
  std::uint64_t seed = 1;  ///< the same starts for the same seed, everywhere
};

}  // namespace pithball::optim
