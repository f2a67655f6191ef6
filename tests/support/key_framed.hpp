#pragma once
// Models whose values change with time.
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "sim/model/model.hpp"

namespace pithball::tests {

/// The model with key frames at these times for every value of it but masses (in a block of a particle's or spring's
/// only the even entries, if asked), each key value within 30 % of what it was, none as another.
inline sim::Model with_moving_values(sim::Model model, const std::vector<double>& times, bool even_only) {
  const std::vector<sim::ValueBlock> blocks = model.values().blocks();
  for (const sim::ValueBlock& block : blocks) {
    if (block.name == "mass" || block.size == 0) continue;
    std::vector<sim::Index> entries;
    for (sim::Index k = 0; k < block.size; k += even_only && block.owner != sim::ValueOwner::Term ? 2 : 1)
      entries.push_back(block.offset + k);
    model = model.with_key_frames(entries, times);
    const sim::KeyFrames& frames = model.key_frames().back();
    sim::Vector data = model.values().data();
    for (sim::Index e = 0; e < frames.count(); ++e)
      for (sim::Index j = 0; j < static_cast<sim::Index>(times.size()); ++j)
        data[frames.key(e, j)] *= 1 + 0.3 * std::sin(1.3 * frames.key(e, j));
    model = model.with_values(data);
  }
  return model;
}

}  // namespace pithball::tests
