#include "experiments/report/particle_places.hpp"

#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::experiments;

namespace {

/// States of the particles with these ids, each at x = its id.
sim::Trajectory trajectory_of(const std::vector<std::vector<std::int64_t>>& ids) {
  sim::Trajectory trajectory;
  for (const auto& list : ids) {
    sim::Points x = sim::Points::Zero(3, static_cast<Index>(list.size()));
    for (std::size_t p = 0; p < list.size(); ++p) x(0, static_cast<Index>(p)) = static_cast<double>(list[p]);
    trajectory.states.push_back({static_cast<double>(trajectory.states.size()), x, x});
    trajectory.rosters.push_back({.id = list, .like = {}, .birth_time = {}, .death_time = {}, .attributes = {}});
  }
  return trajectory;
}

}  // namespace

TEST_CASE("particle places: each keeps its own, and one that is free again waits a state", "[experiments][report]") {
  const auto places = particle_places(trajectory_of({{1, 2, 3}, {1, 3, 4}, {3, 4, 5}, {4, 5, 6}}));
  CHECK(places.count() == 4);
  // 4 comes as 2 goes, so that it takes a new place; 5 takes that of 2, and 6 that of 1.
  CHECK(places.occupant == std::vector<std::vector<Index>>{{0, 1, 2, -1}, {0, -1, 1, 2}, {-1, 2, 0, 1}, {2, 1, -1, 0}});
  const auto row = [](const sim::Points& points) { return sim::Vector(points.row(0)); };
  CHECK(row(places.states[0].x) == sim::Vector{{1, 2, 3, 4}});  // the fourth is where 4 will be
  CHECK(row(places.states[1].x) == sim::Vector{{1, 2, 3, 4}});  // 2 is gone, its place stands still
  CHECK(row(places.states[1].v) == sim::Vector{{1, 0, 3, 4}});
  CHECK(row(places.states[2].x) == sim::Vector{{1, 5, 3, 4}});
  CHECK(row(places.states[3].x) == sim::Vector{{6, 5, 3, 4}});
}
