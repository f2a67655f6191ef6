#include "sim/force/contact_penalty.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"
#include "sim/force/closest_approach.hpp"
#include "sim/force/contact_smoothing.hpp"
#include "sim/force/pair_force.hpp"
#include "sim/force/particle_values.hpp"
#include "sim/kernel/spring.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

template <class Body>
void ContactPenalty::for_each_contact(const Model& model, const Points& x, Body body) const {
  const auto radius = model.values()[radius_block_];
  const double longest = 2 * radius.maxCoeff();
  if (!(longest > 0)) return;
  const PairRows rows(*search_, x, longest + smoothing_);
  rows.for_each([&](const PairRow& row) {
    const Index i = rows.particle(row.i);
    for (std::size_t k = 0; k < row.count; ++k) {
      const Index j = rows.particle(row.j[k]);
      const double distance = std::sqrt(row.r2[k]), reach = radius[i] + radius[j];
      if (!(reach > 0 && distance < reach + smoothing_)) continue;
      const auto d = kernel::smoothed_depth(reach - distance, smoothing_);
      body(Contact{i, j, row.separation(k), distance, d.share < 1 ? distance + d.push() : reach, d});
    }
  });
}

std::vector<std::shared_ptr<ForceTerm>> ContactPenalty::make(Settings& settings) {
  Vector radius = settings.per_particle("radius", "m", "radius a of each particle as a sphere; 0: a point");
  const double stiffness =
      settings.number("stiffness", "N/m", "stiffness k in the repulsive force k d at penetration depth d");
  const double damping = settings.number("damping", "N s/m",
                                         "damping c of the relative normal velocity in contact; 0: elastic rebound", 0);
  const double largest = radius.size() > 0 ? radius.maxCoeff() : 0;
  if (!(largest > 0))
    settings.reject("radius", "must be > 0 m for at least one particle", to_text(largest), "give the spheres a radius");
  auto neighbors = read_neighbors(settings, 2 * largest, "the largest diameter 2a");
  const double smoothing = ask_smoothing(settings);
  auto penalty = std::make_shared<ContactPenalty>(std::move(radius), stiffness, std::move(neighbors), smoothing);
  if (damping == 0 && !settings.describing()) return {penalty};
  return {penalty, std::make_shared<ContactDamper>(penalty, damping)};
}

const ForceTraits& ContactPenalty::traits() const {
  static const ForceTraits traits{.name = "contact_penalty", .energy = EnergyKind::Interaction};
  return traits;
}

void ContactPenalty::declare(const Topology& topology, Values& values) {
  radius_block_ = declare_particle_values(
      topology, values, "forces.contact_penalty.radius",
      {"contact_radius", "m", ValueOwner::Particle, ValueSign::NonNegative, ValueScaling::Invariant}, radius_);
  stiffness_block_ =
      values.add({"contact_stiffness", "N/m", ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Stiffness},
                 Vector::Constant(1, stiffness_));
}

void ContactPenalty::validate(const Model& model, const State& s) const {
  for_each_contact(model, s.x, [&](const Contact& c) {
    if (c.distance == 0)
      throw InvalidArgument({"", "forces.contact_penalty", "needs a direction between spheres in contact",
                             "particles " + std::to_string(c.i) + " and " + std::to_string(c.j) + " at the same point",
                             "move one of them"});
  });
}

void ContactPenalty::add_force(const Model& model, const State& s, Points& f) const {
  const double k = model.values()[stiffness_block_][0];
  for_each_contact(model, s.x, [&](const Contact& c) {
    const Vec3 push = k * c.d.push() / c.distance * c.b;
    f.col(c.i) += push;
    f.col(c.j) -= push;
  });
}

std::optional<double> ContactPenalty::energy(const Model& model, const State& s) const {
  const double k = model.values()[stiffness_block_][0];
  double sum = 0;
  for_each_contact(model, s.x, [&](const Contact& c) { sum += k / 2 * c.d.depth * c.d.depth; });
  return sum;
}

// The force is p b with p = k (R/r − 1) and R = r + d d′. With s = (d d′)′: ∂p/∂k = R/r − 1, ∂p/∂(a_i + a_j) = k s/r,
// and (∂p/∂r)/r = −k (R − (1 − s) r)/r³.

void ContactPenalty::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Values& values = model.values();
  const double k = values[stiffness_block_][0], dk = values.of(d.values, stiffness_block_)[0];
  const auto da = values.of(d.values, radius_block_);
  for_each_contact(model, s.x, [&](const Contact& c) {
    const Vec3 db = d.x.col(c.i) - d.x.col(c.j);
    const double r = c.distance, ratio = c.reach / r - 1;
    const double turned = c.reach - (1 - c.d.slope()) * r;
    const double along =
        ratio * dk + k * c.d.slope() / r * (da[c.i] + da[c.j]) - k * turned / (r * r * r) * c.b.dot(db);
    const Vec3 change = k * ratio * db + along * c.b;
    df.col(c.i) += change;
    df.col(c.j) -= change;
  });
}

double ContactPenalty::shortest_time(const Model& model, const State& s, const Points& a) const {
  // Each sphere is enlarged by half of the smoothing: contact begins before the spheres touch.
  const Vector felt = model.values()[radius_block_].array() + smoothing_ / 2;
  const double meeting = closest_approach(model, s, a, everyone(model), felt);
  return std::max(meeting, std::sqrt(model.mass().minCoeff() / (2 * model.values()[stiffness_block_][0])));
}

double ContactPenalty::time_to_touch(const Model& model, const State& s, const Points& a) const {
  // Uses the distance of the centers, but at least the smallest radius.
  const auto radius = model.values()[radius_block_];
  const double smallest = (radius.array() > 0).select(radius, radius.maxCoeff()).minCoeff();
  return closest_approach(model, s, a, everyone(model), {}, smallest);
}

void ContactPenalty::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Values& values = model.values();
  const double k = values[stiffness_block_][0];
  auto gk = values.of(g.values, stiffness_block_);
  auto ga = values.of(g.values, radius_block_);
  for_each_contact(model, s.x, [&](const Contact& c) {
    const Vec3 u = w.col(c.i) - w.col(c.j);
    const double r = c.distance, ratio = c.reach / r - 1, along = c.b.dot(u);
    const double turned = c.reach - (1 - c.d.slope()) * r;
    const Vec3 gb = k * ratio * u - k * turned / (r * r * r) * along * c.b;
    g.x.col(c.i) += gb;
    g.x.col(c.j) -= gb;
    gk[0] += ratio * along;
    ga[c.i] += k * c.d.slope() / r * along;
    ga[c.j] += k * c.d.slope() / r * along;
  });
}

std::optional<Passage> ContactPenalty::find_passage(const Model& model, const Flight& flight) const {
  return sim::find_passage(flight, model.values()[radius_block_]);
}

Touch ContactPenalty::touch(const Model& model, const State& s, const Contact& at) const {
  return {at.i,
          at.j,
          at.b / at.distance,
          s.v.col(at.i) - s.v.col(at.j),
          touched_mass(model, at.i, at.j),
          model.values()[stiffness_block_][0],
          0,
          smoothing_};
}

void ContactPenalty::for_each_touch(const Model& model, const State& s, const TouchVisitor& visit) const {
  for_each_contact(model, s.x, [&](const Contact& at) { visit(touch(model, s, at)); });
}

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
  // Each contact of i adds at most 2 c/m_i to the row sum i of M⁻¹∂F/∂v (Gershgorin).
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
