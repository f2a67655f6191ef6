#pragma once
#include <string>
#include <vector>

#include "app/base/new_file.hpp"
#include "app/base/progress.hpp"
#include "app/export/exported_motion.hpp"
#include "sim/core/registry.hpp"

namespace pithball::app {

/// Options of an export besides the motion.
struct ExportChoices {
  std::vector<std::string> leave_out;  ///< parts of the model to omit if the format cannot hold them
};

/// Result of an export besides its files.
struct ExportResult {
  std::string open;                ///< the file to open first
  std::vector<std::string> notes;  ///< notes for the user, one sentence each
};

/// A format that motions are exported to.
struct ExportFormat {
  std::string name;     ///< as after `--format`
  std::string ending;   ///< of its files: ".vtp"
  std::string summary;  ///< what it is for and which files it has
  bool whole_motion;    ///< writes every state; false: a single state, to start from
  bool any_number;      ///< supports numbers that are not finite
  bool come_and_go;     ///< supports a changing number of particles; a single state always works
  /// Writes the files. Throws InvalidArgument if the format cannot hold the model; the folder is then removed.
  ExportResult (*write)(const ExportedMotion&, const ExportChoices&, NewFolder&, Progress&);
};

/// All formats in the order of documentation; a program may add its own.
sim::Registry<ExportFormat>& export_formats();

// One function for each format, in a file of the same name.

/// Positions and velocities of every snapshot, and what is known of each particle and spring, as three tables.
ExportResult export_csv(const ExportedMotion&, const ExportChoices&, NewFolder&, Progress&);
/// One .vtp file for each snapshot and a .pvd with their times, for ParaView.
ExportResult export_vtk(const ExportedMotion&, const ExportChoices&, NewFolder&, Progress&);
/// One Wavefront mesh for each snapshot.
ExportResult export_obj(const ExportedMotion&, const ExportChoices&, NewFolder&, Progress&);
/// The mesh at the first snapshot and a point cache of all, for Blender's Mesh Cache.
ExportResult export_pc2(const ExportedMotion&, const ExportChoices&, NewFolder&, Progress&);
/// A data file and an input script that continue one snapshot in LAMMPS.
ExportResult export_lammps(const ExportedMotion&, const ExportChoices&, NewFolder&, Progress&);
/// Extended XYZ, all snapshots in one file.
ExportResult export_extxyz(const ExportedMotion&, const ExportChoices&, NewFolder&, Progress&);
/// LAMMPS's text dump, all snapshots in one file.
ExportResult export_lammpstrj(const ExportedMotion&, const ExportChoices&, NewFolder&, Progress&);
/// H5MD in nanometers and picoseconds, the only units that MDAnalysis accepts.
ExportResult export_h5md(const ExportedMotion&, const ExportChoices&, NewFolder&, Progress&);
/// One NumPy archive of named arrays.
ExportResult export_npz(const ExportedMotion&, const ExportChoices&, NewFolder&, Progress&);

}  // namespace pithball::app
