#pragma once
#include <limits>
#include <vector>

#include "sim/run/trajectory.hpp"

namespace pithball::sim {

/// Energy of a row that nothing accounts for [J]: what the steps alone have added since the start (less than 0: lost),
/// the opposite of what `numerical` has taken out.
double unaccounted_energy(const EnergyRow& row, const EnergyRow& start);

/// How large the error of a run's energy is beside the energy that the run moves about. The zero of a potential is
/// arbitrary, so the initial energy is no measure.
struct EnergyBalance {
  /// max over rows and kinds of |E_k(t) − E_k(0)|, losses among the kinds; of the kinetic energy |E(t)|, whose zero is
  /// not arbitrary: in a steady rotation or orbit only errors change the kinds of energy [J].
  double scale = 0;
  /// |unaccounted| / scale over the rows after the first; NaN: not told, as nothing moves to measure by.
  double mean = std::numeric_limits<double>::quiet_NaN(), max = mean;
  EnergyRow worst = {};  ///< the row of `max`
};

/// Balances an energy book row by row, the first being the start; its memory does not grow with the rows.
class EnergyBalancer {
 public:
  void add(const EnergyRow& row);
  EnergyBalance balance() const;
  const EnergyRow& start() const { return start_; }

 private:
  EnergyRow start_, worst_;
  long rows_ = 0;
  double scale_ = 0, largest_ = 0;  // what moves; what some row holds [J]
  double sum_ = 0, max_ = 0;        // of |unaccounted| [J]
};

/// The balance of an energy book, its first row being the start.
EnergyBalance energy_balance(const std::vector<EnergyRow>& book);

}  // namespace pithball::sim
