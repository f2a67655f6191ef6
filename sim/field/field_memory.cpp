#include "sim/field/field_memory.hpp"

#include <algorithm>
#include <cstring>

namespace pithball::sim {

std::shared_ptr<const FieldLinearization> FieldMemory::at(const Points& x, double t) const {
  if (auto known = find(x, t)) return known;
  auto made = std::make_shared<const FieldLinearization>(
      FieldLinearization{x, t, field_->values(x, t), field_->jacobians(x, t)});
  keep(made);
  return made;
}

std::shared_ptr<const FieldLinearization> FieldMemory::find(const Points& x, double t) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(kept_, [&](const auto& one) {
    return one->t == t && one->x.cols() == x.cols() &&
           std::memcmp(one->x.data(), x.data(), sizeof(double) * static_cast<std::size_t>(x.size())) == 0;
  });
  return found == kept_.end() ? nullptr : *found;
}

void FieldMemory::keep(std::shared_ptr<const FieldLinearization> made) const {
  // A step evaluates the field at a few states, and several runs may share it. For a large body, fewer states are kept
  // to save memory: evaluating the field again costs no more than the rest of a step.
  constexpr std::size_t most_kept = 16;
  constexpr Index most_points = 100'000;  // total of all kept states
  const std::lock_guard lock(mutex_);
  const Index room = most_points / std::max<Index>(made->x.cols(), 1);
  const std::size_t most = std::clamp<Index>(room, 1, most_kept);
  if (kept_.size() > most) kept_.clear();
  if (kept_.size() < most) {
    kept_.push_back(std::move(made));
    return;
  }
  oldest_ %= most;
  kept_[oldest_++] = std::move(made);
}

}  // namespace pithball::sim
