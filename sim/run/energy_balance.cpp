#include "sim/run/energy_balance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

namespace pithball::sim {
namespace {

/// The kinds of energy of a row whose zero is arbitrary, and the losses, which count from the start.
std::array<double, 5> kinds_of(const EnergyRow& row) {
  return {row.elastic, row.coulomb, row.interaction, row.external, row.dissipated};
}

/// Below this part of the largest energy a change is rounding: the energy is a sum over springs and pairs, whose
/// roundings of 2e-16 each grow by three or four digits where there are a million, and one digit more is to be measured.
constexpr double resolvable = 1e-11;

/// Whether the potential of a term changes while nothing moves.
bool depends_on_time(const ForceTerm& term, const Model& model, const State& at_rest, double end) {
  const double before = term.energy(model, at_rest).value();
  // Parts of the run that no period of a field divides into equal ones.
  constexpr double parts[] = {0.1234567, 0.4142136, 0.7320508, 1};
  return std::ranges::any_of(parts, [&](double part) {
    const State later{at_rest.t + part * (end - at_rest.t), at_rest.x, at_rest.v};
    return term.energy(model, later) != before;
  });
}

}  // namespace

double unaccounted_energy(const EnergyRow& row, const EnergyRow& start) {
  return (row.total() + row.dissipated) - (start.total() + start.dissipated);
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

bool books_all_work(const Model& model, const State& start, double end) {
  if (!model.key_frames().empty() || !model.constraints().empty()) return false;
  if (std::ranges::any_of(model.topology().held, [](const Held& held) { return held.path && held.path->moves(); }))
    return false;
  return std::ranges::none_of(model.terms(), [&](const auto& term) {
    const ForceTraits& traits = term->traits();
    if (traits.velocity_dependent || traits.kicks) return false;  // in the book of losses
    if (traits.energy.empty() || !term->energy(model, start)) return true;
    return traits.energy == "external" && depends_on_time(*term, model, start, end);
  });
}

}  // namespace pithball::sim
