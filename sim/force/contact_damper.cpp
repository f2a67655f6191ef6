#include "sim/force/contact_damper.hpp"

#include "sim/force/contact_pairs.hpp"
#include "sim/kernel/spring.hpp"

namespace pithball::sim {

using Contact = ContactPenalty::Contact;

const ForceTraits& ContactDamper::traits() const {
  static const ForceTraits traits{.name = "contact_damper", .loss = LossKind::Contacts};
  return traits;
}

void ContactDamper::declare(const Topology&, Values& values) {
  block_ = values.add({"contact_damping", "N s/m", ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Force},
                      Vector::Constant(1, damping_));
}

void ContactDamper::add_force(const Model& model, const State& s, Points& f) const {
  const double c = model.values()[block_][0];
  spheres_->for_each_contact(model, s.x, [&](const Contact& at) {
    const Vec3 force = kernel::damper_force<double>(at.b, s.v.col(at.i) - s.v.col(at.j), c * at.d.share);
    f.col(at.i) += force;
    f.col(at.j) -= force;
  });
}

void ContactDamper::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const double c = model.values()[block_][0], dc = model.values().of(d.values, block_)[0];
  const auto dr = model.values().of(d.values, spheres_->radius_block());
  spheres_->for_each_contact(model, s.x, [&](const Contact& at) {
    const Vec3 w = s.v.col(at.i) - s.v.col(at.j), db = d.x.col(at.i) - d.x.col(at.j);
    const double deeper = dr[at.i] + dr[at.j] - at.b.dot(db) / at.distance;
    const Vec3 change = kernel::damper_force<double>(at.b, d.v.col(at.i) - d.v.col(at.j), c * at.d.share) +
                        kernel::damper_force<double>(at.b, w, dc * at.d.share + c * at.d.bend * deeper) -
                        c * at.d.share * kernel::damper_direction_derivative(at.b, w) * db;
    df.col(at.i) += change;
    df.col(at.j) -= change;
  });
}

void ContactDamper::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const double c = model.values()[block_][0];
  auto gc = model.values().of(g.values, block_);
  auto gr = model.values().of(g.values, spheres_->radius_block());
  spheres_->for_each_contact(model, s.x, [&](const Contact& at) {
    const Vec3 rate = s.v.col(at.i) - s.v.col(at.j), u = w.col(at.i) - w.col(at.j);
    const double unit = kernel::damper_force<double>(at.b, rate, 1.0).dot(u), deeper = c * at.d.bend * unit;
    const Vec3 gv = kernel::damper_force<double>(at.b, u, c * at.d.share);  // n nᵀ is symmetric
    const Vec3 gb =
        -c * at.d.share * kernel::damper_direction_derivative(at.b, rate).transpose() * u - deeper / at.distance * at.b;
    g.v.col(at.i) += gv;
    g.v.col(at.j) -= gv;
    g.x.col(at.i) += gb;
    g.x.col(at.j) -= gb;
    gc[0] += at.d.share * unit;
    gr[at.i] += deeper;
    gr[at.j] += deeper;
  });
}

LinearFlow ContactDamper::flow(const Model& model, const State& s, double h) const {
  // Row i of M⁻¹∂F/∂v holds 2 c/m_i for each contact of i (Gershgorin).
  const double c = model.values()[block_][0];
  Vector rate = Vector::Zero(model.particles());
  spheres_->for_each_contact(model, s.x, [&](const Contact& at) {
    rate[at.i] += 2 * c / model.mass()[at.i];
    rate[at.j] += 2 * c / model.mass()[at.j];
  });
  return {*this, model, s, h, rate.maxCoeff()};
}

void ContactDamper::flow_velocity(const Model& model, const State& s, double h, Points& v) const {
  flow(model, s, h).advance(v);
}

void ContactDamper::add_flow_impulse(const Model& model, const State& s, double h, Points& J) const {
  flow(model, s, h).add_impulse(J);
}

void ContactDamper::flow_velocity_jvp(const Model& model, const State& s, double h, const Variation& d,
                                      Points& dv) const {
  flow(model, s, h).jvp(d, dv);
}

void ContactDamper::flow_velocity_vjp(const Model& model, const State& s, double h, const Points& a,
                                      Variation& g) const {
  flow(model, s, h).vjp(a, g);
}

void ContactDamper::for_each_touch(const Model& model, const State& s, const TouchVisitor& visit) const {
  const double c = model.values()[block_][0];
  spheres_->for_each_contact(model, s.x, [&](const Contact& at) {
    Touch touch = spheres_->touch(model, s, at);
    touch.jump = c * std::abs(touch.normal.dot(touch.velocity));
    visit(touch);
  });
}

}  // namespace pithball::sim
