#include "sim/run/energy_balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

namespace pithball::sim {
namespace {

/// The kinds of energy of a row whose zero is arbitrary, and the losses, which count from the start.
std::array<double, 4 + loss_names.size()> kinds_of(const EnergyRow& row) {
  std::array<double, 4 + loss_names.size()> kinds{row.elastic, row.coulomb, row.interaction, row.external};
  for (std::size_t k = 0; k < loss_names.size(); ++k) kinds[4 + k] = row.losses[k];
  return kinds;
}

/// Below this part of the largest energy a change is rounding: the energy is a sum over springs and pairs, whose
/// roundings of 2e-16 each grow by three or four digits where there are a million, and one digit more is to be measured.
constexpr double resolvable = 1e-11;

}  // namespace

double unaccounted_energy(const EnergyRow& row, const EnergyRow& start) {
  return start.numerical - row.numerical;
}

EnergyBalance energy_balance(const std::vector<EnergyRow>& book) {
  EnergyBalance balance;
  double largest = 0;  // energy that some row holds
  for (const EnergyRow& row : book) {
    const auto kinds = kinds_of(row), start = kinds_of(book.front());
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      balance.scale = std::max(balance.scale, std::abs(kinds[k] - start[k]));
      largest = std::max(largest, std::abs(kinds[k]));
    }
    balance.scale = std::max(balance.scale, row.kinetic);
    largest = std::max(largest, row.kinetic);
  }
  if (book.size() < 2 || !(balance.scale > resolvable * largest)) return balance;
  balance.mean = balance.max = 0;
  for (const EnergyRow& row : book | std::views::drop(1)) {
    const double error = std::abs(unaccounted_energy(row, book.front())) / balance.scale;
    balance.mean += error / static_cast<double>(book.size() - 1);
    if (error <= balance.max || std::isnan(balance.max)) continue;
    balance.max = error;  // NaN, too
    balance.worst = row;
  }
  return balance;
}

}  // namespace pithball::sim
