#pragma once
#include <vector>

#include "sim/core/energy_kind.hpp"
#include "sim/core/losses.hpp"
#include "sim/core/state.hpp"
#include "sim/integrator/step_record.hpp"
#include "sim/population/roster.hpp"

namespace pithball::sim {

/// Energy by kind at one instant [J], and energy removed since step 0.
struct EnergyRow {
  Index step = 0;          ///< 0 is the initial state
  double t = 0;            ///< time after this step [s]
  double elastic = 0,      ///< of springs, bending, and constraints with compliance
      coulomb = 0;         ///< of the body's charges with each other
  double interaction = 0;  ///< of other forces between particles
  double external = 0,     ///< of fields, obstacles and other external forces
      kinetic = 0;         ///< of all particles
  Losses losses = {};      ///< removed since step 0, by kind
  double numerical =
      0;  ///< removed since step 0 by the integration error, so that total + losses + numerical is constant
  /// The potential energy of a kind.
  double& of(EnergyKind kind) {
    switch (kind) {
      case EnergyKind::Elastic:
        return elastic;
      case EnergyKind::Coulomb:
        return coulomb;
      case EnergyKind::Interaction:
        return interaction;
      case EnergyKind::External:
        break;
    }
    return external;
  }
  /// Energy of motion and potentials, without losses [J].
  double total() const { return elastic + coulomb + interaction + external + kinetic; }
  double conserved() const { return total() + losses.sum(); }  ///< constant in an exact run
};

/// Result of a run: the stored states, with velocities at their own time, one record for each step, and the energy
/// book.
struct Trajectory {
  std::vector<Index> step;             ///< step index of each snapshot; 0 is the initial state
  std::vector<State> states;           ///< the snapshots, in the order of `step`
  std::vector<Roster> rosters;         ///< of the snapshots, if the number of particles changes; otherwise empty
  std::vector<StepRecord> records;     ///< one for each step (not only the stored ones)
  std::vector<EnergyRow> energy;       ///< one for each snapshot
  StepStatus status = StepStatus::Ok;  ///< of the last step
  bool complete = true;                ///< false when interrupted; a failed run counts as complete up to its failure
};

}  // namespace pithball::sim
