#include "sim/force/contact_penalty.hpp"

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"
#include "sim/force/closest_approach.hpp"
#include "sim/force/contact_damper.hpp"
#include "sim/force/contact_pairs.hpp"
#include "sim/force/contact_smoothing.hpp"
#include "sim/force/pair_force.hpp"
#include "sim/force/particle_values.hpp"

namespace pithball::sim {

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

// With the force p b, p = k (R/r − 1), and R = r + d d′: with s = (d d′)′, ∂p/∂k = R/r − 1, ∂p/∂(a_i + a_j) = k s/r and
// (∂p/∂r)/r = −k (R − (1 − s) r)/r³.

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
  const Vector felt =
      model.values()[radius_block_].array() + smoothing_ / 2;  // of two: contact begins before they touch
  const double meeting = closest_approach(model, s, a, everyone(model), felt);
  return std::max(meeting, std::sqrt(model.mass().minCoeff() / (2 * model.values()[stiffness_block_][0])));
}

double ContactPenalty::time_to_touch(const Model& model, const State& s, const Points& a) const {
  // Between centers, no nearer than the smallest sphere is large.
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

}  // namespace pithball::sim
