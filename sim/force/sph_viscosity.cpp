#include "sim/force/sph_viscosity.hpp"

#include <cmath>
#include <vector>

#include "sim/force/linear_flow.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

const ForceTraits& SphViscosity::traits() const {
  static const ForceTraits traits{.name = "sph_viscosity", .loss = LossKind::Dampers, .differentiable = false};
  return traits;
}

void SphViscosity::declare(const Topology&, Values& values) {
  block_ = values.add({"sph_viscosity", "Pa s", ValueOwner::Term, ValueSign::NonNegative, ValueScaling::Force},
                      Vector::Constant(1, viscosity_));
}

namespace {

/// The pairs of a fluid at fixed positions as dampers along g, F_i = −g (g·(v_i − v_j)): what viscosity is while only
/// velocities change.
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
  /// The largest row sum of M⁻¹ ∂F/∂v, which no mode's rate exceeds [1/s].
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

}  // namespace pithball::sim
