#include "sim/force/gravity.hpp"

#include "sim/model/model.hpp"

namespace pithball::sim {

std::vector<std::shared_ptr<ForceTerm>> Gravity::make(Settings& settings) {
  return {std::make_shared<Gravity>(settings.vector("", "m/s^2", "gravitational acceleration g"))};
}

const ForceTraits& Gravity::traits() const {
  static const ForceTraits traits{.name = "gravity", .energy = EnergyKind::External, .partners = Partners::None};
  return traits;
}

void Gravity::declare(const Topology&, Values& values) {
  block_ = values.add({"gravity", "m/s^2", ValueOwner::Term, ValueSign::Any, ValueScaling::Invariant}, gravity_);
}

void Gravity::add_force(const Model& model, const State&, Points& f) const {
  f += model.values()[block_] * model.mass().transpose();
}

Vec3 Gravity::acceleration(const Model& model) const { return model.values()[block_]; }

std::optional<double> Gravity::energy(const Model& model, const State& s) const {
  return -model.values()[block_].dot(s.x * model.mass());
}

void Gravity::add_jvp(const Model& model, const State&, const Variation& d, Points& df) const {
  const Values& values = model.values();
  df += values.of(d.values, block_) * model.mass().transpose();
  df += values[block_] * values.of(d.values, Model::mass_block).transpose();
}

void Gravity::add_jvps(const Model& model, const State&, const Directions& d, Panel& df) const {
  const Vec3 g = model.values()[block_];
  const auto dg = d.values->panel.middleCols<3>(model.values().block(block_).offset);
  const auto dm = d.values->panel.middleCols(model.values().block(Model::mass_block).offset, model.particles());
  for (Index i = 0; i < model.particles(); ++i)
    for (int a = 0; a < 3; ++a) df.col(3 * i + a) += model.mass()[i] * dg.col(a) + g[a] * dm.col(i);
}

void Gravity::add_vjp(const Model& model, const State&, const Points& w, Variation& g) const {
  const Values& values = model.values();
  values.of(g.values, block_) += w * model.mass();
  values.of(g.values, Model::mass_block) += w.transpose() * values[block_];
}

}  // namespace pithball::sim
