#include "sim/force/some_particles.hpp"

#include <numeric>

#include "sim/model/particle_origin.hpp"

namespace pithball::sim {

SomeParticles::SomeParticles(const Model& model, const State& state, std::vector<Index> which)
    : model_(model),
      state_(state),
      which_(std::move(which)),
      alone_(model.of_particles(which_)),
      alone_state_{state.t, state.x(Eigen::all, which_), state.v(Eigen::all, which_)} {}

SomeParticles SomeParticles::from(const Model& model, const State& state, Index first) {
  std::vector<Index> which(model.particles() - first);
  std::iota(which.begin(), which.end(), first);
  return {model, state, std::move(which)};
}

std::shared_ptr<const ForceTerm> SomeParticles::own(const std::shared_ptr<ForceTerm>& term) const {
  std::vector<ParticleOrigin> origins;
  for (const Index particle : which_) origins.push_back({particle, true});
  auto own = term->with_particles(origins);
  return own ? own : term;
}

bool SomeParticles::add_force(const std::shared_ptr<ForceTerm>& term, Points& f) const {
  switch (term->traits().partners) {
    case Partners::Listed:
      return true;
    case Partners::None: {
      Points force = Points::Zero(3, alone_.particles());
      own(term)->add_force(alone_, alone_state_, force);
      f(Eigen::all, which_) += force;
      return true;
    }
    case Partners::All:
      break;
  }
  const auto* sum = term->as<PartialSum>();
  return sum && sum->add_partial_force(model_, state_, which_, f);
}

std::optional<double> SomeParticles::energy(const std::shared_ptr<ForceTerm>& term) const {
  switch (term->traits().partners) {
    case Partners::Listed:
      return 0;
    case Partners::None:
      return own(term)->energy(alone_, alone_state_).value_or(0);
    case Partners::All:
      break;
  }
  const auto* sum = term->as<PartialSum>();
  return sum ? sum->partial_energy(model_, state_, which_) : std::nullopt;
}

double SomeParticles::kinetic_energy() const {
  return 0.5 * (alone_state_.v.cwiseProduct(alone_state_.v) * alone_.mass()).sum();
}

}  // namespace pithball::sim
