#pragma once
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/core/types.hpp"

namespace pithball::app {

/// Reads the states of a LAMMPS text dump, `id x y z vx vy vz` sorted by id, one after the other.
class LammpsDump {
 public:
  /// `particles` are in each state. A file that is not there holds no states.
  LammpsDump(const std::filesystem::path& file, sim::Index particles) : in_(file), particles_(particles) {}
  /// Positions [m] and velocities [m/s] of the next state, 3×N; false after the last complete one. Throws
  /// std::runtime_error if the file contains anything else.
  bool read(sim::Points& x, sim::Points& v);

 private:
  std::ifstream in_;
  sim::Index particles_;
  std::string line_;
};

}  // namespace pithball::app
