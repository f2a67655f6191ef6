#pragma once
#include "diff/rollout/rollout.hpp"
#include "experiments/captured/trunk_decay/release.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::experiments::trunk_decay {

/// The trunk as a truss: seven rings of three point masses hanging from the mount at y = 0 (file coordinates, y up),
/// linear springs with dampers along rings, longitudinals and both diagonals of every face. All springs share one axial
/// rigidity EA and one viscosity η in strain form, k = EA/l0 and c = η/l0. The own mass is spread by tributary length;
/// the load hangs on the tip ring. Fixed by choice: mount height, radius, sides, rings, equal rigidity of all springs,
/// even mass, no drag; no dry friction unless asked for.
class Truss {
 public:
  Truss();

  /// Values from which a fit starts: EA [N], η [N s], own mass [kg].
  static constexpr double rigidity = 900, viscosity = 15, own_mass = 0.9;

  /// The scenario of one release from a given frame on, at a given step: static start under gravity, displaced and
  /// moving by interpolation along the body.
  diff::Scenario scenario(const Release& release, Index first, Index frames, double time_step) const;
  /// The three discs seen in it: displacements from rest, later frames counting more by e^{growth·t}.
  optim::Observation observation(const Release& release, Index first, Index frames, const diff::Scenario& scenario,
                                 double growth) const;
  /// Mass of the load on each vertex [kg], the known part of the masses.
  sim::Vector load_mass(Index load) const;
  std::vector<Index> free_vertices() const;

  double rubbing = 0;  ///< dry friction of every free point with the room from which a fit starts [N]; 0: none

 private:
  Points lift(const Points& discs, bool rotate) const;
  Points vertices_;
  std::vector<sim::Spring> springs_;
  sim::Vector lengths_, share_;  // share_: fraction of the trunk's own mass, by vertex
  std::vector<double> ring_y_;
};

}  // namespace pithball::experiments::trunk_decay
