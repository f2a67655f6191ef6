#include "experiments/bench/diagnosis_bench.hpp"
#include "experiments/bench/diagnosis_claims.hpp"
#include "experiments/claim/verdict.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;
using namespace pithball::experiments;

TEST_CASE("bench diagnosis: made faults stand first, and a complete model raises no alarm",
          "[experiments][bench][slow]") {
  const Workplace place;
  const Outcome outcome = place.run("bench diagnosis --recordings 2 --json --quiet");
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.json()["rows"].size() == made_faults().size());
}

TEST_CASE("bench diagnosis: too few found, too many alarms, and too many runs are missed claims",
          "[experiments][bench][claim]") {
  const auto missed = [](const char* name, const DiagnosisFigures& figures) {
    int count = 0;
    for (const Claim& claim : diagnosis_claims({name, {}}, figures)) count += judge(claim).verdict == Verdict::Missed;
    return count;
  };
  CHECK(missed("soft spring", {.recordings = 20, .right_first = 16, .runs = 57}) == 0);
  CHECK(missed("soft spring", {.recordings = 20, .right_first = 15, .runs = 61}) == 2);
  CHECK(missed("none", {.recordings = 200, .alarmed = 8, .runs = 57}) == 0);
  CHECK(missed("none", {.recordings = 200, .alarmed = 9, .runs = 57}) == 1);
}
