#pragma once
#include <string>
#include <vector>

#include "sim/model/model.hpp"
#include "sim/run/trajectory.hpp"

namespace pithball::experiments {

using sim::Index;
using sim::Points;
using sim::Vector;

/// What an export writes: the kept states of a motion, and the body that made it.
struct ExportedMotion {
  std::string name;  ///< stem of file names: the experiment's, of a fit "<experiment>-<recording>"
  sim::Model model;  ///< masses, charges, springs and forces; of a fit, with the fitted values; of values
                     ///< that change with time, those of the first state and the key frames
  std::vector<std::vector<Index>> faces;  ///< polygons of the mesh; may be empty
  std::vector<Index> step;                ///< number of each state's step
  std::vector<sim::State> states;         ///< at least one
  std::string integrator;                 ///< scheme of the run
  double time_step = 0;                   ///< of the run [s]
  Index last_step = 0;                    ///< of the run as far as it came
  Index every = 1;                        ///< steps between the states
  bool complete = true;                   ///< false: the run was interrupted
  /// Of each state, where particles come and go; the model is then the first one of the run.
  std::vector<sim::Roster> rosters = {};
  std::vector<std::string> attributes = {};  ///< names of the numbers that they carry

  /// A single state, with the model of the particles that are there then and of its time, and those faces whose corners
  /// are there.
  ExportedMotion present(std::size_t state) const;
  /// Whether values of the model change with time: then those of a state are in `present`.
  bool changes() const { return !model.key_frames().empty(); }

  Index particles() const { return model.particles(); }
  Vector stiffness() const;    ///< [N/m], one for each spring; empty without springs
  Vector rest_length() const;  ///< [m], likewise
  /// Whether each particle is pinned (held at rest), or driven along a path; N.
  std::vector<bool> pinned() const { return held(false); }
  std::vector<bool> driven() const { return held(true); }

 private:
  std::vector<bool> held(bool moves) const;
};

}  // namespace pithball::experiments
