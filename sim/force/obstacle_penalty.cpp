#include "sim/force/obstacle_penalty.hpp"

#include <algorithm>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"
#include "sim/field/primitive_obstacles.hpp"
#include "sim/force/closest_approach.hpp"
#include "sim/force/contact_smoothing.hpp"
#include "sim/force/particle_values.hpp"
#include "sim/linear/block_matrix.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

template <class Body>
void ObstaclePenalty::for_each_depth(const Model& model, const Points& x, Body body) const {
  const auto radius = model.values()[radius_block_];
  Vec3 normal;
  for (Index i = 0; i < model.particles(); ++i)
    for (Index wall = 0; wall < obstacle_->walls(); ++wall) {
      const double depth = radius[i] - obstacle_->distance(wall, x.col(i), normal);
      body(i, wall, depth, std::as_const(normal));
    }
}

template <class Body>
void ObstaclePenalty::for_each_contact(const Model& model, const Points& x, Body body) const {
  for_each_depth(model, x, [&](Index i, Index wall, double depth, const Vec3& normal) {
    const bool is_held = held_ && !model.is_held(i);
    if (!(is_held ? (*held_)[i * walls() + wall] : depth > -smoothing_)) return;
    body(Contact{i, wall,
                 is_held ? kernel::SmoothedDepth<double>{depth, 1, 0} : kernel::smoothed_depth(depth, smoothing_),
                 normal});
  });
}

namespace {

template <class Kind>
std::vector<std::shared_ptr<ForceTerm>> make_obstacle(const std::string& kind, Settings& settings) {
  const std::string name = kind + "_penalty";
  const auto obstacle = std::make_shared<const Kind>(Kind::read(settings, "forces." + name));
  Vector radius = settings.per_particle("radius", "m", "radius of the particles as spheres; 0: points", 0);
  const double stiffness =
      settings.number("stiffness", "N/m", "stiffness k in the repulsive force k d at penetration depth d");
  const double damping =
      settings.number("damping", "N s/m", "damping c of the normal velocity in contact; 0: elastic rebound", 0);
  const double tangential = settings.number("tangential_damping", "N s/m",
                                            "damping of the tangential velocity in contact; 0: frictionless", 0);
  const double smoothing = ask_smoothing(settings);
  auto penalty = std::make_shared<ObstaclePenalty>(name, obstacle, std::move(radius), stiffness, smoothing);
  if (damping == 0 && tangential == 0 && !settings.describing()) return {penalty};
  return {penalty, std::make_shared<ObstacleDamper>(kind, penalty, damping, tangential)};
}

}  // namespace

std::vector<std::shared_ptr<ForceTerm>> ObstaclePenalty::make_plane(Settings& settings) {
  return make_obstacle<PlaneObstacle>("plane", settings);
}
std::vector<std::shared_ptr<ForceTerm>> ObstaclePenalty::make_sphere(Settings& settings) {
  return make_obstacle<SphereObstacle>("sphere", settings);
}
std::vector<std::shared_ptr<ForceTerm>> ObstaclePenalty::make_box(Settings& settings) {
  return make_obstacle<BoxObstacle>("box", settings);
}

ObstaclePenalty::ObstaclePenalty(const std::string& name, std::shared_ptr<const Obstacle> obstacle, Vector radius,
                                 double stiffness, double smoothing)
    : traits_{.name = name, .energy = EnergyKind::External, .partners = Partners::None},
      obstacle_(std::move(obstacle)),
      radius_(std::move(radius)),
      stiffness_(stiffness),
      smoothing_(smoothing) {}

void ObstaclePenalty::declare(const Topology& topology, Values& values) {
  const std::string what = "forces." + traits_.name + ".radius";
  const double room = obstacle_->room() - smoothing_;
  if (radius_.size() > 0 && !(radius_.maxCoeff() < room))
    throw InvalidArgument({"", what,
                           "must be < " + to_text(room) + " m" + (smoothing_ > 0 ? " beside the smoothing" : "") +
                               ", to have room inside",
                           to_text(radius_.maxCoeff()), "make the particles smaller or the obstacle larger"});
  radius_block_ = declare_particle_values(
      topology, values, what,
      {traits_.name + "_radius", "m", ValueOwner::Particle, ValueSign::NonNegative, ValueScaling::Invariant}, radius_);
  stiffness_block_ = values.add(
      {traits_.name + "_stiffness", "N/m", ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Stiffness},
      Vector::Constant(1, stiffness_));
}

