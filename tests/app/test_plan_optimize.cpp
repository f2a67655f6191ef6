// `pithball plan --optimize`: the answer is a file that predicts what was promised.

#include <algorithm>
#include <cmath>
#include <string>

#include "app/report/sections.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using namespace pithball::app;
using nlohmann::json;
using pithball::test::Outcome;
using pithball::test::replaced;
using pithball::test::small_experiment;
using pithball::test::Workplace;

namespace {

std::string with_plan(const std::string& recording, const std::string& optimize) {
  return std::string(small_experiment) + "fit:\n  recordings: [" + recording +
         "]\n  residual: {sigma: 1 mm}\n  parameters: [stiffness, charge]\nplan: {optimize: {" + optimize + "}}\n";
}

constexpr const char* planned = "{name: film, planned: {rate: 50, duration: 0.2 s}, markers: [1]}";

json error_of(const json& alternative, std::size_t k) { return alternative["parameters"][k]["standard_error"]; }

/// Optimizes the design of a fit (`experiment`: a word of a shell), makes recordings by it and fits each: estimates
/// must scatter as predicted, to this relative tolerance.
void compare_scatter(const Workplace& place, const std::string& experiment, int recordings, double tolerance) {
  const Outcome planned_run = place.run("plan " + experiment + " --optimize --out found --json");
  INFO(planned_run.err);
  REQUIRE(planned_run.status == 0);
  const json found = planned_run.json();
  const json recording = found["optimized"]["recordings"][0], best = found["alternatives"].back();
  const std::string film = (place / "film.csv").string();
  std::vector<pithball::sim::Vector> estimates(2, pithball::sim::Vector(recordings));
  for (int seed = 0; seed < recordings; ++seed) {
    REQUIRE(place
                .run("record found/planned.yaml --recording " + recording["name"].get<std::string>() +
                     " --overwrite --quiet --out film.csv --seed " + std::to_string(seed + 1))
                .status == 0);
    const Outcome fitted = place.run("fit " + experiment + " --set 'fit.recordings=[{file: " + film +
                                     ", markers: " + recording["markers"].dump() +
                                     "}]' --set fit.interval=linear --out fit --quiet --json");
    INFO(fitted.err);
    REQUIRE(fitted.status == 0);
    for (std::size_t k = 0; k < 2; ++k) estimates[k][seed] = fitted.json()["parameters"][k]["estimate"];
  }
  for (std::size_t k = 0; k < 2; ++k) {
    const double scatter = std::sqrt((estimates[k].array() - estimates[k].mean()).square().sum() / (recordings - 1));
    CHECK(scatter == Approx(error_of(best, k).get<double>()).epsilon(tolerance));
  }
}

}  // namespace

