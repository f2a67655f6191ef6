// `pithball compare`: several integrators at several steps against a fine reference.

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/report/sections.hpp"
#include "app/run_folder/kept_states.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "sim/run/energy_balance.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using nlohmann::json;
using namespace pithball;
using namespace pithball::test;
using namespace pithball::app;

namespace {

/// A charged, undamped triangle that swings: smooth enough to show orders within a second.
const std::string swinging =
    replaced(replaced(small_experiment, "    damping: 0.1\n", ""),
             "simulation: {integrator: imex_midpoint, time_step: 0.01, duration: 0.2}",
             "simulation: {time_step: 0.02, duration: 0.4}\n"
             "compare: {integrators: [imex_midpoint, velocity_verlet], time_steps: [0.02, 0.01, 0.005], "
             "reference: {time_step: 0.0005}}");

json rows_of(const Outcome& outcome) { return outcome.json()["comparison"]["rows"]; }

struct Errors {
  double mean = 0, largest = 0, position = 0;
};

/// The errors of one `simulate` run relative to a finer one, at the kept steps of the coarse.
Errors errors_of(const fs::path& coarse, const fs::path& fine, std::size_t ratio) {
  const auto energies = read_energy_table(coarse / "energy.csv"), exact = read_energy_table(fine / "energy.csv");
  const auto states = datasets::read_h5md((coarse / "trajectory.h5").string()).trajectory.states,
             truth = datasets::read_h5md((fine / "trajectory.h5").string()).trajectory.states;
  REQUIRE(truth.size() == ratio * (states.size() - 1) + 1);
  Errors errors;
  std::vector<sim::EnergyRow> kept;  // of the fine run at the same times: what it exchanges is the scale
  for (std::size_t k = 0; k < states.size(); ++k) kept.push_back(exact[ratio * k]);
  for (sim::EnergyRow& row : kept) row.numerical = 0;
  const double exchanged = sim::energy_balance(kept).scale;
  for (std::size_t k = 1; k < states.size(); ++k) {
    const double error = std::abs(energies[k].conserved() - kept[k].conserved()) / exchanged;
    errors.mean += error / static_cast<double>(states.size() - 1);
    errors.largest = std::max(errors.largest, error);
    errors.position += (states[k].x - truth[ratio * k].x).squaredNorm();
  }
  errors.position = std::sqrt(errors.position / static_cast<double>((states.size() - 1) * 3));  // three particles
  return errors;
}

}  // namespace

TEST_CASE("compare: the errors of a method of second order fall by four where its step is halved", "[app][compare]") {
  const Workplace place;
  place.write("swing.yaml", swinging);
  const Outcome outcome = place.run("compare swing.yaml --json --quiet");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json rows = rows_of(outcome);
  REQUIRE(rows.size() == 6);
  for (const std::size_t k : {0, 1, 3, 4}) {
    INFO(rows[k].dump(2));
    CHECK(rows[k]["method"] == rows[k + 1]["method"]);
    const auto falls = [&](const char* kind, const char* what) {
      return rows[k][kind][what].get<double>() / rows[k + 1][kind][what].get<double>();
    };
    CHECK(falls("position_error", "rms") == Approx(4).epsilon(0.15));
    CHECK(falls("energy_error", "mean") == Approx(4).epsilon(0.15));
    CHECK(rows[k + 1]["force_evaluations"].get<long>() >= 2 * rows[k]["force_evaluations"].get<long>() - 2);
  }
  const json reference = outcome.json()["comparison"]["reference"];
  CHECK(reference["fine_enough"] == true);
  CHECK(reference["check"]["time_step"] == 0.00025);
  CHECK(reference["check"]["position_error"]["rms"].get<double>() > 0);
  CHECK(reference["check"]["position_error"]["rms"].get<double>() <
        0.1 * outcome.json()["comparison"]["smallest_error"]["position"].get<double>());
}

TEST_CASE("compare: its errors are those between two runs of simulate, dissipation included", "[app][compare]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const std::string steps = " --set simulation.time_step=";
  REQUIRE(place.run("simulate small.yaml --out coarse").status == 0);
  REQUIRE(place.run("simulate small.yaml --set simulation.integrator=velocity_verlet --out fine" + steps + "0.001")
              .status == 0);
  const Outcome outcome = place.run(
      "compare small.yaml --json --quiet --set compare.integrators=[imex_midpoint] --set compare.time_steps=[0.01] "
      "--set "
      "compare.reference.time_step=0.001");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const Errors expected = errors_of(place / "coarse", place / "fine", 10);
  const json row = rows_of(outcome)[0];
  REQUIRE(expected.mean > 1e-8);
  CHECK(outcome.json()["comparison"]["energy_scale"]["energy"].get<double>() > 0);
  CHECK(row["energy_error"]["mean"].get<double>() == Approx(expected.mean).epsilon(1e-9));
  CHECK(row["energy_error"]["max"].get<double>() == Approx(expected.largest).epsilon(1e-9));
  CHECK(row["position_error"]["rms"].get<double>() == Approx(expected.position).epsilon(1e-9));
}

