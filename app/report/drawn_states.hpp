#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "app/report/particle_places.hpp"

namespace pithball::app {

/// The states of a trajectory as a report draws them, all as wide, read from the file as often as they are looked at:
/// its own columns, or where particles come and go, places.
class DrawnStates {
 public:
  using Drawn = ParticlePlaces::Placed;  // without places, nobody is an occupant
  explicit DrawnStates(const datasets::H5mdReader& trajectory);

  std::size_t size() const { return trajectory_.size(); }
  const std::vector<double>& times() const { return trajectory_.times(); }
  /// Columns of each state.
  std::size_t width() const;
  /// Shows all states in order, until `see` returns false.
  void visit(const std::function<bool(const Drawn&)>& see) const;
  /// Shows the states of these numbers, which ascend.
  void visit(const std::vector<std::size_t>& numbers, const std::function<void(const Drawn&)>& see) const;

 private:
  datasets::H5mdReader trajectory_;
  std::optional<ParticlePlaces> places_;
};

}  // namespace pithball::app
