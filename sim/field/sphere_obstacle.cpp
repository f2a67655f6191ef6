#include "sim/field/sphere_obstacle.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::sim {

SphereObstacle::SphereObstacle(const std::string& owner, const Vec3& centre, double radius, Side side)
    : centre_(centre), radius_(radius), side_(side) {
  if (!(radius > 0) || !std::isfinite(radius) || !centre.allFinite())
    throw InvalidArgument({"", owner + ".sphere_radius", "must be > 0 m, about a finite centre", to_text(radius),
                           "give the sphere a size"});
}

SphereObstacle SphereObstacle::read(Settings& settings, const std::string& owner) {
  const Vec3 centre = settings.vector("centre", "m", "of the sphere", Vec3(Vec3::Zero()));
  const double radius = settings.number("sphere_radius", "m", "R of the sphere");
  const bool outside = settings.choice("side", {"outside", "inside"}, "where particles belong", "outside") == "outside";
  return {owner, centre, settings.describing() ? 1 : radius, outside ? Side::Outside : Side::Inside};
}

double SphereObstacle::distance(Index, const Vec3& x, Vec3& normal) const {
  const Vec3 away = x - centre_;
  const double r = away.norm();
  normal = r > 0 ? Vec3(away / r) : Vec3::Zero();
  if (side_ == Side::Outside) return r - radius_;
  normal = -normal;
  return radius_ - r;
}

Mat3 SphereObstacle::curvature(Index, const Vec3& x) const {
  const Vec3 away = x - centre_;
  const double r = away.norm();
  if (r == 0) return Mat3::Zero();
  const Mat3 across = (Mat3::Identity() - away * away.transpose() / (r * r)) / r;
  return side_ == Side::Outside ? across : Mat3(-across);
}

}  // namespace pithball::sim
