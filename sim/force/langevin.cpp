#include "sim/force/langevin.hpp"

#include <cmath>

#include "sim/model/model.hpp"

namespace pithball::sim {

Langevin::Langevin(double thermal_energy, double rate, std::uint64_t seed)
    : thermal_energy_(thermal_energy), rate_(rate), seed_(seed) {}

std::vector<std::shared_ptr<ForceTerm>> Langevin::make(Settings& settings) {
  const double energy = read_thermal_energy(settings);
  const double rate =
      settings.number("friction_rate", "1/s", "friction rate γ; the velocity autocorrelation time is 1/γ");
  return {std::make_shared<Langevin>(energy, rate, read_seed(settings))};
}

const ForceTraits& Langevin::traits() const {
  static const ForceTraits traits{.name = "langevin", .loss = LossKind::Thermostats, .differentiable = false};
  return traits;
}

void Langevin::declare(const Topology&, Values& values) {
  noise_ = noise_of(values, "langevin_friction_rate", seed_, 402);
  block_ =
      values.add({"langevin_friction_rate", "1/s", ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Invariant},
                 Vector::Constant(1, rate_));
}

void Langevin::kick(const Model& model, double h, Index n, State& s) const {
  const double decay = model.values()[block_][0] * h, keep = std::exp(-decay), fresh = -std::expm1(-2 * decay);
  const auto m = model.mass();
  for (Index i = 0; i < model.particles(); ++i)
    if (!model.is_held(i))
      s.v.col(i) = keep * s.v.col(i) + std::sqrt(fresh * thermal_energy_ / m[i]) * normals(noise_, n, i);
}

void Langevin::add_friction_rate(const Model& model, double, Vector& rate) const {
  rate.array() += model.values()[block_][0];
}

std::optional<ThermalBath> Langevin::bath(const Model& model, double) const {
  return ThermalBath{thermal_energy_, 3 * free_particles(model), 1 / model.values()[block_][0],
                     "remove other friction, which takes heat that this thermostat gives, or raise friction_rate"};
}

}  // namespace pithball::sim
