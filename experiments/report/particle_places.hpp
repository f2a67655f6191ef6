#pragma once
#include <vector>

#include "sim/run/trajectory.hpp"

namespace pithball::experiments {

using sim::Index;

/// A motion whose particles come and go, in columns that stay: a particle has one place as long as it is there. A place
/// is given to another particle only after a state in which nobody had it, so that nothing seems to jump.
struct ParticlePlaces {
  std::vector<sim::State> states;            ///< all as wide; where nobody is, the position is one of before or later
  std::vector<std::vector<Index>> occupant;  ///< of each state: the column in its own state of who has the place; −1

  std::size_t count() const { return occupant.empty() ? 0 : occupant.front().size(); }
};

/// The places of a trajectory with rosters; those of the first state are its columns.
ParticlePlaces particle_places(const sim::Trajectory& trajectory);

}  // namespace pithball::experiments
