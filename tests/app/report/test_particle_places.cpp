#include "app/report/motion_frames.hpp"

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;

namespace {

/// Writes states of the particles with these ids, each at x = its id.
datasets::H5mdReader trajectory_of(const std::vector<std::vector<std::int64_t>>& ids, const std::string& file) {
  datasets::H5mdBody body;
  body.mass = body.charge = sim::Vector::Ones(static_cast<Index>(ids.front().size()));
  body.attributes.emplace();
  datasets::H5mdWriter writer(file, body);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const auto n = static_cast<Index>(ids[k].size());
    sim::Points x = sim::Points::Zero(3, n);
    for (Index p = 0; p < n; ++p) x(0, p) = static_cast<double>(ids[k][p]);
    const std::vector<double> times(ids[k].size(), 0.0);
    const sim::Roster roster{.id = ids[k],
                             .like = std::vector<Index>(ids[k].size(), 0),
                             .birth_time = times,
                             .death_time = times,
                             .attributes = Eigen::MatrixXd(0, n)};
    writer.append(static_cast<Index>(k), {static_cast<double>(k), x, x}, &roster);
  }
  writer.finish(true);
  return datasets::H5mdReader(file);
}

}  // namespace

TEST_CASE("particle places: each keeps its own, and one that is free again waits a state", "[app][report]") {
  const test::Workplace place;
  const ParticlePlaces places(
      trajectory_of({{1, 2, 3}, {1, 3, 4}, {3, 4, 5}, {4, 5, 6}}, (place / "trajectory.h5").string()));
  CHECK(places.count() == 4);
  std::vector<std::vector<Index>> occupant;
  std::vector<sim::State> states;
  places.visit([&](const ParticlePlaces::Placed& placed) {
    CHECK(placed.number == states.size());
    CHECK(placed.own.state.x(0, 0) == std::vector{1, 1, 3, 4}[placed.number]);
    occupant.push_back(placed.occupant);
    states.push_back(placed.state);
    return true;
  });
  // 4 comes as 2 goes, so that it takes a new place; 5 takes that of 2, and 6 that of 1.
  CHECK(occupant == std::vector<std::vector<Index>>{{0, 1, 2, -1}, {0, -1, 1, 2}, {-1, 2, 0, 1}, {2, 1, -1, 0}});
  const auto row = [](const sim::Points& points) { return sim::Vector(points.row(0)); };
  REQUIRE(states.size() == 4);
  CHECK(row(states[0].x) == sim::Vector{{1, 2, 3, 4}});  // the fourth is where 4 will be
  CHECK(row(states[1].x) == sim::Vector{{1, 2, 3, 4}});  // 2 is gone, its place stands still
  CHECK(row(states[1].v) == sim::Vector{{1, 0, 3, 4}});
  CHECK(row(states[2].x) == sim::Vector{{1, 5, 3, 4}});
  CHECK(row(states[3].x) == sim::Vector{{6, 5, 3, 4}});
  int seen = 0;
  places.visit([&](const ParticlePlaces::Placed&) { return ++seen < 2; });
  CHECK(seen == 2);
}
