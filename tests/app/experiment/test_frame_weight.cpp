// How much a frame counts.

#include "app/experiment/recording/recorded_motion.hpp"

#include "tests/app/experiment/ball_document.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

namespace {

std::string with_weight(const std::string& weight, const std::string& more = "") {
  return "fit:\n  residual: {sigma: 1 mm}\n  recordings:\n    - file: runs.csv\n      rate: 100\n      rows: {run: b}\n"
         "      markers: [1]\n      weight: " +
         weight + "\n" + more + "  parameters: [stiffness]\n";
}

}  // namespace

TEST_CASE("weight: an expression in the simulated time, or a table", "[app][fit][weight]") {
  const Workplace place;
  write_three_runs(place);
  const auto weight = [&](const std::string& text, const std::string& more = "") {
    return read_ball(place, with_weight(text, more)).recordings[0].observation.frame_weight;
  };
  const std::vector<double> growing = weight("exp(1.5*t)");
  REQUIRE(growing.size() == 40);
  CHECK(growing[0] == 1);
  CHECK(growing[20] == Approx(std::exp(0.3)).epsilon(1e-12));
  CHECK(weight("exp(1.5*t)", "      time_offset: 1 s\n")[0] == Approx(std::exp(1.5)).epsilon(1e-12));
  const std::vector<double> table = weight("{times: [0.1 s, 0.3 s], values: [1, 3]}");
  CHECK(table[5] == 1);
  CHECK(table[20] == Approx(2).epsilon(1e-12));
  CHECK(table[35] == 3);
  CHECK(weight("2")[7] == 2);
}

TEST_CASE("weight: what is no weight is rejected", "[app][fit][weight]") {
  const Workplace place;
  write_three_runs(place);
  CHECK(says(ball_complaint(place, with_weight("1 - 10*t")), "ball.yaml:16:15 fit.recordings[0].weight: must be > 0"));
  CHECK(says(ball_complaint(place, with_weight("exp(x)")), "ball.yaml:16:15"));
  CHECK(says(ball_complaint(place, with_weight("{times: [1 s, 0 s], values: [1, 2]}")), "must be ascending times"));
  CHECK(says(ball_complaint(place, with_weight("{times: [0 s, 1 s], values: [1]}")), "one number for each of the 2"));
}
