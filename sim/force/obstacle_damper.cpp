#include "sim/force/obstacle_damper.hpp"

#include <algorithm>

#include "sim/force/obstacle_contacts.hpp"
#include "sim/linear/block_matrix.hpp"

namespace pithball::sim {
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
  // In the corner of a box three walls at right angles touch a particle, each along its own normal and across it.
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