TEST_CASE("plan --optimize: planned.yaml predicts the errors of the design that it holds", "[app][plan][optimize]") {
  const Workplace place;
  place.write("small.yaml", with_plan(planned,
                                      "markers: {choose: 1, from: all}, rate: [25, 50], duration: [0.1 s, 0.2 s], "
                                      "over: {system.charge: [1 uC, 2 uC]}, budget: {frames: 11}"));
  const Outcome outcome = place.run("plan small.yaml --optimize --out found --json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json result = outcome.json();
  const json best = result["alternatives"].back(), written = result["alternatives"][0];
  CHECK(best["name"] == "optimized");
  CHECK(result["optimized"]["runs"] == 2);
  const json recording = result["optimized"]["recordings"][0];
  CHECK(recording["name"] == "film");
  CHECK(recording["rate"] == 50);
  CHECK(recording["frames"] == 11);
  CHECK(recording["markers"].size() == 1);
  for (std::size_t k = 0; k < 2; ++k)
    CHECK(result["optimized"]["gains"][k]["ratio"].get<double>() ==
          Approx(error_of(written, k).get<double>() / error_of(best, k).get<double>()));

  const json again = place.run("plan found/planned.yaml --json").json()["alternatives"][0];
  const json identified = place.run("identify found/planned.yaml --json").json();
  for (std::size_t k = 0; k < 2; ++k) {
    CHECK(error_of(again, k).get<double>() == Approx(error_of(best, k).get<double>()).epsilon(1e-9));
    CHECK(error_of(identified, k).get<double>() == Approx(error_of(best, k).get<double>()).epsilon(1e-9));
  }
  CHECK(place.run("record found/planned.yaml --recording film --out film.csv").status == 0);

  // The page shows the gain, the design, and the marker on the body.
  REQUIRE(place.run("report found").status == 0);
  const Run run = read_run(place / "found");
  const Sections sections = make_sections(run, {});
  for (const char* title : {"Gain of the optimized design", "Optimized design", "Motion and markers of film"})
    CHECK(std::ranges::count(sections, title, &Section::title) == 1);
  const auto motion = std::ranges::find(sections, "motion", &Section::kind);
  REQUIRE(motion != sections.end());
  CHECK(motion->document["markers"]["names"].size() == 1);
  CHECK(motion->document["markers"]["times"].size() == 11);
}

TEST_CASE("plan --optimize: without a budget no recording that is offered has smaller errors",
          "[app][plan][optimize]") {
  const Workplace place;
  const auto optimized = [&](const std::string& criterion, const std::string& rates, const std::string& durations) {
    place.write("small.yaml",
                with_plan(planned, "criterion: " + criterion + ", markers: {choose: 1, from: all}, rate: " + rates +
                                       ", duration: " + durations));
    const Outcome outcome = place.run("plan small.yaml --optimize --out found --overwrite --json");
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.json();
  };
  const auto error = [](const json& result) { return error_of(result["alternatives"].back(), 0).get<double>(); };
  for (const std::string criterion : {"d", "a", "{parameter: stiffness}"}) {
    const json chosen = optimized(criterion, "[25, 50, 100]", "[0.1 s, 0.15 s, 0.2 s]");
    INFO(criterion);
    CHECK(chosen["optimized"]["recordings"][0]["rate"] == 100);
    if (criterion.front() == '{')
      for (const std::string duration : {"0.1 s", "0.15 s", "0.2 s"})
        CHECK(error(chosen) <= error(optimized(criterion, "[100]", "[" + duration + "]")) * (1 + 1e-9));
  }
}

TEST_CASE("plan --optimize: fits to 20 recordings of a small body scatter as predicted", "[app][plan][optimize]") {
  const Workplace place;
  place.write("small.yaml",
              replaced(with_plan(planned, "markers: {choose: 1, from: all}"), "sigma: 1 mm", "sigma: 20 um"));
  compare_scatter(place, "small.yaml", 20, 0.4);  // a standard deviation of 20 numbers is known to a sixth of itself
}

TEST_CASE("plan --optimize: fits to 50 recordings of the demo's design scatter as predicted",
          "[app][plan][optimize][slow]") {
  // A standard deviation of 50 numbers has an error of a tenth of itself.
  compare_scatter(Workplace(), "'" + pithball::tests::in_sources("experiments/demo/charged-net.yaml") + "'", 50, 0.25);
}

TEST_CASE("plan --optimize: numbers that vary end better than those in the file", "[app][plan][optimize]") {
  const Workplace place;
  const std::string field = replaced(small_experiment, "  - coulomb\n",
                                     "  - coulomb\n  - electric_field: {uniform: [0, 0, 1 kV/m]}\nkey_frames:\n"
                                     "  - electric_field: {components: z, times: [0 s, 0.1 s, 0.2 s], values: [1 kV/m, "
                                     "1 kV/m, 1 kV/m]}\n");
  place.write("field.yaml", field + "fit:\n  recordings: [" + planned +
                                "]\n  residual: {sigma: 1 mm}\n  parameters: [charge, stiffness]\nplan: {optimize: "
                                "{markers: as_written, vary: {key_frames.0.electric_field.values: {min: -50 kV/m, max: "
                                "50 kV/m}}}}\n");
  const Outcome outcome = place.run("plan field.yaml --optimize --out found --json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json result = outcome.json();
  CHECK(result["optimized"]["waveform_gain"].get<double>() > 2);
  CHECK(result["optimized"]["recordings"][0]["set"].contains("key_frames.0.electric_field.values"));
  const json again = place.run("plan found/planned.yaml --json").json()["alternatives"][0];
  CHECK(error_of(again, 0).get<double>() ==
        Approx(error_of(result["alternatives"].back(), 0).get<double>()).epsilon(1e-9));
}

TEST_CASE("plan --given: a finished fit counts as its recordings would", "[app][plan][optimize]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("record small.yaml --rate 50 --noise '1 mm' --markers 1,2 --out tracks.csv").status == 0);
  const std::string file = "{file: tracks.csv, markers: [1, 2]}";
  place.write("fit.yaml", with_plan(file, "markers: {choose: 1}"));
  REQUIRE(place.run("fit fit.yaml --out first --set fit.residual.absolute_sigma=true").status == 0);
  const Outcome outcome = place.run("plan fit.yaml --optimize --given first --out next --json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json result = outcome.json();
  CHECK(result["alternatives"][0]["name"] == "after first");
  CHECK(result["optimized"]["before"] == "after first");
  for (const json& gain : result["optimized"]["gains"]) CHECK(gain["ratio"].get<double>() > 1);
  const json again = place.run("plan next/planned.yaml --given first --json").json()["alternatives"].back();
  for (std::size_t k = 0; k < 2; ++k)
    CHECK(error_of(again, k).get<double>() ==
          Approx(error_of(result["alternatives"].back(), k).get<double>()).epsilon(1e-9));
}

TEST_CASE("plan --optimize: what cannot be meant is rejected", "[app][plan][optimize][error]") {
  const Workplace place;
  const auto complaint = [&](const std::string& optimize) {
    place.write("bad.yaml", with_plan(planned, optimize));
    const Outcome outcome = place.run("plan bad.yaml --optimize --out bad");
    INFO(optimize);
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  using Catch::Contains;
  CHECK_THAT(complaint("criterion: e"), Contains("must be a known criterion"));
  CHECK_THAT(complaint("criterion: {parameter: mass}"), Contains("must be the name of a parameter"));
  CHECK_THAT(complaint("markers: {choose: 4}"), Contains("must be at most the 3 particles"));
  CHECK_THAT(complaint("rate: []"), Contains("must contain at least one value"));
  CHECK_THAT(complaint("rate: [20, 50]"), Contains("must contain rates that divide the highest"));
  CHECK_THAT(complaint("over: {system.charge: []}"), Contains("must be a list of at least one value"));
  CHECK_THAT(complaint("vary: {system.charge: {min: 2 uC, max: 1 uC}}"), Contains("min < max"));
  CHECK_THAT(complaint("vary: {system.charge: {min: 2 uC, max: 3 uC}}"), Contains("must have bounds that contain"));
  CHECK_THAT(complaint("budget: {frames: 3}"), Contains("must admit at least one recording"));
  CHECK_THAT(complaint("markers: {choose: 1, from: [0]}"), Contains("must have a candidate"));  // the pinned particle
  place.write("bad.yaml", with_plan(planned, "rates: [25, 50]"));
  const Outcome unasked = place.run("plan bad.yaml");  // mistakes are found without the search, too
  CHECK(unasked.status == 2);
  CHECK_THAT(unasked.err, Contains("plan.optimize.rates"));
}
