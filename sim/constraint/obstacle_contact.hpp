#pragma once
#include <memory>

#include "sim/constraint/constraint.hpp"
#include "sim/constraint/contact_law.hpp"

namespace pithball::sim {

/// Which particles an obstacle stops, and how.
struct ObstacleOptions {
  std::vector<Index> particles;  ///< that it stops
  Vector radius;                 ///< of the particles as spheres [m], N; 0: points
  ContactLaw law;
};

/// Contact with something that rests: C = s(x) − r ≥ 0, s the signed distance of a wall of the obstacle, positive where
/// particles belong. Values: `<name>_radius` r [m], one for each particle, `<name>_restitution` and `<name>_friction`.
/// A kind of obstacle states its walls and their distance.
class ObstacleContact : public ConstraintWith<ContactRows, NamedParticles> {
 public:
  /// Reads `vertices`, `radius`, `restitution`, `friction` and `slip`.
  static ObstacleOptions read(Settings&, const Points& drawn);

  void declare(const Topology&, Values&) final;
  void add_rows(const Model&, const Points& x, const Vector& reach, std::vector<ConstraintRow>& rows) const final;
  double evaluate(const Model&, const ConstraintRow&, const RowPoints& x, RowPoints& gradient) const final;
  ContactLaw contact_law(const Model&, const ConstraintRow&) const final;
  std::shared_ptr<Constraint> with_particles(const std::vector<ParticleOrigin>&,
                                             const std::vector<Index>& place) const final;

 protected:
  ObstacleContact(const std::string& name, ObstacleOptions options);

  virtual std::shared_ptr<ObstacleContact> copy() const = 0;
  /// How many walls have a distance of their own.
  virtual Index walls() const { return 1; }
  /// s(x) [m] of a wall and its gradient, a unit vector; 0 where there is none.
  virtual double distance(Index wall, const Vec3& x, Vec3& normal) const = 0;

 private:
  std::string name_;
  std::vector<Index> particles_;
  Vector radius_;  // as declared; afterwards the model's values count
  ContactValues contact_;
  Index radius_block_ = 0;
};

}  // namespace pithball::sim
