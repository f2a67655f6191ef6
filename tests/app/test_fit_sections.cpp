// The sections that a report has of a fit.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "app/report/sections.hpp"
#include "tests/app/program.hpp"
#include "tests/app/report/unpack.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::app;
using nlohmann::ordered_json;
using pithball::optim::Part;
using pithball::test::demo_experiment;
using pithball::test::Outcome;
using pithball::test::Workplace;

namespace {

/// The run that a fit leaves.
Run fit(const Workplace& place, const std::string& arguments) {
  const Outcome outcome = place.run("fit " + arguments + " --out run --quiet");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return read_run(place / "run");
}

/// Of the small experiment, as filmed with little noise: the section `fit:` is `wanted`.
Run fit_small(const Workplace& place, const std::string& wanted) {
  place.write("small.yaml", pithball::test::small_experiment);
  REQUIRE(place.run("record small.yaml --rate 20 --noise '0.1 mm' --out tracks.csv").status == 0);
  place.write("fit.yaml", pithball::test::small_experiment + wanted);
  return fit(place, "fit.yaml");
}

const FitResults& results_of(const Run& run) { return std::get<FitResults>(run.results); }

Sections sections_of(const Run& run) {
  Sections sections = fit_sections(run, results_of(run), {});
  std::ranges::move(evidence_sections(run, results_of(run)), std::back_inserter(sections));
  return sections;
}

/// fit.json of that run.
ordered_json told_by(const Run& run) { return ordered_json::parse(pithball::test::read_text(run.folder / "fit.json")); }

const ordered_json& document(const Sections& sections, const std::string& title) {
  for (const Section& section : sections)
    if (section.document.at("title") == title) return section.document;
  throw std::logic_error("no section '" + title + "'");
}

std::vector<std::string> outline(const Sections& sections) {
  std::vector<std::string> lines;
  for (const Section& section : sections)
    lines.push_back(section.kind + " " + section.document.at("title").get<std::string>());
  return lines;
}

/// As an independent fit of many parameters would leave them: `count` of one value, with correlations (−0.9)^|i − j|.
void crowd(FitRecord& fit, std::size_t count) {
  fit.estimates.parameters.resize(count, fit.estimates.parameters.front());
  fit.estimates.correlation.resize(count, count);
  for (std::size_t i = 0; i < count; ++i) {
    fit.estimates.parameters[i] = fit.estimates.parameters.front();
    fit.estimates.parameters[i].name = "charge[" + std::to_string(i) + "]";
    fit.estimates.parameters[i].estimate = static_cast<double>(i);
    for (std::size_t j = 0; j < count; ++j)
      fit.estimates.correlation(i, j) = std::pow(-0.9, std::abs(static_cast<double>(i) - static_cast<double>(j)));
  }
}

}  // namespace

