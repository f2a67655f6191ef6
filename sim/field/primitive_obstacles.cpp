#include "sim/field/primitive_obstacles.hpp"

#include <cmath>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::sim {

PlaneObstacle::PlaneObstacle(const std::string& owner, const Vec3& point, const Vec3& normal)
    : point_(point), normal_(normal.normalized()) {
  if (!(normal.norm() > 0) || !normal.allFinite() || !point.allFinite())
    throw InvalidArgument(
        {"", owner + ".normal", "must be a finite vector other than 0", "", "write [0, 0, 1] for a floor"});
}

PlaneObstacle PlaneObstacle::read(Settings& settings, const std::string& owner) {
  const Vec3 point = settings.vector("point", "m", "a point on the plane", Vec3(Vec3::Zero()));
  const Vec3 normal =
      settings.vector("normal", "", "normal of the plane, toward the allowed side; any length", Vec3(Vec3::UnitZ()));
  return {owner, point, normal};
}

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

BoxObstacle::BoxObstacle(const std::string& owner, const Vec3& low, const Vec3& high, Side side)
    : low_(low), high_(high), side_(side) {
  if (!(low.array() < high.array()).all())
    throw InvalidArgument({"", owner + ".max", "must be larger than `min` in every coordinate",
                           "a coordinate that is not", "exchange the two corners"});
}

BoxObstacle BoxObstacle::read(Settings& settings, const std::string& owner) {
  const Vec3 low = settings.vector("min", "m", "corner of the box with the smallest coordinates");
  Vec3 high = settings.vector("max", "m", "corner of the box with the largest coordinates");
  if (settings.describing()) high = low + Vec3::Ones();
  const bool inside =
      settings.choice("side", {"inside", "outside"}, "side on which particles are allowed", "inside") == "inside";
  return {owner, low, high, inside ? Side::Inside : Side::Outside};
}

double BoxObstacle::distance(Index wall, const Vec3& x, Vec3& normal) const {
  if (side_ == Side::Inside) {
    const Index axis = wall / 2;
    normal = wall % 2 == 0 ? Vec3(Vec3::Unit(axis)) : Vec3(-Vec3::Unit(axis));
    return wall % 2 == 0 ? x[axis] - low_[axis] : high_[axis] - x[axis];
  }
  const Vec3 nearest = x.cwiseMax(low_).cwiseMin(high_), away = x - nearest;
  const double outside = away.norm();
  if (outside > 0) {
    normal = away / outside;
    return outside;
  }
  double least = -1;  // inside the block: the nearest wall
  for (Index axis = 0; axis < 3; ++axis)
    for (const double sign : {-1.0, 1.0}) {
      const double depth = sign < 0 ? x[axis] - low_[axis] : high_[axis] - x[axis];
      if (least >= 0 && depth >= least) continue;
      least = depth;
      normal = sign * Vec3::Unit(axis);
    }
  return -least;
}

Mat3 BoxObstacle::curvature(Index, const Vec3& x) const {
  const Vec3 away = x - x.cwiseMax(low_).cwiseMin(high_);
  const double outside = away.norm();
  if (side_ == Side::Inside || outside == 0) return Mat3::Zero();
  // Along the axes on which x lies between the walls, the nearest point moves with x. There is one other axis beside a
  // face, where the curvature is 0; there are two beside an edge and three beside a corner.
  const Vec3 beside = (away.array() != 0).cast<double>();
  const Vec3 normal = away / outside;
  return (Mat3(beside.asDiagonal()) - normal * normal.transpose()) / outside;
}

}  // namespace pithball::sim
