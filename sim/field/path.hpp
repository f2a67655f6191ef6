#pragma once
#include <string_view>
#include <vector>

#include "sim/core/types.hpp"
#include "sim/field/time_course.hpp"

namespace pithball::sim {

class Settings;

/// A prescribed motion: the C¹ cubic Hermite curve through (t_k, p_k), with the tangent at an inner knot from the
/// parabola through that knot and its two neighbors (one-sided parabola at the ends). Before the first and after the
/// last knot the position is constant, with velocity 0.
class Path {
 public:
  /// Rest at one point.
  explicit Path(const Vec3& point) : times_{0.0}, points_{point}, tangents_{Vec3::Zero()} {}

  /// times [s] strictly increasing, one point [m] each; throws InvalidArgument otherwise.
  Path(std::vector<double> times, std::vector<Vec3> points);

  Vec3 position(double t) const;  ///< [m]
  Vec3 velocity(double t) const;  ///< [m/s], the derivative of `position`
  /// Its knots between two times [s].
  void add_course(double from, double to, TimeCourse& course) const;
  /// False for a point at rest, or a single knot.
  bool moves() const { return times_.size() > 1; }
  /// The same motion translated by `shift` [m].
  Path moved_by(const Vec3& shift) const;

 private:
  std::vector<double> times_;
  std::vector<Vec3> points_, tangents_;
};

/// A point [x, y, z] at rest, or {file: motion.csv} with columns t, x, y, z [s, m].
Path ask_path(Settings& settings, std::string_view key, std::string_view meaning);

}  // namespace pithball::sim
