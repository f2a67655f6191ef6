#pragma once
#include "sim/integrator/impulses.hpp"

namespace pithball::sim {

/// M⁻¹ Σ F(x, v, t) over all force terms [m/s²], 3×N; zero for held particles and tracers. If `felt` is given, adds
/// weight [s] times the forces' impulses to it.
Points acceleration(const Model& model, const State& state, Impulses* felt = nullptr, double weight = 0);

/// Moves held particles of an intermediate state of an explicit step to their positions at its time, and returns the
/// acceleration there.
Points stage_acceleration(const Model& model, State& stage, Impulses* felt = nullptr, double weight = 0);

}  // namespace pithball::sim
