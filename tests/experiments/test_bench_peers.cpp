#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "experiments/bench/peers/comparison.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/skip.hpp"

using namespace pithball::test;

namespace {

const std::string no_peers = "PITHBALL_PEERS_PYTHON=/nowhere/python PITHBALL_LAMMPS=/nowhere/lmp";

/// Skips the test where `make peers` has not been run.
void require_peers() {
  const char* named = std::getenv("PITHBALL_PEERS_PYTHON");
  const fs::path python =
      named ? fs::path(named) : fs::path(pithball::tests::built_lab).parent_path().parent_path() / "peers/bin/python";
  if (!fs::exists(python)) pithball::tests::skip("peers of the benchmark: `make peers` installs them");
}

}  // namespace

TEST_CASE("bench peers: the median of ratios is that of the pairs", "[experiments][bench]") {
  const auto times = pithball::experiments::paired_times({1, 2, 4}, {10, 4, 12});
  CHECK(times.own == 2);
  CHECK(times.theirs == 10);
  CHECK(times.ratio == 3);  // of 10, 2, 3
  CHECK(std::isnan(pithball::experiments::paired_times({}, {}).ratio));
}

TEST_CASE("bench peers: a peer that is missing is skipped by its name, and holds no claim", "[experiments][bench]") {
  const Workplace place;
  const Outcome outcome = place.run("bench peers --quick --json", no_peers);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto result = outcome.json();
  std::set<std::string> peers;
  for (const auto& row : result["rows"]) {
    CAPTURE(row.dump());
    peers.insert(row["peer"].get<std::string>());
    CHECK(row["skipped"].is_string());
    CHECK(row["version"].is_null());
    CHECK(row["peer_time_over_own"].is_null());
  }
  CHECK(peers == std::set<std::string>{"mujoco.sysid", "JAX", "JAX MD", "fmm3dpy", "LAMMPS"});
  REQUIRE(!result["claims"].empty());
  for (const auto& claim : result["claims"]) CHECK(claim["verdict"] == "skipped");
}

TEST_CASE("bench peers: a Python that lacks a package is skipped with what it says", "[experiments][bench]") {
  const Workplace place;
  place.write("python", "#!/bin/sh\necho '{\"missing\": \"No module named fmm3dpy\"}'\n");
  fs::permissions(place / "python", fs::perms::owner_all);
  const Outcome outcome = place.run("bench peers --quick --works charges", "PITHBALL_PEERS_PYTHON=./python");
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(says(outcome.out, "fmm3dpy skipped: No module named fmm3dpy"));
}

TEST_CASE("bench peers: options that are wrong", "[experiments][bench][error]") {
  const Workplace place;
  for (const char* arguments : {"--works newton", "--repeats 0", "file.yaml"}) {
    CAPTURE(arguments);
    CHECK(place.run(std::string("bench peers ") + arguments).status == 2);
  }
}

TEST_CASE("bench peers: those that are here do the same work", "[experiments][bench][peers][slow]") {
  require_peers();
  const Workplace place;
  const Outcome outcome = place.run("bench peers --quick --works stiffness,gradient,charges --json");
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  const auto result = outcome.json();
  std::map<std::string, std::string> versions;
  for (const auto& row : result["rows"]) {
    CAPTURE(row.dump());
    REQUIRE(row["skipped"].is_null());
    versions[row["peer"]] = row["version"];
    CHECK(row["seconds"].get<double>() > 0);
    CHECK(row["peer_seconds"].get<double>() > 0);
    CHECK(row["peer_time_over_own"].get<double>() > 0);
  }
  CHECK(versions.size() == 4);
  for (const auto& claim : result["claims"]) {
    CAPTURE(claim.dump());
    CHECK(claim["verdict"] == "holds");
  }
}
