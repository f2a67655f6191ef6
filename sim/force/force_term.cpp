#include "sim/force/force_term.hpp"

namespace pithball::sim {

void ForceTerm::add_flow_impulse(const Model& model, const State& s, double h, Points& J) const {
  Points force = Points::Zero(3, J.cols());
  add_force(model, s, force);
  J += h * force;
}

}  // namespace pithball::sim
