#pragma once
#include <cstdint>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/model/particle_origin.hpp"

namespace pithball::sim {

/// Who the particles of a state are, where emitters and sinks change them: one entry for each, in the state's order.
struct Roster {
  std::vector<std::int64_t> id;  ///< never used twice, ascending: 0 … N−1 of the first model, then in order of emission
  std::vector<Index> like;       ///< the particle of the first model whose values it has; its own id for those of that
  std::vector<double> birth_time;  ///< when it was emitted [s]; of those of the first model, when the run began
  std::vector<double> death_time;  ///< when its life time ends [s]; infinite for those that do not age
  Eigen::MatrixXd attributes;      ///< named numbers, a row for each of `Population::attributes()`

  std::size_t size() const { return id.size(); }
};

/// The particles of a roster as a model of `first` particles tells them.
inline std::vector<ParticleOrigin> origins_of(const Roster& roster, Index first) {
  std::vector<ParticleOrigin> origins;
  for (std::size_t p = 0; p < roster.size(); ++p) origins.push_back({roster.like[p], roster.id[p] < first});
  return origins;
}

}  // namespace pithball::sim
