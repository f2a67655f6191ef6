#include "sim/force/newtonian_gravity.hpp"

#include "sim/model/model.hpp"

namespace pithball::sim {

NewtonianGravity::NewtonianGravity(std::shared_ptr<const CoulombSum> sum, double constant, double softening)
    : InverseSquareForce(std::move(sum), softening, {Model::mass_block, "masses"}), constant_(constant) {}

std::vector<std::shared_ptr<ForceTerm>> NewtonianGravity::make(Settings& settings) {
  const double constant = settings.number(
      "constant", "N m2/kg2",
      "gravitational constant G in F = G m_i m_j/r²; another value is valid, for a scaled problem", nature);
  const CoulombOptions options = read_options(settings);
  return {std::make_shared<NewtonianGravity>(make_coulomb_sum(options), constant, options.softening)};
}

const ForceTraits& NewtonianGravity::traits() const {
  static const ForceTraits traits{.name = "newtonian_gravity", .energy = EnergyKind::Interaction};
  return traits;
}

void NewtonianGravity::declare(const Topology&, Values& values) {
  // The sums contain Coulomb's constant, and masses attract where like charges repel.
  set_factor({-1 / coulomb_constant, values.add({"gravitational_constant", "N m2/kg2", ValueOwner::Term,
                                                 ValueSign::NonNegative, ValueScaling::InverseForce},
                                                Vector::Constant(1, constant_))});
}

std::shared_ptr<ForceTerm> NewtonianGravity::frozen() const {
  auto copy = std::make_shared<NewtonianGravity>(*this);
  copy->freeze();
  return copy;
}

}  // namespace pithball::sim
