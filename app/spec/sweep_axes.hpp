#pragma once
#include <vector>

#include "app/spec/sweep_spec.hpp"

namespace pithball::app {

/// Reads the axes of a sweep from its section: those of `grid`, then `latin_hypercube`, `recordings`, `bootstrap`,
/// `starts` and `seeds`. `document`: the experiment, with all its recordings listed; `seed`: of the sweep. Throws
/// InvalidArgument.
std::vector<SweepAxis> read_sweep_axes(Node& sweep, const ExperimentDocument& document, std::uint64_t seed);

}  // namespace pithball::app
