#pragma once
#include <functional>

#include "sim/model/model.hpp"

namespace pithball::sim {

/// The shortest time [s] in which one of the forces that `select` accepts changes significantly while particles move
/// with these velocities and the accelerations a [m/s²] (`ForceTerm::shortest_time`); for tracers, that in which the
/// field's velocity changes along their paths, |u|/|∂u/∂x u|. Infinite if nothing changes; NaN if something is not
/// finite.
double shortest_time(const Model&, const State&, const Points& a, const std::function<bool(const ForceTerm&)>& select);

/// The shortest time [s] in which particles that move so meet what exerts a force (`ForceTerm::time_to_touch`).
double time_to_touch(const Model&, const State&, const Points& a);

}  // namespace pithball::sim
