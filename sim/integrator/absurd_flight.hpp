#pragma once
#include "sim/model/model.hpp"

namespace pithball::sim {

/// What a step's change of velocity may carry a particle, as a multiple of any length of the motion's own: beyond, the
/// step has left physics behind.
inline constexpr double absurd_flight = 1e6;

/// Whether a step of h [s], or a motion made of such steps, has diverged between these states: something is not finite,
/// or h (v⁺ − v), how far the change of velocity carries a particle in a step, is more than `absurd_flight` times
/// - the longest rest length, for the difference between the ends of a spring, or
/// - the body's extent and the flight h |v|, and also T (|v| + T |a|), T the shortest time in which a force changes at
///   the first state (`shortest_time`) and a the acceleration there: the step was far too long for what pushed it.
/// A flight however fast changes no velocity, a fall has no T, and both are no divergence. Forces are evaluated where
/// the first two lengths are exceeded only.
bool has_diverged(const Model&, const State& before, const State& after, double h);

}  // namespace pithball::sim
