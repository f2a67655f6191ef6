#include "sim/force/sph_pressure.hpp"

#include <limits>

#include "sim/core/text.hpp"
#include "sim/force/sph_viscosity.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

double positive(Settings& settings, const char* key, const char* unit, const char* meaning,
                std::optional<double> fallback = {}) {
  const double value = settings.number(key, unit, meaning, fallback);
  if (!(value > 0)) settings.reject(key, "must be > 0", to_text(value), "");
  return value;
}

SphPressure::EquationOfState read_equation_of_state(Settings& settings) {
  const std::string name = settings.choice("equation_of_state", {"tait", "polytropic"},
                                           "equation of state: tait for liquids, polytropic for gases", "tait");
  const double exponent = settings.number("exponent", "", "exponent γ of the equation of state, > 1", 7);
  if (!(exponent > 1)) settings.reject("exponent", "must be > 1", to_text(exponent), "7 for water, 1.4 for air");
  std::optional<SphPressure::EquationOfState> chosen;
  if (name == "polytropic" || settings.describing()) {
    const double constant = positive(settings, "constant", "", "for polytropic: constant K in P = K ρ^γ, in SI units");
    chosen = kernel::Polytropic{constant, exponent};
  }
  if (name == "tait" || settings.describing()) {
    const double density =
        positive(settings, "rest_density", "kg/m3", "for tait: density ρ₀ at which the pressure is 0");
    const double speed =
        positive(settings, "sound_speed", "m/s",
                 "for tait: speed of sound c; ten times the largest flow speed keeps the density within 1 %");
    const bool tension =
        settings.flag("tension", "for tait: allow negative pressure where the density is below ρ₀", false);
    chosen = kernel::Tait{density, speed, exponent, tension};
  }
  return *chosen;
}

}  // namespace

std::vector<std::shared_ptr<ForceTerm>> make_sph(Settings& settings) {
  const FluidPairs pairs = FluidPairs::read(settings);
  std::vector<std::shared_ptr<ForceTerm>> terms{std::make_shared<SphPressure>(pairs, read_equation_of_state(settings))};
  const double viscosity = settings.number("viscosity", "Pa s", "dynamic viscosity μ", 0);
  if (!(viscosity >= 0)) settings.reject("viscosity", "must be >= 0 Pa s", to_text(viscosity), "0 for none");
  if (viscosity > 0) terms.push_back(std::make_shared<SphViscosity>(pairs, viscosity));
  return terms;
}

const ForceTraits& SphPressure::traits() const {
  static const ForceTraits traits{.name = "sph_pressure", .energy = EnergyKind::Interaction, .differentiable = false};
  return traits;
}

void SphPressure::add_force(const Model& model, const State& s, Points& f) const {
  const PairRows rows = pairs_.rows(s.x);
  const Vector m = rows.gathered(Vector(model.mass())), rho = pairs_.density(rows, m);
  Vector over_density_squared(rho.size());
  std::visit(
      [&](const auto& P) {
        for (Index i = 0; i < rho.size(); ++i) over_density_squared[i] = P(rho[i]).over_density_squared;
      },
      equation_);
  rows.add_to(f, [&](Points& sum) {
    pairs_.visit(rows, [&](Index i, Index j, const Vec3& r, const kernel::Smoothed& W) {
      const Vec3 push = -m[i] * m[j] * (over_density_squared[i] + over_density_squared[j]) * W.slope * r;
      sum.col(i) += push;
      sum.col(j) -= push;
    });
  });
}

double SphPressure::shortest_time(const Model& model, const State& s, const Points&) const {
  const double densest = pairs_.density(model, s.x).maxCoeff();
  const double sound = std::visit([&](const auto& P) { return P.sound_speed_at(densest); }, equation_);
  const double fastest = sound + s.v.colwise().norm().maxCoeff();
  return fastest > 0 ? pairs_.length() / fastest : std::numeric_limits<double>::infinity();
}

std::optional<double> SphPressure::energy(const Model& model, const State& s) const {
  const auto m = model.mass();
  const Vector rho = pairs_.density(model, s.x);
  double sum = 0;
  std::visit(
      [&](const auto& P) {
        for (Index i = 0; i < rho.size(); ++i) sum += m[i] * P(rho[i]).specific_energy;
      },
      equation_);
  return sum;
}

}  // namespace pithball::sim
