#include "sim/field/sphere_obstacle.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::sim {

SphereObstacle::SphereObstacle(const std::string& owner, const Vec3& center, double radius, Side side)
    : center_(center), radius_(radius), side_(side) {
  if (!(radius > 0) || !std::isfinite(radius) || !center.allFinite())
    throw InvalidArgument({"", owner + ".sphere_radius", "must be > 0 m, with a finite center", to_text(radius),
                           "give the sphere a radius"});
}

SphereObstacle SphereObstacle::read(Settings& settings, const std::string& owner) {
  const Vec3 center = settings.vector("center", "m", "center of the sphere", Vec3(Vec3::Zero()));
  const double radius = settings.number("sphere_radius", "m", "radius R of the sphere");
  const bool outside =
      settings.choice("side", {"outside", "inside"}, "side on which particles are allowed", "outside") == "outside";
  return {owner, center, settings.describing() ? 1 : radius, outside ? Side::Outside : Side::Inside};
}

double SphereObstacle::distance(Index, const Vec3& x, Vec3& normal) const {
  const Vec3 away = x - center_;
  const double r = away.norm();
  normal = r > 0 ? Vec3(away / r) : Vec3::Zero();
  if (side_ == Side::Outside) return r - radius_;
  normal = -normal;
  return radius_ - r;
}

Mat3 SphereObstacle::curvature(Index, const Vec3& x) const {
  const Vec3 away = x - center_;
  const double r = away.norm();
  if (r == 0) return Mat3::Zero();
  const Mat3 across = (Mat3::Identity() - away * away.transpose() / (r * r)) / r;
  return side_ == Side::Outside ? across : Mat3(-across);
}

}  // namespace pithball::sim
