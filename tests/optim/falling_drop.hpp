#pragma once
// A charged drop of oil between plates whose voltage is switched on and off again, as a model and as a recording.

#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>

#include "optim/fit/problem.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/medium.hpp"
#include "sim/force/switched_field.hpp"

namespace pithball::test {

using optim::Index;
using optim::Vector;

inline constexpr double oil = 886, air = 1.2;                                   // [kg/m³]
inline constexpr double air_viscosity = 18.1e-6, air_slip = 8.226e-3 / 101325;  // [Pa s], b/p [m]
inline constexpr double room_heat = 1.380649e-23 * 293;                         // k_B T [J]

inline double sphere_factor(double density) { return 4 * std::numbers::pi / 3 * density; }

/// What a fit of the drop finds.
struct Drop {
  double charge = 0.801e-18, radius = 600e-9;  ///< [C], [m]
  Vector times{{4.13, 8.25}};                  ///< [s]
};

struct DropRun {
  double time_step = 0.02, duration = 12.4, rise = 0.16;  ///< [s]
  std::string integrator = "imex_midpoint";
};

/// It falls along −z, is lifted between the two times, and falls again.
inline diff::Scenario make_drop(const Drop& drop, const DropRun& run = {}) {
  using namespace sim;
  const Vec3 g(0, 0, -9.81);
  const Vector radius = Vector::Constant(1, drop.radius);
  const auto drag =
      std::make_shared<StokesDrag>(radius, air_viscosity, std::make_shared<UniformField>(Vec3::Zero()), air_slip);
  const auto plates = std::make_shared<SwitchedField>(
      Vec3(0, 0, 2e4), SwitchedField::Course{Vector{{0.0, 1.0, 0.0}}, drop.times, run.rise});
  const double volume = sphere_factor(1) * std::pow(drop.radius, 3);
  const Model model({.particles = 1, .springs = {}, .held = {}}, Vector::Constant(1, oil * volume),
                    Vector::Constant(1, drop.charge),
                    {std::make_shared<Gravity>(g), drag, std::make_shared<Buoyancy>(drag, air, g), plates});
  State start{0, Points::Zero(3, 1), Points::Zero(3, 1)};
  start.v.col(0) = (oil - air) * volume * g / drag->coefficient(model)[0];
  return {.name = "drop",
          .model = model,
          .initial = start,
          .integrator = run.integrator,
          .time_step = run.time_step,
          .steps = static_cast<Index>(std::llround(run.duration / run.time_step)),
          .stage = {}};
}

/// Its height in so many frames, with noise of standard deviation sigma [m] and, for a thermal energy [J], with the
/// Brownian motion that this gives it. The first frame is one interval after the start, which is known.
inline optim::Observation film_drop(const diff::Scenario& truth, Index frames, double sigma, double thermal_energy,
                                    unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const Index stride = truth.steps / frames;
  const double interval = static_cast<double>(stride) * truth.time_step;
  const double diffusion = thermal_energy / sim::drag_coefficients(truth.model)[0];
  optim::Observation o;
  o.markers.push_back({"drop", {{0, 1.0}}});
  o.noise.sigma = Vector::Constant(1, sigma);
  o.noise.thermal_energy = thermal_energy;
  double walk = 0;
  diff::run_forward(truth, [&](Index n, const sim::State& state) {
    if (n == 0 || n % stride != 0) return;
    walk += std::sqrt(2 * diffusion * interval) * normal(random);
    o.times.push_back(static_cast<double>(n) * truth.time_step);
    sim::Points x = sim::Points::Constant(3, 1, NAN);
    x(2, 0) = state.x(2, 0) + walk + sigma * normal(random);
    o.positions.push_back(x);
  });
  return o;
}

/// Charge, radius (with the mass) and the times of the switches, from a start some way off.
inline optim::FitProblem drop_problem(optim::Observation film, const Drop& start, const DropRun& run = {}) {
  optim::FitProblem problem;
  problem.scenarios = {make_drop(start, run)};
  problem.observations = {std::move(film)};
  optim::Parameter charge, radius, mass, times;
  charge.value = "charge";
  radius.value = "hydrodynamic_radius";
  mass.value = "mass";
  mass.tie = optim::Tie{.to = "hydrodynamic_radius", .factor = sphere_factor(oil), .power = 3};
  times.value = "switch_time";
  times.entries.sharing = optim::EntrySharing::None;
  problem.parameters = {charge, radius, mass, times};
  return problem;
}

/// The values of the truth, in the order of such a fit.
inline Vector values_of(const Drop& drop) { return Vector{{drop.charge, drop.radius, drop.times[0], drop.times[1]}}; }

}  // namespace pithball::test
