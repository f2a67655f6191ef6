// Values that change with time, and how they are shared, as an experiment file says it.
#include "app/experiment/experiment.hpp"
#include "app/experiment/experiment_file.hpp"
#include "app/report/sections.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using test::replaced;
using test::small_experiment;
using test::Workplace;

namespace {

/// The small experiment in a field, with key frames of three values.
const std::string moving_experiment =
    replaced(replaced(small_experiment, "  - coulomb\n", "  - coulomb\n  - electric_field: [1e5, 0, 0]\n"),
             "simulation:", R"(key_frames:
  - charge: {select: [tip], times: [0 s, 0.1 s, 0.2 s], values: [1 uC, 5 uC, 2 uC]}
  - stiffness: {times: [0.05 s, 0.15 s], factors: [1, 0.5]}
  - electric_field: {components: x, times: [0, 0.2], values: [100 kV/m, 0]}
simulation:)");

/// A fit of a body to the markers in tracks.csv.
std::string fit_of(const std::string& body, const std::string& parameters) {
  return body + "fit:\n  recordings:\n    - {file: tracks.csv, markers: [1, 2]}\n  parameters:\n" + parameters;
}

}  // namespace

TEST_CASE("key_frames: the file's values are those of the model in time", "[app][key_frames]") {
  const Workplace place;
  place.write("moving.yaml", moving_experiment);
  const auto experiment = app::read_experiment(app::load_document((place / "moving.yaml").string()));
  const sim::Model& model = experiment.scenario.model;
  REQUIRE(model.key_frames().size() == 3);
  const sim::Model now = model.at(0.1);
  CHECK(now.charge()[2] == Approx(5e-6).epsilon(1e-14));
  CHECK(now.charge()[1] == 1e-6);
  CHECK(now.values()[*now.values().find("stiffness")][1] == Approx(7.5));
  const sim::Vec3 field = now.values()[*now.values().find("electric_field")];
  CHECK(field.x() == Approx(5e4));
  CHECK(field.y() == 0);
  CHECK(model.charge()[2] == Approx(1e-6).epsilon(1e-14));  // who does not ask for a time sees the start
}