TEST_CASE("compare: energy errors do not depend on where the origin is", "[app][compare]") {
  const Workplace place;
  place.write("swing.yaml", swinging);
  std::vector<double> errors;
  for (const char* vertices : {"[[0,0,0],[1,0,0],[0,1,0]]", "[[0,0,100],[1,0,100],[0,1,100]]"}) {
    const Outcome outcome = place.run(std::string("compare swing.yaml --json --quiet --set 'system.vertices=") +
                                      vertices + "' --set 'compare.time_steps=[0.02]'");
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    errors.push_back(rows_of(outcome)[0]["energy_error"]["mean"].get<double>());
  }
  REQUIRE(errors[0] > 1e-9);
  CHECK(errors[1] == Approx(errors[0]).epsilon(1e-6));  // rounding of 100 m against a swing of decimeters
}

TEST_CASE("compare: energy errors relative to the total energy", "[app][compare]") {
  const Workplace place;
  place.write("swing.yaml", swinging);
  double error[2], energy[2];
  for (const bool total : {false, true}) {
    const Outcome outcome =
        place.run(std::string("compare swing.yaml --json --quiet --set 'compare.time_steps=[0.02]'") +
                  (total ? " --set compare.energy_scale=total" : ""));
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    error[total] = rows_of(outcome)[0]["energy_error"]["mean"].get<double>();
    const json scale = outcome.json()["comparison"]["energy_scale"];
    CHECK(scale["by"] == (total ? "total" : "exchanged"));
    energy[total] = scale["energy"].get<double>();
  }
  REQUIRE(error[0] > 1e-9);
  REQUIRE(std::abs(energy[1] / energy[0] - 1) > 0.1);
  CHECK(error[1] * energy[1] == Approx(error[0] * energy[0]).epsilon(1e-9));
}

TEST_CASE("compare: a motion that the methods integrate exactly has errors, and a fine reference", "[app][compare]") {
  const Workplace place;
  place.write("fall.yaml",
              "name: fall\nsystem: {vertices: [[0, 0, 0]], mass: 10 g}\nforces: [{gravity: [0, 0, -9.81]}]\n"
              "simulation: {time_step: 10 ms, duration: 1 s}\n"
              "compare: {integrators: [imex_euler, velocity_verlet], time_steps: [10 ms]}\n");
  const Outcome outcome = place.run("compare fall.yaml --json --quiet");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(!says(outcome.err, "nan"));
  CHECK(outcome.json()["comparison"]["reference"]["fine_enough"] == true);
  CHECK(outcome.json()["comparison"]["explanation"] == "");
  const json rows = rows_of(outcome);
  CHECK(rows[0]["energy_error"]["mean"].get<double>() > 1e-3);  // h g/2 of the speed, which is 9.81 m/s at last
  CHECK(rows[1]["energy_error"]["mean"].get<double>() < 1e-11);
}

TEST_CASE("compare: steps that do not divide one another are compared on their own steps", "[app][compare]") {
  const Workplace place;
  place.write("swing.yaml", swinging);
  const Outcome outcome = place.run(
      "compare swing.yaml --json --quiet --set 'compare.time_steps=[0.02, 0.012]' --set "
      "compare.reference.time_step=0.0007");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  for (const json& row : rows_of(outcome)) {
    INFO(row.dump(2));
    for (const json& time : row["over_time"]["time"]) {
      const double steps = time.get<double>() / row["time_step"].get<double>();
      CHECK(std::abs(steps - std::round(steps)) < 1e-9);
    }
  }
  // Interpolating the reference adds nothing that would hide the order: (20/12)² = 2.8.
  const json rows = rows_of(outcome);
  const double falls = rows[0]["position_error"]["rms"].get<double>() / rows[1]["position_error"]["rms"].get<double>();
  CHECK(falls > 2.2);
  CHECK(falls < 3.4);
}

