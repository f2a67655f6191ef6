#include "sim/force/magnetic_field.hpp"

#include <Eigen/Geometry>

#include "sim/field/asked_field.hpp"
#include "sim/kernel/rotation.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

using kernel::rotate;
using kernel::turn_by_change;

std::vector<std::shared_ptr<ForceTerm>> MagneticField::make(Settings& settings) {
  return {std::make_shared<MagneticField>(ask_field(settings, "", "T", "external magnetic field B(x, t)"))};
}

const ForceTraits& MagneticField::traits() const {
  static const ForceTraits traits{.name = "magnetic_field", .loss = {}};
  return traits;
}

void MagneticField::declare(const Topology&, Values& values) {
  const auto add = [&](const char* unit, const Vector& initial) {
    return values.add({"magnetic_field", unit, ValueOwner::Term, ValueSign::Any, ValueScaling::ExternalField}, initial);
  };
  const auto uniform = field_->uniform_value();
  block_ = uniform ? add("T", *uniform) : add("1", Vector::Ones(1));
}

void MagneticField::validate(const Model& model, const State& s) const {
  FeltParticles(s.x, model.charge()).require_values(*field_, s.t, "forces.magnetic_field");
}

// The field at particles --------------------------------------------------------------------------------------------

Points MagneticField::induction(const Model& model, const FeltParticles& at, double t) const {
  const auto value = model.values()[block_];
  if (uniform()) return value.replicate(1, at.x.cols());
  return value[0] * field_->values(at.x, t);
}

MagneticField::Induction MagneticField::induction_jvp(const Model& model, const FeltParticles& at, double t,
                                                      const Variation& d) const {
  const auto change = model.values().of(d.values, block_);
  if (uniform()) return {induction(model, at, t), change.replicate(1, at.x.cols())};
  const double factor = model.values()[block_][0];
  const auto field = memory_.at(at.x, t);
  Induction all{factor * field->u, change[0] * field->u};
  at.for_each([&](Index k, Index i) { all.dB.col(k) += factor * field->J[k] * d.x.col(i); });
  return all;
}

void MagneticField::add_induction_vjp(const Model& model, const FeltParticles& at, double t, const Points& a,
                                      Variation& g) const {
  auto gradient = model.values().of(g.values, block_);
  if (uniform()) {
    gradient += a.rowwise().sum();
    return;
  }
  const double factor = model.values()[block_][0];
  const std::vector<Mat3> J = field_->jacobians(at.x, t);
  gradient[0] += a.cwiseProduct(field_->values(at.x, t)).sum();
  at.for_each([&](Index k, Index i) { g.x.col(i) += factor * J[k].transpose() * a.col(k); });
}

// The force -----------------------------------------------------------------------------------------------------------

void MagneticField::add_force(const Model& model, const State& s, Points& f) const {
  const auto q = model.charge();
  const FeltParticles charged(s.x, q);
  const Points B = induction(model, charged, s.t);
  charged.for_each([&](Index k, Index i) { f.col(i) += q[i] * Vec3(s.v.col(i)).cross(Vec3(B.col(k))); });
}

void MagneticField::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const auto q = model.charge();
  const auto dq = model.values().of(d.values, Model::charge_block);
  const FeltParticles charged(s.x, q.cwiseAbs() + dq.cwiseAbs());
  const auto [B, dB] = induction_jvp(model, charged, s.t, d);
  charged.for_each([&](Index k, Index i) {
    const Vec3 v = s.v.col(i), b = B.col(k);
    df.col(i) += dq[i] * v.cross(b) + q[i] * (Vec3(d.v.col(i)).cross(b) + v.cross(Vec3(dB.col(k))));
  });
}

void MagneticField::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const auto q = model.charge();
  auto gq = model.values().of(g.values, Model::charge_block);
  // Uncharged particles are needed for the derivatives with respect to their charges.
  const FeltParticles everyone(s.x, Vector::Ones(q.size())), charged(s.x, q);
  const Points B = induction(model, everyone, s.t);
  for (Index i = 0; i < q.size(); ++i) gq[i] += Vec3(w.col(i)).dot(Vec3(s.v.col(i)).cross(Vec3(B.col(i))));
  Points a(3, charged.x.cols());
  charged.for_each([&](Index k, Index i) {
    g.v.col(i) += q[i] * Vec3(B.col(i)).cross(Vec3(w.col(i)));
    a.col(k) = q[i] * Vec3(w.col(i)).cross(Vec3(s.v.col(i)));
  });
  add_induction_vjp(model, charged, s.t, a, g);
}

// The flow: v ← R(φ) v with φ = −(q h/m) B, hence δ(R v) = R δv + (J δφ) × (R v). -------------------------------------

void MagneticField::flow_velocity(const Model& model, const State& s, double h, Points& v) const {
  const auto q = model.charge(), m = model.mass();
  const FeltParticles charged(s.x, q);
  const Points B = induction(model, charged, s.t);
  charged.for_each([&](Index k, Index i) { v.col(i) = rotate(-q[i] * h / m[i] * B.col(k), v.col(i)); });
}

void MagneticField::add_flow_impulse(const Model& model, const State& s, double h, Points& J) const {
  add_steady_impulse(*this, model, s, h, J);
}

void MagneticField::flow_velocity_jvp(const Model& model, const State& s, double h, const Variation& d,
                                      Points& dv) const {
  const Values& values = model.values();
  const auto q = model.charge(), m = model.mass();
  const auto dq = values.of(d.values, Model::charge_block), dm = values.of(d.values, Model::mass_block);
  const FeltParticles charged(s.x, q.cwiseAbs() + dq.cwiseAbs());
  const auto [B, dB] = induction_jvp(model, charged, s.t, d);
  dv = d.v;
  charged.for_each([&](Index k, Index i) {
    const Vec3 phi = -q[i] * h / m[i] * B.col(k);
    const Vec3 dphi = -h / m[i] * (dq[i] * B.col(k) + q[i] * dB.col(k)) - dm[i] / m[i] * phi;
    dv.col(i) = rotate(phi, d.v.col(i)) + turn_by_change(phi, dphi).cross(rotate(phi, s.v.col(i)));
  });
}

void MagneticField::flow_velocity_vjp(const Model& model, const State& s, double h, const Points& a,
                                      Variation& g) const {
  const Values& values = model.values();
  const auto q = model.charge(), m = model.mass();
  auto gq = values.of(g.values, Model::charge_block), gm = values.of(g.values, Model::mass_block);
  const FeltParticles everyone(s.x, Vector::Ones(q.size())), charged(s.x, q);
  const Points B = induction(model, everyone, s.t);
  Points gphi(3, q.size()), by_field(3, charged.x.cols());
  for (Index i = 0; i < q.size(); ++i) {
    const Vec3 phi = -q[i] * h / m[i] * B.col(i), w = a.col(i);
    gphi.col(i) = turn_by_change(-phi, rotate(phi, s.v.col(i)).cross(w));
    g.v.col(i) = rotate(-phi, w);
    gq[i] -= h / m[i] * gphi.col(i).dot(B.col(i));
  }
  charged.for_each([&](Index k, Index i) {
    gm[i] += q[i] * h / (m[i] * m[i]) * gphi.col(i).dot(B.col(i));
    by_field.col(k) = -q[i] * h / m[i] * gphi.col(i);
  });
  add_induction_vjp(model, charged, s.t, by_field, g);
}

}  // namespace pithball::sim
