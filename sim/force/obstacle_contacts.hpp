#pragma once
#include <utility>

#include "sim/force/obstacle_penalty.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

template <class Body>
void ObstaclePenalty::for_each_contact(const Model& model, const Points& x, Body body) const {
  const auto radius = model.values()[radius_block_];
  Contact at{};
  for (at.i = 0; at.i < model.particles(); ++at.i)
    for (at.wall = 0; at.wall < obstacle_->walls(); ++at.wall) {
      const double depth = radius[at.i] - obstacle_->distance(at.wall, x.col(at.i), at.normal);
      if (!(depth > -smoothing_)) continue;
      at.d = kernel::smoothed_depth(depth, smoothing_);
      body(std::as_const(at));
    }
}

}  // namespace pithball::sim
