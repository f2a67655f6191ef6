#include "sim/force/brownian.hpp"

#include <cmath>

#include "sim/force/particle_values.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

Brownian::Brownian(double thermal_energy, Vector friction, std::uint64_t seed)
    : thermal_energy_(thermal_energy), friction_(std::move(friction)), seed_(seed) {}

std::vector<std::shared_ptr<ForceTerm>> Brownian::make(Settings& settings) {
  const double energy = read_thermal_energy(settings);
  const Vector friction =
      settings.per_particle("friction", "kg/s",
                            "friction c of the medium, the same as in `drag: {linear: c}`; a time step h makes the "
                            "temperature too high, with `imex_midpoint` by (h c/2m)^2 (`langevin` has no such error)");
  return {std::make_shared<Brownian>(energy, friction, read_seed(settings))};
}

const ForceTraits& Brownian::traits() const {
  static const ForceTraits traits{.name = "brownian", .loss = LossKind::Thermostats, .differentiable = false};
  return traits;
}

void Brownian::declare(const Topology& topology, Values& values) {
  noise_ = noise_of(values, "brownian_friction", seed_, 401);
  block_ = declare_particle_values(
      topology, values, "forces.brownian.friction",
      {"brownian_friction", "kg/s", ValueOwner::Particle, ValueSign::NonNegative, ValueScaling::Force}, friction_);
}

void Brownian::kick(const Model& model, double h, Index n, State& s) const {
  const auto c = model.values()[block_], m = model.mass();
  for (Index i = 0; i < model.particles(); ++i)
    if (!model.is_held(i)) s.v.col(i) += std::sqrt(2 * c[i] * thermal_energy_ * h) / m[i] * normals(noise_, n, i);
}

std::optional<ThermalBath> Brownian::bath(const Model& model, double) const {
  const auto c = model.values()[block_], m = model.mass();
  const double slowest = (m.array() / c.array()).maxCoeff();
  return ThermalBath{thermal_energy_, 3 * free_particles(model), slowest,
                     "let simulation.time_step resolve the time m/c, check that `drag` has the same c, or write "
                     "`langevin` with friction_rate c/m in place of both, which is right at any time step"};
}

}  // namespace pithball::sim