TEST_CASE("fit sections: the demo's are in order and have the numbers of fit.json", "[app][report][fit]") {
  const Workplace place;
  const Run run = fit(place, "'" + demo_experiment + "' --halve-step");
  const ordered_json told = told_by(run);
  const Sections sections = sections_of(run);
  CHECK(outline(sections) ==
        std::vector<std::string>{"parameters Parameters", "motion Motion", "corner Confidence regions", "panels Tracks",
                                 "panels Distribution of the residuals", "table Misfit", "plot Error over time",
                                 "heatmap Residual of each marker", "table Errors",
                                 "table Independence of the residuals", "plot Cost of each iteration",
                                 "heatmap Correlation of the estimates"});
  const ordered_json& parameters = document(sections, "Parameters");
  CHECK(parameters["confidence"] == 0.95);
  CHECK(parameters["parameters"] == told["parameters"]);
  CHECK(parameters["halved_step"] == told["halved_step"]);
  const ordered_json& misfit = document(sections, "Misfit");
  REQUIRE(misfit["rows"].size() == 1);
  CHECK(misfit["columns"].size() == told["quality"]["recordings"][0].size());  // every key, in the order of fit.json
  CHECK(misfit["columns"][4]["label"] == "misfit over noise");
  CHECK(misfit["rows"][0][4] == told["quality"]["recordings"][0]["misfit_over_noise"]);
  CHECK(misfit["rows"][0][1] == "4.93 mm");
  const ordered_json& errors = document(sections, "Errors")["rows"];
  REQUIRE(errors.size() == 1);
  CHECK(errors[0][0] == "tracks");
  CHECK(errors[0][1] == "fit");
  CHECK(errors[0][2] == 662);
  CHECK(errors[0][3] == told["errors"]["fit"]);
  CHECK(errors[0][4] == told["errors"]["baselines"]["fit"]["static"]);
  CHECK(errors[0][5] == told["errors"]["baselines"]["fit"]["constant_velocity"]);
  CHECK(errors[0][6].get<double>() == Approx(errors[0][3].get<double>() / errors[0][4].get<double>()));
  const ordered_json& cost = document(sections, "Cost of each iteration");
  CHECK(cost["series"][0]["values"] == told["cost_history"]);
  CHECK(cost["y"]["log"] == true);
  const ordered_json& correlation = document(sections, "Correlation of the estimates");
  CHECK(correlation["values"] == told["correlation"]);
  CHECK(correlation["range"] == ordered_json::array({-1, 1}));
  CHECK(correlation["rows"]["names"] == ordered_json::array({"charge", "stiffness"}));
  CHECK(document(sections, "Confidence regions")["path"] == told["path"]);
  CHECK(told["path"].size() == told["cost_history"].size());
  CHECK(told["path"].back()[0].get<double>() == Approx(told["parameters"][0]["estimate"].get<double>()));
  CHECK(told["recordings"][0]["sigma"].size() == 16);
  const ordered_json& motion = document(sections, "Motion");
  CHECK(motion["markers"]["validation_from"].is_null());
  CHECK(motion["markers"]["names"].size() == 16);
  CHECK(motion["recording"] == "tracks");
}

TEST_CASE("fit sections: errors over time add up to those of fit.json, and the forecast is marked",
          "[app][report][fit]") {
  const Workplace place;
  const Run run = fit(place, "'" + demo_experiment + "' --set fit.recordings.0.validation_from=1.3");
  const Sections sections = sections_of(run);
  const ordered_json& plot = document(sections, "Error over time");
  REQUIRE(plot["marks"].size() == 1);
  CHECK(plot["marks"][0]["at"].get<double>() == Approx(1.32));  // the first of 25 frames a second from then on
  CHECK(document(sections, "Residual of each marker")["marks"] == plot["marks"]);
  CHECK(document(sections, "Motion")["markers"]["validation_from"] == plot["marks"][0]["at"]);
  CHECK(plot["time"] == true);
  const ordered_json& map = document(sections, "Residual of each marker")["values"];
  REQUIRE(map.size() == 16);
  const ordered_json told = told_by(run)["errors"];
  REQUIRE(told["recordings"].size() == 2);
  for (const ordered_json& part : told["recordings"]) {
    INFO(part["part"]);
    const ordered_json& all = part["all"];
    double sums[4] = {0, 0, 0, 0};
    long samples = 0;
    for (std::size_t g = 0; g < plot["x"]["values"].size(); ++g) {
      const bool forecast = plot["x"]["values"][g] >= plot["marks"][0]["at"];
      if (forecast != (part["part"] == "validation_frame")) continue;
      long seen = 0;
      for (const ordered_json& marker : map) {
        if (marker[g].is_null()) continue;
        ++seen;
        sums[3] += std::pow(marker[g].get<double>(), 2);
      }
      for (std::size_t k = 0; k < 3; ++k)
        if (const ordered_json& error = plot["series"][k]["values"][g]; !error.is_null())  // null: 0, on a log axis
          sums[k] += static_cast<double>(seen) * std::pow(error.get<double>(), 2);
      samples += seen;
    }
    CHECK(samples == all["samples"]);
    const auto rms = [&](std::size_t k) { return std::sqrt(sums[k] / static_cast<double>(samples)); };
    CHECK(rms(0) == Approx(all["rms"].get<double>()).epsilon(1e-12));
    CHECK(rms(1) == Approx(all["static"].get<double>()).epsilon(1e-12));
    CHECK(rms(2) == Approx(all["constant_velocity"].get<double>()).epsilon(1e-12));
    CHECK(rms(3) == Approx(all["rms"].get<double>()).epsilon(1e-12));
  }
  const ordered_json& rows = document(sections, "Errors")["rows"];
  REQUIRE(rows.size() == 2);
  CHECK(rows[1][1] == "validation_frame");
  CHECK(rows[1][3] == told["validation_frames"]);
}

