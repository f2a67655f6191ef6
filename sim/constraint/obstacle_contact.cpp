#include "sim/constraint/obstacle_contact.hpp"

#include <numeric>

#include "sim/constraint/constraint_row.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

ObstacleOptions ObstacleContact::read(Settings& settings, const Points& drawn) {
  ObstacleOptions options;
  if (settings.describing() || settings.has("vertices")) {
    options.particles =
        settings.particles("vertices", "particles that collide with it: numbers and group names (default: all)");
  } else {
    options.particles.resize(drawn.cols());
    std::iota(options.particles.begin(), options.particles.end(), Index{0});
  }
  options.radius = settings.per_particle("radius", "m", "radius of the particles as spheres; 0: points", 0);
  options.law = ContactValues::read(settings, true);
  return options;
}

ObstacleContact::ObstacleContact(const std::string& name, ObstacleOptions options)
    : name_(name),
      particles_(std::move(options.particles)),
      radius_(std::move(options.radius)),
      contact_(name, options.law) {}

void ObstacleContact::declare(const Topology& topology, Values& values) {
  require_row_particles("constraints." + name_ + ".vertices", particles_, topology.particles);
  require_item_values("constraints." + name_ + ".radius", "particle", topology.particles, radius_);
  radius_block_ = values.add(
      {name_ + "_radius", "m", ValueOwner::Particle, ValueSign::NonNegative, ValueScaling::Invariant}, radius_);
  contact_.declare(values);
}

void ObstacleContact::add_rows(const Model& model, const Points& x, const Vector& reach,
                               std::vector<ConstraintRow>& rows) const {
  const auto radius = model.values()[radius_block_];
  Vec3 normal;
  for (const Index i : particles_)
    for (Index wall = 0; wall < walls(); ++wall)
      if (distance(wall, x.col(i), normal) <= radius[i] + reach[i]) rows.push_back({i * walls() + wall, 1, {i}});
}

double ObstacleContact::evaluate(const Model& model, const ConstraintRow& row, const RowPoints& x,
                                 RowPoints& gradient) const {
  Vec3 normal;
  const double s = distance(row.item % walls(), x.col(0), normal);
  gradient.col(0) = normal;
  return s - model.values()[radius_block_][row.particles[0]];
}

ContactLaw ObstacleContact::contact_law(const Model& model, const ConstraintRow& row) const {
  return contact_.law(model.values(), model.values()[radius_block_][row.particles[0]]);
}

std::optional<Passage> ObstacleContact::find_passage(const Model& model, const Flight& flight) const {
  if (!solid()) return {};
  return sim::find_passage(flight, model.values()[radius_block_], particles_, *solid());
}

std::shared_ptr<Constraint> ObstacleContact::with_particles(const std::vector<ParticleOrigin>& origins,
                                                            const std::vector<Index>& place) const {
  auto result = copy();
  std::vector<bool> stopped(place.size(), false);
  for (const Index i : particles_) stopped[i] = true;
  result->particles_.clear();
  for (std::size_t p = 0; p < origins.size(); ++p)
    if (stopped[origins[p].like]) result->particles_.push_back(p);
  return result;
}

std::shared_ptr<Constraint> PlaneContact::make(Settings& settings, const Points& drawn) {
  const PlaneObstacle plane = PlaneObstacle::read(settings, "constraints.plane");
  return std::make_shared<PlaneContact>(plane, read(settings, drawn));
}

const ConstraintTraits& PlaneContact::traits() const {
  static const ConstraintTraits traits{.name = "plane", .inequality = true};
  return traits;
}

std::shared_ptr<Constraint> BoxContact::make(Settings& settings, const Points& drawn) {
  const BoxObstacle box = BoxObstacle::read(settings, "constraints.box");
  return std::make_shared<BoxContact>(box, read(settings, drawn));
}

const ConstraintTraits& BoxContact::traits() const {
  static const ConstraintTraits traits{.name = "box", .inequality = true};
  return traits;
}

}  // namespace pithball::sim
