#include "sim/force/point_charge.hpp"

#include <algorithm>
#include <limits>

#include "sim/core/error.hpp"
#include "sim/force/closest_approach.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

/// The field of a unit charge k_c r/|r|³ [V/m per C] and its derivative k_c (I − 3 r̂ r̂ᵀ)/|r|³.
Vec3 unit_field(const Vec3& r) { return coulomb_constant / (r.squaredNorm() * r.norm()) * r; }
Mat3 unit_field_jacobian(const Vec3& r) {
  const double r2 = r.squaredNorm();
  return coulomb_constant / (r2 * std::sqrt(r2)) * (Mat3::Identity() - 3 / r2 * r * r.transpose());
}

}  // namespace

std::vector<std::shared_ptr<ForceTerm>> PointCharge::make(Settings& settings) {
  const double charge = settings.number("charge", "C", "charge Q of the external charge");
  return {std::make_shared<PointCharge>(
      charge, ask_path(settings, "position", "position of the external charge, constant or along a path"))};
}

const ForceTraits& PointCharge::traits() const {
  static const ForceTraits traits{.name = "point_charge", .energy = EnergyKind::External, .partners = Partners::None};
  return traits;
}

void PointCharge::declare(const Topology&, Values& values) {
  block_ = values.add({"point_charge", "C", ValueOwner::Term, ValueSign::Any, ValueScaling::ExternalField},
                      Vector::Constant(1, charge_));
  position_block_ =
      values.add({"point_charge_position", "m", ValueOwner::Term, ValueSign::Any, ValueScaling::Invariant},
                 moves() ? Vec3(0, 0, 0) : path_.position(0));
}

double PointCharge::charge(const Model& model) const { return model.values()[block_][0]; }

Vec3 PointCharge::position(const Model& model, double t) const {
  const Vec3 given = model.values()[position_block_];
  return moves() ? Vec3(path_.position(t) + given) : given;
}

void PointCharge::validate(const Model& model, const State& s) const {
  const Vec3 X = position(model, s.t);
  for (Index i = 0; i < model.particles(); ++i)
    if (model.charge()[i] != 0 && s.x.col(i) == X)
      throw InvalidArgument({"", "forces.point_charge.position",
                             "must differ from the position of every charged particle",
                             "that of particle " + std::to_string(i), "move the point charge or the particle"});
}

void PointCharge::add_force(const Model& model, const State& s, Points& f) const {
  const double Q = model.values()[block_][0];
  const Vec3 X = position(model, s.t);
  for (Index i = 0; i < model.particles(); ++i)
    if (const double q = model.charge()[i]; q != 0) f.col(i) += q * Q * unit_field(s.x.col(i) - X);
}

std::optional<double> PointCharge::energy(const Model& model, const State& s) const {
  const double Q = model.values()[block_][0];
  const Vec3 X = position(model, s.t);
  double sum = 0;
  for (Index i = 0; i < model.particles(); ++i)
    if (const double q = model.charge()[i]; q != 0) sum += coulomb_constant * q * Q / (s.x.col(i) - X).norm();
  return sum;
}

double PointCharge::shortest_time(const Model& model, const State& s, const Points& a) const {
  const Vec3 X = position(model, s.t), V = path_.velocity(s.t);
  double shortest = std::numeric_limits<double>::infinity();
  if (charge(model) == 0) return shortest;
  for (Index i = 0; i < model.particles(); ++i)
    if (model.charge()[i] != 0 && !model.is_held(i))
      shortest = std::min(shortest, crossing_time((s.x.col(i) - X).norm(), (s.v.col(i) - V).norm(), a.col(i).norm()));
  return shortest;
}

void PointCharge::add_field(const Model& model, const SourceCharges& sources, const Points& at,
                            ChargeField& field) const {
  const double Q = charge(model);
  if (Q == 0) return;
  const Vec3 X = position(model, sources.t);
  for (Index k = 0; k < at.cols(); ++k) {
    const Vec3 r = at.col(k) - X;
    if (r.isZero(0)) {
      field.clear(k);
      continue;
    }
    field.field.col(k) += Q * unit_field(r);
    field.potential[k] += coulomb_constant * Q / r.norm();
  }
}

std::vector<Vec3> PointCharge::field_poles(const Model& model, double t) const {
  if (charge(model) == 0) return {};
  return {position(model, t)};
}

void PointCharge::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Values& values = model.values();
  const double Q = values[block_][0], dQ = values.of(d.values, block_)[0];
  const auto dq = values.of(d.values, Model::charge_block);
  const Vec3 dX = values.of(d.values, position_block_);
  const Vec3 X = position(model, s.t);
  for (Index i = 0; i < model.particles(); ++i) {
    const double q = model.charge()[i];
    if (q == 0 && dq[i] == 0) continue;
    const Vec3 r = s.x.col(i) - X;
    df.col(i) += (dq[i] * Q + q * dQ) * unit_field(r) + q * Q * unit_field_jacobian(r) * (d.x.col(i) - dX);
  }
}

void PointCharge::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Values& values = model.values();
  const double Q = values[block_][0];
  auto gQ = values.of(g.values, block_);
  auto gq = values.of(g.values, Model::charge_block);
  auto gX = values.of(g.values, position_block_);
  const Vec3 X = position(model, s.t);
  for (Index i = 0; i < model.particles(); ++i) {
    const double q = model.charge()[i];
    const Vec3 r = s.x.col(i) - X;
    if (r.isZero(0)) continue;  // an uncharged particle there; a charged one was rejected
    const double along = w.col(i).dot(unit_field(r));
    gq[i] += Q * along;
    gQ[0] += q * along;
    const Vec3 gx = q * Q * unit_field_jacobian(r) * w.col(i);
    g.x.col(i) += gx;
    gX -= gx;
  }
}

}  // namespace pithball::sim
