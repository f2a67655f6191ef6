#include "sim/force/sph_fluid.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "sim/core/text.hpp"
#include "sim/force/linear_flow.hpp"
#include "sim/force/pair_force.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

FluidPairs FluidPairs::read(Settings& settings) {
  const double length = settings.number(
      "smoothing_length", "m",
      "smoothing length h of the kernel, whose support is 2h; usually 1.2 to 1.5 times the particle spacing");
  if (!(length > 0)) settings.reject("smoothing_length", "must be > 0 m", to_text(length), "1.3 particle distances");
  const std::string name =
      settings.choice("kernel", {"wendland_c2", "cubic_spline"}, "smoothing kernel", "wendland_c2");
  const Index dimensions = settings.integer(
      "dimensions", "number of dimensions: 3, or 2 for particles in a plane with masses per meter", Index{3});
  if (dimensions != 2 && dimensions != 3)
    settings.reject("dimensions", "must be 2 or 3", std::to_string(dimensions), "omit it for 3");
  const int d = dimensions;
  const Kernel kernel =
      name == "cubic_spline" ? Kernel(kernel::CubicSpline(length, d)) : Kernel(kernel::WendlandC2(length, d));
  return {read_neighbors(settings, 2 * length, "the kernel's support 2h"), kernel, length, d};
}

Vector FluidPairs::density(const PairRows& rows, const Vector& mass) const {
  const double own = std::visit([](const auto& kernel) { return kernel(0).value; }, kernel_);
  Vector rho = own * mass;
  visit(rows, [&](Index i, Index j, const Vec3&, const kernel::Smoothed& W) {
    rho[i] += mass[j] * W.value;
    rho[j] += mass[i] * W.value;
  });
  return rho;
}

Vector FluidPairs::density(const Model& model, const Points& x) const {
  const PairRows near = rows(x);
  return near.scattered(density(near, near.gathered(Vector(model.mass()))));
}

const ForceTraits& SphViscosity::traits() const {
  static const ForceTraits traits{.name = "sph_viscosity", .loss = LossKind::Dampers, .differentiable = false};
  return traits;
}

void SphViscosity::declare(const Topology&, Values& values) {
  block_ = values.add({"sph_viscosity", "Pa s", ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Force},
                      Vector::Constant(1, viscosity_));
}

namespace {

/// The viscous force at fixed positions, where each pair of the fluid is a damper along its g:
/// F_i = −g (g·(v_i − v_j)).
class Dampers final : public ForceTerm {
 public:
  Dampers(const FluidPairs& pairs, double viscosity, const Model& model, const Points& x)
      : rate_(Vector::Zero(x.cols())) {
    const PairRows rows = pairs.rows(x);
    const Vector m = rows.gathered(Vector(model.mass())), rho = pairs.density(rows, m);
    const double factor = 2 * (pairs.dimensions() + 2) * viscosity, apart = 0.01 * pairs.length() * pairs.length();
    pairs.visit(rows, [&](Index i, Index j, const Vec3& r, const kernel::Smoothed& W) {
      const double strength = -factor * m[i] * m[j] / (rho[i] * rho[j]) * W.slope / (r.squaredNorm() + apart);
      all_.push_back({rows.particle(i), rows.particle(j), std::sqrt(strength) * r});
      rate_[i] += 2 * strength * r.squaredNorm() / m[i];
      rate_[j] += 2 * strength * r.squaredNorm() / m[j];
    });
  }
  /// Returns the largest row sum of M⁻¹ ∂F/∂v, an upper bound on the rates of all modes [1/s].
  double rate() const { return rate_.size() > 0 ? rate_.maxCoeff() : 0; }

  const ForceTraits& traits() const override {
    static const ForceTraits traits{.name = "dampers", .loss = LossKind::Dampers};
    return traits;
  }
  void add_force(const Model&, const State& s, Points& f) const override {
    for (const auto& [i, j, g] : all_) {
      const Vec3 pull = g * g.dot(s.v.col(i) - s.v.col(j));
      f.col(i) -= pull;
      f.col(j) += pull;
    }
  }
  void add_jvp(const Model&, const State&, const Variation&, Points&) const override {}
  void add_vjp(const Model&, const State&, const Points&, Variation&) const override {}

 private:
  struct Damper {
    Index i, j;
    Vec3 g;
  };
  std::vector<Damper> all_;
  Vector rate_;
};

}  // namespace

void SphViscosity::add_force(const Model& model, const State& s, Points& f) const {
  Dampers(pairs_, model.values()[block_][0], model, s.x).add_force(model, s, f);
}

void SphViscosity::flow_velocity(const Model& model, const State& s, double h, Points& v) const {
  const Dampers dampers(pairs_, model.values()[block_][0], model, s.x);
  LinearFlow(dampers, model, s, h, dampers.rate()).advance(v);
}

void SphViscosity::add_flow_impulse(const Model& model, const State& s, double h, Points& J) const {
  const Dampers dampers(pairs_, model.values()[block_][0], model, s.x);
  LinearFlow(dampers, model, s, h, dampers.rate()).add_impulse(J);
}

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
