#include "sim/force/field_potential.hpp"

#include "sim/core/error.hpp"
#include "sim/field/asked_field.hpp"
#include "sim/force/felt_particles.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

std::vector<std::shared_ptr<ForceTerm>> FieldPotential::make(Settings& settings) {
  const auto potential = ask_potential(settings, "expression", "potential φ in x, y, z [m] and t [s]");
  const std::string weight =
      settings.choice("weight", {"none", "mass", "charge"},
                      "factor w of each particle: 1 (φ in J), its mass (φ in J/kg) or its charge (φ in V)", "none");
  return {std::make_shared<FieldPotential>(potential, weight == "mass"     ? Weight::Mass
                                                      : weight == "charge" ? Weight::Charge
                                                                           : Weight::None)};
}

const ForceTraits& FieldPotential::traits() const {
  static const ForceTraits traits{
      .name = "field_potential", .energy = EnergyKind::External, .partners = Partners::None};
  return traits;
}

ForceAbilities FieldPotential::abilities() const {
  return weight_ == Weight::Charge ? ForceAbilities::of(*this) : ForceAbilities();
}

void FieldPotential::declare(const Topology&, Values& values) {
  const auto add = [&](const char* name, ValueScaling scaling) {
    return values.add({name, "1", ValueOwner::Term, ValueSign::Any, scaling}, Vector::Ones(1));
  };
  block_ = weight_ == Weight::Mass     ? add("gravity_potential", ValueScaling::Invariant)
           : weight_ == Weight::Charge ? add("electric_potential", ValueScaling::ExternalField)
                                       : add("field_potential", ValueScaling::Force);
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
  const FeltParticles felt(s.x, weights(model));
  const Points u = potential_->values(felt.x, s.t);
  felt.for_each([&](Index k, Index i) {
    if (!u.col(k).allFinite())
      throw InvalidArgument({"", "forces.field_potential", "must have a gradient at every particle",
                             "none at particle " + std::to_string(i), "move the particle, or change the expression"});
  });
}

void FieldPotential::add_force(const Model& model, const State& s, Points& f) const {
  const Vector w = model.values()[block_][0] * weights(model);
  const FeltParticles felt(s.x, w);
  const Points u = potential_->values(felt.x, s.t);
  felt.for_each([&](Index k, Index i) { f.col(i) += w[i] * u.col(k); });
}

std::optional<double> FieldPotential::energy(const Model& model, const State& s) const {
  const Vector w = weights(model);
  const FeltParticles felt(s.x, w);
  const Vector phi = potential_->potentials(felt.x, s.t);
  double sum = 0;
  felt.for_each([&](Index k, Index i) { sum += w[i] * phi[k]; });
  return model.values()[block_][0] * sum;
}

void FieldPotential::add_field(const Model& model, const SourceCharges& sources, const Points& at,
                               ChargeField& field) const {
  const double factor = model.values()[block_][0];
  field.field += factor * potential_->values(at, sources.t);
  field.potential += factor * potential_->potentials(at, sources.t);
}

void FieldPotential::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Values& values = model.values();
  const double factor = values[block_][0], dfactor = values.of(d.values, block_)[0];
  const Vector w = weights(model);
  const auto block = weight_block();
  const Vector dw = block ? Vector(values.of(d.values, *block)) : Vector::Zero(w.size());
  const FeltParticles felt(s.x, w.cwiseAbs() + dw.cwiseAbs());
  const auto field = memory_.at(felt.x, s.t);
  felt.for_each([&](Index k, Index i) {
    df.col(i) += (dfactor * w[i] + factor * dw[i]) * field->u.col(k) + factor * w[i] * (field->J[k] * d.x.col(i));
  });
}

void FieldPotential::add_vjp(const Model& model, const State& s, const Points& a, Variation& g) const {
  const Values& values = model.values();
  const double factor = values[block_][0];
  const Vector w = weights(model);
  const auto block = weight_block();
  const Vector all = Vector::Ones(w.size());
  // With derivatives with respect to weights, particles of weight 0 count too.
  const FeltParticles felt(s.x, block ? all : w);
  const Points u = potential_->values(felt.x, s.t);
  const std::vector<Mat3> J = potential_->jacobians(felt.x, s.t);
  felt.for_each([&](Index k, Index i) {
    const double along = a.col(i).dot(u.col(k));
    values.of(g.values, block_)[0] += w[i] * along;
    if (block) values.of(g.values, *block)[i] += factor * along;
    if (w[i] != 0) g.x.col(i) += factor * w[i] * (J[k].transpose() * a.col(i));
  });
}

}  // namespace pithball::sim