TEST_CASE("compare: a run that diverges is a row with its step and without errors, and no failure", "[app][compare]") {
  const Workplace place;
  place.write("swing.yaml", swinging);
  const std::string stiff =
      "compare swing.yaml --json --quiet --set system.springs.stiffness=1e5 --set simulation.duration=1 --set "
      "'compare.time_steps=[0.02]' --set compare.reference.time_step=0.0001 --out stiff";
  const Outcome outcome = place.run(stiff);
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json rows = rows_of(outcome);
  CHECK(rows[0]["status"] == "ok");
  CHECK(rows[1]["status"] == "diverged");
  CHECK(rows[1]["failed_step"].get<int>() == rows[1]["steps"].get<int>());
  CHECK(rows[1]["failed_step"].get<int>() < 50);
  CHECK(rows[1]["energy_error"]["mean"].is_null());
  CHECK(rows[1]["position_error"]["rms"].is_null());
  const Outcome simulated = place.run(
      "simulate swing.yaml --json --quiet --set system.springs.stiffness=1e5 --set simulation.duration=1 --set "
      "simulation.integrator=velocity_verlet");
  CHECK(simulated.json()["failed_step"] == rows[1]["failed_step"]);
}

TEST_CASE("compare: a reference that is too coarse is said to be, one that diverges fails", "[app][compare]") {
  const Workplace place;
  place.write("swing.yaml", swinging);
  const Outcome coarse = place.run("compare swing.yaml --json --quiet --set compare.reference.time_step=0.004");
  REQUIRE(coarse.status == 0);
  CHECK(coarse.json()["status"] == "reference too coarse");
  CHECK(coarse.json()["comparison"]["reference"]["fine_enough"] == false);
  CHECK(coarse.json()["explanation"].get<std::string>().find("compare.reference.time_step") != std::string::npos);
  const Outcome failed =
      place.run("compare swing.yaml --json --set system.springs.stiffness=1e12 --set simulation.duration=2");
  CHECK(failed.status == 1);
  CHECK(failed.json()["status"] == "reference failed");
  CHECK(failed.json()["comparison"]["rows"].empty());
  CHECK(failed.err.find("diverged at step") != std::string::npos);
}

TEST_CASE("compare: what cannot be compared is rejected with its place, and nothing is written", "[app][compare]") {
  const Workplace place;
  place.write("swing.yaml", swinging);
  const auto rejected = [&](const std::string& change, const std::string& told) {
    const Outcome outcome = place.run("compare swing.yaml --set '" + change + "'");
    INFO(change << ": " << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(told) != std::string::npos);
    CHECK(place.listing() == "swing.yaml ");
  };
  rejected("compare.integrators=[imex_eular]", "did you mean 'imex_euler'?");
  rejected("compare.integrators=[gear, gear]", "compare.integrators[1]: must differ");
  rejected("compare.integrators=[]", "compare.integrators: must contain at least one");
  rejected("compare.time_steps=[0.01, -1]", "compare.time_steps[1]: must be > 0 s");
  rejected("compare.time_steps=[7]", "compare.time_steps: must be at most the duration");
  rejected("compare.time_steps=[1e-300]", "compare.time_steps: must make at most 1e12 steps");
  rejected("compare.reference.time_step=1e-20", "compare.reference.time_step: must make at most 1e12 steps");
  rejected("compare.reference.time_step=0.5", "compare.reference.time_step: must be at most the smallest");
  rejected("compare.refernce.time_step=0.5", "did you mean");
  place.write("swing.yaml", replaced(swinging, "velocity_verlet]", "verlat]"));
  const Outcome outcome = place.run("compare swing.yaml");
  INFO(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.err.find("swing.yaml:15:") != std::string::npos);
}

TEST_CASE("compare: Coulomb evaluations are counted, products of implicit steps included", "[app][compare]") {
  const Workplace place;
  place.write("swing.yaml", swinging);
  const std::string one = "compare swing.yaml --json --quiet --set 'compare.time_steps=[0.02]' --set ";
  const Outcome outcome =
      place.run(one + "'compare.integrators=[imex_midpoint, rk4, theta, {imex_adaptive: {safety_factor: 0.01}}]'");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json rows = rows_of(outcome);
  const auto count = [&](std::size_t row) { return rows[row]["coulomb_evaluations"].get<long>(); };
  const long steps = 20, start = 1;  // the force at the start
  CHECK(count(0) == steps + start);
  CHECK(count(1) == 4 * steps);
  CHECK(count(2) > rows[2]["force_evaluations"].get<long>());
  CHECK(count(3) > 2 * steps);
  CHECK(count(3) == rows[3]["force_evaluations"].get<long>() + start);
  const Outcome uncharged = place.run(one + "compare.integrators=[rk4] --set forces=[] --out without");
  INFO(uncharged.err);
  REQUIRE(uncharged.status == 0);
  CHECK(rows_of(uncharged)[0]["coulomb_evaluations"] == 0);
  const Sections sections = make_sections(read_run(place / "without"), {});
  CHECK(std::ranges::any_of(sections, [](const Section& section) {
    return section.document["title"] == "Position error against force evaluations";
  }));
}

