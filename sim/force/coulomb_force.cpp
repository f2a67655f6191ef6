#include "sim/force/coulomb_force.hpp"

#include <array>
#include <set>

#include "sim/coulomb/fmm/expansion.hpp"
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
  const Points x = sources.x(Eigen::all, charged), where = at(Eigen::all, free);
  const Vector q = sources.charge(charged);
  Points sum_field = Points::Zero(3, where.cols());
  Vector potential = Vector::Zero(where.cols());
  const std::vector<Index> close = fmm::OuterExpansion(x, q, softening()).add(where, sum_field, potential);
  const Index n = q.size(), m = close.size();
  if (m > 0) {
    Points all(3, n + m), field_of_all = Points::Zero(3, n + m);
    Vector charge = Vector::Zero(n + m), potential_of_all = Vector::Zero(n + m);
    all.leftCols(n) = x;
    for (Index k = 0; k < m; ++k) all.col(n + k) = where.col(close[k]);
    charge.head(n) = q;
    sum().make_plan(all)->evaluate({.charge = &charge}, {.potential = &potential_of_all, .field = &field_of_all});
    for (Index k = 0; k < m; ++k) {
      sum_field.col(close[k]) = field_of_all.col(n + k);
      potential[close[k]] = potential_of_all[n + k];
    }
  }
  field.field(Eigen::all, free) += sum_field;
  field.potential(free) += potential;
}

}  // namespace pithball::sim
