#pragma once
#include "sim/constraint/obstacle_contact.hpp"
#include "sim/core/surface.hpp"
#include "sim/field/obstacle.hpp"

namespace pithball::sim {

/// A closed triangulated surface that keeps particles outside, or inside. The signed distance is that to the nearest
/// point of the surface, with the sign of the angle-weighted normal of the face, edge or vertex that contains the point
/// (Bærentzen and Aanæs 2005).
class MeshContact final : public ObstacleContact {
 public:
  /// Throws InvalidArgument unless the surface is closed (each edge between two triangles) and consistently oriented.
  MeshContact(Surface surface, Side side, ObstacleOptions options);
  ~MeshContact() override;
  /// Reads `mesh: {surface: …, side: inside | outside}` and the common settings of obstacles.
  static std::shared_ptr<Constraint> make(Settings&, const Points& drawn);
  const ConstraintTraits& traits() const override;

 protected:
  /// Shares the tree of triangles.
  std::shared_ptr<ObstacleContact> copy() const override { return std::make_shared<MeshContact>(*this); }
  double distance(Index wall, const Vec3& x, Vec3& normal) const override;

 private:
  struct Nearest;  // the tree of triangles
  std::shared_ptr<const Nearest> nearest_;
  Side side_;
};

}  // namespace pithball::sim
