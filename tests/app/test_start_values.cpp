// Fits that start at values which differ, and searches from several starts where values start at 0.

#include <cmath>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

namespace {

/// Three charges that cancel, on two springs of different stiffness, in a field.
const std::string three_charges =
    "name: dip\n"
    "system: {vertices: [[0, 0, 0], [0.1, 0, 0], [0.2, 0, 0]], mass: [0.1, 0.2, 0.4], charge: [10 nC, 20 nC, -30 nC], "
    "velocities: [[0, 0, 0.1], [0, 0, 0], [0, 0, 0]], springs: {edges: [[0, 1], [1, 2]], stiffness: [10, 40]}}\n"
    "forces: [coulomb, {electric_field: {uniform: [0, 0, 50 kV/m]}}]\n"
    "simulation: {time_step: 2 ms, duration: 1 s}\n";

std::string fit_of(const std::string& parameters, const std::string& recording = "") {
  return "fit: {recordings: [{file: seen.csv, markers: [0, 1, 2]" + recording + "}], parameters: [" + parameters +
         "]}\n";
}

/// The three charges as `record` sees them; the file has the columns that a fit of them reads.
void record_three(const Workplace& place) {
  place.write("truth.yaml", three_charges);
  const Outcome made =
      place.run("record truth.yaml --rate 50 --noise '0.2 mm' --seed 1 --markers 0,1,2 --out seen.csv");
  INFO(made.err);
  REQUIRE(made.status == 0);
}

Outcome fit_text(const Workplace& place, const std::string& text) {
  place.write("fit.yaml", text);
  return place.run("fit fit.yaml --out fitted --json");
}

}  // namespace

TEST_CASE("start values: a bare parameter multiplies charges that cancel, and the result says so", "[app][fit]") {
  const Workplace place;
  record_three(place);
  const Outcome fitted = fit_text(place, three_charges + fit_of("charge"));
  INFO(fitted.err);
  REQUIRE(fitted.status == 0);
  const nlohmann::json result = fitted.json(), parameter = result["parameters"][0];
  CHECK(result["status"] == "converged");
  CHECK(parameter["unit"] == "");
  CHECK(parameter["initial"] == 1);
  CHECK(std::abs(parameter["estimate"].get<double>() - 1) < 4 * parameter["standard_error"].get<double>());
  CHECK(parameter["standard_error"].get<double>() < 0.2);
  CHECK(says(notes_of(result), "charge multiplies the values given, -30 to 20 nC, which keep their ratios"));
  CHECK(says(place.run("fit fit.yaml --out fitted").out, "note: charge multiplies the values given, -30 to 20 nC"));
  const Outcome again = place.run("fit fitted/run.yaml --out again --json");
  INFO(again.err);
  CHECK(again.json()["parameters"][0]["estimate"] == parameter["estimate"]);

  // From twice the charges, the same ones are found.
  const Outcome far = fit_text(
      place, replaced(three_charges, "[10 nC, 20 nC, -30 nC]", "[20 nC, 40 nC, -60 nC]") + fit_of("charge, stiffness"));
  CHECK(2 * far.json()["parameters"][0]["estimate"].get<double>() ==
        Approx(parameter["estimate"].get<double>()).epsilon(0.05));
  CHECK(far.json()["parameters"][1]["estimate"].get<double>() == Approx(1).epsilon(0.05));
}

TEST_CASE("start values: one value that replaces values that differ is said before the search", "[app][fit]") {
  const Workplace place;
  record_three(place);
  for (const char* charge : {"charge: {initial: 20 nC}", "charge: {multiplier: false, bounds: [-1 uC, 1 uC]}",
                             "charge: {prior: {gaussian: {mean: 10 nC, standard_deviation: 5 nC}}}"}) {
    const Outcome one = fit_text(place, replaced(three_charges, "-30 nC", "30 nC") + fit_of(charge));
    INFO(charge << "\n" << one.err);
    CHECK(
        says(one.err, "charge replaces the values given, 10 to 30 nC, by one; `multiplier: true` keeps their ratios"));
    CHECK(one.json()["parameters"][0]["unit"] == "C");
  }
  const Outcome bounds = fit_text(place, three_charges + fit_of("charge: {bounds: [0, 100 nC]}"));
  CHECK(bounds.status == 2);
  CHECK(says(bounds.err, "bounds must contain all the values that start there, got -3e-08 to 2e-08 C"));
}

TEST_CASE("start values: several starts of placements, positions and gravity that start at 0", "[app][fit][search]") {
  const Workplace place;
  record_three(place);
  const std::string starts = "  starts: {count: 6}\n";
  const auto fitted = [&](const std::string& recording, const std::string& parameters) {
    const std::string section = "fit:\n  recordings: [{file: seen.csv, markers: [0, 1, 2]" + recording +
                                "}]\n  parameters: [" + parameters + "]\n" + starts;
    Outcome outcome = fit_text(place, replaced(three_charges, "forces: [", "forces: [gravity: [0, 0, 0], ") + section);
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(outcome.json()["search"].back()["minima"].size() == 6);
    return outcome.json();
  };
  const nlohmann::json placed = fitted(", placement: {fit: both}", "stiffness");
  REQUIRE(placed["parameters"].size() == 7);
  for (std::size_t k = 1; k < 7; ++k) CHECK(std::abs(placed["parameters"][k]["estimate"].get<double>()) < 0.02);

  const nlohmann::json pulled = fitted("", "gravity");
  REQUIRE(pulled["parameters"].size() == 3);
  for (const nlohmann::json& p : pulled["parameters"])
    CHECK(std::abs(p["estimate"].get<double>()) < 5 * p["standard_error"].get<double>());

  const nlohmann::json moved = fitted("", "position: {select: [0], components: yz}");
  for (const nlohmann::json& p : moved["parameters"])
    CHECK(std::abs(p["estimate"].get<double>()) < 5 * p["standard_error"].get<double>());
}

TEST_CASE("start values: a value without effect at 0 still needs bounds", "[app][fit][search][error]") {
  const Workplace place;
  record_three(place);
  // A drag that no marker shows: that of a particle that is pinned.
  const std::string pinned = replaced(replaced(three_charges, "springs: {", "pinned: [2], springs: {"), "forces: [",
                                      "forces: [drag: {linear: 0}, ");
  const Outcome still = fit_text(place, pinned +
                                            "fit:\n  recordings: [{file: seen.csv, markers: [0, 1, 2]}]\n  parameters: "
                                            "[linear_drag: {select: [2]}]\n  starts: {count: 3}\n");
  CHECK(still.status == 2);
  CHECK(says(still.err, "linear_drag: must have two bounds or a start other than 0"));
  CHECK(says(still.err, "write `bounds: [lower, upper]`"));
}
