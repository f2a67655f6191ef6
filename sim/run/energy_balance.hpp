#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sim/model/model.hpp"
#include "sim/run/trajectory.hpp"

namespace pithball::sim {

/// Integration error in the energy of a row [J]: energy added since the start by the steps alone (negative: removed),
/// the opposite of `numerical`.
double unaccounted_energy(const EnergyRow& row, const EnergyRow& start);

/// Relative error of a run's energy: relative to the exchanged energy, because the zero of a potential, and thus the
/// initial energy, is arbitrary.
struct EnergyBalance {
  /// Exchanged energy [J]: max over the rows and kinds of |E_k(t) − E_k(0)|, including losses; for the kinetic energy
  /// |E(t)|, whose zero is not arbitrary: in a steady rotation or circular orbit only errors change the energies.
  double scale = 0;
  double largest = 0;  ///< largest energy of a kind in any row [J]
  /// |unaccounted| / scale over the rows after the first; NaN: unknown, because no energy is exchanged.
  double mean = std::numeric_limits<double>::quiet_NaN(),  ///< mean over these rows
      max = mean;                                          ///< the largest
  EnergyRow worst = {};                                    ///< the row of `max`
  double added = 0;                                        ///< unaccounted energy of this row [J]
  /// Energy of the motion itself [J], without what the steps alone added: the larger of the energy at the start, of all
  /// kinds whose zero is not arbitrary (those of external forces have none), and of min(Σ rises, Σ falls) since the
  /// start in any row of which the steps made less than half: energy from nowhere makes rises without falls. 0:
  /// unknown, because only rounding is left.
  double own = 0;
};

/// Accumulates the balance of an energy book row by row, the first being the start, in constant memory.
class EnergyBalancer {
 public:
  /// Takes the next row; the first call sets the start.
  void add(const EnergyRow& row);
  /// The balance of all rows so far; `mean` and `max` are NaN while it is unknown.
  EnergyBalance balance() const;
  const EnergyRow& start() const { return start_; }  ///< the first row

 private:
  EnergyRow start_, worst_;
  long rows_ = 0;
  double scale_ = 0, largest_ = 0;  // exchanged energy; largest energy in a row [J]
  double own_ = 0;                  // energy of the motion itself [J]
  double sum_ = 0, max_ = 0;        // of |unaccounted| [J]
};

/// The balance of an energy book whose first row is the start.
EnergyBalance energy_balance(const std::vector<EnergyRow>& book);

/// Two particles, or one and a center of force, closer than the steps of a run resolve.
struct CloseApproach {
  std::string force;  ///< the force between them, as in the experiment file
  Index particle,     ///< number of the particle
      other;          ///< number of the other one; −1 for a center, such as a point charge
  Index step;         ///< the step at whose end they are this close
  double t;           ///< time of that end [s]
  double distance;    ///< between them [m]

  /// "particles 0 and 1 are 2e-07 m apart at step 12 (t = 0.12 s), a close approach that the steps do not resolve"
  std::string sentence() const;
};

/// Watches a run for the step in which the kinetic energy of one particle changed most: if energy comes from the steps,
/// most of it came in that one. Costs nothing in a model without forces that grow without bound where two things meet.
class ApproachMeter {
 public:
  /// For particles that are the same all the time. The model must outlive it.
  explicit ApproachMeter(const Model& model);
  /// Takes the states before and after a step; a failed one may be the last.
  void add(Index step, const State& before, const State& after);
  /// The particles that came close in that step of length h [s]; only if the force between them was the largest on the
  /// particle and they cross the distance in less than ten steps, the fewest that `imex_adaptive` takes.
  std::optional<CloseApproach> found(double h) const;

 private:
  const Model& model_;
  bool watches_;
  Index step_ = 0, particle_ = -1;  // of the largest change: end of the step, and which particle
  double change_ = 0;               // of its kinetic energy [J]
  State before_, after_;            // at both ends of that step
};

}  // namespace pithball::sim
