#include "sim/model/heavy_model.hpp"

#include <cmath>

#include "sim/force/decorated_force.hpp"
#include "sim/model/particle_origin.hpp"

namespace pithball::sim {
namespace {

/// Returns the values of a model with its masses replaced.
Vector with_masses(const Model& model, const Vector& masses) {
  Vector data = model.values().data();
  data.segment(model.values().block(Model::mass_block).offset, masses.size()) = masses;
  return data;
}

/// A force of a heavy model, evaluated with the true masses.
class TrueMassForce final : public DecoratedForce {
 public:
  /// heavy: the values of the heavy model; light: the model with the true masses, shared by its forces.
  TrueMassForce(std::shared_ptr<const ForceTerm> force, std::shared_ptr<const Values> heavy,
                std::shared_ptr<const Model> light)
      : DecoratedForce(std::move(force)), heavy_(std::move(heavy)), masses_(light->mass()), light_(std::move(light)) {}
  /// The same from the true masses alone; `seen` then builds the model with them.
  TrueMassForce(std::shared_ptr<const ForceTerm> force, Vector masses)
      : DecoratedForce(std::move(force)), masses_(std::move(masses)) {}

  std::shared_ptr<ForceTerm> with_particles(const std::vector<ParticleOrigin>& origins) const override {
    std::shared_ptr<const ForceTerm> other = force().with_particles(origins);
    Vector masses(origins.size());
    for (std::size_t p = 0; p < origins.size(); ++p) masses[p] = masses_[origins[p].like];
    return std::make_shared<TrueMassForce>(other ? std::move(other) : shared_force(), std::move(masses));
  }
  /// Uses the heavy masses, which the force accelerates less.
  double shortest_time(const Model& model, const State& s, const Points& a) const override {
    return force().shortest_time(model, s, a);
  }

 private:
  Model seen(const Model& model, double) const override {
    if (light_ && model.shared_values() == heavy_) return *light_;
    return model.with_constant_values(with_masses(model, masses_));  // a model at one time, or of some particles
  }
  std::shared_ptr<ForceTerm> before(std::shared_ptr<const ForceTerm> other) const override {
    auto copy = std::make_shared<TrueMassForce>(std::move(other), masses_);
    copy->heavy_ = heavy_;
    copy->light_ = light_;
    return copy;
  }

  std::shared_ptr<const Values> heavy_;
  Vector masses_;
  std::shared_ptr<const Model> light_;
};

}  // namespace

Vector friction_rates(const Model& model, double t) {
  Vector rates = Vector::Zero(model.particles());
  for (const auto& term : model.terms())
    if (const Kick* kick = term->as<Kick>()) kick->add_friction_rate(model, t, rates);
  for (const Held& held : model.topology().held) rates[held.particle] = 0;
  return rates;
}

bool HeavyModel::update(const Model& model, double t, double h) {
  const Vector rates = h * friction_rates(model, t);
  if (rates.isZero(0)) {
    const bool differs = bool(heavy_);
    clear();
    return differs;
  }
  if (heavy_ && rates == rates_) return false;
  rates_ = rates;
  slowing_ = rates.unaryExpr([](double gh) { return gh > 0 ? std::sqrt(std::tanh(gh / 2) / (gh / 2)) : 1.0; });
  const Vector masses = model.mass().array() / slowing_.array().square();
  const auto light = std::make_shared<const Model>(model);
  const Model heavier = model.with_values(with_masses(model, masses));
  heavy_ = std::make_unique<const Model>(heavier.with_terms([&](const std::shared_ptr<ForceTerm>& term) {
    return std::make_shared<TrueMassForce>(term, heavier.shared_values(), light);
  }));
  return true;
}

void HeavyModel::slow(Points& v) const {
  if (heavy_) v = v * slowing_.asDiagonal();
}

void HeavyModel::quicken(Points& v) const {
  if (heavy_) v = v * slowing_.cwiseInverse().asDiagonal();
}

}  // namespace pithball::sim