void ObstaclePenalty::validate(const Model& model, const State& s) const {
  for_each_contact(model, s.x, [&](const Contact& at) {
    if (at.normal.isZero(0))
      throw InvalidArgument({"", "forces." + traits_.name, "needs a direction out of the obstacle",
                             "particle " + std::to_string(at.i) + " at its center", "move it"});
  });
}

void ObstaclePenalty::add_force(const Model& model, const State& s, Points& f) const {
  const double k = model.values()[stiffness_block_][0];
  for_each_contact(model, s.x, [&](const Contact& at) { f.col(at.i) += k * at.d.push() * at.normal; });
}

std::optional<double> ObstaclePenalty::energy(const Model& model, const State& s) const {
  const double k = model.values()[stiffness_block_][0];
  double sum = 0;
  for_each_contact(model, s.x, [&](const Contact& at) { sum += k / 2 * at.d.depth * at.d.depth; });
  return sum;
}

Mat3 ObstaclePenalty::hessian(const Contact& at, const Points& x, double k, bool definite) const {
  // The curvature acts across the normal and has one sign, so omitting it gives the nearest semidefinite matrix.
  const Mat3 bend = curvature(at, x);
  const Mat3 straight = k * at.d.slope() * at.normal * at.normal.transpose();
  return definite && bend.trace() > 0 ? straight : Mat3(straight - k * at.d.push() * bend);
}

void ObstaclePenalty::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Values& values = model.values();
  const double k = values[stiffness_block_][0], dk = values.of(d.values, stiffness_block_)[0];
  const auto dr = values.of(d.values, radius_block_);
  for_each_contact(model, s.x, [&](const Contact& at) {
    df.col(at.i) +=
        (dk * at.d.push() + k * at.d.slope() * dr[at.i]) * at.normal - hessian(at, s.x, k, false) * d.x.col(at.i);
  });
}

void ObstaclePenalty::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Values& values = model.values();
  const double k = values[stiffness_block_][0];
  auto gk = values.of(g.values, stiffness_block_), gr = values.of(g.values, radius_block_);
  for_each_contact(model, s.x, [&](const Contact& at) {
    const double along = at.normal.dot(w.col(at.i));
    gk[0] += at.d.push() * along;
    gr[at.i] += k * at.d.slope() * along;
    g.x.col(at.i) -= hessian(at, s.x, k, false) * w.col(at.i);  // symmetric
  });
}

double ObstaclePenalty::time_to_touch(const Model& model, const State& s, const Points& a) const {
  double shortest = std::numeric_limits<double>::infinity();
  const double thickness = obstacle_->thickness();
  if (thickness == shortest) return shortest;
  Vec3 normal;
  for (Index wall = 0; wall < walls(); ++wall)
    for (Index i = 0; i < model.particles(); ++i) {
      if (model.is_held(i)) continue;
      const double way = std::max(0.0, obstacle_->distance(wall, s.x.col(i), normal)) + thickness;
      shortest = std::min(shortest, crossing_time(way, s.v.col(i).norm(), a.col(i).norm()));
    }
  return shortest;
}

std::optional<Passage> ObstaclePenalty::find_passage(const Model& model, const Flight& flight) const {
  return sim::find_passage(flight, model.values()[radius_block_], everyone(model), *obstacle_);
}

void ObstaclePenalty::add_position_blocks(const Model& model, const State& s, double scale, bool definite,
                                          BlockMatrix& J) const {
  const double k = model.values()[stiffness_block_][0];
  for_each_contact(model, s.x,
                   [&](const Contact& at) { J.add_diagonal(at.i, -scale * hessian(at, s.x, k, definite)); });
}

void ObstaclePenalty::add_stiffness_majorizer(const Model& model, double scale, Majorizer& L) const {
  // Across the normal of a hollow sphere −∂F/∂x is k d/(R − r + d) < k, since r < R. Walls of a box that touch the same
  // particle are at right angles, so their stiffnesses act along different axes.
  const double k = model.values()[stiffness_block_][0] * (smoothing_ > 0 ? kernel::largest_slope : 1);
  for (Index i = 0; i < model.particles(); ++i) L.vertex(i, scale * k);
}

