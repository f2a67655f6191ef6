// What a fit tells besides its estimates: profiles, independence of residuals, held-out markers; on disk and in a
// report.

#include <cmath>
#include <string>

#include "app/report/sections.hpp"
#include "app/run_folder/marker_table.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::app;
using nlohmann::ordered_json;
using pithball::optim::Part;
using pithball::test::Outcome;
using pithball::test::read_text;
using pithball::test::small_experiment;
using pithball::test::Workplace;

namespace {

/// The small experiment, filmed with noise and fitted with these recordings and keys.
Outcome fit_recorded(const Workplace& place, const std::string& markers, const std::string& more) {
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("record small.yaml --rate 50 --noise '0.5 mm' --out tracks.csv").status == 0);
  place.write("fit.yaml", std::string(small_experiment) +
                              "fit:\n  recordings: [{file: tracks.csv, markers: " + markers +
                              "}]\n  residual: {sigma: 0.5 mm, absolute_sigma: true}\n  parameters: [stiffness: "
                              "{initial: 12}, charge: {initial: 1.2 uC}]\n" +
                              more);
  Outcome outcome = place.run("fit fit.yaml --out run");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome;
}

const ordered_json& section(const Sections& sections, const std::string& title) {
  for (const Section& s : sections)
    if (s.document.at("title") == title) return s.document;
  throw std::logic_error("no section '" + title + "'");
}

}  // namespace

TEST_CASE("fit findings: a profile is in fit.json, in the text and drawn in the report", "[app][fit][profile]") {
  const Workplace place;
  const Outcome fit = fit_recorded(place, "[0, 1, 2]", "  profiles: [stiffness]\n");
  const ordered_json told = ordered_json::parse(read_text(place / "run/fit.json"));
  INFO(fit.out);
  REQUIRE(told["profile"].size() >= 1);  // and those of values that are not linear enough
  const ordered_json& profile = told["profile"][0];
  CHECK(profile["name"] == "stiffness");
  CHECK(profile["unit"] == "N/m");
  const ordered_json& parameter = told["parameters"][0];
  const double found = parameter["estimate"];
  // The profile allows for what the widest interval allows for: as many formal standard errors, of the logarithm.
  const ordered_json linear =
      place.run("fit fit.yaml --out linear --json --set fit.interval=linear --set 'fit.profiles=[]'").json();
  const double lower = linear["parameters"][0]["interval"][0], upper = linear["parameters"][0]["interval"][1];
  const double threshold = profile["threshold"], formal = parameter["standard_errors"]["formal"];
  const double reach = std::log(upper / lower) / 2 / (formal / found);
  CHECK(threshold == Approx(reach * reach).epsilon(1e-5));
  REQUIRE(profile["open"] == ordered_json::array({nullptr, nullptr}));
  const double low = profile["interval"][0], high = profile["interval"][1];
  CHECK(low < found);
  CHECK(high > found);
  for (const ordered_json& point : profile["points"]) {
    const double value = point[0], rise = point[1];
    INFO(value);
    CHECK(rise > -1e-6);
    // The ends were found to 0.5 % of √threshold.
    if (value < low || value > high) CHECK(rise > threshold * (1 - 1.1e-2));
    if (value > low && value < high) CHECK(rise < threshold * (1 + 1.1e-2));
  }
  CHECK(fit.out.find("profile of stiffness: 95 % interval [") != std::string::npos);
  CHECK(fit.out.find("residuals of tracks: lag-1 autocorrelation") != std::string::npos);

  const Run run = read_run(place / "run");
  const Sections sections = evidence_sections(run, std::get<FitResults>(run.results));
  const ordered_json& plot = section(sections, "Profile of stiffness");
  REQUIRE(plot["series"].size() == 3);
  CHECK(plot["x"]["values"].size() == profile["points"].size());
  CHECK(plot["series"][0]["values"][0] == profile["points"][0][1]);
  CHECK(plot["marks"][0]["at"] == profile["interval"][0]);
  const ordered_json& table = section(sections, "Independence of the residuals")["rows"];
  REQUIRE(table.size() == 1 + 3);
  CHECK(table[0][2] == told["whiteness"][0]["all"]["samples"]);
  CHECK(table[0][2].get<int>() == 11 * 9);

  const Outcome unknown = place.run("fit fit.yaml --out other --set fit.profiles=[mass]");
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("profiles: must be parameters of the fit, got 'mass'") != std::string::npos);
}

TEST_CASE("fit findings: a marker kept out of the fit is judged beside it, on disk and in the report",
          "[app][fit][held_out]") {
  const Workplace place;
  const Outcome fit = fit_recorded(place, "[0, 1, {vertices: [tip], role: validation}]", "");
  const ordered_json told = ordered_json::parse(read_text(place / "run/fit.json"));
  const ordered_json& recordings = told["errors"]["recordings"];
  REQUIRE(recordings.size() == 2);
  CHECK(recordings[0]["part"] == "fit");
  CHECK(recordings[0]["all"]["samples"] == 11 * 2);
  CHECK(recordings[1]["part"] == "validation_marker");
  CHECK(recordings[1]["all"]["samples"] == 11);
  CHECK(told["errors"]["validation_markers"] == recordings[1]["all"]["rms"]);
  CHECK(told["errors"]["validation_markers"].get<double>() <
        0.1 * told["errors"]["baselines"]["validation_markers"]["static"].get<double>());
  CHECK(fit.out.find("unseen    RMS") != std::string::npos);
  const auto tracks = read_marker_table(place / "run/markers-tracks.csv");
  CHECK(tracks.part(3, 2) == Part::ValidationMarker);
  CHECK(tracks.part(3, 1) == Part::Fit);
  CHECK(marker_table(tracks) == read_text(place / "run/markers-tracks.csv"));
  const Run run = read_run(place / "run");
  const Sections sections = evidence_sections(run, std::get<FitResults>(run.results));
  const ordered_json& errors = section(sections, "Errors")["rows"];
  REQUIRE(errors.size() == 2);
  CHECK(errors[1][1] == "validation_marker");
}
