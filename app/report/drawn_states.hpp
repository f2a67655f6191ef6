#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "app/report/particle_places.hpp"

namespace pithball::app {

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

}  // namespace pithball::app
