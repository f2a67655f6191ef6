#include "sim/population/region.hpp"

#include <Eigen/Geometry>

#include <cmath>
#include <numbers>

#include "sim/core/text.hpp"

namespace pithball::sim {
namespace {

constexpr double full_turn = 2 * std::numbers::pi;

double read_radius(Settings& settings) {
  const double radius = settings.number("radius", "m", "radius of the region");
  if (!(radius > 0)) settings.reject("radius", "must be > 0 m", to_text(radius), "");
  return radius;
}

Vec3 read_normal(Settings& settings, const char* meaning) {
  const Vec3 normal = settings.vector("normal", "", meaning);
  if (normal.isZero()) settings.reject("normal", "must not be 0", "[0, 0, 0]", "[0, 0, 1] points upwards");
  return normal.normalized();
}

Region make_point(Settings& settings) {
  const Vec3 at = settings.vector("at", "m", "position of the point");
  return {.point = [at](const Vec3&) { return at; }};
}

Region make_disc(Settings& settings) {
  const Vec3 center = settings.vector("center", "m", "center of the disc");
  const Vec3 normal = read_normal(settings, "normal of the disc; any length");
  const double radius = read_radius(settings);
  const Vec3 along = normal.unitOrthogonal(), across = normal.cross(along);
  return {.point = [=](const Vec3& u) -> Vec3 {
    const double r = radius * std::sqrt(u[0]), angle = full_turn * u[1];
    return center + r * (std::cos(angle) * along + std::sin(angle) * across);
  }};
}

Region make_sphere(Settings& settings) {
  const Vec3 center = settings.vector("center", "m", "center of the sphere");
  const double radius = read_radius(settings);
  return {.contains = [=](const Vec3& x) { return (x - center).norm() < radius; },
          .point = [=](const Vec3& u) -> Vec3 {
            const double r = radius * std::cbrt(u[0]), cosine = 2 * u[1] - 1, sine = std::sqrt(1 - cosine * cosine),
                         angle = full_turn * u[2];
            return center + r * Vec3(sine * std::cos(angle), sine * std::sin(angle), cosine);
          }};
}

Region make_box(Settings& settings) {
  const Vec3 low = settings.vector("min", "m", "corner of the box with the smallest coordinates");
  const Vec3 high = settings.vector("max", "m", "corner of the box with the largest coordinates");
  if (!settings.describing() && !(low.array() < high.array()).all())
    settings.reject("max", "must be larger than `min` in x, y and z",
                    to_text(high[0]) + ", " + to_text(high[1]) + ", " + to_text(high[2]), "exchange the corners");
  return {.contains = [=](const Vec3& x) { return (low.array() <= x.array() && x.array() < high.array()).all(); },
          .point = [=](const Vec3& u) -> Vec3 { return low + (high - low).cwiseProduct(u); }};
}

Region make_plane(Settings& settings) {
  const Vec3 point = settings.vector("point", "m", "a point on the plane", Vec3(0, 0, 0));
  const Vec3 normal = read_normal(settings, "normal of the plane, pointing away from the region; any length");
  return {.contains = [=](const Vec3& x) { return normal.dot(x - point) < 0; }};
}

}  // namespace

const std::vector<RegionInfo>& regions() {
  static const std::vector<RegionInfo> registry{
      {.name = "point", .summary = "a single point", .make = make_point, .emits = true},
      {.name = "disc", .summary = "a flat disc", .make = make_disc, .emits = true},
      {.name = "sphere", .summary = "the inside of a sphere", .make = make_sphere, .emits = true, .takes = true},
      {.name = "box", .summary = "the inside of an axis-aligned box", .make = make_box, .emits = true, .takes = true},
      {.name = "plane", .summary = "the half-space behind a plane, n·(x − p) < 0", .make = make_plane, .takes = true},
  };
  return registry;
}

}  // namespace pithball::sim
