// What `diagnose` says of fits whose model lacks a force, and `compare` of several fits.

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "app/experiment/experiment_file.hpp"
#include "app/run/diagnose_run.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;
using nlohmann::json;

namespace {

/// A falling chain; `forces`: further items.
std::string chain_with(const std::string& forces, const std::string& more) {
  return "name: chain\nsystem:\n  mesh: {chain: {length: 0.5, segments: 5, axis: [1, 0, -0.5]}}\n  mass: {total: 20 "
         "g}\n"
         "  charge: 100 nC\n  pinned: [0]\n  springs: {stiffness: 20, damping: 0.05}\nforces:\n  - gravity: [0, 0, "
         "-9.81]\n"
         "  - coulomb\n  - point_charge: {charge: 2 uC, position: [0.2, 0.2, -0.5]}\n" +
         forces + "simulation: {integrator: imex_midpoint, time_step: 4 ms, duration: 1.6}\n" + more;
}

/// A fit of the chain without drag to a recording of one with it, in the folder `run`.
json fit_without_drag(const Workplace& place) {
  place.write("truth.yaml", chain_with("  - drag: {quadratic: 0.2 g/m}\n", ""));
  REQUIRE(place.run("record truth.yaml --rate 50 --noise '2 mm' --out film.csv").status == 0);
  place.write(
      "fit.yaml",
      chain_with("",
                 "fit:\n  recordings: [{file: film.csv, markers: [0, 1, 2, {vertices: [3], role: validation}, 4, 5]}]\n"
                 "  accept_misfit: true\n  parameters: [charge, stiffness: {initial: 25}]\n"));
  const Outcome outcome = place.run("fit fit.yaml --out run --json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome.json();
}

/// Fits charge and stiffness of the chain to film.csv in the folder `run`; returns what `diagnose --refit` says of it.
json diagnose_chain(const Workplace& place) {
  place.write("fit.yaml", chain_with("",
                                     "fit:\n  recordings: [{file: film.csv}]\n  accept_misfit: true\n"
                                     "  parameters: [charge, stiffness]\n"));
  REQUIRE(place.run("fit fit.yaml --out run --quiet").status == 0);
  const Outcome outcome = place.run("diagnose run --refit --json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return outcome.json();
}

}  // namespace

TEST_CASE("diagnose: names the missing force, and a refit with it fits", "[app][fit][diagnose]") {
  const Workplace place;
  const json fit = fit_without_drag(place);
  const Outcome outcome = place.run("diagnose run --refit --json --report");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json result = outcome.json();
  const json& first = result["findings"][0];
  CHECK(first["name"] == "quadratic_drag");
  CHECK(first["order"] == 1);
  CHECK(first["adjusted_p"].get<double>() < 1e-6);
  CHECK(says(result["verdict"], "the model lacks quadratic_drag = "));
  CHECK(result["added"].size() > 5);  // drag, fields, planes, a leak
  const json stored = json::parse(read_text(place / "run/diagnosis.json"));
  CHECK(stored["findings"] == result["findings"]);

  const json refit = json::parse(read_text(place / "run-refit/fit.json"));
  const auto drag = [](const json& told) {
    for (const json& p : told["parameters"])
      if (p["name"] == "quadratic_drag") return p;
    return json();
  }(refit);
  REQUIRE(drag.is_object());
  CHECK(std::abs(drag["estimate"].get<double>() - 2e-4) < 4 * drag["standard_error"].get<double>());
  CHECK(result["refit"]["fits"][0]["run"].get<std::string>().ends_with("run-refit"));
  CHECK(result["refit"]["fits"][0]["reduced_chi_square"].get<double>() < 1.2);
  CHECK(result["refit"]["fits"][0]["validation_markers"].get<double>() <
        result["refit"]["fits"][1]["validation_markers"].get<double>());

  const Outcome ranked = place.run_as_written("compare run run-refit");
  CHECK(ranked.status == 0);
  CHECK(says(ranked.out, "ΔAICc"));
  const std::string page = read_text(place / "run/report.html");
  CHECK(says(page, "Diagnosis"));
  CHECK(says(page, "missing stiffness"));

  const std::string text = place.run_as_written("diagnose run").out;  // an earlier diagnosis is replaced
  CHECK(says(text, "quadratic_drag"));
  CHECK(says(text, "lacking"));
  CHECK(says(text, "cost: "));
  place.write("run/diagnosis.json", "{}");
  CHECK(place.run_as_written("diagnose run --quiet").status == 0);
}

TEST_CASE("fit: a force that the model lacks is named though the residuals look like noise", "[app][fit][diagnose]") {
  const Workplace place;
  const auto pendulum = [](const std::string& drag, const std::string& more) {
    return "name: pendulum\nsystem:\n  vertices: [[0, 0, 0], [0.12, 0, -0.3], [0.05, 0.1, -0.62]]\n"
           "  springs: {edges: [[0, 1], [1, 2]], stiffness: 12, damping: 0.01, rest_length: 0.3}\n  mass: 50 g\n"
           "  pinned: [0]\nforces:\n  - gravity: [0, 0, -9.81]\n  - drag: {" +
           drag + "}\nsimulation: {integrator: velocity_verlet, time_step: 1 ms, duration: 2 s}\n" + more;
  };
  const std::string fit =
      "fit:\n  recordings: [{file: film.csv, markers: [1, 2], initial_state: free}]\n  parameters: [stiffness, "
      "linear_drag]\n";
  const bool lacks_force = GENERATE(false, true);
  CAPTURE(lacks_force);
  place.write("truth.yaml", pendulum(lacks_force ? "linear: 5 g/s, quadratic: 15 g/m" : "linear: 5 g/s", ""));
  REQUIRE(place.run("record truth.yaml --rate 40 --noise '1 mm' --seed 4 --markers 1,2 --out film.csv").status == 0);
  place.write("fit.yaml", pendulum("linear: 5 g/s", fit));
  const Outcome outcome = place.run("fit fit.yaml --out run --json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json result = outcome.json();
  CHECK(result["whiteness"][0]["all"]["p_value"].get<double>() > 0.05);
  if (!lacks_force) {
    CHECK(result["status"] == "converged");
    CHECK(!result.contains("suspect"));
    return;
  }
  CHECK(result["status"] == "doubtful");
  CHECK(says(result["why"], "quadratic_drag would lower"));
  CHECK(says(result["remedy"], "--refit"));
}

TEST_CASE("diagnose: screening is found in the place of `coulomb`, and a softened sum is left alone",
          "[app][fit][diagnose]") {
  const Workplace place;
  const std::string screened =
      replaced(chain_with("", ""), "- coulomb\n", "- screened_coulomb: {screening_length: 0.3 m}\n");
  place.write("truth.yaml", screened);
  REQUIRE(place.run("record truth.yaml --rate 50 --noise '0.5 mm' --out film.csv").status == 0);
  const std::string fit = "fit:\n  recordings: [{file: film.csv}]\n  accept_misfit: true\n  parameters: [stiffness]\n";
  place.write("fit.yaml", chain_with("", fit));
  REQUIRE(place.run("fit fit.yaml --out run --quiet").status == 0);
  const Outcome outcome = place.run("diagnose run --refit --json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json result = outcome.json();
  CHECK(result["findings"][0]["name"] == "screening");
  const json refit = json::parse(read_text(place / "run-refit/fit.json"));
  const json& found = refit["parameters"][1];
  CHECK(found["name"] == "screening");
  CHECK(std::abs(found["estimate"].get<double>() - 1 / 0.09) < 4 * found["standard_error"].get<double>());

  place.write("soft.yaml", replaced(chain_with("", fit), "- coulomb\n", "- coulomb: {softening: 10 cm}\n"));
  REQUIRE(place.run("fit soft.yaml --out soft --quiet").status == 0);
  const json soft = place.run("diagnose soft --json").json();
  REQUIRE(soft["untested"].size() == 1);
  CHECK(soft["untested"][0]["name"] == "screened_coulomb");
}

TEST_CASE("diagnose: springs that harden are named, and a refit finds by how much", "[app][fit][diagnose]") {
  const Workplace place;
  place.write("truth.yaml", replaced(chain_with("", ""), "stiffness: 20", "stiffness: 20, cubic_stiffness: 1e4"));
  REQUIRE(place.run("record truth.yaml --rate 50 --noise '0.5 mm' --out film.csv").status == 0);
  const std::string fit =
      "fit:\n  recordings: [{file: film.csv}]\n  accept_misfit: true\n  parameters: [charge, stiffness]\n";
  place.write("fit.yaml", chain_with("", fit));
  REQUIRE(place.run("fit fit.yaml --out run --quiet").status == 0);
  const Outcome outcome = place.run("diagnose run --refit --json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json result = outcome.json(), first = result["findings"][0];
  CHECK(first["name"] == "cubic_stiffness");
  CHECK(first["predicted"][0].get<double>() > 0);
  CHECK(says(result["verdict"], "the model lacks cubic_stiffness = "));
  const json found = json::parse(read_text(place / "run-refit/fit.json"))["parameters"][2];
  CHECK(found["name"] == "cubic_stiffness");
  CHECK(std::abs(found["estimate"].get<double>() - 1e4) < 4 * found["standard_error"].get<double>());

  place.write("loose.yaml",
              "name: loose\nsystem: {vertices: [[0, 0, 0], [1, 0, 0]], mass: 1, charge: 1 uC}\nforces: "
              "[coulomb]\nsimulation: {integrator: imex_midpoint, time_step: 4 ms, duration: 0.4}\n");
  REQUIRE(place.run("record loose.yaml --rate 50 --noise '0.1 mm' --out loose.csv").status == 0);
  place.write("free.yaml", read_text(place / "loose.yaml") +
                               "fit: {recordings: [{file: loose.csv}], parameters: [charge: {initial: 1.1 uC}]}\n");
  REQUIRE(place.run("fit free.yaml --out free --quiet").status == 0);
  const json loose = place.run("diagnose free --json").json();
  CHECK(loose["untested"].empty());  // without springs there is no such candidate, and no words about it
  for (const json& finding : loose["findings"]) CHECK(finding["name"] != "cubic_stiffness");
}

TEST_CASE("diagnose: a spring that the model lacks is named, its key is accepted, and a refit finds its stiffness",
          "[app][fit][diagnose]") {
  const Workplace place;
  const std::string brace = ", added: [{between: [1, 4], stiffness: 0.4}]";
  place.write("truth.yaml", replaced(chain_with("", ""), "stiffness: 20", "stiffness: 20" + brace));
  REQUIRE(place.run("record truth.yaml --rate 50 --noise '0.5 mm' --out film.csv").status == 0);
  const std::string other = replaced(replaced(brace, "[1, 4]", "[0, 5]"), "0.4",
                                     "0.001");  // one that the model has; a second one comes beside it
  const json result = diagnose_chain(place), first = result["findings"][0];
  CHECK(first["name"] == "spring between 1 and 4");
  CHECK(first["missing"]["between"] == json({1, 4}));
  CHECK(says(result["verdict"], "the model lacks spring between 1 and 4 = "));
  const json parameters = json::parse(read_text(place / "run-refit/fit.json"))["parameters"];
  CHECK(parameters[1]["name"] == "stiffness");
  CHECK(parameters[2]["name"] == "spring between 1 and 4");
  for (const auto& [number, value] : {std::pair{1, 20.0}, std::pair{2, 0.4}})
    CHECK(std::abs(parameters[number]["estimate"].get<double>() - value) <
          4 * parameters[number]["standard_error"].get<double>());

  // The suspect of the fit has the key that adds it.
  const json fit = json::parse(read_text(place / "run/fit.json"));
  const std::string key = fit["suspect"]["key"];
  CHECK(key == first["key"]);
  const std::size_t colon = key.find(": ");
  const Outcome mended =
      place.run("fit fit.yaml --out mended --json --set '" + key.substr(0, colon) + "=" + key.substr(colon + 2) + "'");
  INFO(mended.err);
  CHECK((mended.status == 0 || mended.status == 1));
  CHECK(mended.json()["quality"]["reduced_chi_square"].get<double>() <
        0.5 * fit["quality"]["reduced_chi_square"].get<double>());

  place.write("more.yaml", replaced(read_text(place / "fit.yaml"), "stiffness: 20", "stiffness: 20" + other));
  REQUIRE(place.run("fit more.yaml --out more --quiet").status == 0);
  REQUIRE(place.run("diagnose more --refit --json").status == 0);
  const std::string refit = read_text(place / "more-refit/run.yaml");
  CHECK(says(refit, "[0, 5]"));
  CHECK(says(refit, "[1, 4]"));
}

TEST_CASE("diagnose: of several forces of a kind, the refit frees the one that is wrong", "[app][fit][diagnose]") {
  const Workplace place;
  const std::string second = "  - point_charge: {charge: 1 uC, position: [-0.4, 0.3, -0.3]}\n";
  place.write("truth.yaml", chain_with(replaced(second, "1 uC", "1.2 uC"), ""));
  REQUIRE(place.run("record truth.yaml --rate 50 --noise '0.5 mm' --out film.csv").status == 0);
  place.write("fit.yaml", chain_with(second,
                                     "fit:\n  recordings: [{file: film.csv}]\n  accept_misfit: true\n"
                                     "  parameters: [stiffness]\n"));
  REQUIRE(place.run("fit fit.yaml --out run --quiet").status == 0);
  const Outcome outcome = place.run("diagnose run --refit --json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.json()["findings"][0]["name"] == "point_charge[1]");
  const json found = json::parse(read_text(place / "run-refit/fit.json"))["parameters"][1];
  CHECK(found["name"] == "point_charge[1]");
  CHECK(std::abs(found["estimate"].get<double>() - 1.2e-6) < 4 * found["standard_error"].get<double>());
}

TEST_CASE("diagnose: a refit multiplies a value of a force that differs between recordings", "[app][diagnose]") {
  const auto parameter_of = [](const std::string& unit, double held) {
    pithball::optim::TestedCandidate finding;
    finding.candidate.name = finding.candidate.value = "viscosity";
    finding.candidate.unit = unit;
    finding.candidate.held = pithball::optim::Vector::Constant(1, held);
    finding.test.shift = pithball::optim::Vector::Constant(1, 0.03 * held);
    const auto document = pithball::app::parse_document("fit: {parameters: [charge]}", {"fit.yaml"});
    pithball::app::Tree root = pithball::app::with_finding(document, {}, finding).root;
    return root.find("fit")->find("parameters")->entries.back().entries.at(0);
  };
  pithball::app::Tree factor = parameter_of("", 1), same = parameter_of("Pa s", 1.8e-5);
  REQUIRE(factor.find("multiplier"));
  CHECK(factor.find("multiplier")->text == "true");
  CHECK(std::stod(factor.find("initial")->text) == Approx(1.03));
  CHECK_FALSE(same.find("multiplier"));
}

TEST_CASE("diagnose: a soft spring is predicted above 0, where the refit starts", "[app][fit][diagnose]") {
  const Workplace place;
  const std::string fit =
      "fit:\n  recordings: [{file: film.csv}]\n  accept_misfit: true\n  parameters: [charge, stiffness]\n";
  place.write("truth.yaml", replaced(chain_with("", ""), "stiffness: 20", "stiffness: [20, 20, 4, 20, 20]"));
  REQUIRE(place.run("record truth.yaml --rate 50 --noise '0.5 mm' --out film.csv").status == 0);
  place.write("fit.yaml", chain_with("", fit));
  REQUIRE(place.run("fit fit.yaml --out run --quiet").status == 0);
  const Outcome outcome = place.run("diagnose run --refit --json");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json first = outcome.json()["findings"][0];
  CHECK(first["name"] == "stiffness[2]");
  CHECK(first["held"][0].get<double>() + first["change"][0].get<double>() < 0);
  const double predicted = first["predicted"][0];
  CHECK(predicted > 0);
  for (const json& p : json::parse(read_text(place / "run-refit/fit.json"))["parameters"]) {
    if (p["name"] != "stiffness[2]") continue;
    CHECK(p["initial"].get<double>() == Approx(predicted).epsilon(1e-12));
    CHECK(std::abs(p["estimate"].get<double>() - 4) < 4 * p["standard_error"].get<double>());
  }
}

TEST_CASE("diagnose: an existing refit is found before anything is tested", "[app][diagnose][error]") {
  const Workplace place;
  fit_without_drag(place);
  place.write("run-refit/own.txt", "mine");
  CHECK(place.run_as_written("diagnose run --refit").status == 2);
  CHECK_FALSE(fs::exists(place / "run/diagnosis.json"));
}

TEST_CASE("diagnose: runs that cannot be diagnosed or ranked", "[app][diagnose][error]") {
  const Workplace place;
  place.write("motion.yaml", chain_with("", ""));
  REQUIRE(place.run("simulate motion.yaml --out motion --quiet").status == 0);
  for (const auto& [arguments, words] :
       {std::pair{"diagnose motion", "must be the run folder of a finished fit, got one of `simulate`"},
        std::pair{"diagnose nowhere", "must be a run folder"},
        std::pair{"diagnose motion.yaml", "must be a run folder"}, std::pair{"diagnose motion --level 2", "--level"},
        std::pair{"compare motion motion", "finished fit"},
        std::pair{"compare motion.yaml motion", "must be a run folder"}}) {
    CAPTURE(arguments);
    const Outcome outcome = place.run_as_written(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(says(outcome.err, words));
  }
}

namespace {

/// Rewrites the film at 200 frames a second as one at 50, in which the last three of six markers are 5 ms late.
void delay_last_markers(const Workplace& place) {
  std::vector<std::string> before;
  std::string text;
  std::size_t frame = 0;
  for (const std::string& line : lines_of(read_text(place / "fine.csv"))) {
    if (line.empty() || line[0] == '#' || line[0] == 't') {
      text += line + "\n";
      continue;
    }
    std::vector<std::string> cells;
    std::istringstream columns(line);
    for (std::string cell; std::getline(columns, cell, ',');) cells.push_back(cell);
    std::vector<std::string> row = cells;
    if (frame > 0) std::copy(before.begin() + 10, before.end(), row.begin() + 10);
    before = cells;
    if (frame++ % 4 != 0) continue;
    for (std::size_t k = 0; k < row.size(); ++k) text += (k == 0 ? "" : ",") + row[k];
    text += "\n";
  }
  place.write("film.csv", text);
}

}  // namespace

TEST_CASE("diagnose: markers that lag are named, and a refit with the recording split in two fits",
          "[app][fit][diagnose]") {
  const Workplace place;
  place.write("truth.yaml", replaced(chain_with("", ""), "time_step: 4 ms", "time_step: 2.5 ms"));
  REQUIRE(place.run("record truth.yaml --rate 200 --noise '0.5 mm' --out fine.csv").status == 0);
  delay_last_markers(place);
  const json result = diagnose_chain(place);
  CHECK(result["findings"][0]["name"] == "clocks of markers 3, 4, 5 and of 1, 2");
  const json refit = json::parse(read_text(place / "run-refit/fit.json"));
  INFO(refit["why"]);  // no other doubt than the coarse step
  CHECK((refit["status"] == "converged" || says(refit["why"], "halving the time step would change")));
  const json& clock = refit["parameters"].back();
  CHECK(clock["name"] == "clock_offset[film-2]");
  CHECK(std::abs(clock["estimate"].get<double>() + 5e-3) < 5 * clock["standard_error"].get<double>());
  const json& charge = refit["parameters"][0];
  CHECK(std::abs(charge["estimate"].get<double>() - 100e-9) < 4 * charge["standard_error"].get<double>());
}