TEST_CASE("fit sections: each recording has a motion, errors and residuals; what is not determined is reported",
          "[app][report][fit]") {
  const Workplace place;
  const Run run = fit_small(place, R"(fit:
  recordings:
    - {file: tracks.csv, name: one}
    - {file: tracks.csv, name: two, role: validation}
    - {file: tracks.csv, name: three}
  parameters:
    - stiffness: {share: none, initial: 12}
    - damping: {share: all}
    - gravity: {components: y, recordings: each, initial: 0.1}
    - mass: {share: all}
)");
  const Sections sections = sections_of(run);
  const auto lines = outline(sections);
  const std::vector<std::string> expected{"motion Motion: one",
                                          "motion Motion: two",
                                          "motion Motion: three",
                                          "panels Tracks: one",
                                          "panels Tracks: two",
                                          "panels Tracks: three",
                                          "panels Distribution of the residuals",
                                          "plot Error over time: one",
                                          "plot Error over time: two",
                                          "plot Error over time: three",
                                          "heatmap Residual of each marker: one",
                                          "heatmap Residual of each marker: two",
                                          "heatmap Residual of each marker: three",
                                          "table Errors"};
  const auto first = std::ranges::find(lines, expected.front());
  REQUIRE(static_cast<std::size_t>(lines.end() - first) >= expected.size());
  CHECK(std::vector<std::string>(first, first + static_cast<std::ptrdiff_t>(expected.size())) == expected);
  CHECK(document(sections, "Error over time: two")["marks"][0]["at"] == 0.0);
  const ordered_json& rows = document(sections, "Errors")["rows"];
  REQUIRE(rows.size() == 4);
  CHECK(rows[3][0] == "all together");
  CHECK(rows[3][2] == rows[0][2].get<long>() + rows[2][2].get<long>());
  CHECK(rows[3][3] == told_by(run)["errors"]["fit"]);
  // Stiffness differs from spring to spring, and the motion can be colored by it.
  std::map<std::string, ordered_json> quantities;
  for (const ordered_json& quantity : document(sections, "Motion: three")["quantities"])
    quantities[quantity["name"]] = quantity;
  REQUIRE(quantities.count("stiffness estimate") == 1);
  CHECK(quantities["stiffness estimate"]["of"] == "springs");
  CHECK(quantities["stiffness estimate"]["values"]["shape"] == ordered_json::array({2}));
  CHECK(quantities.count("damping estimate") == 0);
  const std::size_t notes = told_by(run)["notes"].size();
  REQUIRE(notes > 0);
  CHECK(document(note_sections(results_of(run)), "Notes")["rows"].size() == notes);
}

TEST_CASE("fit sections: a motion shows its recording's own experiment with the fitted values", "[app][report][fit]") {
  const Workplace place;
  const Run run = fit_small(place, R"(fit:
  recordings:
    - {file: tracks.csv, name: upright}
    - {file: tracks.csv, name: lying, role: validation, set: {forces.gravity: [0, 9.81, 0], system.charge: 3 uC}}
  parameters:
    - charge: {share: none, initial: 1.5 uC, recordings: label}
)");
  const Sections sections = sections_of(run);
  CHECK(document(sections, "Motion: upright")["up"] == ordered_json::array({0.0, 0.0, 1.0}));
  CHECK(document(sections, "Motion: lying")["up"] == ordered_json::array({0.0, -1.0, 0.0}));
  const ordered_json& coloring = document(sections, "Motion: upright")["quantities"].back();
  CHECK(coloring["name"] == "charge estimate");
  CHECK(coloring["of"] == "particles");
  CHECK(coloring["unit"] == "C");
}

