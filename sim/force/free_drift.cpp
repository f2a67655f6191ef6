#include "sim/force/free_drift.hpp"

#include "sim/model/model.hpp"

namespace pithball::sim {

std::string find_hindrance(const Model& model) {
  if (model.is_tracers()) return "tracers move with their medium";
  if (!model.topology().held.empty()) return "particles are pinned or driven";
  if (!model.constraints().empty()) return "constraints act on particles";
  if (!model.key_frames().empty()) return "values have key frames";
  for (const auto& term : model.given_terms()) {
    const auto* drift = dynamic_cast<const DriftsFreely*>(term.get());
    if (!drift || !drift->is_uniform())
      return "the force " + term->traits().name + ", which is not the same everywhere and linear in velocity";
  }
  return {};
}

Vector drag_coefficients(const Model& model) {
  Vector c = Vector::Zero(model.particles());
  for (const auto& term : model.given_terms())
    if (const auto* drift = dynamic_cast<const DriftsFreely*>(term.get())) drift->add_drag_coefficient(model, c);
  return c;
}

}  // namespace pithball::sim
