#pragma once
#include <functional>

#include "sim/model/model.hpp"

namespace pithball::sim {

/// Whether integrators made of kicks let a term act by its exact velocity flow: explicit terms that depend on velocity.
inline bool is_flow(const ForceTerm& term) { return term.as<VelocityFlow>() != nullptr; }

/// In which order the flows follow each other: that of the model's terms, or the opposite one.
enum class FlowOrder { Forward, Backward };

/// Is shown each term of a chain of flows, with the velocities before and after its flow.
using FlowObserver = std::function<void(const ForceTerm&, const Points& before, const Points& after)>;

/// v ← the chain of the velocity flows over h [s] at fixed positions and time of `at`, whose own velocities take no
/// part. The velocities of held particles are given and pass through unchanged, so that what acts on a held particle
/// reaches no other.
void apply_velocity_flows(const Model& model, const State& at, double h, FlowOrder order, Points& v,
                          const FlowObserver& observe = {});

}  // namespace pithball::sim
