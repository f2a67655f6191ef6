#include "sim/force/dry_friction.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/force/particle_values.hpp"
#include "sim/kernel/dry_friction.hpp"
#include "sim/linear/block_matrix.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

/// A velocity as a speed in units of s and a direction, which is arbitrary at rest: derivatives are isotropic there.
struct Sliding {
  double a;  // |v|/s
  Vec3 direction;
  Sliding(const Vec3& v, double s) : a(v.norm() / s), direction(a > 0 ? Vec3(v.normalized()) : Vec3::UnitX()) {}
  /// Returns along·(component of w along v) + across·(component of w across v).
  Vec3 stretch(const Vec3& w, double along, double across) const {
    return across * w + (along - across) * direction.dot(w) * direction;
  }
  double tanh_over_a() const { return a > 0 ? std::tanh(a) / a : 1; }
};

/// The flow of one particle over h: a′, and the factors by which δv along and across the motion decreases.
struct Slowing : Sliding {
  double after, along, across;
  Slowing(const Vec3& v, double s, double b) : Sliding(v, s), after(kernel::dry_friction_flow(a, b)) {
    along = a > 0 ? std::tanh(after) / std::tanh(a) : std::exp(-b);
    across = a > 0 ? after / a : std::exp(-b);
  }
};

}  // namespace

DryFriction::DryFriction(Vector strength, double stiction_velocity)
    : strength_(std::move(strength)), s_(stiction_velocity) {
  if (!(stiction_velocity > 0) || !std::isfinite(stiction_velocity))
    throw InvalidArgument({"", "forces.dry_friction.stiction_velocity", "must be > 0 m/s and finite",
                           std::to_string(stiction_velocity), "give a speed well below those of the motion"});
}

std::vector<std::shared_ptr<ForceTerm>> DryFriction::make(Settings& settings) {
  const Vector strength = settings.per_particle("friction_force", "N", "friction force f in F = −f tanh(|v|/s) v/|v|");
  const double speed =
      settings.number("stiction_velocity", "m/s", "speed s below which the friction is approximately −(f/s) v");
  return {std::make_shared<DryFriction>(strength, speed)};
}

const ForceTraits& DryFriction::traits() const {
  static const ForceTraits traits{.name = "dry_friction", .loss = LossKind::Friction};
  return traits;
}

void DryFriction::declare(const Topology& topology, Values& values) {
  block_ = declare_particle_values(
      topology, values, "forces.dry_friction.friction_force",
      {"dry_friction", "N", ValueOwner::Particle, ValueSign::NonNegative, ValueScaling::Force}, strength_);
}

void DryFriction::add_force(const Model& model, const State& s, Points& f) const {
  const auto strength = model.values()[block_];
  for (Index i = 0; i < model.particles(); ++i)
    f.col(i) -= strength[i] / s_ * Sliding(s.v.col(i), s_).tanh_over_a() * s.v.col(i);
}

void DryFriction::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const auto strength = model.values()[block_], change = model.values().of(d.values, block_);
  for (Index i = 0; i < model.particles(); ++i) {
    const Sliding now(s.v.col(i), s_);
    const double t = std::tanh(now.a), across = now.tanh_over_a();
    df.col(i) -= change[i] / s_ * across * s.v.col(i) + strength[i] / s_ * now.stretch(d.v.col(i), 1 - t * t, across);
  }
}

void DryFriction::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const auto strength = model.values()[block_];
  auto change = model.values().of(g.values, block_);
  for (Index i = 0; i < model.particles(); ++i) {
    const Sliding now(s.v.col(i), s_);
    const double t = std::tanh(now.a), across = now.tanh_over_a();
    change[i] -= across / s_ * w.col(i).dot(s.v.col(i));
    g.v.col(i) -= strength[i] / s_ * now.stretch(w.col(i), 1 - t * t, across);  // symmetric
  }
}

// R = Σ f s ln cosh(|v|/s), written so that it does not overflow.
double DryFriction::dissipation(const Model& model, const State& s) const {
  const auto strength = model.values()[block_];
  double sum = 0;
  for (Index i = 0; i < model.particles(); ++i) {
    const double a = s.v.col(i).norm() / s_;
    sum += strength[i] * s_ * (a + std::log1p(std::exp(-2 * a)) - std::log(2.0));
  }
  return sum;
}

void DryFriction::add_velocity_blocks(const Model& model, const State& s, double scale, BlockMatrix& J) const {
  const auto strength = model.values()[block_];
  for (Index i = 0; i < model.particles(); ++i) {
    const Sliding now(s.v.col(i), s_);
    const double t = std::tanh(now.a), across = now.tanh_over_a();
    const Mat3 along = now.direction * now.direction.transpose();
    J.add_diagonal(i, -scale * strength[i] / s_ * (across * Mat3::Identity() + (1 - t * t - across) * along));
  }
}

// The flow: b = f h/(m s), |v′| = s a′(a, b), direction kept; hence
//   δv′ = (tanh a′/tanh a) v̂ v̂ᵀδv + (a′/a) (I − v̂ v̂ᵀ) δv − s tanh a′ δb v̂,   δb = h/(m s) δf − b/m δm.

void DryFriction::flow_velocity(const Model& model, const State& s, double h, Points& v) const {
  const auto strength = model.values()[block_], m = model.mass();
  for (Index i = 0; i < model.particles(); ++i) v.col(i) *= Slowing(v.col(i), s_, strength[i] * h / (m[i] * s_)).across;
}

void DryFriction::add_flow_impulse(const Model& model, const State& s, double h, Points& J) const {
  add_steady_impulse(*this, model, s, h, J);
}

void DryFriction::flow_velocity_jvp(const Model& model, const State& s, double h, const Variation& d,
                                    Points& dv) const {
  const Values& values = model.values();
  const auto strength = values[block_], m = model.mass();
  const auto df = values.of(d.values, block_), dm = values.of(d.values, Model::mass_block);
  for (Index i = 0; i < model.particles(); ++i) {
    const double b = strength[i] * h / (m[i] * s_), db = h / (m[i] * s_) * df[i] - b / m[i] * dm[i];
    const Slowing flow(s.v.col(i), s_, b);
    const double lost = flow.a > 0 ? s_ * std::tanh(flow.after) * db : 0;
    dv.col(i) = flow.stretch(d.v.col(i), flow.along, flow.across) - lost * flow.direction;
  }
}

void DryFriction::flow_velocity_vjp(const Model& model, const State& s, double h, const Points& a, Variation& g) const {
  const Values& values = model.values();
  const auto strength = values[block_], m = model.mass();
  auto gf = values.of(g.values, block_), gm = values.of(g.values, Model::mass_block);
  for (Index i = 0; i < model.particles(); ++i) {
    const double b = strength[i] * h / (m[i] * s_);
    const Slowing flow(s.v.col(i), s_, b);
    const double gb = flow.a > 0 ? -s_ * std::tanh(flow.after) * a.col(i).dot(flow.direction) : 0;
    g.v.col(i) = flow.stretch(a.col(i), flow.along, flow.across);
    gf[i] += gb * h / (m[i] * s_);
    gm[i] -= gb * b / m[i];
  }
}

}  // namespace pithball::sim
