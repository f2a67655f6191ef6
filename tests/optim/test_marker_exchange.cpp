#include "optim/verdict/marker_exchange.hpp"

#include <cmath>
#include <random>

#include "tests/support/catch.hpp"

using namespace pithball::optim;

namespace {

/// Four markers on a circle of 10 cm that turns, with noise; the model's motion is the true one.
MarkerTracks turning(double noise, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  MarkerTracks tracks;
  tracks.recording = "film";
  tracks.markers = {"a", "b", "c", "d"};
  for (int f = 0; f < 50; ++f) {
    tracks.times.push_back(0.02 * f);
    tracks.parts.push_back(Part::Fit);
    pithball::sim::Points x(3, 4);
    for (int m = 0; m < 4; ++m) x.col(m) << 0.1 * std::cos(0.1 * f + 1.5 * m), 0.1 * std::sin(0.1 * f + 1.5 * m), 0;
    tracks.model.push_back(x);
    for (double& value : pithball::sim::flat(x)) value += noise * normal(random);
    tracks.recorded.push_back(x);
  }
  return tracks;
}

}  // namespace

TEST_CASE("marker_exchange: exchanged names are found with their times, and only they", "[optim][verdict]") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    MarkerTracks tracks = turning(3e-3, seed);
    CHECK_FALSE(find_marker_exchange(tracks));
    for (std::size_t f = 20; f < 41; ++f) tracks.recorded[f].col(1).swap(tracks.recorded[f].col(3));
    const auto found = find_marker_exchange(tracks);
    REQUIRE(found);
    CHECK(found->one == 1);
    CHECK(found->other == 3);
    CHECK(found->from == Approx(0.4));
    CHECK(found->to == Approx(0.8));
    CHECK(found->part > 0.9);
    // A model that is off by as much is no exchange.
    tracks = turning(3e-3, seed);
    for (std::size_t f = 20; f < 50; ++f) tracks.model[f].col(1).x() += 0.1;
    CHECK_FALSE(find_marker_exchange(tracks));
  }
}
