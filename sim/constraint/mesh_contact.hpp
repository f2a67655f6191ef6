#pragma once
#include "sim/constraint/obstacle_contact.hpp"
#include "sim/core/surface.hpp"
#include "sim/field/obstacle.hpp"

namespace pithball::sim {

/// A closed surface of triangles that stops particles outside, or keeps them inside. Its signed distance is that to the
/// nearest point of the surface; the side follows from the angle-weighted normal of the face, edge or vertex on which
/// that point lies (Bærentzen and Aanæs 2005).
class MeshContact final : public ObstacleContact {
 public:
  /// Throws InvalidArgument unless the surface is closed (each edge between two triangles) with one orientation.
  MeshContact(Surface surface, Side side, ObstacleOptions options);
  ~MeshContact() override;
  /// Reads `mesh: {surface: …, side: inside | outside}` and what every obstacle has.
  static std::shared_ptr<Constraint> make(Settings&, const Points& drawn);
  const ConstraintTraits& traits() const override;

 protected:
  std::shared_ptr<ObstacleContact> copy() const override { return std::make_shared<MeshContact>(*this); }
  double distance(Index wall, const Vec3& x, Vec3& normal) const override;

 private:
  struct Nearest;  // the tree of triangles
  std::shared_ptr<const Nearest> nearest_;
  Side side_;
};

}  // namespace pithball::sim
