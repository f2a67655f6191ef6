#pragma once
#include <map>
#include <string>
#include <vector>

#include "app/backend/plain_forces.hpp"
#include "sim/model/model.hpp"

namespace pithball::app {

using sim::Index;
using sim::Points;

/// A state of a run, and the settings with which the run continues.
struct LammpsMotion {
  std::string name;        ///< for the first lines of its files
  sim::Model model;        ///< as it is at the start
  sim::State start;        ///< time [s], positions [m] and velocities [m/s]
  Index step = 0;          ///< number of the start in the run
  std::string integrator;  ///< integrator of the run
  double time_step = 0;    ///< of the run [s]
  Index last_step = 0;     ///< of the run
  Index every = 1;         ///< steps of the run between outputs
};

/// A body at one state in LAMMPS terms: numbered types of atoms and bonds (both from 1), and the forces that LAMMPS
/// supports.
struct LammpsSystem {
  /// Particles of one type share all of this.
  struct AtomType {
    bool held = false,    ///< LAMMPS does not move it
        charged = false;  ///< its charge is not 0
    double mass = 0;      ///< [kg]
    double drag = 0;      ///< c in F = −c v [kg/s]
    /// By all members, for lists of different types.
    auto operator<=>(const AtomType&) const = default;
  };
  /// A kind of spring: all springs with these values share it.
  struct BondType {
    double stiffness = 0;    ///< k in U = k/2 (l − l0)² [N/m]
    double rest_length = 0;  ///< l0 [m]
    /// By both members, for lists of different types.
    auto operator<=>(const BondType&) const = default;
  };

  std::vector<AtomType> atom_types;       ///< all different; number k is at k − 1
  std::vector<std::size_t> atom_type;     ///< of each particle
  std::vector<BondType> bond_types;       ///< all different; number k is at k − 1
  std::vector<std::size_t> bond_type;     ///< of each spring
  std::vector<RestingCharge> frozen;      ///< each is one more atom
  bool coulomb = false;                   ///< the body's charges act on each other
  std::vector<sim::Vec3> gravity;         ///< [m/s²]
  std::vector<sim::Vec3> electric_field;  ///< uniform ones [V/m]
  /// Parts of the model that LAMMPS does not support, by name, and what it does instead.
  std::map<std::string, std::string> missing;

  /// Numbers of the types that `select` accepts.
  template <class Select>
  std::vector<std::size_t> types_where(Select select) const {
    std::vector<std::size_t> numbers;
    for (std::size_t k = 0; k < atom_types.size(); ++k)
      if (select(atom_types[k])) numbers.push_back(k + 1);
    return numbers;
  }
  /// Whether Coulomb forces act between atoms, frozen charges included.
  bool has_charge_pairs() const { return coulomb || !frozen.empty(); }
};

/// Translates the state and its model.
LammpsSystem lammps_system(const LammpsMotion& motion);

/// A cube around the atoms of the start, frozen charges included.
struct LammpsBox {
  sim::Vec3 center;  ///< in the frame of the body [m]
  double side = 1;   ///< [m]
};
/// Cutoff of the Coulomb forces in our input scripts, in sides of that cube.
constexpr double lammps_reach = 1e6;
/// The cube of a start; LAMMPS's box is that cube, and grows with the atoms.
LammpsBox lammps_box(const LammpsMotion& motion, const LammpsSystem& system);

/// The data file: box, types, atoms, velocities, bonds, with 17 significant digits.
std::string lammps_data(const LammpsMotion& motion, const LammpsSystem& system);

/// The input script for users. It reads the data file `data`, prints energies and dumps the motion. Comments list what
/// is `left_out`, one sentence each.
std::string lammps_deck(const LammpsMotion& motion, const LammpsSystem& system, const std::string& data,
                        const std::vector<std::string>& left_out);

/// Files that an input script reads and writes, and its number of steps.
struct LammpsRun {
  std::string data;   ///< the data file that it reads
  std::string steps;  ///< file with the numbers of the requested steps, one per line, and one number beyond the end
  std::string dump;   ///< output file for their states
  Index last = 0;     ///< number of the last step
};

/// The input script of the backend: the same body, forces and step; it outputs only the states of the requested steps.
std::string lammps_run_deck(const LammpsMotion& motion, const LammpsSystem& system, const LammpsRun& run);

/// Velocity Verlet steps per step of the run: 1 if the run used velocity Verlet; else enough for h ω ≤ 1, with the
/// bound ω² ≤ max_i 2 Σ k / m_i (springs at particle i) on the body's frequencies.
Index lammps_substeps(const LammpsMotion& motion);

}  // namespace pithball::app
