// What a fit leaves on disk of its recordings.

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "app/run_folder/marker_table.hpp"
#include "datasets/text/csv_table.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using nlohmann::json;
using pithball::app::marker_table;
using pithball::app::read_marker_table;
using pithball::datasets::CsvTable;
using pithball::test::demo_experiment;
using pithball::test::Outcome;
using pithball::test::read_text;
using pithball::test::Workplace;

namespace {

/// Root mean square distances from the recorded markers in a table, by part and what is compared.
struct Distances {
  long samples = 0;
  std::map<std::string, double> rms;
};
std::map<std::string, Distances> distances_in(const CsvTable& table) {
  const auto column = [&](const std::string& name) { return table.find_column(name, "column"); };
  std::map<std::string, Distances> parts;
  for (const std::string prediction : {"model", "static", "constant_velocity"})
    for (pithball::sim::Index row = 0; row < table.rows(); ++row) {
      Distances& part = parts[std::string(table.cell(row, column("part")).text)];
      double square = 0;
      for (const char* axis : {"_x", "_y", "_z"})
        square += std::pow(
            table.number(row, column(prediction + axis)) - table.number(row, column("recorded" + std::string(axis))),
            2);
      if (std::isnan(square)) continue;  // of this recording a sample is whole or missing
      part.rms[prediction] += square;
      if (prediction == "model") ++part.samples;
    }
  for (auto& [name, part] : parts)
    for (auto& [prediction, value] : part.rms) value = std::sqrt(value / static_cast<double>(part.samples));
  return parts;
}

}  // namespace

TEST_CASE("fit files: markers and baselines on disk have the errors in fit.json", "[app][fit]") {
  const Workplace place;
  const Outcome fit =
      place.run("fit '" + demo_experiment + "' --set fit.recordings.0.validation_from=1.3 --out run --quiet");
  INFO(fit.err);
  REQUIRE(fit.status == 0);
  const json report = json::parse(read_text(place / "run/fit.json"));
  REQUIRE(report["recordings"].size() == 1);
  CHECK(report["recordings"][0]["name"] == "tracks");
  CHECK(pithball::test::fs::exists(place / "run" / report["recordings"][0]["trajectory"].get<std::string>()));
  const CsvTable table((place / "run" / report["recordings"][0]["markers"].get<std::string>()).string(), 1, 0);
  CHECK(read_text(table.path()).starts_with("# time [s] of the simulation; positions [m]"));
  CHECK(table.rows() == 51 * 16);
  const auto parts = distances_in(table);
  REQUIRE(parts.size() == 2);
  for (const json& expected : report["errors"]["recordings"]) {
    const Distances& part = parts.at(expected["part"]);
    CHECK(part.samples == expected["all"]["samples"]);
    CHECK(part.rms.at("model") == Approx(expected["all"]["rms"].get<double>()).epsilon(1e-12));
    CHECK(part.rms.at("static") == Approx(expected["all"]["static"].get<double>()).epsilon(1e-12));
    CHECK(part.rms.at("constant_velocity") ==
          Approx(expected["all"]["constant_velocity"].get<double>()).epsilon(1e-12));
    CHECK(part.rms.at("model") < 0.5 * part.rms.at("static"));
  }
  // The forecast begins where the file was told to, and nowhere before.
  for (pithball::sim::Index row = 0; row < table.rows(); ++row)
    CHECK((table.cell(row, 1).text == "validation_frame") == (table.number(row, 0) >= 1.3));
}

TEST_CASE("fit files: recordings whose names differ in odd letters only keep files of their own", "[app][fit]") {
  const Workplace place;
  place.write("small.yaml", pithball::test::small_experiment);
  REQUIRE(place.run("record small.yaml --rate 10 --noise '1 mm' --out tracks.csv").status == 0);
  place.write("two.yaml", std::string(pithball::test::small_experiment) + R"(fit:
  recordings:
    - {file: tracks.csv, name: "a b"}
    - {file: tracks.csv, name: "a/b", markers: [0, 1, {vertices: [2], name: 'the "tip", bent'}]}
  parameters:
    - stiffness: {share: all, initial: 12}
)");
  const Outcome fit = place.run("fit two.yaml --out run --quiet");
  INFO(fit.err);
  REQUIRE(fit.status == 0);
  const json recordings = json::parse(read_text(place / "run/fit.json"))["recordings"];
  REQUIRE(recordings.size() == 2);
  CHECK(recordings[0]["markers"] == "markers-a_b.csv");
  CHECK(recordings[1]["markers"] == "markers-a_b-2.csv");
  CHECK(recordings[1]["trajectory"] == "trajectory-a_b-2.h5");
  for (const json& recording : recordings)
    CHECK(pithball::test::fs::exists(place / "run" / recording["trajectory"].get<std::string>()));
  const std::string file = (place / "run/markers-a_b-2.csv").string(), text = read_text(file);
  const CsvTable table(file, 1, 0);
  CHECK(table.cell(2, table.find_column("marker", "column")).text == "the \"tip\", bent");
  CHECK(marker_table(read_marker_table(file)) == text);
  place.write("part.csv", pithball::test::replaced(text, ",fit,", ",fitted,"));
  CHECK_THROWS_WITH(read_marker_table(place / "part.csv"),
                    Catch::Contains("part.csv:3:") &&
                        Catch::Contains("must be fit, validation_frame or validation_marker, got 'fitted'"));
  place.write("row.csv", text.substr(0, text.rfind('\n', text.size() - 2) + 1));
  CHECK_THROWS_WITH(read_marker_table(place / "row.csv"), Catch::Contains("one row for each marker in each frame"));
}

TEST_CASE("fit files: estimates that differ along the body are reported for each spring", "[app][fit]") {
  const Workplace place;
  place.write("small.yaml", pithball::test::small_experiment);
  REQUIRE(place.run("record small.yaml --rate 20 --noise '0.1 mm' --out tracks.csv").status == 0);
  place.write("each.yaml", std::string(pithball::test::small_experiment) + R"(fit:
  recordings: [{file: tracks.csv}]
  parameters:
    - stiffness: {share: none, initial: 12}
    - charge: {share: all, initial: 1.2 uC}
)");
  const Outcome fit = place.run("fit each.yaml --out run --json");
  INFO(fit.err);
  REQUIRE(fit.status == 0);
  const json report = fit.json(), values = report["recordings"][0]["fitted_values"];
  REQUIRE(values.size() == 2);
  CHECK(values[0]["value"] == "charge");  // the same everywhere
  CHECK(values[0]["estimates"] == report["parameters"][2]["estimate"]);
  CHECK(values[1]["value"] == "stiffness");
  CHECK(values[1]["of"] == "springs");
  CHECK(values[1]["unit"] == "N/m");
  CHECK(values[1]["estimates"] ==
        json::array({report["parameters"][0]["estimate"], report["parameters"][1]["estimate"]}));
}
