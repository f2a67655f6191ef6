#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sim/core/settings.hpp"

namespace pithball::sim {

/// A region of space, for emitters and sinks.
struct Region {
  /// Whether it contains a point [m]; false for a region without volume.
  std::function<bool(const Vec3&)> contains = {};
  /// The point [m] for three numbers in (0, 1), uniform over its volume (or area) if these are; none for an unbounded
  /// region.
  std::function<Vec3(const Vec3&)> point = {};
};

/// A kind of region, as named in an experiment.
struct RegionInfo {
  std::string name;                       ///< the key: "disc"
  std::string summary;                    ///< description, in a phrase
  std::function<Region(Settings&)> make;  ///< reads the region's own settings, [m]
  bool emits = false,                     ///< has `point`: for emitters
      takes = false;                      ///< has `contains`: for sinks
};

/// All kinds of regions.
const std::vector<RegionInfo>& regions();

}  // namespace pithball::sim
