#pragma once
#include <functional>
#include <vector>

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

}  // namespace pithball::app
