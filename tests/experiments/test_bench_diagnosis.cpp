#include "experiments/bench/diagnosis_bench.hpp"
#include "experiments/claim/claim.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;
using namespace pithball::experiments;

namespace {

/// The rows of a run whose claims all hold.
nlohmann::json diagnosed(const std::string& options) {
  const Outcome outcome = Workplace().run("bench diagnosis --json --quiet " + options);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  return outcome.json()["rows"];
}

}  // namespace

TEST_CASE("bench diagnosis: a soft spring of a chain stands first, and a complete model raises no alarm",
          "[experiments][bench]") {
  const auto rows = diagnosed("--recordings 1 --faults none 'soft spring'");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["alarmed"] == 0);  // the claims allow one of one
  CHECK(rows[1]["right_first"] == 1);
}

TEST_CASE("bench diagnosis: made faults stand first, and a complete model raises no alarm",
          "[experiments][bench][nightly]") {
  CHECK(diagnosed("--recordings 2").size() == made_faults().size());
}

TEST_CASE("bench diagnosis: too few found, too many alarms, and too many runs are missed claims",
          "[experiments][bench][claim]") {
  const auto missed = [](const char* name, const DiagnosisFigures& figures) {
    int count = 0;
    for (const Claim& claim : diagnosis_claims({name, {}}, figures)) count += judge(claim).verdict == Verdict::Missed;
    return count;
  };
  CHECK(missed("soft spring", {.recordings = 20, .right_first = 16, .runs = 57}) == 0);
  CHECK(missed("soft spring", {.recordings = 20, .right_first = 15, .runs = 81}) == 2);
  CHECK(missed("camera turned", {.recordings = 20, .right_first = 17, .runs = 57}) == 0);
  CHECK(missed("camera turned", {.recordings = 20, .right_first = 16, .force_first = 1, .runs = 57}) == 2);
  CHECK(missed("none", {.recordings = 200, .alarmed = 8, .runs = 57}) == 0);
  CHECK(missed("none", {.recordings = 200, .alarmed = 9, .runs = 57}) == 1);
}
