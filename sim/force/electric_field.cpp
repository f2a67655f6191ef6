#include "sim/force/electric_field.hpp"

#include "sim/core/error.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

std::vector<std::shared_ptr<ForceTerm>> ElectricField::make(Settings& settings) {
  return {std::make_shared<ElectricField>(settings.field("", "V/m", "external electric field e(x, t)"))};
}

const ForceTraits& ElectricField::traits() const {
  static const ForceTraits conservative{.name = "electric_field", .energy = "external"};
  static const ForceTraits driving{.name = "electric_field", .energy = "", .loss = LossKind::Drivers};
  return uniform() || potential_ ? conservative : driving;
}

void ElectricField::declare(const Topology&, Values& values) {
  if (const auto e = field_->uniform_value())
    block_ = values.add("electric_field", "V/m", ValueOwner::Term, ValueSign::Any, *e);
  else
    block_ = values.add("electric_field", "1", ValueOwner::Term, ValueSign::Any, Vector::Ones(1));
}

Vec3 ElectricField::field_at(const Model& model, const Vec3& x, double t) const {
  const auto value = model.values()[block_];
  return uniform() ? Vec3(value) : Vec3(value[0] * field_->value(x, t));
}

std::optional<Vec3> ElectricField::uniform_value(const Model& model) const {
  if (!uniform()) return {};
  return Vec3(model.values()[block_]);
}

void ElectricField::add_force(const Model& model, const State& s, Points& f) const {
  for (Index i = 0; i < model.particles(); ++i)
    if (const double q = model.charge()[i]; q != 0) f.col(i) += q * field_at(model, s.x.col(i), s.t);
}

std::optional<double> ElectricField::energy(const Model& model, const State& s) const {
  if (uniform()) return -model.values()[block_].dot(s.x * model.charge());
  if (!potential_) return {};
  double sum = 0;
  for (Index i = 0; i < model.particles(); ++i)
    if (const double q = model.charge()[i]; q != 0) sum += q * potential_->potential(s.x.col(i), s.t);
  return model.values()[block_][0] * sum;
}

void ElectricField::validate(const Model& model, const State& s) const {
  for (Index i = 0; i < model.particles(); ++i)
    if (model.charge()[i] != 0 && !field_at(model, s.x.col(i), s.t).allFinite())
      throw InvalidArgument(
          {"", "forces.electric_field", "must be known at every charged particle",
           "no value at particle " + std::to_string(i),
           "move the particle; of a table check `origin`, `axis` and `scale`, or write `outside: linear`"});
}

void ElectricField::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Values& values = model.values();
  const auto dq = values.of(d.values, Model::charge_block);
  const auto de = values.of(d.values, block_);
  for (Index i = 0; i < model.particles(); ++i) {
    const double q = model.charge()[i];
    if (q == 0 && dq[i] == 0) continue;  // it may be where the field is not known
    df.col(i) += dq[i] * field_at(model, s.x.col(i), s.t);
    if (uniform())
      df.col(i) += q * de;
    else
      df.col(i) += q * (de[0] * field_->value(s.x.col(i), s.t) +
                        values[block_][0] * field_->jacobian(s.x.col(i), s.t) * d.x.col(i));
  }
}

void ElectricField::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Values& values = model.values();
  auto gq = values.of(g.values, Model::charge_block);
  auto ge = values.of(g.values, block_);
  for (Index i = 0; i < model.particles(); ++i) {
    const double q = model.charge()[i];
    gq[i] += w.col(i).dot(field_at(model, s.x.col(i), s.t));
    if (uniform()) {
      ge += q * w.col(i);
    } else if (q != 0) {
      ge[0] += q * w.col(i).dot(field_->value(s.x.col(i), s.t));
      g.x.col(i) += q * values[block_][0] * field_->jacobian(s.x.col(i), s.t).transpose() * w.col(i);
    }
  }
}

}  // namespace pithball::sim
