#include "sim/force/medium.hpp"

#include <numbers>

#include "sim/field/asked_field.hpp"
#include "sim/force/particle_values.hpp"
#include "sim/kernel/stokes_drag.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {
constexpr double pi = std::numbers::pi;
}

std::vector<std::shared_ptr<ForceTerm>> make_medium(Settings& settings) {
  const Vector radius = settings.per_particle("radius", "m", "radius r of each particle as a sphere");
  const double viscosity = settings.number("viscosity", "Pa s", "dynamic viscosity η in F = −6π η r (v − u)", 0);
  const double slip_length = settings.number("slip_length", "m",
                                             "length A of Cunningham's correction, F = −6π η r/(1 + A/r) (v − u), for "
                                             "spheres hardly larger than the mean free "
                                             "path of a gas",
                                             0, ValueSign::NonNegative);
  const auto flow = ask_field(settings, "wind", "m/s", "velocity field u(x, t) of the medium", Vec3::Zero());
  const auto drag = std::make_shared<StokesDrag>(radius, viscosity, flow, slip_length);
  if (!settings.has("density")) {
    if (!settings.has("viscosity"))
      settings.reject("", "must have a viscosity, a density or both", "neither",
                      "air at 20 °C has `viscosity: 18.1 uPa s` and `density: 1.2 kg/m3`");
    return {drag};
  }
  const double density =
      settings.number("density", "kg/m3", "density ρ of the medium in F = −ρ V g (default: no buoyancy)", 0);
  const Vec3 gravity = settings.vector("gravity", "m/s^2", "gravitational acceleration g, only with a density");
  return {drag, std::make_shared<Buoyancy>(drag, density, gravity)};
}

// Drag ----------------------------------------------------------------------------------------------------------------

const ForceTraits& StokesDrag::traits() const {
  static const ForceTraits traits{.name = "stokes_drag", .loss = LossKind::Drag};
  return traits;
}

void StokesDrag::declare(const Topology& topology, Values& values) {
  radius_block_ = declare_particle_values(
      topology, values, "forces.medium.radius",
      {"hydrodynamic_radius", "m", ValueOwner::Particle, ValueSign::NonNegative, ValueScaling::Invariant}, radius_);
  viscosity_block_ =
      values.add({"medium_viscosity", "Pa s", ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Force},
                 Vector::Constant(1, viscosity_));
  slip_block_ = values.add({"slip_length", "m", ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Invariant},
                           Vector::Constant(1, slip_length_));
}

Vector StokesDrag::coefficient(const Model& model) const {
  const Values& values = model.values();
  const double eta = values[viscosity_block_][0], A = values[slip_block_][0];
  return values[radius_block_].unaryExpr([&](double r) { return kernel::stokes_coefficient(r, eta, A); });
}

// With the share s = r/(r + A):  c = 6πη r s,  ∂c/∂r = 6πη s (2 − s),  ∂c/∂A = −6πη s².

Vector StokesDrag::coefficient_jvp(const Model& model, const Vector& dvalues) const {
  const Values& values = model.values();
  const double eta = values[viscosity_block_][0], A = values[slip_block_][0];
  const double deta = values.of(dvalues, viscosity_block_)[0], dA = values.of(dvalues, slip_block_)[0];
  const auto r = values[radius_block_];
  const auto dr = values.of(dvalues, radius_block_);
  Vector dc(r.size());
  for (Index i = 0; i < r.size(); ++i) {
    const double s = kernel::slip_share(r[i], A);
    dc[i] = 6 * pi * (deta * r[i] * s + eta * (s * (2 - s) * dr[i] - s * s * dA));
  }
  return dc;
}

void StokesDrag::add_coefficient_vjp(const Model& model, const Vector& a, Vector& gvalues) const {
  const Values& values = model.values();
  const double eta = values[viscosity_block_][0], A = values[slip_block_][0];
  const auto r = values[radius_block_];
  for (Index i = 0; i < r.size(); ++i) {
    const double s = kernel::slip_share(r[i], A);
    values.of(gvalues, radius_block_)[i] += 6 * pi * eta * s * (2 - s) * a[i];
    values.of(gvalues, viscosity_block_)[0] += 6 * pi * r[i] * s * a[i];
    values.of(gvalues, slip_block_)[0] -= 6 * pi * eta * s * s * a[i];
  }
}

// Buoyancy ------------------------------------------------------------------------------------------------------------

const ForceTraits& Buoyancy::traits() const {
  static const ForceTraits traits{.name = "buoyancy", .energy = EnergyKind::External, .partners = Partners::None};
  return traits;
}

void Buoyancy::declare(const Topology&, Values& values) {
  block_ = values.add({"medium_density", "kg/m3", ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Force},
                      Vector::Constant(1, density_));
}

Vector Buoyancy::volumes(const Model& model) const {
  return 4 * pi / 3 * model.values()[spheres_->radius_block()].array().cube();
}

Vector Buoyancy::surfaces(const Model& model) const {
  return 4 * pi * model.values()[spheres_->radius_block()].array().square();
}

void Buoyancy::add_force(const Model& model, const State&, Points& f) const {
  f -= model.values()[block_][0] * gravity_ * volumes(model).transpose();
}

std::optional<double> Buoyancy::energy(const Model& model, const State& s) const {
  return model.values()[block_][0] * gravity_.dot(s.x * volumes(model));
}

void Buoyancy::add_jvp(const Model& model, const State&, const Variation& d, Points& df) const {
  const Values& values = model.values();
  const Vector dr = values.of(d.values, spheres_->radius_block());
  const Vector dweight =
      values.of(d.values, block_)[0] * volumes(model) + values[block_][0] * surfaces(model).cwiseProduct(dr);
  df -= gravity_ * dweight.transpose();
}

void Buoyancy::add_vjp(const Model& model, const State&, const Points& w, Variation& g) const {
  const Values& values = model.values();
  const Vector along = w.transpose() * gravity_;
  values.of(g.values, block_)[0] -= along.dot(volumes(model));
  values.of(g.values, spheres_->radius_block()) -= values[block_][0] * surfaces(model).cwiseProduct(along);
}

}  // namespace pithball::sim
