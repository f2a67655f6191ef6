#pragma once
#include "sim/model/model.hpp"

namespace pithball::sim {

/// M⁻¹ Σ F(x, v, t) over all force terms [m/s²], 3×N; zero for held particles and tracers.
Points acceleration(const Model& model, const State& state);

/// Puts held particles of an intermediate state of an explicit step where they belong at its time, and returns the
/// acceleration there.
Points stage_acceleration(const Model& model, State& stage);

}  // namespace pithball::sim
