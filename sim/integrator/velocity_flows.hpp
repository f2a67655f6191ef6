#pragma once
#include <functional>

#include "sim/model/model.hpp"

namespace pithball::sim {

/// Whether splitting integrators apply a term by its exact velocity flow: explicit velocity-dependent terms.
inline bool is_flow(const ForceTerm& term) { return term.as<VelocityFlow>() != nullptr; }

/// Whether a flow only turns velocities, as a magnetic field does: it does no work.
inline bool is_turn(const ForceTerm& term) { return is_flow(term) && !term.traits().energy && !term.traits().loss; }

/// Order of the flows: that of the model's terms, or the reverse.
enum class FlowOrder { Forward, Backward };

/// Which flows make up a chain, in which order.
struct FlowChoice {
  /// The terms that `its_terms` accepts, all flows by default, in the given order.
  FlowChoice(FlowOrder its_order, bool (*its_terms)(const ForceTerm&) = is_flow)
      : order(its_order), selects(its_terms) {}
  FlowOrder order;                    ///< of the terms in the chain
  bool (*selects)(const ForceTerm&);  ///< whether a term is in the chain; it must be a flow
};

/// Called for each term of a chain of flows, with the velocities before and after its flow.
using FlowObserver = std::function<void(const ForceTerm&, const Points& before, const Points& after)>;

/// v ← the chain of the chosen velocity flows over h [s] at fixed positions and time of `at`, whose own velocities are
/// not used. The velocities of held particles are prescribed and do not change, so that forces on a held particle do
/// not affect others.
void apply_velocity_flows(const Model& model, const State& at, double h, const FlowChoice& choice, Points& v,
                          const FlowObserver& observe = {});

}  // namespace pithball::sim
