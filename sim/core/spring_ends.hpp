#pragma once
#include <cstdint>
#include <vector>

#include "sim/core/topology.hpp"

namespace pithball::sim {

/// The springs at each particle, in ascending order. Loops over particles that collect from their springs in this order
/// add what a loop over springs adds, in the same order, but can share the particles among threads.
class SpringEnds {
 public:
  /// An end of a spring.
  struct End {
    std::int32_t spring;  ///< its number
    bool first;           ///< whether the particle is the spring's i, not its j
  };

  /// Of all springs.
  explicit SpringEnds(const Topology& topology)
      : begin_(topology.particles + 1, 0), ends_(2 * topology.springs.size()) {
    for (const Spring& s : topology.springs)
      for (const Index particle : {s.i, s.j}) ++begin_[particle + 1];
    for (Index i = 0; i < topology.particles; ++i) begin_[i + 1] += begin_[i];
    std::vector<Index> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t e = 0; e < topology.springs.size(); ++e) {
      const auto spring = static_cast<std::int32_t>(e);
      ends_[next[topology.springs[e].i]++] = {spring, true};
      ends_[next[topology.springs[e].j]++] = {spring, false};
    }
  }

  /// Whether the topology has as many particles and springs as that of this object.
  bool belongs_to(const Topology& topology) const {
    return static_cast<Index>(begin_.size()) == topology.particles + 1 && ends_.size() == 2 * topology.springs.size();
  }
  Index begin(Index i) const { return begin_.data()[i]; }           ///< first end at particle i
  Index end(Index i) const { return begin_.data()[i + 1]; }         ///< behind its last
  const End& operator[](Index k) const { return ends_.data()[k]; }  ///< end k

 private:
  std::vector<Index> begin_;
  std::vector<End> ends_;
};

}  // namespace pithball::sim
