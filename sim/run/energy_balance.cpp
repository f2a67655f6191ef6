#include "sim/run/energy_balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pithball::sim {
namespace {

/// The kinds of energy of a row whose zero is arbitrary, and the losses, which count from the start.
std::array<double, 4 + loss_names.size()> kinds_of(const EnergyRow& row) {
  std::array<double, 4 + loss_names.size()> kinds{row.elastic, row.coulomb, row.interaction, row.external};
  for (std::size_t k = 0; k < loss_names.size(); ++k) kinds[4 + k] = row.losses[k];
  return kinds;
}

/// Below this part of the largest energy a change is rounding: the energy is a sum over springs and pairs, whose
/// roundings of 2e-16 each grow by three or four digits where there are a million, and one digit more is to be
/// measured.
constexpr double resolvable = 1e-11;

/// Of a state: the sum of the energies whose zero is that of things at rest and far apart.
double natural_energy(const EnergyRow& row) {
  return std::abs(row.elastic) + std::abs(row.coulomb) + std::abs(row.interaction) + row.kinetic;
}

/// What some kinds of energy gave to others since the start: the smaller of the sums of all rises and of all falls; 0
/// where most of the larger one came from the steps, since then the places are not those of the motion, either.
double exchanged(const EnergyRow& row, const EnergyRow& start) {
  const auto kinds = kinds_of(row), before = kinds_of(start);
  double rises = 0, falls = 0;
  const auto add = [&](double change) { (change > 0 ? rises : falls) += std::abs(change); };
  for (std::size_t k = 0; k < kinds.size(); ++k) add(kinds[k] - before[k]);
  add(row.kinetic - start.kinetic);
  return 2 * std::abs(unaccounted_energy(row, start)) < std::max(rises, falls) ? std::min(rises, falls) : 0;
}

}  // namespace

double unaccounted_energy(const EnergyRow& row, const EnergyRow& start) { return start.numerical - row.numerical; }

void EnergyBalancer::add(const EnergyRow& row) {
  if (rows_++ == 0) {
    start_ = row;
    own_ = natural_energy(row);
  }
  const auto kinds = kinds_of(row), start = kinds_of(start_);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    scale_ = std::max(scale_, std::abs(kinds[k] - start[k]));
    largest_ = std::max(largest_, std::abs(kinds[k]));
  }
  own_ = std::max(own_, exchanged(row, start_));
  scale_ = std::max(scale_, row.kinetic);
  largest_ = std::max(largest_, row.kinetic);
  const double error = std::abs(unaccounted_energy(row, start_));
  sum_ += error;
  if (error <= max_ || std::isnan(max_)) return;
  max_ = error;  // NaN, too
  worst_ = row;
}

EnergyBalance EnergyBalancer::balance() const {
  EnergyBalance balance;
  balance.scale = scale_;
  if (rows_ < 2 || !(scale_ > resolvable * largest_)) return balance;
  balance.mean = sum_ / scale_ / (rows_ - 1);
  balance.max = max_ / scale_;
  balance.worst = worst_;
  balance.added = unaccounted_energy(worst_, start_);
  if (own_ > resolvable * (natural_energy(start_) + std::abs(start_.external))) balance.own = own_;
  return balance;
}

EnergyBalance energy_balance(const std::vector<EnergyRow>& book) {
  EnergyBalancer balancer;
  for (const EnergyRow& row : book) balancer.add(row);
  return balancer.balance();
}

}  // namespace pithball::sim
