#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sim/core/settings.hpp"

namespace pithball::sim {

/// A part of space, where emitters put particles and sinks take them.
struct Region {
  /// Whether a point [m] lies in it; none where it has no volume.
  std::function<bool(const Vec3&)> contains = {};
  /// The point [m] of it for three numbers of (0, 1), even over its volume (or area) if these are; none where it has no
  /// end.
  std::function<Vec3(const Vec3&)> point = {};
};

/// A kind of region as an experiment names it.
struct RegionInfo {
  std::string name;     ///< the key: "disc"
  std::string summary;  ///< what it is, in a phrase
  std::function<Region(Settings&)> make;
  bool emits = false, takes = false;  ///< whether it has an end, and a volume
};

/// All kinds of regions.
const std::vector<RegionInfo>& regions();

}  // namespace pithball::sim
