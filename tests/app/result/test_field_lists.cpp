// Lists of fields: what they write, read and describe, and that the files of the program pass through them unchanged.
#include <limits>
#include <nlohmann/json.hpp>

#include "app/base/json_text.hpp"
#include "app/result/diagnosis_record.hpp"
#include "app/result/fit_ranking.hpp"
#include "app/result/json_fields.hpp"
#include "app/result/not_known.hpp"
#include "app/result/result_description.hpp"
#include "app/result/result_texts.hpp"
#include "app/result/run_record.hpp"
#include "app/result/sweep_record.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;
using nlohmann::ordered_json;
using test::small_experiment;
using test::Workplace;

namespace pithball::app {

struct Pebble {
  double weight = 1, lower = 0, upper = 1;
  std::string color = "", owner = "";
  std::optional<Index> place = {};
  std::vector<double> sizes = {};
  bool is_owned = false;
};

void fields(FieldVisitor& v, Pebble& p) {
  v.is("Pebble", "a stone");
  v("weight", p.weight, in("kg"), "its weight");
  v("range", Ends{p.lower, p.upper}, in("m"), "its ends");
  v("color", p.color, "its color");
  v("owner", or_null(p.owner), "whose it is");
  v("place", p.place, "where it lies");
  v("sizes", p.sizes, in("m"), "its sizes", only(!p.sizes.empty(), "of measured ones"));
  v.computed(
      "heavy", [&] { return p.weight > 2; }, "whether it is heavy");
  v.after_reading([&] { p.is_owned = !p.owner.empty(); });
}

}  // namespace pithball::app

TEST_CASE("field lists: one list writes, reads and describes a struct", "[app][records]") {
  Pebble pebble{.weight = 3, .upper = not_known, .color = "gray", .owner = "Ada", .place = 7};
  const ordered_json written = to_json(pebble);
  CHECK(written.dump() == R"({"weight":3.0,"range":[0.0,null],"color":"gray","owner":"Ada","place":7,"heavy":true})");
  const Pebble back = read_result<Pebble>(written);
  CHECK(to_json(back).dump() == written.dump());
  CHECK(back.is_owned);
  CHECK(std::isnan(back.upper));
  ordered_json damaged = written;
  damaged.erase("place");
  CHECK_THROWS_WITH(read_result<Pebble>(damaged), Catch::Contains("key 'place' not found"));
  damaged = written;
  damaged["weight"] = "much";
  CHECK_THROWS_WITH(read_result<Pebble>(damaged), Catch::Contains("type must be number, but is string"));
  pebble.sizes = {1, 2};
  CHECK(to_json(pebble)["sizes"].size() == 2);
}

TEST_CASE("field lists: descriptions have the forms, units and conditions of every field", "[app][records]") {
  const auto list = [](FieldVisitor& v) {
    Pebble pebble;
    fields(v, pebble);
  };
  const ResultDescription all = describe({{"pebble.json", "hand", list}});
  const DescribedObject& object = all.object("Pebble");
  CHECK(object.fields.size() == 7);
  CHECK(object.fields[0].unit == "kg");
  CHECK(object.fields[0].value.is_nullable);
  CHECK(object.fields[1].value.parts.size() == 2);
  CHECK_FALSE(object.fields[4].may_lack());
  CHECK(object.fields[5].condition == "of measured ones");
  const ordered_json schema = results_schema(all)["$defs"]["Pebble"];
  CHECK(schema["required"] == ordered_json{"weight", "range", "color", "owner", "place", "heavy"});
  CHECK(results_python(all).find("place: int | None\n") != std::string::npos);
  CHECK(results_typescript(all, {"Pebble"}).find("sizes?: (number | null)[];") != std::string::npos);
  const auto other = [](FieldVisitor& v) { v.is("Pebble", "another stone"); };
  CHECK_THROWS_WITH(describe({{"a", "", list}, {"b", "", other}}), Catch::Contains("have the name 'Pebble'"));
}

TEST_CASE("fit ranking: criteria that are not known are null", "[app][records]") {
  RankedFit fit{.name = "runs/a",
                .status = "converged",
                .parameters = 2,
                .chi_square = 99,
                .reduced = 1.1,
                .bic = 7,
                .validation_frames = {},
                .validation_markers = {}};
  fit.validation_markers.model = 0.25;
  const FitRanking ranking{.fits = {fit}, .coordinates = 92, .effective = 46, .known_sigma = true};
  CHECK(to_json(ranking).dump() ==
        R"({"coordinates":92,"effective_coordinates":46.0,"known_sigma":true,"fits":[{"run":"runs/a",)"
        R"("status":"converged","parameters":2,"chi_square":99.0,"reduced_chi_square":1.1,"aicc":null,"bic":7.0,)"
        R"("validation_frames":null,"validation_markers":0.25}]})");
}

TEST_CASE("field lists: every key of every file has a meaning", "[app][records]") {
  const ResultDescription& all = result_files();
  CHECK(all.files.size() > 12);
  for (const DescribedObject& object : all.objects) {
    CAPTURE(object.name);
    CHECK_FALSE(object.meaning.empty());
    CHECK_FALSE(object.fields.empty());
    for (const DescribedField& field : object.fields) {
      CAPTURE(field.key);
      CHECK_FALSE(field.meaning.empty());
    }
  }
}

TEST_CASE(
    "records: files of a folder, a diagnosis, a sweep and a ranking, read and written again, are the same to the byte",
    "[app][records]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("record small.yaml --rate 20 --noise '0.1 mm' --out tracks.csv").status == 0);
  place.write("fit.yaml", std::string(small_experiment) +
                              "fit:\n  recordings: [{file: tracks.csv}]\n  parameters: [stiffness, charge]\n");
  REQUIRE(place.run("fit fit.yaml --quiet --out run").status == 0);
  REQUIRE(place.run("diagnose run --quiet").status == 0);
  const std::string record = test::read_text(place / "run/record.json");
  CHECK(json_text(to_json(read_result<FolderRecord>(ordered_json::parse(record)))) + "\n" == record);
  const std::string diagnosis = test::read_text(place / "run/diagnosis.json");
  CHECK(json_text(to_json(read_result<DiagnosisRecord>(ordered_json::parse(diagnosis)))) + "\n" == diagnosis);
  const std::string ranking = place.run_as_written("compare run run --json").out;
  CHECK(json_text(to_json(read_result<FitRanking>(ordered_json::parse(ranking)))) + "\n" == ranking);
  place.write("sweep.yaml", std::string(small_experiment) + "sweep: {grid: {system.charge: [1 uC, 2 uC]}}\n");
  REQUIRE(place.run("sweep sweep.yaml --quiet --out plan").status == 0);
  REQUIRE(place.run_as_written("run plan --quiet").status == 0);
  const std::string plan = test::read_text(place / "plan/plan.json");
  CHECK(json_text(to_json(read_result<SweepRecord>(ordered_json::parse(plan)))) + "\n" == plan);
  std::size_t tasks = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place / "plan/results")) {
    if (entry.path().extension() != ".json") continue;
    const std::string task = test::read_text(entry.path());
    CHECK(json_text(to_json(read_result<TaskResult>(ordered_json::parse(task))), -1) + "\n" == task);
    ++tasks;
  }
  CHECK(tasks == 2);
}
