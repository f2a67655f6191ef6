// The arrows of a motion are the fields of all forces on a charge at rest.
#include <cmath>

#include "app/report/sections.hpp"
#include "sim/core/types.hpp"
#include "tests/app/program.hpp"
#include "tests/app/report/unpack.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::app;
using namespace pithball::test;
using Eigen::Vector3d;
using pithball::sim::coulomb_constant;

namespace {

nlohmann::ordered_json motion_with(const Workplace& place, const std::string& charge, const std::string& forces) {
  place.write("still.yaml", "name: still\nsystem: {vertices: [[0, 0, 1]], mass: 1, pinned: [0], charge: " + charge +
                                "}\nforces: " + forces + "\nsimulation: {time_step: 0.01, duration: 0.02}\n");
  const Outcome outcome = place.run("simulate still.yaml --out run");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  for (const Section& section : make_sections(read_run(place / "run"), {}))
    if (section.kind == "motion") return section.document;
  return {};
}

/// Compares all arrows but those that are missing, and returns how many.
template <class Field>
int count_compared(const nlohmann::ordered_json& motion, Field expected) {
  const auto points = unpack(motion["field"]["points"]), values = unpack(motion["field"]["values"]);
  int count = 0;
  for (std::size_t p = 0; p < points.size(); p += 3) {
    const Vector3d got(values[p], values[p + 1], values[p + 2]);
    if (got.array().isNaN().any()) continue;
    const Vector3d want = expected(Vector3d(points[p], points[p + 1], points[p + 2]));
    REQUIRE((got - want).norm() < 1e-5 * want.norm());  // points and arrows are in single precision
    ++count;
  }
  return count;
}

Vector3d field_of_unit_charge(const Vector3d& r) { return coulomb_constant * r / std::pow(r.norm(), 3); }

}  // namespace

TEST_CASE("motion section: arrows of screened charges and of a potential with the weight of the charge",
          "[app][report]") {
  const Workplace place;
  const auto motion = motion_with(place, "2 uC",
                                  "[screened_coulomb: {relative_permittivity: 80, screening_length: 0.5 m}, "
                                  "field_potential: {weight: charge, expression: \"1000*x\"}]");
  CHECK(count_compared(motion, [](const Vector3d& x) -> Vector3d {
          const Vector3d r = x - Vector3d(0, 0, 1);
          const double z = r.norm() / 0.5;
          return 2e-6 / 80 * (1 + z) * std::exp(-z) * field_of_unit_charge(r) - Vector3d(1000, 0, 0);
        }) > 500);
}

TEST_CASE("motion section: arrows of a charge before a plane, none behind it", "[app][report]") {
  const Workplace place;
  const auto motion = motion_with(place, "2 uC", "[coulomb: {}, image_plane: {point: [0, 0, 0.5]}]");
  const int count = count_compared(motion, [](const Vector3d& x) -> Vector3d {
    CHECK(x[2] > 0.5 - 1e-6);
    return 2e-6 * (field_of_unit_charge(x - Vector3d(0, 0, 1)) - field_of_unit_charge(x - Vector3d(0, 0, 0)));
  });
  CHECK(count > 300);
  CHECK(count < 500);
}

TEST_CASE("motion section: a magnetic field and a potential of masses draw no arrows", "[app][report]") {
  const Workplace place;
  CHECK(!motion_with(place, "0", "[magnetic_field: [0, 0, 1], field_potential: {weight: mass, expression: \"x\"}]")
             .contains("field"));
}
