#pragma once
#include "app/backend/backend.hpp"

namespace pithball::app {

/// LAMMPS, as `lmp` on PATH or named by the environment variable PITHBALL_LAMMPS. It runs the deck that
/// `export --format lammps` writes, without its energies, as a process of its own on one core.
BackendInfo lammps_backend();

}  // namespace pithball::app