void ObstaclePenalty::add_negative_curvature_bound(const Model& model, const State& s, Vector& bound) const {
  const double k = model.values()[stiffness_block_][0];
  for_each_contact(model, s.x, [&](const Contact& at) {
    const Mat3 bend = curvature(at, s.x);
    if (bend.trace() > 0) bound[at.i] += k * at.d.push() * bend.norm();
  });
}

Touch ObstaclePenalty::touch(const Model& model, const State& s, const Contact& at) const {
  return {
      at.i, -1 - at.wall, at.normal, s.v.col(at.i), touched_mass(model, at.i, -1), model.values()[stiffness_block_][0],
      0,    smoothing_};
}

void ObstaclePenalty::for_each_touch(const Model& model, const State& s, const TouchVisitor& visit) const {
  for_each_contact(model, s.x, [&](const Contact& at) { visit(touch(model, s, at)); });
}

void ObstaclePenalty::for_each_gap(const Model& model, const State& s, const GapVisitor& visit) const {
  if (smoothing_ > 0) return;
  for_each_depth(model, s.x, [&](Index i, Index wall, double depth, const Vec3& normal) {
    if (!model.is_held(i)) visit({i, wall, depth, normal});
  });
}

double ObstaclePenalty::depth_jvp(const Model& model, const State&, const WallGap& at, const Variation& d) const {
  return model.values().of(d.values, radius_block_)[at.i] - at.normal.dot(d.x.col(at.i));
}

void ObstaclePenalty::add_depth_vjp(const Model& model, const State&, const WallGap& at, double w, Variation& g) const {
  model.values().of(g.values, radius_block_)[at.i] += w;
  g.x.col(at.i) -= w * at.normal;
}

std::shared_ptr<ObstaclePenalty> ObstaclePenalty::held_at(const Model& model, const Points& x) const {
  auto copy = std::make_shared<ObstaclePenalty>(*this);
  if (smoothing_ > 0) return copy;  // already smooth
  std::vector<bool> touching(model.particles() * walls(), false);
  for_each_depth(model, x,
                 [&](Index i, Index wall, double depth, const Vec3&) { touching[i * walls() + wall] = depth > 0; });
  copy->held_ = std::make_shared<const std::vector<bool>>(std::move(touching));
  return copy;
}

namespace {

/// C in F = −C v at a wall: c along its normal, c_t across.
Mat3 wall_damping(const Vec3& n, double c, double tangential) {
  return tangential * Mat3::Identity() + (c - tangential) * n * n.transpose();
}

/// ∂((n·v) n)/∂x at fixed v, with B = ∂n/∂x symmetric: n (B v)ᵀ + (n·v) B.
Mat3 turn_of_normal_part(const Vec3& n, const Mat3& B, const Vec3& v) { return n * (B * v).transpose() + n.dot(v) * B; }

}  // namespace

ObstacleDamper::ObstacleDamper(const std::string& kind, std::shared_ptr<const ObstaclePenalty> obstacle, double damping,
                               double tangential_damping)
    : traits_{.name = kind + "_damper", .loss = LossKind::Contacts},
      obstacle_(std::move(obstacle)),
      damping_(damping),
      tangential_damping_(tangential_damping) {}

void ObstacleDamper::declare(const Topology&, Values& values) {
  const auto add = [&](const std::string& what, double initial) {
    return values.add(
        {obstacle_->traits().name + what, "N s/m", ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Force},
        Vector::Constant(1, initial));
  };
  block_ = add("_damping", damping_);
  tangential_block_ = add("_tangential_damping", tangential_damping_);
}

void ObstacleDamper::add_force(const Model& model, const State& s, Points& f) const {
  const double c = model.values()[block_][0], ct = model.values()[tangential_block_][0];
  obstacle_->for_each_contact(model, s.x, [&](const ObstaclePenalty::Contact& at) {
    f.col(at.i) -= at.d.share * wall_damping(at.normal, c, ct) * s.v.col(at.i);
  });
}

