#include "experiments/bench/expansion_candidate.hpp"

#include <algorithm>
#include <cstdlib>

namespace pithball::experiments {

using sim::fmm::Offset;
using sim::fmm::Translations;

std::vector<Offset> far_offsets() {
  std::vector<Offset> all;
  for (int k = 0; k < static_cast<int>(Translations::offsets); ++k)
    if (const Offset offset = Translations::offset_of(k); !Translations::adjacent(offset)) all.push_back(offset);
  return all;
}

Offset representative(Offset offset) {
  for (int& component : offset) component = std::abs(component);
  std::sort(offset.begin(), offset.end());
  return offset;
}

std::vector<Offset> representatives() {
  std::vector<Offset> all = far_offsets();
  std::erase_if(all, [](const Offset& offset) { return offset != representative(offset); });
  return all;
}

}  // namespace pithball::experiments
