#include "app/report/drawn_states.hpp"

namespace pithball::app {
namespace {

const std::vector<Index> no_places;

}  // namespace

DrawnStates::DrawnStates(const datasets::H5mdReader& trajectory) : trajectory_(trajectory) {
  if (trajectory.body().attributes) places_.emplace(trajectory);
}

std::size_t DrawnStates::width() const { return places_ ? places_->count() : trajectory_.most_particles(); }

void DrawnStates::visit(const std::function<bool(const Drawn&)>& see) const {
  if (places_) return places_->visit(see);
  datasets::H5mdPages states(trajectory_);
  for (std::size_t k = 0; k < states.size(); ++k)
    if (!see({k, states[k], states[k].state, no_places})) return;
}

void DrawnStates::visit(const std::vector<std::size_t>& numbers, const std::function<void(const Drawn&)>& see) const {
  if (numbers.empty()) return;
  if (!places_) {
    datasets::H5mdPages states(trajectory_, numbers);
    for (std::size_t k = 0; k < states.size(); ++k) see({numbers[k], states[k], states[k].state, no_places});
    return;
  }
  // Where a place was last depends on the states between.
  auto next = numbers.begin();
  places_->visit([&](const Drawn& drawn) {
    if (drawn.number == *next) {
      see(drawn);
      ++next;
    }
    return next != numbers.end();
  });
}

}  // namespace pithball::app
