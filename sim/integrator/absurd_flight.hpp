#pragma once
#include "sim/model/model.hpp"

namespace pithball::sim {

/// Largest displacement by a velocity change in one step, as a multiple of every length scale of the motion: beyond it
/// the step is considered diverged.
inline constexpr double absurd_flight = 1e6;

/// Whether a step of h [s], or a motion made of such steps, has diverged between these states: something is not finite,
/// or h (v⁺ − v), the displacement by the velocity change in a step, exceeds `absurd_flight` times
/// - the longest rest length, for the difference between the ends of a spring, or
/// - the body's extent and the flight h |v|, and also T (|v| + T |a|), with T the shortest time in which a force
/// changes at the first state (`shortest_time`) and a the acceleration there: the step was much too long for the force.
/// Fast uniform motion changes no velocity and free fall has no T, so neither counts as divergence. Forces are
/// evaluated only if the first two lengths are exceeded.
bool has_diverged(const Model&, const State& before, const State& after, double h);

}  // namespace pithball::sim
