#include "experiments/demonstrations/demonstration.hpp"

#include <Eigen/Geometry>
#include <algorithm>

namespace pithball::experiments {

using namespace app;

namespace {

sim::Vec3 angular_momentum(const sim::Vector& mass, const sim::State& state) {
  sim::Vec3 sum = sim::Vec3::Zero();
  for (Index i = 0; i < state.x.cols(); ++i) sum += mass[i] * state.x.col(i).cross(state.v.col(i));
  return sum;
}

}  // namespace

std::vector<Claim> colliding_bodies_claims(const DemonstrationRun& run) {
  const sim::Vector mass = run.experiment.scenario.model.mass();
  const auto& states = run.trajectory.states;
  const auto& energy = run.trajectory.energy;
  const sim::Vec3 turning = angular_momentum(mass, states.front());
  double drift = 0, momentum = 0, gained = 0;
  for (const sim::State& state : states) {
    drift = std::max(drift, (angular_momentum(mass, state) - turning).norm() / turning.norm());
    momentum = std::max(momentum, (state.v * mass).norm() / (state.v.colwise().norm() * mass).sum());
  }
  for (const sim::EnergyRow& row : energy) gained = std::max(gained, row.total() - energy.front().total());
  double least = 1e9;
  const sim::Points& x = states.back().x;
  for (Index i = 0; i < x.cols(); ++i)
    for (Index j = i + 1; j < x.cols(); ++j) least = std::min(least, (x.col(i) - x.col(j)).norm());
  return {claim_within("largest momentum over the sum of its parts", momentum, 0, 1e-10, "", "what acts acts back"),
          claim_within("largest change of angular momentum, relative", drift, 0, 0.01, "",
                       "central forces; substeps turn a little"),
          claim_within("energy gained over the kinetic at first", gained / energy.front().kinetic, 0, 0.02, "",
                       "bounces only take"),
          claim_within("smallest distance of two centers", least, 0.1, 0.005, "m", "two radii")};
}

}  // namespace pithball::experiments
