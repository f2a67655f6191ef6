#pragma once
#include "diff/rollout/rollout.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// D = k_B T/c [m²/s] of the particle that each marker follows, M: its Brownian motion in a medium with the drag
/// coefficient c (Einstein 1905), for the thermal energy of `seen.noise` and the values of the scenario. Throws
/// InvalidArgument with the reason where that is not the whole effect of the medium's impulses: particles that do not
/// drift freely (sim/force/free_drift.hpp), readings that are not positions of points, markers that do not follow one
/// particle each.
Vector compute_diffusion(const diff::Scenario& scenario, const Observation& seen);

}  // namespace pithball::optim