void ObstacleDamper::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Values& values = model.values();
  const double c = values[block_][0], dc = values.of(d.values, block_)[0];
  const double ct = values[tangential_block_][0], dct = values.of(d.values, tangential_block_)[0];
  const auto dr = values.of(d.values, obstacle_->radius_block());
  obstacle_->for_each_contact(model, s.x, [&](const ObstaclePenalty::Contact& at) {
    const Vec3 v = s.v.col(at.i), dx = d.x.col(at.i), dv = d.v.col(at.i);
    const double deeper = dr[at.i] - at.normal.dot(dx);
    df.col(at.i) -= at.d.share * (wall_damping(at.normal, dc, dct) * v + wall_damping(at.normal, c, ct) * dv +
                                  (c - ct) * turn_of_normal_part(at.normal, obstacle_->curvature(at, s.x), v) * dx) +
                    at.d.bend * deeper * wall_damping(at.normal, c, ct) * v;
  });
}

void ObstacleDamper::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Values& values = model.values();
  const double c = values[block_][0], ct = values[tangential_block_][0];
  auto gc = values.of(g.values, block_), gct = values.of(g.values, tangential_block_);
  auto gr = values.of(g.values, obstacle_->radius_block());
  obstacle_->for_each_contact(model, s.x, [&](const ObstaclePenalty::Contact& at) {
    const Vec3 v = s.v.col(at.i), u = w.col(at.i);
    const double along = at.normal.dot(u) * at.normal.dot(v);
    const Vec3 resisted = wall_damping(at.normal, c, ct) * u;  // symmetric
    const double deeper = at.d.bend * resisted.dot(v);
    gc[0] -= at.d.share * along;
    gct[0] -= at.d.share * (u.dot(v) - along);
    gr[at.i] -= deeper;
    g.v.col(at.i) -= at.d.share * resisted;
    g.x.col(at.i) +=
        deeper * at.normal -
        at.d.share * (c - ct) * turn_of_normal_part(at.normal, obstacle_->curvature(at, s.x), v).transpose() * u;
  });
}

double ObstacleDamper::dissipation(const Model& model, const State& s) const {
  const double c = model.values()[block_][0], ct = model.values()[tangential_block_][0];
  double sum = 0;
  obstacle_->for_each_contact(model, s.x, [&](const ObstaclePenalty::Contact& at) {
    sum += at.d.share * s.v.col(at.i).dot(wall_damping(at.normal, c, ct) * s.v.col(at.i)) / 2;
  });
  return sum;
}

void ObstacleDamper::add_velocity_blocks(const Model& model, const State& s, double scale, BlockMatrix& J) const {
  const double c = model.values()[block_][0], ct = model.values()[tangential_block_][0];
  obstacle_->for_each_contact(model, s.x, [&](const ObstaclePenalty::Contact& at) {
    J.add_diagonal(at.i, -scale * at.d.share * wall_damping(at.normal, c, ct));
  });
}

void ObstacleDamper::add_damping_majorizer(const Model& model, double scale, Majorizer& L) const {
  const double c = model.values()[block_][0], ct = model.values()[tangential_block_][0];
  // In a corner of a box, three walls at right angles damp a particle, each along its normal and across it.
  const double others = std::min<Index>(obstacle_->walls(), 3) - 1;
  for (Index i = 0; i < model.particles(); ++i) L.vertex(i, scale * (std::max(c, ct) + others * ct));
}

void ObstacleDamper::for_each_touch(const Model& model, const State& s, const TouchVisitor& visit) const {
  const double c = model.values()[block_][0], ct = model.values()[tangential_block_][0];
  obstacle_->for_each_contact(model, s.x, [&](const ObstaclePenalty::Contact& at) {
    Touch touch = obstacle_->touch(model, s, at);
    touch.jump = (wall_damping(at.normal, c, ct) * touch.velocity).norm();
    visit(touch);
  });
}

std::shared_ptr<ForceTerm> ObstacleDamper::holding(const Model& model, const State& s) const {
  auto copy = std::make_shared<ObstacleDamper>(*this);
  copy->obstacle_ = obstacle_->held_at(model, s.x);
  return copy;
}

}  // namespace pithball::sim
