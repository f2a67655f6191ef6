#include "sim/integrator/velocity_flows.hpp"

#include <algorithm>

namespace pithball::sim {

void apply_velocity_flows(const Model& model, const State& at, double h, const FlowChoice& choice, Points& v,
                          const FlowObserver& observe) {
  std::vector<const ForceTerm*> flows;
  for (const auto& term : model.terms())
    if (choice.selects(*term)) flows.push_back(term.get());
  if (flows.empty()) return;
  if (choice.order == FlowOrder::Backward) std::reverse(flows.begin(), flows.end());
  State now{at.t, at.x, {}};
  for (const ForceTerm* term : flows) {
    now.v = v;
    term->as<VelocityFlow>()->flow_velocity(model, now, h, v);
    for (const Held& held : model.topology().held) v.col(held.particle) = now.v.col(held.particle);
    if (observe) observe(*term, now.v, v);
  }
}

}  // namespace pithball::sim
