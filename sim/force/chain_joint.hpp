#pragma once
#include "sim/force/chain_bending.hpp"

namespace pithball::sim {

/// The angle between two chains where an edge of one meets an edge of the other: half of each edge bends as its own
/// chain, one behind the other,
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
  std::array<double, 2> shares_;  // l₁/(l₁ + l₂) and the other
};

/// The joints of the chains among the terms: at each particle where exactly two of all their edges meet, if these
/// belong to two chains and lead to different particles. To be added behind the terms.
std::vector<std::shared_ptr<ForceTerm>> make_chain_joints(const std::vector<std::shared_ptr<ForceTerm>>& terms,
                                                          const Points& positions);

}  // namespace pithball::sim
