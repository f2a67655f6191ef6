#pragma once
#include <string>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/core/types.hpp"
#include "sim/model/values.hpp"

namespace pithball::sim {

/// Values >= 0, one for each item of a list.
inline ValueTraits item_value(const std::string& name, const std::string& unit, ValueScaling scaling) {
  return {name, unit, ValueOwner::Term, ValueSign::NonNegative, scaling, true};
}

/// Throws InvalidArgument unless there is one value for each of `count` items.
inline void require_item_values(const std::string& what, const std::string& noun, Index count, const Vector& values) {
  if (values.size() != count)
    throw InvalidArgument({"", what, "must have one entry for each of the " + std::to_string(count) + " " + noun + "s",
                           std::to_string(values.size()), "give one value for all, or a list of that length"});
}

/// Throws InvalidArgument unless the particles of an item exist and differ.
inline void require_row_particles(const std::string& what, const std::vector<Index>& particles, Index count) {
  for (std::size_t k = 0; k < particles.size(); ++k) {
    if (particles[k] < 0 || particles[k] >= count)
      throw InvalidArgument({"", what, "must name particles between 0 and " + std::to_string(count - 1),
                             std::to_string(particles[k]), "particles are counted from 0"});
    for (std::size_t l = 0; l < k; ++l)
      if (particles[k] == particles[l])
        throw InvalidArgument({"", what, "must name different particles",
                               "particle " + std::to_string(particles[k]) + " twice", "remove it"});
  }
}

}  // namespace pithball::sim