TEST_CASE("key_frames: a run is written, reported, exported, shown as a field and rejected where it has no counterpart",
          "[app][key_frames]") {
  const Workplace place;
  place.write("moving.yaml", moving_experiment);
  const test::Outcome run = place.run("simulate moving.yaml --out run --quiet");
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto stored = datasets::read_h5md((place / "run/trajectory.h5").string());
  CHECK(stored.body.charge[2] == Approx(1e-6).epsilon(1e-14));  // of the first state
  CHECK(stored.body.changing == std::vector<std::string>{"charge", "stiffness"});
  REQUIRE(stored.over_time.at("charge").size() == 21);
  CHECK(stored.over_time.at("charge")[10][2] == Approx(5e-6).epsilon(1e-12));
  CHECK(stored.over_time.at("charge")[20][2] == Approx(2e-6).epsilon(1e-12));
  CHECK(stored.over_time.at("charge")[20][1] == 1e-6);
  CHECK(stored.over_time.at("stiffness")[10][0] == Approx(7.5).epsilon(1e-12));
  CHECK(nlohmann::json::parse(test::read_text(place / "run/summary.json"))["changing_values"] ==
        nlohmann::json{"charge", "stiffness"});
  // As without key frames the body would have moved otherwise.
  place.write("constant.yaml", replaced(moving_experiment, "values: [1 uC, 5 uC, 2 uC]", "values: [1 uC, 1 uC, 1 uC]"));
  REQUIRE(place.run("simulate constant.yaml --out constant --quiet").status == 0);
  const auto constant = datasets::read_h5md((place / "constant/trajectory.h5").string());
  CHECK((stored.trajectory.states.back().x - constant.trajectory.states.back().x).norm() > 1e-3);
  CHECK(test::read_text(place / "run/run.yaml").find("key_frames") != std::string::npos);

  std::set<std::string> titles;
  std::string note;
  for (const app::Section& section : app::make_sections(app::read_run(place / "run"), {})) {
    titles.insert(section.document.at("title"));
    if (section.kind == "motion") note = section.document.at("note");
    if (section.document.at("title") != "charge over time") continue;
    CHECK(section.document.at("x").at("values") == std::vector<double>{0, 0.1, 0.2});
    const std::vector<double> charge = section.document.at("series").at(0).at("values");
    REQUIRE(charge.size() == 3);
    CHECK(charge[1] == Approx(5e-6).epsilon(1e-14));
    CHECK(charge[2] == Approx(2e-6).epsilon(1e-14));
  }
  CHECK(titles.count("charge over time") == 1);
  CHECK(titles.count("stiffness over time") == 1);
  CHECK(note.find("Some values change with time") != std::string::npos);
  CHECK(place.run("report run").status == 0);
  CHECK(place.run("export run --format csv").status == 0);
  const auto particles = test::lines_of(test::read_text(place / "run/export/csv/particles.csv"));
  REQUIRE(particles.size() == 1 + 21 * 3);
  CHECK(particles[0] == "time,particle,mass,charge,pinned,driven");
  CHECK(particles[3] == "0,2,0.1,1e-06,0,0");
  CHECK(particles.back().find("0.2,2,0.1,2") == 0);
  CHECK(test::lines_of(test::read_text(place / "run/export/csv/springs.csv")).size() == 1 + 21 * 2);
  CHECK(place.run("export run --format npz").status == 0);
  CHECK(place.run("export run --format vtk").status == 0);
  CHECK(test::read_text(place / "run/export/vtk/small_00010.vtp") !=
        test::read_text(place / "run/export/vtk/small_00000.vtp"));
  CHECK(place.run("field run --time 0.1 --line 0,0,-1,0,0,1 --out axis.csv").status == 0);
  CHECK(place.run("check-gradient moving.yaml --steps 4").status == 0);
  const test::Outcome deck = place.run("export run --format lammps --time 0.1");
  CHECK(deck.status == 2);
  CHECK(deck.err.find("key_frames") != std::string::npos);
}

TEST_CASE("key_frames: a fit finds them, with ties and declarations side by side, and its report reads them back",
          "[app][key_frames][fit]") {
  const Workplace place;
  place.write("truth.yaml", replaced(replaced(moving_experiment, "imex_midpoint", "velocity_verlet"), "time_step: 0.01",
                                     "time_step: 0.001"));
  const test::Outcome record =
      place.run("record truth.yaml --rate 50 --noise '0.02 mm' --markers 1,2 --out tracks.csv");
  INFO(record.err);
  REQUIRE(record.status == 0);
  const std::string header = test::read_text(place / "tracks.csv");
  INFO(header.substr(0, 600));
  place.write("fit.yaml",
              fit_of(replaced(moving_experiment, "values: [1 uC, 5 uC, 2 uC]", "values: [1.5 uC, 1.5 uC, 1.5 uC]"),
                     "    - charge: {select: [tip]}\n    - stiffness: {multiplier: true, initial: 1.2}\n"));
  const test::Outcome fit = place.run("fit fit.yaml --out fit --report --json");
  INFO(fit.err);
  REQUIRE(fit.status == 0);
  const auto report = nlohmann::json::parse(test::read_text(place / "fit/fit.json"));
  REQUIRE(report["parameters"].size() == 4);
  CHECK(report["parameters"][1]["name"] == "charge(0.1 s)");
  CHECK(report["parameters"][1]["estimate"].get<double>() == Approx(5e-6).epsilon(0.05));
  CHECK(report["parameters"][3]["estimate"].get<double>() == Approx(1).epsilon(0.05));
  CHECK(place.run("export fit --format csv").status == 0);
}

