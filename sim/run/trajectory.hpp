#pragma once
#include <vector>

#include "sim/core/energy_kind.hpp"
#include "sim/core/losses.hpp"
#include "sim/core/state.hpp"
#include "sim/integrator/step_record.hpp"
#include "sim/population/roster.hpp"

namespace pithball::sim {

/// Energy by kind at one instant [J], and where it has gone since step 0.
struct EnergyRow {
  Index step = 0;
  double t = 0;
  double elastic = 0, coulomb = 0;
  double interaction = 0;  ///< of other forces between particles
  double external = 0, kinetic = 0;
  Losses losses = {};    ///< taken out since step 0, by kind
  double numerical = 0;  ///< taken out since step 0 by nothing of these: the integrator's error, with which
                         ///< total + losses + numerical keep their start
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
  double total() const { return elastic + coulomb + interaction + external + kinetic; }
  double conserved() const { return total() + losses.sum(); }  ///< what a perfect run keeps
};

/// What a run leaves: the states that were kept, with velocities of their own time, one record for each step, the
/// energy book.
struct Trajectory {
  std::vector<Index> step;  ///< step index of each snapshot; 0 is the initial state
  std::vector<State> states;
  std::vector<Roster> rosters;         ///< of the snapshots, where their particles change; otherwise none
  std::vector<StepRecord> records;     ///< one for each step made (not only the kept ones)
  std::vector<EnergyRow> energy;       ///< one for each snapshot
  StepStatus status = StepStatus::Ok;  ///< of the last step made
  bool complete = true;                ///< false when interrupted; a failed run is complete up to its failure
};

}  // namespace pithball::sim
