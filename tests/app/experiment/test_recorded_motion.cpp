// Which frames of a file are fitted: rest, part, and the frames after the last excursion.

#include "app/experiment/recording/recorded_motion.hpp"

#include "tests/app/experiment/ball_document.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;
using namespace pithball::test;

namespace {

std::string with_keys(const std::string& keys) {
  return "fit:\n  residual: {sigma: 1 mm}\n  recordings:\n    - {file: runs.csv, rate: 100, rows: {run: b}, markers: "
         "[1], " +
         keys + "}\n  parameters: [stiffness]\n";
}

}  // namespace

TEST_CASE("rest_frames: the mean of the frames named, of the whole file", "[app][fit][rest]") {
  const Workplace place;
  write_three_runs(place);
  for (const char* rest : {"{last: 10}", "{from: 0.3 s, to: 0.35 s}"}) {
    const FitSpec spec = read_ball(place, with_keys("rest_frames: " + std::string(rest) + ", frames: {skip_last: 20}"));
    CHECK(spec.recordings[0].motion.rest.isApprox(Vec3(0.3, 1, -0.2), 1e-12));
    CHECK(spec.recordings[0].observation.times.size() == 20);
  }
  const FitSpec first = read_ball(place, with_keys("rest_frames: {first: 1}"));
  CHECK(first.recordings[0].motion.rest(0, 0) == Approx(0.32).epsilon(1e-12));
  CHECK(says(ball_complaint(place, with_keys("rest_frames: {first: 1, last: 2}")), "must be one of first, last"));
  CHECK(says(ball_complaint(place, with_keys("rest_frames: {from: 1 s}")), "must be one of first, last"));
}

TEST_CASE("frames.after: frames follow the last one that is too far from rest, and begin at 0", "[app][fit][rest]") {
  const Workplace place;
  write_three_runs(place);
  const std::string after = "rest_frames: {last: 10}, frames: {after: {marker: 0, farther_than: 10 mm}";
  const FitSpec spec = read_ball(place, with_keys(after + ", count: 12}"));
  const optim::Observation& seen = spec.recordings[0].observation;
  int last = 0;  // by the motion itself
  for (int f = 0; f < 30; ++f)
    if (std::abs(0.02 * std::exp(-0.06 * f) * std::cos(0.4 * f)) > 0.01) last = f;
  REQUIRE(last > 5);
  CHECK(seen.times.size() == 12);
  CHECK(seen.times.front() == Approx((last + 1) / 100.0));
  CHECK(seen.simulated_time(0) == Approx(0).margin(1e-12));
  CHECK(says(ball_complaint(place, with_keys(after + ", count: 39}")), "frames.count: must be at most the"));
  CHECK(says(ball_complaint(place, with_keys("frames: {after: {marker: 0, farther_than: 1 mm}}")),
             "frames.after: requires `rest_frames`"));
  CHECK(says(ball_complaint(place, with_keys("rest_frames: {last: 3}, frames: {after: {marker: tip, farther_than: 1 "
                                             "mm}}")),
             "after.marker: must be a marker of the recording, got 'tip'; markers are 0"));
}

TEST_CASE("part: frames and rest are chosen from the part alone", "[app][fit][rest]") {
  const Workplace place;
  write_three_runs(place);
  const FitSpec spec =
      read_ball(place, with_keys("part: {from: 0.1 s, to: 0.2 s}, rest_frames: {first: 2}, frames: {skip_first: 1}"));
  const optim::Observation& seen = spec.recordings[0].observation;
  CHECK(seen.times.size() == 10);
  CHECK(seen.simulated_time(0) == Approx(0).margin(1e-12));
  const double swing = 0.02 * (std::exp(-0.6) * std::cos(4.0) + std::exp(-0.66) * std::cos(4.4)) / 2;
  CHECK(spec.recordings[0].motion.rest(0, 0) == Approx(0.3 + swing).epsilon(1e-5));  // six digits in the file
}
