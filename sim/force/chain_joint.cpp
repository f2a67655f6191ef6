#include "sim/force/chain_joint.hpp"

#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

using Two = std::array<double, 2>;

/// B = 1/(s₁/B₁ + s₂/B₂), written so that a chain without stiffness leaves a free hinge.
double in_series(const Two& B, const Two& share) {
  const double sum = share[0] * B[1] + share[1] * B[0];
  return sum > 0 ? B[0] * B[1] / sum : 0;
}

/// ∂B/∂B₁ and ∂B/∂B₂; where both are 0, those along the way on which they are equal.
Two slopes_in_series(const Two& B, const Two& share) {
  const double sum = share[0] * B[1] + share[1] * B[0];
  if (!(sum > 0)) return share;
  return {share[0] * (B[1] / sum) * (B[1] / sum), share[1] * (B[0] / sum) * (B[0] / sum)};
}

/// An edge of a chain, from a particle to the next.
struct ChainEdge {
  std::shared_ptr<const ChainBending> chain;
  Index next;
};

}  // namespace

ChainJoint::ChainJoint(std::shared_ptr<const ChainBending> first, std::shared_ptr<const ChainBending> second,
                       const std::array<Index, 3>& particles, const Points& positions)
    : ChainBending(angle_of(particles, positions, first->rests_straight() && second->rests_straight())),
      chains_{std::move(first), std::move(second)} {
  const auto length = [&](int a, int b) { return (positions.col(particles[a]) - positions.col(particles[b])).norm(); };
  shares_[0] = length(0, 1) / (length(0, 1) + length(1, 2));
  shares_[1] = 1 - shares_[0];
}

void ChainJoint::declare(const Topology&, Values&) {
  for (int c = 0; c < 2; ++c) blocks_[c] = chains_[c]->stiffness_block();
}

std::shared_ptr<ForceTerm> ChainJoint::with_particles(const std::vector<ParticleOrigin>& origins) const {
  auto copy = std::make_shared<ChainJoint>(*this);
  copy->renumber(origins);
  return copy;
}

double ChainJoint::stiffness(const Model& model) const {
  return in_series({model.values()[blocks_[0]][0], model.values()[blocks_[1]][0]}, shares_);
}

double ChainJoint::stiffness_jvp(const Model& model, const Vector& dvalues) const {
  const Two slopes = slopes_in_series({model.values()[blocks_[0]][0], model.values()[blocks_[1]][0]}, shares_);
  double change = 0;
  for (int c = 0; c < 2; ++c) change += slopes[c] * model.values().of(dvalues, blocks_[c])[0];
  return change;
}

void ChainJoint::add_stiffness_vjp(const Model& model, double by_stiffness, Vector& g) const {
  const Two slopes = slopes_in_series({model.values()[blocks_[0]][0], model.values()[blocks_[1]][0]}, shares_);
  for (int c = 0; c < 2; ++c) model.values().of(g, blocks_[c])[0] += by_stiffness * slopes[c];
}

std::vector<std::shared_ptr<ForceTerm>> make_chain_joints(const std::vector<std::shared_ptr<ForceTerm>>& terms,
                                                          const Points& positions) {
  std::vector<std::vector<ChainEdge>> at(positions.cols());
  for (const auto& term : terms)
    if (const auto chain = std::dynamic_pointer_cast<const ChainBending>(term))
      for (const Spring& edge : chain->edges()) {
        at[edge.i].push_back({chain, edge.j});
        at[edge.j].push_back({chain, edge.i});
      }
  std::vector<std::shared_ptr<ForceTerm>> joints;
  for (Index i = 0; i < positions.cols(); ++i)
    if (at[i].size() == 2 && at[i][0].chain != at[i][1].chain && at[i][0].next != at[i][1].next)
      joints.push_back(std::make_shared<ChainJoint>(at[i][0].chain, at[i][1].chain,
                                                    std::array{at[i][0].next, i, at[i][1].next}, positions));
  return joints;
}

}  // namespace pithball::sim
