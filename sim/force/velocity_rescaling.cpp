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

void VelocityRescaling::kick(const Model& model, double h, Index, State& s) const {
  const auto m = model.mass();
  double twice_kinetic = 0;
  Index free = 0;
  for (Index i = 0; i < model.particles(); ++i) {
    if (model.is_held(i)) continue;
    twice_kinetic += m[i] * s.v.col(i).squaredNorm();
    ++free;
  }
  if (!(twice_kinetic > 0)) return;  // nothing moves: no factor heats it
  const double ratio = 3 * static_cast<double>(free) * thermal_energy_ / twice_kinetic;
  const double approach = time_constant_ > 0 ? -std::expm1(-h / time_constant_) : 1;
  const double factor = std::sqrt(1 + approach * (ratio - 1));
  for (Index i = 0; i < model.particles(); ++i)
    if (!model.is_held(i)) s.v.col(i) *= factor;
}

}  // namespace pithball::sim
