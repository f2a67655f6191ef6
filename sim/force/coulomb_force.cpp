#include "sim/force/coulomb_force.hpp"

#include <array>
#include <set>

#include "sim/force/charge_rows.hpp"

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

void CoulombForce::add_field(const Model&, const SourceCharges& sources, const Points& at, ChargeField& field) const {
  using Place = std::array<double, 3>;
  const auto place = [](const Points& x, Index i) { return Place{x(0, i), x(1, i), x(2, i)}; };
  const std::vector<Index> charged = charged_particles(sources.charge);
  if (charged.empty()) return;
  std::set<Place> taken;
  if (softening() == 0)
    for (const Index i : charged) taken.insert(place(sources.x, i));
  std::vector<Index> free;
  for (Index k = 0; k < at.cols(); ++k)
    if (taken.contains(place(at, k)))
      field.clear(k);
    else
      free.push_back(k);
  const Index n = charged.size(), m = free.size();
  Points all(3, n + m), sum_field = Points::Zero(3, n + m);
  Vector charge = Vector::Zero(n + m), potential = Vector::Zero(n + m);
  all.leftCols(n) = sources.x(Eigen::all, charged);
  all.rightCols(m) = at(Eigen::all, free);
  charge.head(n) = sources.charge(charged);
  sum().make_plan(all)->evaluate({.charge = &charge}, {.potential = &potential, .field = &sum_field});
  field.field(Eigen::all, free) += sum_field.rightCols(m);
  field.potential(free) += potential.tail(m);
}

}  // namespace pithball::sim
