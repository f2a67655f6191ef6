#pragma once
#include <optional>
#include <string>
#include <vector>

#include "datasets/trajectory/h5md_reader.hpp"
#include "sim/model/model.hpp"

namespace pithball::app {

using sim::Index;
using sim::Points;
using sim::Vector;

/// The run whose states a motion has.
struct ExportedRun {
  std::string integrator;  ///< as in the experiment file
  double time_step = 0;    ///< [s]
  Index last_step = 0;     ///< last completed step
  Index every = 1;         ///< steps between the states of the motion
  bool complete = true;    ///< false: the run was interrupted
};

/// Input of an export: the snapshots of a motion, read a few at a time, and the body.
struct ExportedMotion {
  std::string name;  ///< stem of file names: the experiment's name, or "<experiment>-<recording>" for a fit
  sim::Model model;  ///< masses, charges, springs and forces; for a fit, with the fitted values. Values with key frames
                     ///< are those of the first state.
  std::vector<std::vector<Index>> faces;     ///< polygons of the mesh; may be empty
  std::vector<Index> step;                   ///< step number of each state; at least one state
  std::vector<double> time;                  ///< of each state [s]
  datasets::H5mdFrame first;                 ///< the first state
  ExportedRun run;                           ///< that made the states
  std::vector<std::string> attributes = {};  ///< names of the particles' attributes, if the number of particles changes
  std::optional<datasets::H5mdReader> file = {};  ///< source of the states, if there is more than one
  std::vector<std::size_t> numbers = {};          ///< indices of the states in that file

  std::size_t size() const { return step.size(); }  ///< number of states
  /// All states in order.
  datasets::H5mdPages states() const;
  /// Whether the number of particles changes: every state then has a roster, and `model` is the first model of the run.
  bool come_and_go() const { return first.roster.has_value(); }
  /// A motion of one state, with the model of the particles and the time of that state, and the faces whose corners
  /// exist.
  ExportedMotion present(const datasets::H5mdFrame& state) const;
  /// Whether values of the model change with time; `present` then has those of a state.
  bool changes() const { return !model.has_constant_values(); }

  /// Number of particles in the first state.
  Index particles() const { return model.particles(); }
  Index most_particles() const;  ///< over all states
  Vector stiffness() const;      ///< [N/m], one for each spring; empty without springs
  Vector rest_length() const;    ///< [m], likewise
  /// Whether each particle is pinned (held at rest), or driven along a path; N.
  std::vector<bool> pinned() const { return held(false); }
  /// The other held particles: those on a path, N.
  std::vector<bool> driven() const { return held(true); }

 private:
  std::vector<bool> held(bool moves) const;
};

}  // namespace pithball::app
