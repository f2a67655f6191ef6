#pragma once
#include <functional>
#include <vector>

#include "datasets/trajectory/h5md_reader.hpp"

namespace pithball::app {

using sim::Index;

/// A motion whose particles come and go, in columns that stay: a particle has one place as long as it is there. A place
/// is given to another particle only after a state in which nobody had it, so that nothing seems to jump. The places of
/// the first state are its columns.
class ParticlePlaces {
 public:
  /// What is told of a state: itself; the same with a column for each place, of which those without anybody are where
  /// somebody was before or will be later, at rest; and of each place the column in its own state of who has it, or −1.
  struct Placed {
    std::size_t number = 0;
    const datasets::H5mdFrame& own;
    const sim::State& state;
    const std::vector<Index>& occupant;
  };
  /// Looks through all states of the trajectory once.
  explicit ParticlePlaces(datasets::H5mdReader trajectory);

  std::size_t count() const { return start_.cols(); }
  /// Tells of all states in order, until `see` returns false.
  void visit(const std::function<bool(const Placed&)>& see) const;

 private:
  datasets::H5mdReader trajectory_;
  sim::Points start_;  // of each place: where its first particle is first
};

}  // namespace pithball::app
