#include <string>

#include "datasets/film/picture_filter.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace pithball::test;

TEST_CASE("bench film: balls and rings are found where they were drawn, and a frame takes its time",
          "[experiments][bench]") {
  if (!pithball::datasets::has_picture_filter())
    pithball::tests::skip("no OpenCV: `third_party/install_packages.sh film` installs it, then build again");
  const Workplace place;
  const Outcome outcome = place.run("bench film --kinds ball,ring --brightness 10 --frames 3 --timed-frames 5 --json");
  CAPTURE(outcome.err);
  const auto result = outcome.json();
  REQUIRE(result["rows"].size() == 2);
  for (const auto& row : result["rows"]) {
    CAPTURE(row.dump());
    CHECK(row["found"].get<double>() > 0.99);
    CHECK(row["scatter"].get<double>() == Approx(1).margin(0.15));
    CHECK(row["bias_error"].get<double>() > 0);
  }
  CHECK(result["detect_seconds_per_frame"].get<double>() > 0);
}