TEST_CASE("fit sections: markers are drawn where they were seen, their unseen coordinates where the model is",
          "[app][report][fit]") {
  const Workplace place;
  const Run run = fit_small(place, R"(fit:
  recordings:
    - {file: tracks.csv, columns: {points: [[x1, none, z1], [x2, y2, z2]]}, markers: [1, 2], frames: {every: 2}}
  parameters:
    - stiffness: {share: all, initial: 12}
)");
  const auto& tracks = results_of(run).tracks.front();
  const ordered_json document_markers = document(sections_of(run), "Motion")["markers"];
  const std::vector<double> recorded = pithball::test::unpack(document_markers["recorded"]),
                            model = pithball::test::unpack(document_markers["model"]);
  REQUIRE(document_markers["recorded"]["shape"] == ordered_json::array({3, 2, 3}));
  for (std::size_t g = 0; g < 3; ++g)
    for (std::size_t m = 0; m < 2; ++m)
      for (std::size_t a = 0; a < 3; ++a) {
        const auto row = static_cast<pithball::sim::Index>(a), column = static_cast<pithball::sim::Index>(m);
        const std::size_t k = 6 * g + 3 * m + a;
        CHECK(model[k] == Approx(tracks.model[g](row, column)).margin(1e-7));
        CHECK(std::isnan(tracks.recorded[g](row, column)) == (m == 0 && a == 1));
        CHECK(recorded[k] == Approx(m == 0 && a == 1 ? model[k] : tracks.recorded[g](row, column)).margin(1e-7));
      }
}

TEST_CASE("fit sections: many parameters are summarized, plotted and folded, and their correlations are listed",
          "[app][report][fit]") {
  const Workplace place;
  Run run = fit(place, "'" + demo_experiment + "'");
  FitRecord& told = std::get<FitResults>(run.results).fit;
  crowd(told, 60);
  Sections sections = sections_of(run);
  CHECK(document(sections, "Parameters")["parameters"].size() == 60);
  CHECK(document(sections, "Parameters")["folded"] == true);
  CHECK(document(sections, "Correlation of the estimates")["values"].size() == 60);
  crowd(told, 300);
  told.estimates.parameters[7].interval.lower = -10;
  told.estimates.parameters[7].interval.upper = 1e80;
  told.estimates.weak_directions.assign(50,
                                        {.direction = {}, .relative_singular_value = 1e-20, .name = "charge +1.00"});
  sections = sections_of(run);
  CHECK(document(sections, "Parameters")["parameters"].size() == 300);
  const ordered_json& brief = document(sections, "Summary of the parameters");
  REQUIRE(brief["rows"].size() == 2);
  CHECK(brief["note"] == "300 of charge.");
  CHECK(brief["rows"][0] == ordered_json::array({"charge", "0 C", "74.8 C", "150 C", "224 C", "299 C"}));
  const ordered_json& uncertain = document(sections, "The least certain parameters")["rows"];
  REQUIRE(uncertain.size() == 10);
  CHECK(uncertain[1][0] == "charge[1]");  // all have one error, and the second least estimate
  const ordered_json& plot = document(sections, "Estimates of charge");
  REQUIRE(plot["series"][1]["values"].size() == 300);
  CHECK(plot["series"][1]["values"][123] == 123.0);
  CHECK(plot["series"][2]["values"][7] == -10.0);
  CHECK(plot["series"][3]["values"][7].is_null());  // it would leave no room for the rest
  CHECK(plot["note"].get<std::string>().find(" 1 of 600 interval limits") != std::string::npos);
  const ordered_json& weak = document(sections, "Parameters that are not identifiable");
  CHECK(weak["rows"].size() == 40);
  CHECK(weak["note"].get<std::string>().find("first 40 of 50") != std::string::npos);
  const ordered_json& pairs = document(sections, "Correlation of the estimates")["rows"];
  CHECK(pairs.size() == 20);
  for (const ordered_json& pair : pairs) CHECK(pair[2] == -0.9);
  told.estimates.parameters[299].value = "stiffness";
  CHECK(document(sections_of(run), "Summary of the parameters")["note"] == "299 of charge.");
  crowd(told, 20);
  CHECK_THROWS_AS(document(sections_of(run), "Summary of the parameters"), std::logic_error);
  crowd(told, 800);
  CHECK(document(sections_of(run), "Parameters")["parameters"].size() == 500);
  CHECK(says(document(sections_of(run), "Parameters")["note"], "The first 500 of 800; fit.json lists all."));
}
