#pragma once
#include "sim/core/settings.hpp"
#include "sim/force/bending_force.hpp"

namespace pithball::sim {

/// Bending of chains, as of thin rods: at each particle where exactly two edges meet, with the turning angle φ between
/// them (0: straight),
///   U = Σ B/(2 l̄) (2 tan(φ/2) − 2 tan(φ₀/2))²,   l̄ = (l₁ + l₂)/2 the mean length of the two edges at rest
/// (discrete elastic rods, Bergou et al. 2008). Value: `chain_bending_stiffness` B = EI [N m²]. The energy grows
/// without bound as an edge folds back onto the other; for a chain that is bent at rest, U has a kink where the chain
/// is straight.
class ChainBending : public BendingForce<3> {
 public:
  /// Angles at particles where two of the `edges` meet, with edge lengths at rest from the positions [m]; the chain
  /// rests as it is there, or straight. Throws InvalidArgument for edges of length 0 or folded back.
  ChainBending(double stiffness, const Points& positions, const std::vector<Spring>& edges, bool rests_straight);

  /// Reads its settings in the list `forces:`.
  static std::vector<std::shared_ptr<ForceTerm>> make(Settings&);

  const std::vector<Spring>& edges() const { return edges_; }  ///< as given, with the numbers of the first model
  bool rests_straight() const { return rests_straight_; }      ///< or as drawn
  const ForceTraits& traits() const override;
  std::shared_ptr<ForceTerm> with_particles(const std::vector<ParticleOrigin>& origins) const override;

 protected:
  /// The turning angle of two edges that follow each other, from the positions at rest [m].
  static Angle angle_of(const std::array<Index, 3>& particles, const Points& positions, bool rests_straight);
  /// For one angle whose stiffness others declare.
  explicit ChainBending(const Angle& angle) : BendingForce(0, "N m2", {angle}), rests_straight_(angle.rest == 0) {}

 private:
  static std::vector<Angle> angles_of(const Points& positions, const std::vector<Spring>& edges, bool rests_straight);
  double energy_of(const Angle&, const Places& x) const override;
  Places gradient_of(const Angle&, const Places& x) const override;
  Matrix hessian_of(const Angle&, const Places& x) const override;
  bool is_defined(const Angle&, const Places& x) const override;

  std::vector<Spring> edges_;
  bool rests_straight_;
};

/// The angle between two chains where an edge of one meets an edge of the other: half of each edge bends as its own
/// chain does, the two in series,
///   U = B/(2 l̄) (2 tan(φ/2) − 2 tan(φ₀/2))²,   l̄ = (l₁ + l₂)/2,   B = (l₁ + l₂)/(l₁/B₁ + l₂/B₂),
/// with the stiffnesses B₁ and B₂ of both chains, which declare them. Equal chains bend as one.
class ChainJoint final : public ChainBending {
 public:
  /// At the particle between edge (particles[0], particles[1]) of `first` and edge (particles[1], particles[2]) of
  /// `second`, with lengths at rest from the positions [m]; straight at rest if both chains are, else as it is there.
  ChainJoint(std::shared_ptr<const ChainBending> first, std::shared_ptr<const ChainBending> second,
             const std::array<Index, 3>& particles, const Points& positions);

  /// Finds the blocks of both chains, whose own come first.
  void declare(const Topology&, Values&) override;
  std::shared_ptr<ForceTerm> with_particles(const std::vector<ParticleOrigin>& origins) const override;

 private:
  double stiffness(const Model&) const override;
  double stiffness_jvp(const Model&, const Vector& dvalues) const override;
  void add_stiffness_vjp(const Model&, double by_stiffness, Vector& g) const override;

  std::array<std::shared_ptr<const ChainBending>, 2> chains_;
  std::array<Index, 2> blocks_ = {};
  std::array<double, 2> shares_;  // l₁/(l₁ + l₂) and l₂/(l₁ + l₂)
};

/// The joints of the chains among the terms: at each particle where exactly two of all their edges meet, if these
/// belong to two chains and lead to different particles. To be added after the terms.
std::vector<std::shared_ptr<ForceTerm>> make_chain_joints(const std::vector<std::shared_ptr<ForceTerm>>& terms,
                                                          const Points& positions);

}  // namespace pithball::sim
