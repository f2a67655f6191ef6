#include "datasets/capture/capture_difference.hpp"

#include <cmath>

#include "tests/datasets/formats/says.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;

namespace {

/// Two markers in three frames; 'b' is missing in the second, its z in the third.
Capture make_pair() {
  Capture capture;
  capture.name = "pair";
  capture.markers = {"a", "b"};
  capture.time = Eigen::Vector3d(0, 0.1, 0.2);
  capture.present = {{true, true}, {true, false}, {true, true}};
  for (int f = 0; f < 3; ++f) {
    pithball::sim::Points x(3, 2);
    x << f, 1, 2, 3, 4, 5;
    if (f == 1) x.col(1).setConstant(NAN);
    if (f == 2) x(2, 1) = NAN;
    capture.positions.push_back(x);
  }
  return capture;
}

}  // namespace

TEST_CASE("capture_difference: markers are matched by name, samples and gaps are counted", "[datasets][capture]") {
  const Capture one = make_pair();
  const CaptureDifference none = compare_captures(one, one);
  CHECK(none.samples == 5);
  CHECK(none.missing_in_both == 1);
  CHECK(none.missing_in_one == 0);
  CHECK(none.largest == 0);
  CHECK(none.marker.empty());

  Capture other = one;
  other.markers = {"b", "a"};
  for (std::size_t f = 0; f < 3; ++f) {
    other.positions[f].col(0).swap(other.positions[f].col(1));
    const bool first = other.present[f][0];
    other.present[f][0] = other.present[f][1];
    other.present[f][1] = first;
  }
  CHECK(compare_captures(one, other).largest == 0);
  other.positions[2](1, 0) -= 0.25;   // b
  other.positions[1](0, 1) += 0.125;  // a
  const CaptureDifference moved = compare_captures(one, other);
  CHECK(moved.largest == 0.25);
  CHECK(moved.marker == "b");
  CHECK(moved.time == 0.2);
  other.present[0][0] = false;
  other.positions[2](2, 0) = 1;  // known here only
  const CaptureDifference gaps = compare_captures(one, other);
  CHECK(gaps.samples == 3);
  CHECK(gaps.missing_in_one == 2);
  CHECK(gaps.marker == "a");
}

TEST_CASE("capture_difference: recordings of other markers or times are not compared", "[datasets][capture][error]") {
  const Capture one = make_pair();
  Capture other = one;
  other.name = "other";
  other.markers[1] = "c";
  pithball::testing::says(pithball::testing::complaint_of([&] { compare_captures(one, other); }),
                          "no marker named 'b'");
  other = one;
  other.time[2] = 0.3;
  pithball::testing::says(pithball::testing::complaint_of([&] { compare_captures(one, other); }),
                          "times: must be those of 'pair' to be compared, got frame 3 at 0.3 s instead of 0.2 s");
  other = one;
  other.time.conservativeResize(2);
  other.positions.pop_back();
  other.present.pop_back();
  pithball::testing::says(pithball::testing::complaint_of([&] { compare_captures(one, other); }),
                          "2 frames instead of 3");
  other = one;
  other.markers.push_back("c");
  pithball::testing::says(pithball::testing::complaint_of([&] { compare_captures(one, other); }), "3 instead of 2");
}

TEST_CASE("capture_difference: times that are rounded are those of their frames", "[datasets][capture]") {
  // 60 frames per second for 20 minutes, in seconds with six digits in all: off by half a millisecond near the end.
  Capture exact;
  exact.markers = {"a"};
  exact.time = Eigen::VectorXd::LinSpaced(72000, 0, 71999 / 60.0);
  exact.positions.assign(72000, pithball::sim::Points::Ones(3, 1));
  exact.present.assign(72000, {true});
  Capture rounded = exact;
  rounded.time = (exact.time * 100).array().round() / 100;
  const CaptureDifference difference = compare_captures(exact, rounded);
  CHECK(difference.samples == 72000);
  CHECK(difference.largest == 0);
  CHECK(difference.largest_time_difference > 1e-3);
  CHECK(difference.largest_time_difference < 0.0051);
  for (double unit : {1e-9, 1e9}) {
    exact.time *= unit;
    rounded.time *= unit;
    CHECK(compare_captures(exact, rounded).samples == 72000);
  }
  rounded.time = exact.time.array() + 0.6 * (exact.time[1] - exact.time[0]);  // the frames between
  CHECK_THROWS_AS(compare_captures(exact, rounded), pithball::InvalidArgument);
}

TEST_CASE("frame_rate: that of rounded times, over dropped frames, and of uneven ones", "[datasets][capture]") {
  Eigen::VectorXd time = Eigen::VectorXd::LinSpaced(601, 0, 10);
  CHECK(find_frame_rate(time).rate == Approx(60).epsilon(1e-12));
  const Eigen::VectorXd rounded = (time * 1000).array().round() / 1000;
  CHECK(find_frame_rate(rounded).rate == Approx(60).epsilon(1e-9));
  CHECK(find_frame_rate(rounded).even);
  time.tail(300).array() += 7 / 60.0;  // seven frames are missing
  CHECK(find_frame_rate(time).rate == Approx(60).epsilon(1e-9));
  CHECK(find_frame_rate(time).even);
  const Eigen::VectorXd squares = Eigen::VectorXd::LinSpaced(50, 1, 50).array().square();
  CHECK(!find_frame_rate(squares).even);
  CHECK(find_frame_rate(Eigen::VectorXd::Zero(1)).rate == 0);
}
