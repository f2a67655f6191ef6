#pragma once
#include "sim/core/error.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

/// Declares one non-negative value for each spring; throws InvalidArgument if the list has another length.
inline Index declare_edge_values(const Topology& topology, Values& values, const std::string& name,
                                 const std::string& unit, ValueScaling scaling, const Vector& initial) {
  const Index springs = topology.springs.size();
  if (initial.size() != springs)
    throw InvalidArgument({"", "springs." + name,
                           "must have one entry for each of the " + std::to_string(springs) + " springs",
                           std::to_string(initial.size()), "give one value for all, or a list of that length"});
  return values.add({name, unit, ValueOwner::Spring, ValueSign::NonNegative, scaling}, initial);
}

/// Calls body(e, i, j) for every spring e between particles i and j, in order.
template <class Body>
void for_each_spring(const Model& model, Body body) {
  const auto& springs = model.springs();
  for (std::size_t e = 0; e < springs.size(); ++e) body(e, springs[e].i, springs[e].j);
}

}  // namespace pithball::sim
