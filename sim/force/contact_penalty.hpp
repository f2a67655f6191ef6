#pragma once
#include "sim/core/settings.hpp"
#include "sim/force/force_term.hpp"
#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {

/// Repulsion between overlapping spheres, like springs that cannot pull: with r = |x_i − x_j| and the penetration depth
/// d = a_i + a_j − r > 0,
///   U = Σ k/2 d²,   force on i: k d (x_i − x_j)/r   (Cundall and Strack, Géotechnique 29, 1979, without friction).
/// Values: `contact_radius` a ≥ 0 [m], one for each particle (with radius 0 a point that interacts with other spheres),
/// and `contact_stiffness` k ≥ 0 [N/m]. `ContactDamper` adds dissipation.
class ContactPenalty final : public ForceTerm {
 public:
  /// Initial radii a ≥ 0 [m], N entries, and stiffness k ≥ 0 [N/m]; `search` finds the pairs and is not null.
  ContactPenalty(Vector radius, double stiffness, std::shared_ptr<const NeighborSearch> search)
      : radius_(std::move(radius)), stiffness_(stiffness), search_(std::move(search)) {}

  /// Reads its settings in the list `forces:`; with a damping, also creates the damper.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const ForceTraits& traits() const override;
  void declare(const Topology&, Values&) override;
  void validate(const Model&, const State&) const override;
  void add_force(const Model&, const State&, Points& f) const override;
  std::optional<double> energy(const Model&, const State&) const override;
  void add_jvp(const Model&, const State&, const Variation& d, Points& df) const override;
  void add_vjp(const Model&, const State&, const Points& w, Variation& g) const override;

  /// The time until two spheres touch, or the time scale of a contact between the lightest ones, √(m/2k), if that is
  /// longer.
  double shortest_time(const Model&, const State&, const Points& a) const override;

  /// Two spheres in contact.
  struct Contact {
    Index i,          ///< one particle
        j;            ///< the other, i < j
    Vec3 b;           ///< x_i − x_j [m]
    double distance;  ///< r = |b| [m]
    double reach;     ///< a_i + a_j > r [m]
  };
  /// Calls body(contact) for each, i < j, in an order that depends only on the positions.
  template <class Body>
  void for_each_contact(const Model& model, const Points& x, Body body) const;

 private:
  Vector radius_;     // initial values; `Model::values()` has the current ones
  double stiffness_;  // likewise
  std::shared_ptr<const NeighborSearch> search_;
  Index radius_block_ = 0, stiffness_block_ = 0;
};

}  // namespace pithball::sim
