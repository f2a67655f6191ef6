#pragma once
#include <array>
#include <string>
#include <variant>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::datasets {

using sim::Index;
using sim::Points;
using sim::Vec3;

/// An ellipsoid with semi-axes along x, y, z, turned about its center by `angle` about `axis` (right-handed).
struct Ellipsoid {
  Vec3 center = Vec3::Zero();
  Vec3 radii = Vec3::Ones();  ///< > 0
  Vec3 axis = Vec3::UnitY();  ///< any length but 0
  double angle = 0;           ///< [rad]
};

/// A round limb: the spheres along the line from `from` to `to`, whose radius changes evenly.
struct Limb {
  Vec3 from, to;                  ///< different
  double radius_from, radius_to;  ///< > 0
};

struct BodyPart {
  std::string name;  ///< vertices nearest to this part form the group of this name; several parts may share one
  std::variant<Ellipsoid, Limb> form;
};

/// A closed surface f(x) = 0 around a body that is put together from parts, f < 0 inside:
///   f = −b log Σ_i exp(−d_i / b),
/// where d_i is about the signed distance to part i (negative inside), so that parts flow into each other over a
/// distance of about b. A limb's d is |x − p| − r with the nearest point p of its line and the radius r there. An
/// ellipsoid's is (|y| − 1)/|∇|y|| with y = A⁻¹Rᵀ(x − c), which is exact to first order at the surface (Taubin 1994,
/// doi 10.1145/174462.154531).
/// One unit of length for everything; what it means is the caller's business.
class ImplicitSurface {
 public:
  /// Throws InvalidArgument without parts, with a radius or a blend ≤ 0, a limb without length, or numbers that are not
  /// finite.
  ImplicitSurface(std::vector<BodyPart> parts, double blend);

  const std::vector<BodyPart>& parts() const { return parts_; }
  /// f(x).
  double value(const Vec3& x) const;
  /// ∂f/∂x; 0 at the very center of a part, where f has a kink.
  Vec3 gradient(const Vec3& x) const;
  /// The part with the smallest d_i.
  std::size_t nearest_part(const Vec3& x) const;
  /// Two opposite corners of a box, 3×2, that holds the surface.
  Eigen::Matrix<double, 3, 2> box() const;
  /// The same of what one part makes of it.
  Eigen::Matrix<double, 3, 2> box(std::size_t part) const;
  /// The smallest radius of a part.
  double least_radius(std::size_t part) const;
  /// About how many squares of that radius a part's longest sides span: 1 for a ball, many for a plate.
  double thinness(std::size_t part) const;
  /// The point on the surface that Newton steps along the gradient lead to from an x nearby.
  Vec3 projected(Vec3 x) const;

 private:
  std::vector<BodyPart> parts_;
  double blend_;
};

}  // namespace pithball::datasets
