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

/// An ellipsoid with semi-axes along x, y, z, rotated about its center by `angle` about `axis` (right-handed).
struct Ellipsoid {
  Vec3 center = Vec3::Zero();  ///< c
  Vec3 radii = Vec3::Ones();   ///< > 0
  Vec3 axis = Vec3::UnitY();   ///< any length but 0
  double angle = 0;            ///< [rad]
};

/// A round limb: the spheres along the line from `from` to `to`, with linearly varying radius.
struct Limb {
  Vec3 from,           ///< one end of the line
      to;              ///< the other end, different
  double radius_from,  ///< radius at `from`, > 0
      radius_to;       ///< radius at `to`, > 0
};

/// A named part of a body, in any unit of length.
struct BodyPart {
  std::string name;                    ///< group of the vertices nearest to this part; several parts may share one
  std::variant<Ellipsoid, Limb> form;  ///< shape and place
};

/// The closed surface f(x) = 0 of a body assembled from parts, f < 0 inside:
///   f = −b log Σ_i exp(−d_i / b),
/// where d_i is approximately the signed distance to part i (negative inside), so that parts blend over a distance of
/// about b. A limb's d is |x − p| − r with the nearest point p of its line and the radius r there. An ellipsoid's is
/// (|y| − 1)/|∇|y|| with y = A⁻¹Rᵀ(x − c), exact to first order at the surface (Taubin 1994, doi
/// 10.1145/174462.154531). The unit of length is the caller's.
class ImplicitSurface {
 public:
  /// Throws InvalidArgument without parts, with a radius or a blend ≤ 0, a limb without length, or numbers that are not
  /// finite.
  ImplicitSurface(std::vector<BodyPart> parts, double blend);

  /// As given, at least one.
  const std::vector<BodyPart>& parts() const { return parts_; }
  /// f(x).
  double value(const Vec3& x) const;
  /// ∂f/∂x; 0 at the center of a part, where f has a kink.
  Vec3 gradient(const Vec3& x) const;
  /// The part with the smallest d_i.
  std::size_t nearest_part(const Vec3& x) const;
  /// Two opposite corners, 3×2, of a box that contains the surface.
  Eigen::Matrix<double, 3, 2> box() const;
  /// The same for one part.
  Eigen::Matrix<double, 3, 2> box(std::size_t part) const;
  /// The smallest radius of a part.
  double least_radius(std::size_t part) const;
  /// Number of squares of that radius along a part's longest sides, approximately: 1 for a ball, many for a plate.
  double thinness(std::size_t part) const;
  /// The point on the surface reached from x by Newton steps along the gradient.
  Vec3 projected(Vec3 x) const;

 private:
  std::vector<BodyPart> parts_;
  double blend_;
};

/// A swimming toy duck facing +x, z up. Parts: body, neck, head, bill, tail, left_wing, right_wing.
ImplicitSurface duck_surface();

/// A sitting bunny facing +x, z up. Parts: body, head, left_ear, right_ear, tail, left_hind_leg, right_hind_leg,
/// left_foreleg, right_foreleg.
ImplicitSurface bunny_surface();

}  // namespace pithball::datasets
