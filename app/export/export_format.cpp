#include "app/export/export_format.hpp"

#include "sim/core/error.hpp"

namespace pithball::app {

namespace {

std::vector<ExportFormat> built_in_export_formats() {
  return {
      {"csv", ".csv", "tables: positions.csv (time, particle, x … vz), particles.csv, springs.csv", true, true, true,
       export_csv},
      {"npz", ".npz", "NumPy: one archive of named arrays", true, true, true, export_npz},
      {"vtk", ".vtp", "ParaView: one NAME_00000.vtp for each snapshot, and NAME.pvd, which lists them with their times",
       true, true, true, export_vtk},
      {"obj", ".obj", "3D programs: one NAME_00000.obj for each snapshot, with faces, or springs as lines", true, false,
       false, export_obj},
      {"pc2", ".pc2", "Blender's Mesh Cache: NAME.obj (first snapshot) and cache.pc2 (all snapshots)", true, false,
       false, export_pc2},
      {"extxyz", ".extxyz", "OVITO, ASE: extended XYZ, one file of all snapshots", true, false, true, export_extxyz},
      {"lammpstrj", ".lammpstrj", "OVITO, ASE, MDAnalysis: LAMMPS's text dump, one file of all snapshots", true, false,
       true, export_lammpstrj},
      {"h5md", ".h5md", "MDAnalysis: H5MD in nanometers and picoseconds, the units that it knows", true, false, false,
       export_h5md},
      {"lammps", ".data", "LAMMPS: system.data and in.pithball, which continues the simulation from one snapshot",
       false, false, true, export_lammps},
  };
}

}  // namespace

sim::Registry<ExportFormat>& export_formats() {
  static sim::Registry<ExportFormat> registry("--format", built_in_export_formats());
  return registry;
}

}  // namespace pithball::app
