#include "sim/force/electric_field.hpp"

#include "sim/field/asked_field.hpp"
#include "sim/force/felt_particles.hpp"
#include "sim/force/switched_field.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

std::vector<std::shared_ptr<ForceTerm>> ElectricField::make(Settings& settings) {
  const bool is_switched = settings.written("") == Settings::Written::Mapping &&
                           settings.below("")->written("switched") != Settings::Written::Nothing;
  if (is_switched) return {make_switched_field(settings)};
  if (settings.describing()) make_switched_field(settings);
  return {std::make_shared<ElectricField>(ask_field(settings, "", "V/m", "external electric field e(x, t)"))};
}

const ForceTraits& ElectricField::traits() const {
  static const ForceTraits conservative{
      .name = "electric_field", .energy = EnergyKind::External, .partners = Partners::None};
  static const ForceTraits driving{.name = "electric_field", .loss = LossKind::Drivers, .partners = Partners::None};
  return uniform() || potential_ ? conservative : driving;
}

void ElectricField::declare(const Topology&, Values& values) {
  const auto add = [&](const char* unit, const Vector& initial) {
    return values.add({"electric_field", unit, ValueOwner::Term, ValueSign::Any, ValueScaling::ExternalField}, initial);
  };
  const auto uniform = field_->uniform_value();
  block_ = uniform ? add("V/m", *uniform) : add("1", Vector::Ones(1));
}

std::optional<Vec3> ElectricField::uniform_value(const Model& model) const {
  if (!uniform()) return {};
  return Vec3(model.values()[block_]);
}

void ElectricField::add_force(const Model& model, const State& s, Points& f) const {
  const auto q = model.charge();
  if (const auto e = uniform_value(model)) {
    f += *e * q.transpose();
    return;
  }
  const FeltParticles charged(s.x, q);
  const Points u = field_->values(charged.x, s.t);
  const double factor = model.values()[block_][0];
  charged.for_each([&](Index k, Index i) { f.col(i) += q[i] * factor * u.col(k); });
}

std::optional<double> ElectricField::energy(const Model& model, const State& s) const {
  const auto q = model.charge();
  if (uniform()) return -model.values()[block_].dot(s.x * q);
  if (!potential_) return {};
  const FeltParticles charged(s.x, q);
  const Vector phi = potential_->potentials(charged.x, s.t);
  double sum = 0;
  charged.for_each([&](Index k, Index i) { sum += q[i] * phi[k]; });
  return model.values()[block_][0] * sum;
}

void ElectricField::add_field(const Model& model, const SourceCharges& sources, const Points& at,
                              ChargeField& field) const {
  if (const auto e = uniform_value(model)) {
    field.field.colwise() += *e;
    field.potential -= at.transpose() * *e;
    return;
  }
  const double factor = model.values()[block_][0];
  field.field += factor * field_->values(at, sources.t);
  if (potential_)
    field.potential += factor * potential_->potentials(at, sources.t);
  else
    field.has_potential = false;
}

void ElectricField::validate(const Model& model, const State& s) const {
  FeltParticles(s.x, model.charge()).require_values(*field_, s.t, "forces.electric_field");
}

void ElectricField::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Values& values = model.values();
  const auto q = model.charge();
  const auto dq = values.of(d.values, Model::charge_block);
  const auto de = values.of(d.values, block_);
  if (const auto e = uniform_value(model)) {
    df += *e * dq.transpose() + de * q.transpose();
    return;
  }
  const FeltParticles charged(s.x, q.cwiseAbs() + dq.cwiseAbs());
  const auto field = memory_.at(charged.x, s.t);
  const double factor = values[block_][0];
  charged.for_each([&](Index k, Index i) {
    df.col(i) += (dq[i] * factor + q[i] * de[0]) * field->u.col(k) + q[i] * factor * field->J[k] * d.x.col(i);
  });
}

void ElectricField::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Values& values = model.values();
  const auto q = model.charge();
  auto gq = values.of(g.values, Model::charge_block);
  auto ge = values.of(g.values, block_);
  if (const auto e = uniform_value(model)) {
    gq += w.transpose() * *e;
    ge += w * q;
    return;
  }
  const double factor = values[block_][0];
  // Includes uncharged particles, because derivatives by their charges need the field there.
  const Vector along = w.cwiseProduct(field_->values(s.x, s.t)).colwise().sum();
  gq += factor * along;
  const FeltParticles charged(s.x, q);
  const std::vector<Mat3> J = field_->jacobians(charged.x, s.t);
  charged.for_each([&](Index k, Index i) {
    ge[0] += q[i] * along[i];
    g.x.col(i) += q[i] * factor * J[k].transpose() * w.col(i);
  });
}

}  // namespace pithball::sim
