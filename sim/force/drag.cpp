#include "sim/force/drag.hpp"

#include "sim/field/asked_field.hpp"
#include "sim/force/particle_values.hpp"
#include "sim/kernel/drag.hpp"
#include "sim/linear/block_matrix.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

std::vector<std::shared_ptr<ForceTerm>> make_drag(Settings& settings) {
  const bool has_linear = settings.has("linear"), has_quadratic = settings.has("quadratic");
  const Vector linear = settings.per_particle("linear", "kg/s", "linear drag c₁ in F = −c₁ (v − u)", 0);
  const Vector quadratic =
      settings.per_particle("quadratic", "kg/m", "quadratic drag c₂ in F = −c₂ |v − u| (v − u)", 0);
  const auto wind = ask_field(settings, "wind", "m/s", "velocity field u(x, t) of the medium", Vec3::Zero());
  std::vector<std::shared_ptr<ForceTerm>> terms;
  if (has_linear) terms.push_back(std::make_shared<LinearDrag>(linear, wind));
  if (has_quadratic) terms.push_back(std::make_shared<QuadraticDrag>(quadratic, wind));
  return terms;
}

// Linear drag ---------------------------------------------------------------------------------------------------------

const ForceTraits& LinearDrag::traits() const {
  static const ForceTraits traits{.name = "linear_drag", .loss = LossKind::Drag};
  return traits;
}

void LinearDrag::declare(const Topology& topology, Values& values) {
  block_ = declare_particle_values(
      topology, values, "forces.drag.linear",
      {"linear_drag", "kg/s", ValueOwner::Particle, ValueSign::NonNegative, ValueScaling::Force}, coefficient_);
}

Vector LinearDrag::coefficient(const Model& model) const { return model.values()[block_]; }

Vector LinearDrag::coefficient_jvp(const Model& model, const Vector& dvalues) const {
  return model.values().of(dvalues, block_);
}

void LinearDrag::add_coefficient_vjp(const Model& model, const Vector& a, Vector& gvalues) const {
  model.values().of(gvalues, block_) += a;
}

void LinearDrag::add_force(const Model& model, const State& s, Points& f) const {
  const Vector c = coefficient(model);
  const Points u = wind_->values(s.x, s.t);
  for (Index i = 0; i < model.particles(); ++i) f.col(i) -= c[i] * (s.v.col(i) - u.col(i));
}

void LinearDrag::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Vector c = coefficient(model), dc = coefficient_jvp(model, d.values);
  const auto wind = memory_.at(s.x, s.t);
  for (Index i = 0; i < model.particles(); ++i) {
    const Vec3 w = s.v.col(i) - wind->u.col(i);
    df.col(i) -= dc[i] * w + c[i] * (d.v.col(i) - wind->J[i] * d.x.col(i));
  }
}

void LinearDrag::add_jvps(const Model& model, const State& s, const Directions& d, Panel& df) const {
  const Vector c = coefficient(model);
  Panel dc(d.count(), model.particles());
  for (Index p = 0; p < d.count(); ++p) dc.row(p) = coefficient_jvp(model, d.values->each[p]).transpose().array();
  const auto wind = memory_.at(s.x, s.t);
  for (Index i = 0; i < model.particles(); ++i) {
    const Vec3 w = s.v.col(i) - wind->u.col(i);
    const Mat3 J = c[i] * wind->J[i];
    const auto dx = of_particle(d.x, i);
    for (int a = 0; a < 3; ++a)
      df.col(3 * i + a) += J(a, 0) * dx.col(0) + J(a, 1) * dx.col(1) + J(a, 2) * dx.col(2) - w[a] * dc.col(i) -
                           c[i] * d.v.col(3 * i + a);
  }
}

void LinearDrag::add_vjp(const Model& model, const State& s, const Points& a, Variation& g) const {
  const Vector c = coefficient(model);
  Vector gc(model.particles());
  const Points u = wind_->values(s.x, s.t);
  const std::vector<Mat3> J = wind_->jacobians(s.x, s.t);
  for (Index i = 0; i < model.particles(); ++i) {
    const Vec3 w = s.v.col(i) - u.col(i);
    gc[i] = -a.col(i).dot(w);
    g.v.col(i) -= c[i] * a.col(i);
    g.x.col(i) += c[i] * J[i].transpose() * a.col(i);
  }
  add_coefficient_vjp(model, gc, g.values);
}

double LinearDrag::dissipation(const Model& model, const State& s) const {
  const Vector c = coefficient(model);
  double sum = 0;
  const Points u = wind_->values(s.x, s.t);
  for (Index i = 0; i < model.particles(); ++i) sum += c[i] / 2 * (s.v.col(i) - u.col(i)).squaredNorm();
  return sum;
}

void LinearDrag::add_velocity_blocks(const Model& model, const State&, double scale, BlockMatrix& J) const {
  const Vector c = coefficient(model);
  for (Index i = 0; i < model.particles(); ++i) J.add_diagonal(i, -scale * c[i] * Mat3::Identity());
}

void LinearDrag::add_damping_majorizer(const Model& model, double scale, Majorizer& L) const {
  const Vector c = coefficient(model);
  for (Index i = 0; i < model.particles(); ++i) L.vertex(i, scale * c[i]);
}

// Quadratic drag ------------------------------------------------------------------------------------------------------

const ForceTraits& QuadraticDrag::traits() const {
  static const ForceTraits traits{.name = "quadratic_drag", .loss = LossKind::Drag};
  return traits;
}

void QuadraticDrag::declare(const Topology& topology, Values& values) {
  block_ = declare_particle_values(
      topology, values, "forces.drag.quadratic",
      {"quadratic_drag", "kg/m", ValueOwner::Particle, ValueSign::NonNegative, ValueScaling::Force}, coefficient_);
}

