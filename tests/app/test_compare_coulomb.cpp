// `compare.coulomb`: methods by steps by Coulomb sums.

#include "tests/app/backend_place.hpp"

using namespace pithball;
using namespace pithball::test;
using nlohmann::json;

namespace {

/// The torus at rest, with charges of one kind that push it apart gently: its steps are right to a ten-thousandth of
/// its motion, so that the percents by which `ddef` is wrong stand out.
std::string calm_torus(const std::string& forces) {
  const std::string unstrained = replaced(charged_torus(forces), ", rest_length: 1.1", ""),
                    at_rest = replaced(unstrained, "[0.1, -0.2, 0.3]", "[0, 0, 0]");
  return replaced(at_rest, "heavy: -2 uC, rest: 6 uC", "rest: 6 uC");
}

json rows_of(const Workplace& place, const std::string& section, const std::string& more = "") {
  const Outcome outcome = place.run(
      "compare torus.yaml --json --quiet --set simulation.duration=0.4 --set 'compare=" + section + "'" + more);
  CAPTURE(section, outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome.json()["comparison"]["rows"];
}

double position_error(const json& row) { return row["position_error"]["rms"]; }

}  // namespace

TEST_CASE("compare: each method runs with each Coulomb sum, and the exact sum changes nothing", "[app][compare]") {
  const Workplace place;
  place.write("torus.yaml", calm_torus("[{coulomb: {method: direct}}]"));
  const std::string steps = "time_steps: [0.02, 0.01], reference: {time_step: 0.001}}";
  const json plain = rows_of(place, "{integrators: [velocity_verlet, imex_midpoint], " + steps),
             rows =
                 rows_of(place,
                         "{integrators: [velocity_verlet, imex_midpoint], coulomb: [{method: direct}, {method: ddef, "
                         "points: 50}], " +
                             steps);
  REQUIRE(plain.size() == 4);
  REQUIRE(rows.size() == 8);
  const std::vector<std::string> methods{"velocity_verlet, direct", "velocity_verlet, ddef (points 50)",
                                         "imex_midpoint, direct", "imex_midpoint, ddef (points 50)"};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    CAPTURE(rows[k].dump());
    CHECK(rows[k]["method"] == methods[k / 2]);
    CHECK(rows[k]["time_step"] == plain[k % 2]["time_step"]);
    const double exact = position_error(plain[2 * (k / 4) + k % 2]);
    REQUIRE(exact > 1e-6);
    if (k / 2 % 2 == 0)
      CHECK(position_error(rows[k]) == exact);
    else
      CHECK(position_error(rows[k]) > 10 * exact);  // ddef is wrong by percents, and no step makes that smaller
  }
  const double coarse = position_error(rows[2]), fine = position_error(rows[3]);
  CHECK(coarse == Approx(fine).epsilon(0.1));
}

TEST_CASE("compare: the reference sums exactly where Coulomb sums are compared, unless stated otherwise",
          "[app][compare]") {
  const Workplace place;
  place.write("torus.yaml", calm_torus("[{coulomb: {method: ddef, points: 50}}]"));
  const std::string compared =
                        "integrators: [velocity_verlet], coulomb: [{method: direct}, {method: ddef, points: 50}], ",
                    steps = "time_steps: [0.01], ";
  const json exact = rows_of(place, "{" + compared + steps + "reference: {time_step: 0.002}}"),
             own = rows_of(
                 place, "{" + compared + steps + "reference: {time_step: 0.002, coulomb: {method: ddef, points: 50}}}");
  CHECK(position_error(exact[0]) < 0.1 * position_error(exact[1]));
  CHECK(position_error(own[1]) < 0.1 * position_error(own[0]));
  CHECK(read_text(place / "runs/torus-compare/run.yaml").find("method: ddef") != std::string::npos);
}

TEST_CASE("compare: Coulomb sums that cannot be compared are rejected with their place", "[app][compare][error]") {
  const Workplace place;
  place.write("torus.yaml", charged_torus("[{coulomb: {softening: 0.1}}]"));
  const auto rejected = [&](const std::string& sums, const std::string& told, const std::string& more = "") {
    const Outcome outcome = place.run("compare torus.yaml --set 'compare.coulomb=" + sums + "'" + more);
    CAPTURE(sums, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(told) != std::string::npos);
    CHECK(place.listing() == "torus.yaml ");
  };
  rejected("[{method: direct}]", "compare.coulomb[0].softening: must be the experiment's, 0.1 m");
  rejected("[]", "compare.coulomb: must contain at least one");
  rejected("[direct]", "compare.coulomb[0]: must be settings");
  rejected("[{method: drect}]", "did you mean 'direct'?");
  rejected("[{method: direct, softening: 0.1, tolrance: 1}]", "did you mean 'tolerance'?");
  rejected("[{method: direct, softening: 0.1}, {method: direct, softening: 0.1}]", "compare.coulomb[1]: must differ");
  rejected("[{method: direct}]", "compare.coulomb[0]: needs an experiment with the force `coulomb`",
           " --set 'forces=[{gravity: [0, 0, -1]}]'");
}
