#include "diff/rollout/shared_columns.hpp"

#include <algorithm>

#include "sim/force/free_drift.hpp"

namespace pithball::diff {
namespace {

constexpr Index of_all = -1;

/// The particle that owns each entry of the flat layout; `of_all` for entries that may move all particles.
std::vector<Index> owners(const Scenario& s) {
  std::vector<Index> owner(s.size(), of_all);
  for (const sim::ValueBlock& block : s.model.values().blocks())
    for (Index k = 0; block.owner == sim::ValueOwner::Particle && k < block.size; ++k) owner[block.offset + k] = k;
  for (Index k = 0; k < 6 * s.model.particles(); ++k) owner[s.position_offset() + k] = k / 3 % s.model.particles();
  return owner;
}

/// The particles that a direction moves, ascending; `of_all` first if it moves all.
std::vector<Index> moved_by(const Eigen::Ref<const Vector>& direction, const std::vector<Index>& owner) {
  std::vector<Index> moved;
  for (Index k = 0; k < direction.size(); ++k)
    if (direction[k] != 0) moved.push_back(owner[k]);
  std::ranges::sort(moved);
  moved.erase(std::unique(moved.begin(), moved.end()), moved.end());
  return moved;
}

}  // namespace

SharedColumns::SharedColumns(const Scenario& s, const Eigen::MatrixXd& directions) {
  const Index count = directions.cols();
  if (count < 2 || s.rest_near || !sim::find_hindrance(s.model).empty()) {
    for (Index p = 0; p < count; ++p) places_.push_back({p, true, {}});
    columns_ = directions;
    return;
  }
  const std::vector<Index> owner = owners(s);
  std::vector<std::vector<bool>> taken;  // by column: the particles that it moves
  for (Index p = 0; p < count; ++p) {
    const std::vector<Index> moved = moved_by(directions.col(p), owner);
    const bool is_of_all = !moved.empty() && moved.front() == of_all;
    const auto has_room = [&](const std::vector<bool>& those) {
      return !is_of_all && std::ranges::none_of(moved, [&](Index i) { return those[i]; });
    };
    auto column = std::ranges::find_if(taken, has_room);
    if (column == taken.end()) column = taken.insert(taken.end(), std::vector<bool>(s.model.particles(), is_of_all));
    if (!is_of_all)
      for (const Index i : moved) (*column)[i] = true;
    places_.push_back({column - taken.begin(), is_of_all, is_of_all ? std::vector<Index>{} : moved});
  }
  columns_ = Eigen::MatrixXd::Zero(directions.rows(), static_cast<Index>(taken.size()));
  for (Index p = 0; p < count; ++p) columns_.col(places_[p].column) += directions.col(p);
}

void SharedColumns::spread(const Eigen::MatrixXd& of_columns, Eigen::MatrixXd& of_directions) const {
  for (Index p = 0; p < static_cast<Index>(places_.size()); ++p) {
    const Place& place = places_[p];
    if (place.is_of_all) of_directions.col(p) = of_columns.col(place.column);
    for (const Index i : place.particles)
      of_directions.col(p).segment<3>(3 * i) = of_columns.col(place.column).segment<3>(3 * i);
  }
}

}  // namespace pithball::diff
