#include <map>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

TEST_CASE("bench expansion: every candidate reaches the error of the method's own expansion", "[experiments][bench]") {
  const Workplace place;
  const Outcome outcome = place.run("bench expansion --tolerance 1e-1,1e-2 --repeats 1 --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto rows = outcome.json()["rows"];
  REQUIRE(rows.size() == 10);
  std::map<double, double> target;
  for (const auto& row : rows) {
    CAPTURE(row.dump());
    const double tolerance = row["tolerance"].get<double>(), error = row["error"].get<double>();
    if (row["candidate"] == "rotated") target[tolerance] = error;
    // All but `dense`, which is the same sum in another order, were chosen to lie below.
    CHECK(error <= target.at(tolerance) * (1 + 1e-9));
    CHECK(row["target_error"] == target.at(tolerance));
    CHECK(row["volume"]["boxes"] == 189);
    CHECK(row["surface"]["boxes"] == 27);
    for (const char* list : {"volume", "surface"})
      CHECK(row[list]["seconds"].get<double>() ==
            Approx(row[list]["boxes"].get<double>() * row[list]["seconds_per_translation"].get<double>()));
    for (const char* figure : {"seconds_per_point_to_expansion", "seconds_per_expansion_to_point", "matrix_bytes"})
      CHECK(row[figure].get<double>() > 0);
    CHECK(row["volume"]["seconds"].get<double>() > 0);
  }
  // A pair of boxes has no more error than a few times the tolerance of the whole sum, to which near pairs add none.
  for (const auto& [tolerance, error] : target) {
    CHECK(error > tolerance / 10);
    CHECK(error < tolerance * 4);
  }
}

TEST_CASE("bench expansion: candidates can be chosen, and the method's own is always there", "[experiments][bench]") {
  const Workplace place;
  const Outcome outcome = place.run("bench expansion --tolerance 1e-2 --candidates rotated_full --repeats 1");
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find("rotated ") != std::string::npos);
  CHECK(outcome.out.find("rotated_full") != std::string::npos);
  CHECK(outcome.out.find("chebyshev") == std::string::npos);
  for (const char* wrong : {"--tolerance 0", "--tolerance 1e-12", "--candidates taylor", "--repeats 0", "file.yaml"}) {
    CAPTURE(wrong);
    CHECK(place.run(std::string("bench expansion ") + wrong).status == 2);
  }
}
