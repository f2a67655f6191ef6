#pragma once
#include <vector>

#include "app/yaml/node.hpp"
#include "sim/field/path.hpp"

namespace pithball::app {

/// A prescribed motion as written: one point, or points at increasing times.
struct Motion {
  std::vector<double> times;  ///< [s]; empty for a point at rest
  std::vector<Vec3> points;   ///< [m]
  /// The curve through the points, moved by `shift` [m].
  sim::Path path(const Vec3& shift = Vec3::Zero()) const;
};

/// Reads a point [x, y, z] at rest, or {file: motion.csv} with columns t, x, y, z [s, m].
Motion read_motion(Node& node, std::string_view key, std::string_view meaning);

}  // namespace pithball::app