void QuadraticDrag::add_force(const Model& model, const State& s, Points& f) const {
  const auto c = model.values()[block_];
  const Points u = wind_->values(s.x, s.t);
  for (Index i = 0; i < model.particles(); ++i)
    f.col(i) += kernel::quadratic_drag_force<double>(s.v.col(i) - u.col(i), c[i]);
}

void QuadraticDrag::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const auto c = model.values()[block_], dc = model.values().of(d.values, block_);
  const auto wind = memory_.at(s.x, s.t);
  for (Index i = 0; i < model.particles(); ++i) {
    const Vec3 w = s.v.col(i) - wind->u.col(i);
    const Vec3 dw = d.v.col(i) - wind->J[i] * d.x.col(i);
    df.col(i) += kernel::quadratic_drag_force<double>(w, dc[i]) - c[i] * kernel::quadratic_drag_jacobian(w) * dw;
  }
}

void QuadraticDrag::add_vjp(const Model& model, const State& s, const Points& a, Variation& g) const {
  const auto c = model.values()[block_];
  auto gc = model.values().of(g.values, block_);
  const Points u = wind_->values(s.x, s.t);
  const std::vector<Mat3> J = wind_->jacobians(s.x, s.t);
  for (Index i = 0; i < model.particles(); ++i) {
    const Vec3 w = s.v.col(i) - u.col(i);
    const Vec3 gw = -c[i] * kernel::quadratic_drag_jacobian(w) * a.col(i);
    gc[i] += a.col(i).dot(kernel::quadratic_drag_force<double>(w, 1.0));
    g.v.col(i) += gw;
    g.x.col(i) -= J[i].transpose() * gw;
  }
}

double QuadraticDrag::dissipation(const Model& model, const State& s) const {
  const auto c = model.values()[block_];
  double sum = 0;
  const Points u = wind_->values(s.x, s.t);
  for (Index i = 0; i < model.particles(); ++i) {
    const double w = (s.v.col(i) - u.col(i)).norm();
    sum += c[i] / 3 * w * w * w;
  }
  return sum;
}

void QuadraticDrag::add_velocity_blocks(const Model& model, const State& s, double scale, BlockMatrix& J) const {
  const auto c = model.values()[block_];
  const Points u = wind_->values(s.x, s.t);
  for (Index i = 0; i < model.particles(); ++i)
    J.add_diagonal(i, -scale * c[i] * kernel::quadratic_drag_jacobian(s.v.col(i) - u.col(i)));
}

// The flow: β = c₂ h/m, s = |w|, D = 1 + β s, result u + w/D; hence
//   δ(w/D) = δw/D − w (s δβ + β ŵ·δw)/D²,   δβ = (h/m) δc₂ − (c₂ h/m²) δm.
namespace {
struct Flow {
  Vec3 w, direction;
  double beta, speed, D;
  Flow(const Vec3& w_, double beta_) : w(w_), beta(beta_), speed(w_.norm()), D(1 + beta_ * speed) {
    direction = speed > 0 ? Vec3(w / speed) : Vec3::Zero();
  }
};
}  // namespace

void QuadraticDrag::flow_velocity(const Model& model, const State& s, double h, Points& v) const {
  const auto c = model.values()[block_], m = model.mass();
  const Points wind = wind_->values(s.x, s.t);
  for (Index i = 0; i < model.particles(); ++i) {
    const Vec3 u = wind.col(i);
    v.col(i) = u + kernel::quadratic_drag_flow<double>(v.col(i) - u, c[i] * h / m[i]);
  }
}

void QuadraticDrag::add_flow_impulse(const Model& model, const State& s, double h, Points& J) const {
  add_steady_impulse(*this, model, s, h, J);
}

void QuadraticDrag::flow_velocity_jvp(const Model& model, const State& s, double h, const Variation& d,
                                      Points& dv) const {
  const Values& values = model.values();
  const auto c = values[block_], m = model.mass();
  const auto dc = values.of(d.values, block_), dm = values.of(d.values, Model::mass_block);
  const auto wind = memory_.at(s.x, s.t);
  for (Index i = 0; i < model.particles(); ++i) {
    const Vec3 du = wind->J[i] * d.x.col(i);
    const Vec3 dw = d.v.col(i) - du;
    const Flow flow(s.v.col(i) - wind->u.col(i), c[i] * h / m[i]);
    const double dbeta = h / m[i] * (dc[i] - c[i] / m[i] * dm[i]);
    dv.col(i) =
        du + dw / flow.D - flow.w * (flow.speed * dbeta + flow.beta * flow.direction.dot(dw)) / (flow.D * flow.D);
  }
}

void QuadraticDrag::flow_velocity_vjp(const Model& model, const State& s, double h, const Points& a,
                                      Variation& g) const {
  const Values& values = model.values();
  const auto c = values[block_], m = model.mass();
  auto gc = values.of(g.values, block_), gm = values.of(g.values, Model::mass_block);
  const Points u = wind_->values(s.x, s.t);
  const std::vector<Mat3> J = wind_->jacobians(s.x, s.t);
  for (Index i = 0; i < model.particles(); ++i) {
    const Flow flow(s.v.col(i) - u.col(i), c[i] * h / m[i]);
    const double along = a.col(i).dot(flow.w) / (flow.D * flow.D);
    const Vec3 gw = a.col(i) / flow.D - along * flow.beta * flow.direction;
    const double gbeta = -along * flow.speed;
    g.x.col(i) += J[i].transpose() * (a.col(i) - gw);
    g.v.col(i) = gw;
    gc[i] += gbeta * h / m[i];
    gm[i] -= gbeta * c[i] * h / (m[i] * m[i]);
  }
}

}  // namespace pithball::sim