TEST_CASE("key_frames: mistakes are reported with their place and remedy", "[app][key_frames][error]") {
  const Workplace place;
  const auto said = [&](const std::string& what, const std::string& by) {
    place.write("broken.yaml", replaced(moving_experiment, what, by));
    const test::Outcome outcome = place.run("simulate broken.yaml --out run --quiet");
    CHECK(outcome.status == 2);
    CHECK(!test::fs::exists(place / "run"));
    return outcome.err;
  };
  using Catch::Contains;
  CHECK_THAT(said("values: [1 uC, 5 uC, 2 uC]", "values: [1 uC, 5 uC]"),
             Contains("one number for each of the 3 key times, got 2"));
  CHECK_THAT(said("times: [0 s, 0.1 s, 0.2 s]", "times: [0 s, 0.3 s, 0.2 s]"),
             Contains("broken.yaml:17") && Contains("increasing key times"));
  CHECK_THAT(said("  - charge: {select", "  - charg: {select"), Contains("did you mean 'charge'?"));
  CHECK_THAT(said("- stiffness: {times", "- mass: {times"), Contains("must not be of masses"));
  CHECK_THAT(said("factors: [1, 0.5]", "factors: [1, 0.5], values: [1, 2]"), Contains("remove one of them"));
  CHECK_THAT(said("factors: [1, 0.5]", "factors: [1, -0.5]"),
             Contains("stiffness(0.15 s)") && Contains("must be >= 0 N/m"));
  CHECK_THAT(said("- stiffness: {times", "- charge: {select: [2], times"),
             Contains("which has key times 0, 0.1, 0.2 s already"));
  CHECK_THAT(said("- stiffness: {times", "- velocity: {times"), Contains("give particles a path"));
  CHECK_THAT(said("- stiffness: {times", "- clock_offset: {times"),
             Contains("`clock` and `placement` of the recording"));
}

TEST_CASE("parameters: shares, ties and selections of one value in an experiment file", "[app][fit]") {
  const Workplace place;
  place.write("tracks.csv", "t,x1,y1,z1,x2,y2,z2\n0,1,0,0,0,1,0\n0.1,1,0,0,0,1,-0.04\n0.2,1,0,-0.1,0,1,-0.2\n");
  const auto said = [&](const std::string& parameters) {
    place.write("fit.yaml", fit_of(small_experiment, parameters));
    return place.run("fit fit.yaml --out run --quiet --set fit.max_iterations=1");
  };
  const test::Outcome side_by_side = said(
      "    - charge: {select: [0]}\n    - charge: {select: [1]}\n    - damping: {tied_to: {parameter: stiffness, "
      "factor: 0.01}}\n    - stiffness: {share: smooth, points: 2, multiplier: true, initial: 1.1}\n");
  INFO(side_by_side.err);
  const auto report = nlohmann::json::parse(test::read_text(place / "run/fit.json"));
  CHECK(report["parameters"][0]["name"] == "charge[0]");
  CHECK(report["parameters"][1]["name"] == "charge[1]");
  using Catch::Contains;
  CHECK_THAT(said("    - damping: {tied_to: {parameter: stifness}}\n    - stiffness\n").err,
             Contains("not tied itself, got 'stifness'"));
  CHECK_THAT(said("    - damping: {share: all, tied_to: {parameter: stiffness}}\n    - stiffness\n").err,
             Contains("must not be given together with `tied_to`"));
  CHECK_THAT(said("    - stiffness: {share: smooth, points: 5}\n").err, Contains("points must be between 1 and 2"));

  // A value that several forces have is numbered through.
  const auto with_winds = [&](const std::string& parameters) {
    const std::string one = "  - electric_field: {expression: [\"1\", \"0\", \"0\"]}\n";
    place.write("fit.yaml",
                fit_of(replaced(small_experiment, "  - coulomb\n", "  - coulomb\n" + one + one), parameters));
    return place.run("fit fit.yaml --out winds --json --set fit.max_iterations=1");
  };
  const test::Outcome second = with_winds("    - electric_field: {select: [1], name: second, initial: 2}\n");
  INFO(second.err);
  CHECK(second.json()["parameters"][0]["name"] == "second");
  CHECK(second.json()["parameters"].size() == 1);
  CHECK_THAT(with_winds("    - electric_field: {select: [2]}\n").err, Contains("electric_field.select"));
}
