#pragma once
#include <optional>
#include <vector>

#include "sim/core/spring.hpp"

namespace pithball::sim {

/// Two of the particles `which` at exactly the same position, the smaller number first; empty if there are none.
std::optional<Spring> find_coincident(const Points& x, const std::vector<Index>& which);

}  // namespace pithball::sim
