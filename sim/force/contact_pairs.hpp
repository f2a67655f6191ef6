#pragma once
#include <cmath>

#include "sim/force/contact_penalty.hpp"
#include "sim/force/pair_rows.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

template <class Body>
void ContactPenalty::for_each_contact(const Model& model, const Points& x, Body body) const {
  const auto radius = model.values()[radius_block_];
  const double longest = 2 * radius.maxCoeff();
  if (!(longest > 0)) return;
  const PairRows rows(*search_, x, longest + smoothing_);
  rows.for_each([&](const PairRow& row) {
    const Index i = rows.particle(row.i);
    for (std::size_t k = 0; k < row.count; ++k) {
      const Index j = rows.particle(row.j[k]);
      const double distance = std::sqrt(row.r2[k]), reach = radius[i] + radius[j];
      if (!(reach > 0 && distance < reach + smoothing_)) continue;
      const auto d = kernel::smoothed_depth(reach - distance, smoothing_);
      body(Contact{i, j, row.separation(k), distance, d.share < 1 ? distance + d.push() : reach, d});
    }
  });
}

}  // namespace pithball::sim
