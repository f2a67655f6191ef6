#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "experiments/claim/claim.hpp"
#include "sim/core/state.hpp"
#include "sim/integrator/step_record.hpp"

namespace pithball::experiments {

/// A melting crystal of Lennard-Jones particles in reduced units (ε = σ = m = 1), as LAMMPS's own benchmark
/// `bench/in.lj` uses, but in open space: density 0.8442, T = 1.44, cut-off 2.5, skin 0.3, steps of 0.005.
struct Melt {
  sim::Index cells = 20;  ///< of the face-centered cubic lattice along each edge of the cube, four particles each
  sim::Index steps = 100;

  static constexpr double density = 0.8442, temperature = 1.44, cutoff = 2.5, skin = 0.3, time_step = 0.005;
  sim::Index particles() const { return 4 * cells * cells * cells; }
  /// The crystal with random velocities of that temperature and without momentum, the same at every call.
  sim::State initial() const;
};

/// A run of the melt, by us or by another program.
struct MeltRow {
  std::string program;             ///< "pithball", "lmp", "lmp_every_20"
  double seconds_per_step = 0;     ///< of processor time
  double wall_per_step = 0;        ///< [s]
  double lists = 0;                ///< how many neighbor lists were made
  double potential_energy = 0;     ///< after the last step
  double total_energy_change = 0;  ///< over the run, relative to the kinetic energy at its start
  sim::StepStatus status = sim::StepStatus::Ok;
};

/// A run of each program, ours first.
using MeltTurn = std::vector<MeltRow>;

/// Our own steps, and those of LAMMPS with the same rule for new lists (`lmp`) and with a list every 20 steps whatever
/// moves, as in its benchmark (`lmp_every_20`): the programs take turns, `repeats` times, one thread each. An empty
/// `lammps` leaves it out. `progress` is called with the share of runs made.
std::vector<MeltTurn> measure_melt(const Melt& melt, const std::filesystem::path& lammps, int repeats,
                                   const std::function<void(double)>& progress);

/// Each program's run of the first turn, with the least times of all turns.
MeltTurn fastest_of(const std::vector<MeltTurn>& turns);

/// How far the potential energy of a program that makes its lists by our rule is from ours, relative.
double melt_difference(const MeltRow& own, const MeltRow& other);

/// That this difference, NaN if the program is missing, is no larger than rounding makes it.
Claim claim_same_melt(const Melt& melt, double difference);

}  // namespace pithball::experiments
