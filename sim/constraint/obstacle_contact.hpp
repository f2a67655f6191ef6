#pragma once
#include <memory>

#include "sim/constraint/constraint.hpp"
#include "sim/constraint/contact_law.hpp"
#include "sim/field/primitive_obstacles.hpp"

namespace pithball::sim {

/// Common settings of obstacles: the particles that collide with it, and how.
struct ObstacleOptions {
  std::vector<Index> particles;  ///< that collide with it
  Vector radius;                 ///< of the particles as spheres [m], N; 0: points
  ContactLaw law;                ///< of all these particles; `radius` in it is unused
};

/// Contact with a static obstacle: C = s(x) − r ≥ 0, with s the signed distance of a wall of the obstacle, positive on
/// the side of the particles. Values: `<name>_radius` r [m], one for each particle, `<name>_restitution` and
/// `<name>_friction`. Each kind of obstacle defines its walls and their distances.
class ObstacleContact : public ConstraintWith<ContactRows, NamedParticles> {
 public:
  /// Reads `vertices`, `radius`, `restitution`, `friction` and `slip`.
  static ObstacleOptions read(Settings&, const Points& drawn);

  void declare(const Topology&, Values&) final;
  void add_rows(const Model&, const Points& x, const Vector& reach, std::vector<ConstraintRow>& rows) const final;
  double evaluate(const Model&, const ConstraintRow&, const RowPoints& x, RowPoints& gradient) const final;
  /// The law of this obstacle, with the radius of the row's particle.
  ContactLaw contact_law(const Model&, const ConstraintRow&) const final;
  std::optional<Passage> find_passage(const Model&, const Flight&) const final;  ///< through the obstacle
  /// Particles that come from one that collides with the obstacle collide with it too.
  std::shared_ptr<Constraint> with_particles(const std::vector<ParticleOrigin>&,
                                             const std::vector<Index>& place) const final;

 protected:
  /// `name`: prefix of the values. Throws InvalidArgument for a restitution or slip outside 0 … 1.
  ObstacleContact(const std::string& name, ObstacleOptions options);

  /// A copy of the derived class, with all its settings.
  virtual std::shared_ptr<ObstacleContact> copy() const = 0;
  /// Number of walls, each with its own distance.
  virtual Index walls() const { return 1; }
  /// s(x) [m] of a wall and its gradient, a unit vector; 0 if undefined.
  virtual double distance(Index wall, const Vec3& x, Vec3& normal) const = 0;
  /// The obstacle, if it has another side that a particle can reach; null otherwise.
  virtual const Obstacle* solid() const { return nullptr; }

 private:
  std::string name_;
  std::vector<Index> particles_;
  Vector radius_;  // initial values; `Model::values()` has the current ones
  ContactValues contact_;
  Index radius_block_ = 0;
};

/// A half-space that repels particles: s(x) = n·(x − p), with particles on the side of n.
class PlaneContact final : public ObstacleContact {
 public:
  /// p [m]: a point of the plane; n of any length except 0. Throws InvalidArgument otherwise.
  PlaneContact(const Vec3& point, const Vec3& normal, ObstacleOptions options)
      : PlaneContact(PlaneObstacle("constraints.plane", point, normal), std::move(options)) {}
  /// Contact with a plane that was checked before.
  PlaneContact(const PlaneObstacle& plane, ObstacleOptions options)
      : ObstacleContact("plane", std::move(options)), plane_(plane) {}
  /// Reads `plane: {point: …, normal: …}` and the common settings of obstacles.
  static std::shared_ptr<Constraint> make(Settings&, const Points& drawn);
  const ConstraintTraits& traits() const override;

 protected:
  /// A copy with the same plane.
  std::shared_ptr<ObstacleContact> copy() const override { return std::make_shared<PlaneContact>(*this); }
  double distance(Index wall, const Vec3& x, Vec3& normal) const override { return plane_.distance(wall, x, normal); }

 private:
  PlaneObstacle plane_;
};

/// An axis-aligned box: a container, whose six walls are planes, or a block that keeps particles outside, with one
/// signed distance to its surface.
class BoxContact final : public ObstacleContact {
 public:
  /// Corners with the smallest and the largest coordinates [m]; throws InvalidArgument otherwise.
  BoxContact(const Vec3& low, const Vec3& high, Side side, ObstacleOptions options)
      : BoxContact(BoxObstacle("constraints.box", low, high, side), std::move(options)) {}
  /// Contact with a box that was checked before.
  BoxContact(const BoxObstacle& box, ObstacleOptions options) : ObstacleContact("box", std::move(options)), box_(box) {}
  /// Reads `box: {min: …, max: …, side: inside | outside}` and the common settings of obstacles.
  static std::shared_ptr<Constraint> make(Settings&, const Points& drawn);
  const ConstraintTraits& traits() const override;

 protected:
  /// A copy with the same box.
  std::shared_ptr<ObstacleContact> copy() const override { return std::make_shared<BoxContact>(*this); }
  Index walls() const override { return box_.walls(); }
  double distance(Index wall, const Vec3& x, Vec3& normal) const override { return box_.distance(wall, x, normal); }
  const Obstacle* solid() const override { return &box_; }

 private:
  BoxObstacle box_;
};

}  // namespace pithball::sim
