#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "app/experiment/body.hpp"
#include "datasets/trajectory/h5md_reader.hpp"

namespace pithball::app {

using sim::Index;

/// A motion with a changing number of particles, in a fixed number of columns (slots). A particle keeps its slot as
/// long as it exists. A slot is reused only after a state in which it was empty, so that no particle seems to jump. The
/// slots of the first state are its columns.
class ParticlePlaces {
 public:
  /// A state as stored; the same with a column for each slot (an empty slot has a position where a particle was or will
  /// be, at rest); and for each slot the column of its particle in the stored state, or −1.
  struct Placed {
    std::size_t number = 0;              ///< index of the state
    const datasets::H5mdFrame& own;      ///< as stored
    const sim::State& state;             ///< with a column for each slot
    const std::vector<Index>& occupant;  ///< by slot: column of its particle in `own`, or −1
  };
  /// Reads all states of the trajectory once.
  explicit ParticlePlaces(datasets::H5mdReader trajectory);

  /// Number of slots.
  std::size_t count() const { return start_.cols(); }
  /// Visits all states in order, until `see` returns false.
  void visit(const std::function<bool(const Placed&)>& see) const;

 private:
  datasets::H5mdReader trajectory_;
  sim::Points start_;  // by slot: the first position of its first particle
};

/// The states of a trajectory as a report draws them, all with the same number of columns, read from the file whenever
/// they are requested. Columns are the particles, or slots if the number of particles changes.
class DrawnStates {
 public:
  /// A state as stored and as drawn; without slots, `occupant` is empty.
  using Drawn = ParticlePlaces::Placed;  // without slots, `occupant` is empty
  /// The reader is copied; with a changing number of particles all states are read once.
  explicit DrawnStates(const datasets::H5mdReader& trajectory);

  /// Number of states.
  std::size_t size() const { return trajectory_.size(); }
  /// Of each state [s].
  const std::vector<double>& times() const { return trajectory_.times(); }
  /// Columns of each state.
  std::size_t width() const;
  /// Visits all states in order, until `see` returns false.
  void visit(const std::function<bool(const Drawn&)>& see) const;
  /// Visits the states with these indices, which must ascend.
  void visit(const std::vector<std::size_t>& numbers, const std::function<void(const Drawn&)>& see) const;

 private:
  datasets::H5mdReader trajectory_;
  std::optional<ParticlePlaces> places_;
};

/// The states of a motion that a report shows, packed.
struct MotionFrames {
  std::vector<std::size_t> shown;    ///< indices of the states, in order
  nlohmann::ordered_json positions;  ///< packed [F, N, 3], m
  nlohmann::ordered_json speed;      ///< packed [F, N], m/s
  double position_error = 0;         ///< largest rounding error of a packed position [m]
};

/// A state that can be drawn, and the ranges of its numbers.
struct DrawableState {
  std::size_t number = 0;  ///< index of the state
  sim::Vec3 lowest,        ///< smallest coordinates [m]
      highest;             ///< largest [m]
  double slowest = 0,      ///< smallest speed [m/s]
      fastest = 0;         ///< largest [m/s]
};

/// The states that can be drawn: those with finite numbers and, for a run that diverged, only as long as the body is
/// within a hundred times its size of its start.
std::vector<DrawableState> drawable_states(const DrawnStates& states, bool diverged);

/// Packs every k-th of the states `usable`, and the last, with the smallest k for which the packed arrays take at most
/// `size` MB (or two frames if no more fit). `usable`: at least one, in order.
MotionFrames pack_frames(const DrawnStates& states, const std::vector<DrawableState>& usable, double size);

/// Faces of the body's mesh for the key `faces` of a motion document: packed [T, 3], with polygons as fans of triangles
/// around their first corner. Null without faces.
nlohmann::ordered_json faces_of(const Body& body);

/// Groups of particles for the key `groups` of a motion document: [{name, particles: packed [n]}], without `all`.
nlohmann::ordered_json groups_of(const Body& body);

}  // namespace pithball::app
