#pragma once
#include <string>

#include "sim/core/error.hpp"
#include "sim/core/topology.hpp"
#include "sim/model/values.hpp"

namespace pithball::sim {

/// Declares a block of one value for each particle; throws InvalidArgument naming `where` if the size is wrong.
inline Index declare_particle_values(const Topology& topology, Values& values, const std::string& where,
                                     const ValueTraits& traits, const Vector& initial) {
  if (initial.size() != topology.particles)
    throw InvalidArgument({"", where,
                           "must have one entry for each of the " + std::to_string(topology.particles) + " particles",
                           std::to_string(initial.size()), "give one value for all, or a list of that length"});
  return values.add(traits, initial);
}

}  // namespace pithball::sim
