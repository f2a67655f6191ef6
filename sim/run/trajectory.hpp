#pragma once
#include <vector>

#include "sim/core/state.hpp"
#include "sim/integrator/step_record.hpp"
#include "sim/population/roster.hpp"

namespace pithball::sim {

/// Energy by kind at one instant [J].
struct EnergyRow {
  Index step = 0;
  double t = 0;
  double elastic = 0, coulomb = 0;
  double interaction = 0;  ///< of other forces between particles
  double external = 0, kinetic = 0;
  double dissipated = 0;  ///< taken out since step 0 by dampers and drag (trapezoidal rule over steps), kicks and sinks
  double total() const { return elastic + coulomb + interaction + external + kinetic; }
};

/// What a run leaves: the states that were kept, with velocities of their own time, one record for each step, the energy
/// book.
struct Trajectory {
  std::vector<Index> step;  ///< step index of each kept state; 0 is the initial state
  std::vector<State> states;
  std::vector<Roster> rosters;         ///< of the kept states, where their particles change; otherwise none
  std::vector<StepRecord> records;     ///< one for each step made (not only the kept ones)
  std::vector<EnergyRow> energy;       ///< one for each kept state
  StepStatus status = StepStatus::Ok;  ///< of the last step made
  bool complete = true;                ///< false when interrupted; a failed run is complete up to its failure
};

}  // namespace pithball::sim
