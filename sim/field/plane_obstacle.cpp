#include "sim/field/plane_obstacle.hpp"

#include "sim/core/error.hpp"

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

}  // namespace pithball::sim
