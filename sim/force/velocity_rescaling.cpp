#include "sim/force/velocity_rescaling.hpp"

#include <cmath>

#include "sim/core/text.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

std::vector<std::shared_ptr<ForceTerm>> VelocityRescaling::make(Settings& settings) {
  const double energy = read_thermal_energy(settings);
  const double time_constant =
      settings.number("time_constant", "s", "relaxation time of the temperature; 0: rescale fully at every step", 0);
  if (!(time_constant >= 0))
    settings.reject("time_constant", "must be >= 0 s", to_text(time_constant), "0 sets the temperature at every step");
  return {std::make_shared<VelocityRescaling>(energy, time_constant)};
}

const ForceTraits& VelocityRescaling::traits() const {
  static const ForceTraits traits{.name = "velocity_rescaling", .loss = LossKind::Thermostats, .differentiable = false};
  return traits;
}

namespace {

/// Whether the body flies freely, so that the motion of its center of mass does not count as heat.
bool flies(const Model& model) { return model.topology().held.empty() && model.particles() > 1; }

}  // namespace

Index VelocityRescaling::freedoms(const Model& model) { return 3 * (free_particles(model) - (flies(model) ? 1 : 0)); }

void VelocityRescaling::kick(const Model& model, double h, Index, State& s) const {
  const auto m = model.mass();
  const Vec3 flight = flies(model) ? Vec3(s.v * m / m.sum()) : Vec3::Zero();
  const auto for_each_free = [&](const auto& act) {
    for (Index i = 0; i < model.particles(); ++i)
      if (!model.is_held(i)) act(i);
  };
  double twice_heat = 0;
  for_each_free([&](Index i) { twice_heat += m[i] * (s.v.col(i) - flight).squaredNorm(); });
  if (!(twice_heat > 0)) return;  // no particle moves, so no factor can heat the body
  const double ratio = static_cast<double>(freedoms(model)) * thermal_energy_ / twice_heat;
  const double approach = time_constant_ > 0 ? -std::expm1(-h / time_constant_) : 1;
  const double factor = std::sqrt(1 + approach * (ratio - 1));
  for_each_free([&](Index i) { s.v.col(i) = flight + factor * (s.v.col(i) - flight); });
}

std::optional<ThermalBath> VelocityRescaling::bath(const Model& model, double) const {
  return ThermalBath{thermal_energy_, freedoms(model), time_constant_,
                     "shorten time_constant, or remove what heats or cools the body faster than this thermostat"};
}

}  // namespace pithball::sim
