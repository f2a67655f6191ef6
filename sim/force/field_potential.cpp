#include "sim/force/field_potential.hpp"

#include "sim/core/error.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

std::vector<std::shared_ptr<ForceTerm>> FieldPotential::make(Settings& settings) {
  const auto potential = settings.potential("expression", "potential φ in x, y, z [m] and t [s]");
  const std::string weight =
      settings.choice("weight", {"none", "mass", "charge"},
                      "what φ is the potential energy of: of a particle [J], of 1 kg, of 1 C", "none");
  return {std::make_shared<FieldPotential>(potential, weight == "mass"     ? Weight::Mass
                                                      : weight == "charge" ? Weight::Charge
                                                                           : Weight::None)};
}

const ForceTraits& FieldPotential::traits() const {
  static const ForceTraits traits{.name = "field_potential", .energy = "external"};
  return traits;
}

void FieldPotential::declare(const Topology&, Values& values) {
  const char* name = weight_ == Weight::Mass     ? "gravity_potential"
                     : weight_ == Weight::Charge ? "electric_potential"
                                                 : "field_potential";
  block_ = values.add(name, "1", ValueOwner::Term, ValueSign::Any, Vector::Ones(1));
}

std::optional<Index> FieldPotential::weight_block() const {
  if (weight_ == Weight::None) return {};
  return weight_ == Weight::Mass ? Model::mass_block : Model::charge_block;
}

Vector FieldPotential::weights(const Model& model) const {
  const auto block = weight_block();
  return block ? Vector(model.values()[*block]) : Vector::Ones(model.particles());
}

void FieldPotential::validate(const Model& model, const State& s) const {
  const Vector w = weights(model);
  for (Index i = 0; i < model.particles(); ++i)
    if (w[i] != 0 && !potential_->value(s.x.col(i), s.t).allFinite())
      throw InvalidArgument({"", "forces.field_potential", "must have a gradient at every particle",
                             "none at particle " + std::to_string(i), "move the particle, or change the expression"});
}

void FieldPotential::add_force(const Model& model, const State& s, Points& f) const {
  const Vector w = model.values()[block_][0] * weights(model);
  for (Index i = 0; i < model.particles(); ++i)
    if (w[i] != 0) f.col(i) += w[i] * potential_->value(s.x.col(i), s.t);
}

std::optional<double> FieldPotential::energy(const Model& model, const State& s) const {
  const Vector w = weights(model);
  double sum = 0;
  for (Index i = 0; i < model.particles(); ++i)
    if (w[i] != 0) sum += w[i] * potential_->potential(s.x.col(i), s.t);
  return model.values()[block_][0] * sum;
}

void FieldPotential::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Values& values = model.values();
  const double factor = values[block_][0], dfactor = values.of(d.values, block_)[0];
  const Vector w = weights(model);
  const auto block = weight_block();
  const Vector dw = block ? Vector(values.of(d.values, *block)) : Vector::Zero(w.size());
  for (Index i = 0; i < model.particles(); ++i) {
    if (w[i] == 0 && dw[i] == 0) continue;  // it may be where the potential is not known
    const Vec3 x = s.x.col(i);
    df.col(i) += (dfactor * w[i] + factor * dw[i]) * potential_->value(x, s.t) +
                 factor * w[i] * (potential_->jacobian(x, s.t) * d.x.col(i));
  }
}

void FieldPotential::add_vjp(const Model& model, const State& s, const Points& a, Variation& g) const {
  const Values& values = model.values();
  const double factor = values[block_][0];
  const Vector w = weights(model);
  const auto block = weight_block();
  for (Index i = 0; i < model.particles(); ++i) {
    if (w[i] == 0 && !block) continue;
    const Vec3 x = s.x.col(i);
    const double along = a.col(i).dot(potential_->value(x, s.t));
    values.of(g.values, block_)[0] += w[i] * along;
    if (block) values.of(g.values, *block)[i] += factor * along;
    if (w[i] != 0) g.x.col(i) += factor * w[i] * (potential_->jacobian(x, s.t).transpose() * a.col(i));
  }
}

}  // namespace pithball::sim
