#pragma once
#include "app/backend/backend.hpp"

namespace pithball::app {

/// LAMMPS: `lmp` on PATH, or the program named by the environment variable PITHBALL_LAMMPS. It runs the input script of
/// `export --format lammps`, without its energies, in a separate process on one core.
BackendInfo lammps_backend();

}  // namespace pithball::app
