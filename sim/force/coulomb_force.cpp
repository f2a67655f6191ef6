#include "sim/force/coulomb_force.hpp"

#include "sim/model/model.hpp"

namespace pithball::sim {

CoulombForce::CoulombForce(std::shared_ptr<const CoulombSum> sum, double softening)
    : InverseSquareForce(std::move(sum), softening, {Model::charge_block, "charged particles"}) {}

std::vector<std::shared_ptr<ForceTerm>> CoulombForce::make(Settings& settings) {
  const CoulombOptions options = read_options(settings);
  return {std::make_shared<CoulombForce>(make_coulomb_sum(options), options.softening)};
}

const ForceTraits& CoulombForce::traits() const {
  static const ForceTraits traits{.name = "coulomb", .energy = EnergyKind::Coulomb};
  return traits;
}

std::shared_ptr<ForceTerm> CoulombForce::frozen() const {
  auto copy = std::make_shared<CoulombForce>(*this);
  copy->freeze();
  return copy;
}

}  // namespace pithball::sim
