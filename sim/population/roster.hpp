#pragma once
#include <cstdint>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/model/particle_origin.hpp"

namespace pithball::sim {

/// The identities of a state's particles, if emitters and sinks change them: one entry for each, in the state's order.
struct Roster {
  std::vector<std::int64_t> id;  ///< unique, ascending: 0 … N−1 for the first model, then in order of emission
  std::vector<Index>
      like;  ///< the particle of the first model with its values; its own id for those of the first model
  std::vector<double> birth_time;  ///< time of emission [s]; for those of the first model, the start of the run
  std::vector<double> death_time;  ///< end of its lifetime [s]; infinite without a lifetime
  Eigen::MatrixXd attributes;      ///< one row for each of `Population::attributes()`

  std::size_t size() const { return id.size(); }  ///< number of particles
};

/// The particles of a roster in terms of a model with `first` particles.
inline std::vector<ParticleOrigin> origins_of(const Roster& roster, Index first) {
  std::vector<ParticleOrigin> origins;
  for (std::size_t p = 0; p < roster.size(); ++p) origins.push_back({roster.like[p], roster.id[p] < first});
  return origins;
}

}  // namespace pithball::sim
