#include <cmath>
#include <set>
#include <string>

#include "experiments/bench/coverage_bench.hpp"
#include "experiments/claim/claim.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;
using namespace pithball::experiments;

namespace {

/// Runs it with these options; every claim must hold, and every fit converge. Returns its rows.
nlohmann::json covered(int recordings, const std::string& options) {
  const Outcome outcome =
      Workplace().run("bench coverage --json --quiet --recordings " + std::to_string(recordings) + options);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  const auto rows = outcome.json()["rows"];
  for (const auto& row : rows) {
    CAPTURE(row.dump());
    // A fault can leave a search without a minimum.
    if (row["named"] == 0) CHECK(row["converged"] == recordings);
    CHECK(row["parameters"].size() == (row["body"] == "charged chain" ? 3 : 2));
  }
  return rows;
}

/// The names of all cases, with few frames, faults or several recordings or without.
std::set<std::string> names_of_cases(bool are_hard) {
  std::set<std::string> names;
  for (const CoverageCase& one : coverage_cases())
    if ((one.fault || one.filming.recordings > 1 || one.filming.frames > 0) == are_hard) names.insert(one.name);
  return names;
}

}  // namespace

TEST_CASE("bench coverage: intervals of three bodies that start as known contain the true value",
          "[experiments][bench]") {
  // Of five recordings the claims ask for three: fewer hold the truth by chance once in a thousand.
  CHECK(covered(5, " --cases 'known start'").size() == 3);
}

TEST_CASE("bench coverage: of some recordings of every case intervals hold as often as stated, or the fit says why not",
          "[experiments][bench][slow]") {
  for (const std::string& name : names_of_cases(false)) covered(10, " --cases '" + name + "'");
  for (const std::string& name : names_of_cases(true)) covered(5, " --cases '" + name + "'");
}

// Every claim holds in both: one of 70 is missed by chance less than once in 30 runs.
TEST_CASE("bench coverage: intervals contain the true value as often as stated, whatever the noise",
          "[experiments][bench][nightly]") {
  for (const std::string& name : names_of_cases(false)) covered(100, " --cases '" + name + "'");
}

TEST_CASE("bench coverage: with few frames, faults and recordings that differ, intervals hold or the fit says why not",
          "[experiments][bench][nightly]") {
  for (const std::string& name : names_of_cases(true)) covered(40, " --cases '" + name + "'");
}

TEST_CASE("bench coverage: intervals that are too narrow or too wide, and false alarms, are missed claims",
          "[experiments][bench][claim]") {
  const CoverageCase& white = coverage_cases().front();
  REQUIRE(white.is_flawless);
  const auto missed = [&](int recordings, int held, int alarmed) {
    const CoverageFigures figures{.recordings = recordings,
                                  .converged = recordings,
                                  .alarmed = alarmed,
                                  .statuses = {{"converged", recordings}},
                                  .parameters = {"stiffness", "linear_drag"},
                                  .held = {held, held}};
    int count = 0;
    for (const Claim& claim : coverage_claims(white, figures)) count += judge(claim).verdict == Verdict::Missed;
    return count;
  };
  CHECK(missed(1000, 950, 20) == 0);
  CHECK(missed(1000, 920, 20) == 2);
  CHECK(missed(1000, 980, 20) == 2);
  CHECK(missed(1000, 950, 60) == 1);
  CHECK(missed(100, 90, 3) == 0);  // by chance
  CHECK(missed(100, 80, 3) == 2);
}

TEST_CASE("bench coverage: other grades, and faults that are neither covered nor named, are missed claims",
          "[experiments][bench][claim]") {
  const auto missed = [](const CoverageCase& one, int held, int named, const char* status, int with_it) {
    const CoverageFigures figures{.recordings = 1000,
                                  .converged = 1000,
                                  .named = named,
                                  .statuses = {{"converged", 1000 - with_it}, {status, with_it}},
                                  .parameters = {"stiffness"},
                                  .held = {held}};
    int count = 0;
    for (const Claim& claim : coverage_claims(one, figures)) count += judge(claim).verdict == Verdict::Missed;
    return count;
  };
  const auto find = [](const std::string& name) {
    return *std::ranges::find(coverage_cases(), name, &CoverageCase::name);
  };
  const CoverageCase white = find("known start"), colored = find("colored noise, 0.5");
  CHECK(missed(white, 950, 0, "cannot be judged", 5) == 0);
  CHECK(missed(white, 950, 0, "cannot be judged", 6) == 1);
  CHECK(missed(colored, 950, 0, "doubtful", 50) == 0);
  CHECK(missed(colored, 950, 0, "doubtful", 51) == 1);
  CHECK(missed(colored, 950, 0, "cannot be judged", 200) == 0);
  for (const RecordingFault& fault : recording_faults()) {
    const CoverageCase one = find(fault.name);
    CHECK(missed(one, 900, 0, "converged", 0) == 0);
    CHECK(missed(one, 0, 950, "doubtful", 1000) == 0);
    CHECK(missed(one, 899, 949, "doubtful", 1000) == 1);
  }
}

TEST_CASE("bench coverage: options that are wrong", "[experiments][bench][error]") {
  const Workplace place;
  for (const char* arguments : {"--cases pink", "--recordings 0", "--seed -1", "file.yaml"}) {
    CAPTURE(arguments);
    CHECK(place.run(std::string("bench coverage ") + arguments).status == 2);
  }
}
