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

/// What an export writes: the snapshots of a motion, some of which are in memory at a time, and the body that made
/// it.
struct ExportedMotion {
  std::string name;  ///< stem of file names: the experiment's, of a fit "<experiment>-<recording>"
  sim::Model model;  ///< masses, charges, springs and forces; of a fit, with the fitted values; of values
                     ///< that change with time, those of the first state and the key frames
  std::vector<std::vector<Index>> faces;          ///< polygons of the mesh; may be empty
  std::vector<Index> step;                        ///< number of each state's step; there is one state or more
  std::vector<double> time;                       ///< of each state [s]
  datasets::H5mdFrame first;                      ///< the state that it begins with
  std::string integrator;                         ///< integrator of the run
  double time_step = 0;                           ///< of the run [s]
  Index last_step = 0;                            ///< of the run as far as it came
  Index every = 1;                                ///< steps between the states
  bool complete = true;                           ///< false: the run was interrupted
  std::vector<std::string> attributes = {};       ///< names of the numbers that particles carry that come and go
  std::optional<datasets::H5mdReader> file = {};  ///< where the states are, if there is more than the first
  std::vector<std::size_t> numbers = {};          ///< which of the file's

  std::size_t size() const { return step.size(); }  ///< number of states
  /// All states in order.
  datasets::H5mdPages states() const;
  /// Whether particles come and go: every state has a roster, and the model is the first one of the run.
  bool come_and_go() const { return first.roster.has_value(); }
  /// A single state, one of this motion, with the model of the particles that are there then and of its time, and those
  /// faces whose corners are there.
  ExportedMotion present(const datasets::H5mdFrame& state) const;
  /// Whether values of the model change with time: then those of a state are in `present`.
  bool changes() const { return !model.key_frames().empty(); }

  Index particles() const { return model.particles(); }
  Index most_particles() const;  ///< of any state
  Vector stiffness() const;      ///< [N/m], one for each spring; empty without springs
  Vector rest_length() const;    ///< [m], likewise
  /// Whether each particle is pinned (held at rest), or driven along a path; N.
  std::vector<bool> pinned() const { return held(false); }
  std::vector<bool> driven() const { return held(true); }

 private:
  std::vector<bool> held(bool moves) const;
};

}  // namespace pithball::app
