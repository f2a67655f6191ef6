#pragma once
#include <utility>

#include "sim/force/obstacle_penalty.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

template <class Body>
void ObstaclePenalty::for_each_depth(const Model& model, const Points& x, Body body) const {
  const auto radius = model.values()[radius_block_];
  Vec3 normal;
  for (Index i = 0; i < model.particles(); ++i)
    for (Index wall = 0; wall < obstacle_->walls(); ++wall) {
      const double depth = radius[i] - obstacle_->distance(wall, x.col(i), normal);
      body(i, wall, depth, std::as_const(normal));
    }
}

template <class Body>
void ObstaclePenalty::for_each_contact(const Model& model, const Points& x, Body body) const {
  for_each_depth(model, x, [&](Index i, Index wall, double depth, const Vec3& normal) {
    const bool is_held = held_ && !model.is_held(i);
    if (!(is_held ? (*held_)[i * walls() + wall] : depth > -smoothing_)) return;
    body(Contact{i, wall,
                 is_held ? kernel::SmoothedDepth<double>{depth, 1, 0} : kernel::smoothed_depth(depth, smoothing_),
                 normal});
  });
}

}  // namespace pithball::sim
