#include "datasets/mesh/animals.hpp"

#include <cmath>
#include <numbers>

namespace pithball::datasets {

namespace {

constexpr double degree = std::numbers::pi / 180;

/// The same part on the other side of the plane y = 0.
Ellipsoid mirrored(const Ellipsoid& e) {
  const Vec3 flip(1, -1, 1);
  // A mirror turns an axis vector's part within its plane around, and keeps the part along its normal.
  return {e.center.cwiseProduct(flip), e.radii, -e.axis.cwiseProduct(flip), e.angle};
}

Limb mirrored(const Limb& l) {
  const Vec3 flip(1, -1, 1);
  return {l.from.cwiseProduct(flip), l.to.cwiseProduct(flip), l.radius_from, l.radius_to};
}

template <class Form>
void add_pair(std::vector<BodyPart>& parts, const std::string& name, const Form& left) {
  parts.push_back({"left_" + name, left});
  parts.push_back({"right_" + name, mirrored(left)});
}

}  // namespace

ImplicitSurface duck_surface() {
  std::vector<BodyPart> parts{
      {"body", Ellipsoid{Vec3(0, 0, 0), Vec3(1.05, 0.72, 0.58)}},
      {"neck", Limb{Vec3(0.58, 0, 0.25), Vec3(0.68, 0, 0.8), 0.40, 0.34}},
      {"head", Ellipsoid{Vec3(0.74, 0, 1.02), Vec3(0.47, 0.43, 0.43)}},
      {"bill", Ellipsoid{Vec3(1.24, 0, 0.92), Vec3(0.34, 0.27, 0.11), Vec3::UnitY(), 8 * degree}},
      {"tail", Limb{Vec3(-0.78, 0, 0.18), Vec3(-1.25, 0, 0.62), 0.34, 0.12}},
  };
  add_pair(parts, "wing", Ellipsoid{Vec3(-0.15, 0.66, 0.14), Vec3(0.56, 0.17, 0.30), Vec3::UnitY(), 12 * degree});
  return {std::move(parts), 0.05};
}

ImplicitSurface bunny_surface() {
  std::vector<BodyPart> parts{
      {"body", Ellipsoid{Vec3(0, 0, 0), Vec3(0.82, 0.58, 0.62), Vec3::UnitY(), -15 * degree}},
      {"body", Ellipsoid{Vec3(0.46, 0, 0.12), Vec3(0.40, 0.40, 0.50)}},
      {"head", Ellipsoid{Vec3(0.80, 0, 0.80), Vec3(0.42, 0.36, 0.36)}},
      {"head", Ellipsoid{Vec3(1.12, 0, 0.70), Vec3(0.20, 0.20, 0.17)}},
      {"tail", Ellipsoid{Vec3(-0.90, 0, -0.20), Vec3(0.22, 0.22, 0.22)}},
  };
  add_pair(parts, "ear", Limb{Vec3(0.66, 0.17, 1.08), Vec3(0.22, 0.34, 1.92), 0.13, 0.15});
  add_pair(parts, "hind_leg", Ellipsoid{Vec3(-0.28, 0.44, -0.22), Vec3(0.46, 0.26, 0.40)});
  add_pair(parts, "hind_leg", Limb{Vec3(-0.25, 0.46, -0.58), Vec3(0.30, 0.50, -0.58), 0.16, 0.14});
  add_pair(parts, "foreleg", Limb{Vec3(0.62, 0.22, -0.10), Vec3(0.80, 0.24, -0.58), 0.17, 0.14});
  return {std::move(parts), 0.05};
}

}  // namespace pithball::datasets