TEST_CASE("compare: other commands leave its section alone, and its defaults are written down", "[app][compare]") {
  const Workplace place;
  place.write("swing.yaml", swinging);
  CHECK(place.run("simulate swing.yaml --quiet").status == 0);
  place.write("wrong.yaml", replaced(swinging, "compare: {", "compare: {nonsense: 1, "));
  CHECK(place.run("simulate wrong.yaml --quiet").status == 2);  // a misspelled key is one wherever it stands
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("compare small.yaml --quiet").status == 0);
  const std::string filled = read_text(place / "runs/small-compare/run.yaml");
  CHECK(filled.find("integrators: [imex_euler, imex_midpoint, velocity_verlet]") != std::string::npos);
  CHECK(filled.find("time_steps: [0.01, 0.005, 0.001]") != std::string::npos);
  CHECK(filled.find("time_step: 0.0001\n") != std::string::npos);
  const Outcome again = place.run("compare runs/small-compare/run.yaml --json --quiet");
  INFO(again.err);
  REQUIRE(again.status == 0);
  CHECK(rows_of(again).size() == 9);
}

TEST_CASE("compare: its sections show every row, failed runs without errors", "[app][compare][report]") {
  const Workplace place;
  place.write("swing.yaml", swinging);
  const Outcome outcome = place.run(
      "compare swing.yaml --json --quiet --set 'compare.integrators=[imex_midpoint, {theta: {theta: 0.5}}]' --out "
      "kept");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json rows = rows_of(outcome);
  CHECK(rows[3]["method"] == "theta (theta 0.5)");
  const Sections sections = make_sections(read_run(place / "kept"), {});
  const auto titled = [&](const std::string& title) -> nlohmann::ordered_json {
    for (const Section& section : sections)
      if (section.document["title"] == title) return section.document;
    FAIL("no section " << title);
    return {};
  };
  const auto table = titled("Comparison");
  REQUIRE(table["rows"].size() == rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    REQUIRE(table["rows"][k].size() == table["columns"].size());
    CHECK(table["rows"][k][0] == rows[k]["method"]);
    CHECK(table["rows"][k][2] == rows[k]["energy_error"]["mean"]);
    CHECK(table["rows"][k][5] == rows[k]["position_error"]["rms"]);
  }
  CHECK(titled("Summary")["grade"] == "good");
  const auto over_time = titled("Energy error at 0.02 s");
  REQUIRE(over_time["series"].size() == 2);
  CHECK(over_time["series"][1]["values"] == rows[3]["over_time"]["energy_error"]);
  const auto orders = titled("Position error against time step");
  CHECK(orders["x"]["log"] == true);
  // A guide with the slope of its label.
  const auto& guide = orders["series"].back();
  CHECK(guide["style"] == "dashed");
  const auto number = [](const auto& list, std::size_t k) { return list[k].template get<double>(); };
  const double order = std::stod(guide["label"].get<std::string>().substr(6));
  CHECK(order > 0);
  CHECK(number(guide["values"], 1) / number(guide["values"], 0) ==
        Approx(std::pow(number(orders["x"]["values"], 1) / number(orders["x"]["values"], 0), order)));
  const auto require_rows = [&](const nlohmann::ordered_json& plot, const std::string& key) {
    std::size_t drawn = 0;
    for (const auto& series : plot["series"]) {
      if (series["style"] == "dashed") continue;
      CHECK(series["style"] == "joined");
      for (std::size_t k = 0; k < plot["x"]["values"].size(); ++k) {
        if (k > 0) CHECK(plot["x"]["values"][k] > plot["x"]["values"][k - 1]);
        if (series["values"][k].is_null()) continue;
        ++drawn;
        const auto is_it = [&](const json& row) {
          return row["method"] == series["label"] && row[key] == plot["x"]["values"][k] &&
                 row["position_error"]["rms"] == series["values"][k];
        };
        CHECK(std::any_of(rows.begin(), rows.end(), is_it));
      }
    }
    CHECK(drawn == rows.size());
  };
  require_rows(orders, "time_step");
  require_rows(titled("Position error against Coulomb evaluations"), "coulomb_evaluations");
}
