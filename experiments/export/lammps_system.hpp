#pragma once
#include <string>
#include <vector>

#include "experiments/export/export_format.hpp"

namespace pithball::experiments {

/// A body at one state in the terms of LAMMPS: what it distinguishes by number (types of atoms and of bonds, both from
/// 1), and the forces that it has a counterpart for.
struct LammpsSystem {
  /// Particles of one type share all of this.
  struct AtomType {
    bool held = false, charged = false;
    double mass = 0;  ///< [kg]
    double drag = 0;  ///< c in F = −c v [kg/s]
    auto operator<=>(const AtomType&) const = default;
  };
  struct BondType {
    double stiffness = 0;    ///< k in U = k/2 (l − l0)² [N/m]
    double rest_length = 0;  ///< l0 [m]
    auto operator<=>(const BondType&) const = default;
  };
  /// A point charge at rest that is no particle of the body: one more atom.
  struct FrozenCharge {
    double charge = 0;   ///< [C]
    sim::Vec3 position;  ///< [m]
  };

  std::vector<AtomType> atom_types;
  std::vector<std::size_t> atom_type;  ///< of each particle
  std::vector<BondType> bond_types;
  std::vector<std::size_t> bond_type;  ///< of each spring
  std::vector<FrozenCharge> frozen;
  bool coulomb = false;                   ///< the body's charges act on each other
  std::vector<sim::Vec3> gravity;         ///< [m/s²]
  std::vector<sim::Vec3> electric_field;  ///< uniform ones [V/m]
  std::vector<std::string> left_out;      ///< what of the model is missing, one sentence each

  /// Numbers of the types that `select` accepts.
  template <class Select>
  std::vector<std::size_t> types_where(Select select) const {
    std::vector<std::size_t> numbers;
    for (std::size_t k = 0; k < atom_types.size(); ++k)
      if (select(atom_types[k])) numbers.push_back(k + 1);
    return numbers;
  }
  bool has_charge_pairs() const { return coulomb || !frozen.empty(); }
};

/// Translates the motion's first state and model. Throws InvalidArgument naming everything that LAMMPS has no
/// counterpart for, unless `leave_out` names it; and if `leave_out` names anything else.
LammpsSystem lammps_system(const ExportedMotion& motion, const std::vector<std::string>& leave_out);

/// A cube around the atoms of the start, frozen charges included.
struct LammpsBox {
  sim::Vec3 center;
  double side = 1;  ///< [m]
};
LammpsBox lammps_box(const ExportedMotion& motion, const LammpsSystem& system);

/// The data file: box, types, atoms, velocities, bonds, with 17 significant digits.
std::string lammps_data(const ExportedMotion& motion, const LammpsSystem& system);

/// The input script, which reads the data file `data`.
std::string lammps_deck(const ExportedMotion& motion, const LammpsSystem& system, const std::string& data);

/// Steps of velocity Verlet in one step of the run: 1 if the run was velocity Verlet's; else enough for h ω ≤ 1 with
/// the bound ω² ≤ max_i 2 Σ k / m_i (springs at particle i) on the body's frequencies.
Index lammps_substeps(const ExportedMotion& motion);

}  // namespace pithball::experiments
