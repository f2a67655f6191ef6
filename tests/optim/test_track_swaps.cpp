#include "optim/observation/track_swaps.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/optim/complaint.hpp"
#include "tests/optim/filmed.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::contains;
using pithball::test::filmed;

namespace {

constexpr double swing_noise = 1e-3;

/// Markers that swing by 10 cm about places 5 cm apart, so that their ways cross, with 50 frames per second.
Observation swinging_markers(unsigned seed, Index markers = 3, Index frames = 200, double scatter = swing_noise) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return filmed(markers, frames, 50, [&](Index m, int a, double t) {
    return 0.05 * static_cast<double>(m) + 0.1 * std::sin((5 + static_cast<double>(m)) * t + a) +
           scatter * normal(random);
  });
}

/// Exchanges two markers from a frame on.
void swap_from(Observation& o, std::size_t frame, Index a, Index b) {
  for (std::size_t f = frame; f < o.times.size(); ++f) o.positions[f].col(a).swap(o.positions[f].col(b));
}

/// The first frame from `from` on in which two markers are at least this far apart.
std::size_t apart(const Observation& o, std::size_t from, double distance) {
  while ((o.positions[from].col(0) - o.positions[from].col(1)).norm() < distance) ++from;
  return from;
}

}  // namespace

TEST_CASE("track_swaps: an exchange of two markers is found at its frame, and its reversal is another",
          "[optim][swaps]") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Observation o = swinging_markers(seed);
    const std::size_t one = apart(o, 40, 0.1), other = apart(o, one + 10, 0.1);
    swap_from(o, one, 0, 1);
    swap_from(o, other, 0, 1);
    const auto swaps = find_track_swaps(o);
    REQUIRE(swaps.size() == 2);
    CHECK(swaps[0].frame == one);
    CHECK(swaps[1].frame == other);
    CHECK(contains(say_track_swaps(o, swaps), ", and 1 more swap follows until t = "));
    CHECK(swaps[0].jump > 0.08);
    CHECK(swaps[0].rest < 20 * swing_noise);
    std::vector<Index> markers = swaps[0].markers;
    std::sort(markers.begin(), markers.end());
    CHECK(markers == std::vector<Index>{0, 1});
  }
}

TEST_CASE("track_swaps: markers whose names are shuffled again and again are followed", "[optim][swaps]") {
  for (const unsigned one_in : {1U, 2U, 5U}) {
    Observation o = swinging_markers(1, 4);
    std::mt19937 random(5);
    std::size_t changes = 0;
    std::vector<Index> before{0, 1, 2, 3};
    for (Points& x : o.positions) {
      std::vector<Index> order = before;
      if (random() % one_in == 0) std::shuffle(order.begin(), order.end(), random);
      if (order != before) ++changes;
      before = order;
      x = Points(x(Eigen::all, order));
    }
    CAPTURE(one_in, changes);
    const auto swaps = find_track_swaps(o);
    CHECK(swaps.size() > changes / 2);  // some are of markers that cross
    const std::string sentence = say_track_swaps(o, swaps);
    CHECK(contains(sentence, " seem to swap at t = "));
    CHECK(contains(sentence, "more swaps follow until t = "));
  }
}

TEST_CASE("track_swaps: tracks that cross, with noise and gaps, are no swaps", "[optim][swaps]") {
  for (const double scatter : {0.0, 1e-5, swing_noise, 1e-2})
    for (unsigned seed = 1; seed <= 100; ++seed) {
      Observation o = swinging_markers(seed, 6, 200, scatter);
      for (std::size_t f = 9; seed % 2 == 0 && f < o.times.size(); f += 10) o.positions[f].col(1).setConstant(NAN);
      CAPTURE(scatter, seed);
      CHECK(find_track_swaps(o).empty());
    }
}

TEST_CASE("track_swaps: in one coordinate tracks pass through each other", "[optim][swaps]") {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const Observation o = filmed(2, 200, 50, [&](Index m, int a, double t) {
      if (a > 0) return static_cast<double>(NAN);
      return (m == 0 ? 0.1 : -0.1) * std::cos(7 * t) + swing_noise * normal(random);
    });
    CAPTURE(seed);
    CHECK(find_track_swaps(o).empty());
  }
}

TEST_CASE("track_swaps: balls that bounce off each other do not swap", "[optim][swaps]") {
  // Two balls of 2 cm meet head on every second: their velocities change places, but they do not.
  for (const double scatter : {0.0, 1e-5, swing_noise}) {
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    const Observation o = filmed(2, 300, 50, [&](Index m, int a, double t) {
      const double way = 0.01 + 0.3 * std::abs(t - std::round(t));
      return (a > 0 ? 0.0 : m == 0 ? -way : way) + scatter * normal(random);
    });
    CAPTURE(scatter);
    CHECK(find_track_swaps(o).empty());
  }
}

TEST_CASE("track_swaps: markers at rest, read in whole pixels, do not swap", "[optim][swaps]") {
  std::mt19937 random(7);
  const Observation o = filmed(4, 300, 50, [&](Index m, int, double) {
    return 1e-3 * static_cast<double>(m / 2 + (random() % 20 == 0 ? 1 : 0));
  });
  CHECK(find_track_swaps(o).empty());
}
