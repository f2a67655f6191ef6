#pragma once
#include <functional>

#include "sim/model/model.hpp"

namespace pithball::sim {

/// The shortest time [s] in which one of the forces that `select` accepts changes as a whole while particles move with
/// these velocities and the accelerations a [m/s²] (`ForceTerm::shortest_time`); of tracers that in which the field's
/// velocity does along their ways, |u|/|∂u/∂x u|. Infinite where nothing changes; NaN where something is not finite.
double shortest_time(const Model&, const State&, const Points& a, const std::function<bool(const ForceTerm&)>& select);

}  // namespace pithball::sim
