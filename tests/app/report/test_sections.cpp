#include <algorithm>
#include <cmath>

#include "app/report/sections.hpp"
#include "app/run_folder/kept_states.hpp"
#include "sim/core/types.hpp"
#include "tests/app/program.hpp"
#include "tests/app/report/unpack.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::app;
using namespace pithball::test;

namespace {

/// The document of the only section with this title.
nlohmann::ordered_json document(const Sections& sections, const std::string& kind, const std::string& title) {
  nlohmann::ordered_json found;
  for (const Section& section : sections)
    if (section.document.at("title") == title) {
      CHECK(found.is_null());
      CHECK(section.kind == kind);
      found = section.document;
    }
  REQUIRE(!found.is_null());
  return found;
}

nlohmann::ordered_json fact(const nlohmann::ordered_json& summary, const std::string& label) {
  for (const auto& entry : summary.at("facts"))
    if (entry.at("label") == label) return entry.at("value");
  return nullptr;
}

const std::vector<pithball::sim::EnergyRow>& energy_of(const Run& run) {
  return std::get<SimulationResults>(run.results).energy;
}

/// Simulates `yaml` in `place` and reads the run back.
Run simulated(const Workplace& place, const std::string& yaml, const std::string& arguments = "") {
  place.write("small.yaml", yaml);
  const Outcome outcome = place.run("simulate small.yaml --out run " + arguments);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status != 2);
  return read_run(place / "run");
}

}  // namespace

TEST_CASE("summary section: says what summary.json says", "[app][report]") {
  const Workplace place;
  const auto summary = document(make_sections(simulated(place, small_experiment), {}), "summary", "Summary");
  const auto file = nlohmann::json::parse(read_text(place / "run/summary.json"));
  CHECK(summary["name"] == "small");
  CHECK(summary["command"] == "simulate");
  CHECK(summary["status"] == "ok");
  CHECK(summary["grade"] == "good");
  CHECK(summary["explanation"].is_null());
  CHECK(fact(summary, "particles") == 3);
  CHECK(fact(summary, "springs") == 2);
  CHECK(fact(summary, "completed steps") == 20);
  CHECK(fact(summary, "simulated time").get<double>() == Approx(0.2).epsilon(1e-12));
  CHECK(fact(summary, "largest energy error, relative to exchanged energy") == file["energy_error"]["max"]);
  CHECK(fact(summary, "run time") == file["seconds"]);
  CHECK(fact(summary, "failed at step").is_null());
}

TEST_CASE("energy sections: hold the numbers of energy.csv, and how far their sum drifts", "[app][report]") {
  const Workplace place;
  const Run run = simulated(place, small_experiment);
  const auto rows = read_energy_table(place / "run/energy.csv");
  REQUIRE(rows.size() == 21);
  const Sections sections = make_sections(run, {});
  const auto energy = document(sections, "plot", "Energy"), drift = document(sections, "plot", "Energy drift");
  const auto energy_error = nlohmann::json::parse(read_text(place / "run/summary.json"))["energy_error"];
  const std::vector<std::string> kinds{"elastic", "coulomb", "external", "kinetic", "dampers", "numerical", "total"};
  REQUIRE(energy["series"].size() == kinds.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    CHECK(energy["x"]["values"][k] == rows[k].t);
    const std::vector<double> wanted{rows[k].elastic,
                                     rows[k].coulomb,
                                     rows[k].external,
                                     rows[k].kinetic,
                                     rows[k].losses[pithball::sim::LossKind::Dampers],
                                     rows[k].numerical,
                                     rows[k].total()};
    for (std::size_t s = 0; s < kinds.size(); ++s) {
      CHECK(energy["series"][s]["label"] == kinds[s]);
      CHECK(energy["series"][s]["values"][k] == wanted[s]);
    }
    if (k == 0) continue;
    CHECK(drift["series"][0]["values"][k].get<double>() ==
          Approx(std::abs(rows[k].numerical - rows[0].numerical) / energy_error["scale"].get<double>()));
  }
  CHECK(drift["y"]["log"] == true);
  CHECK(std::isnan(drift["series"][0]["values"][0].get<double>()));  // null in the page: a log axis has no zero
  CHECK(energy["time"] == true);
}

TEST_CASE("energy sections: kinds that are zero throughout are named instead of drawn", "[app][report]") {
  const Workplace place;
  const Run run = simulated(place, replaced(small_experiment, "charge: 1 uC", "charge: 0"));
  const auto energy = document(make_sections(run, {}), "plot", "Energy");
  CHECK(energy["series"].size() == 6);
  CHECK(energy["note"].get<std::string>().find("not drawn: coulomb, interaction") != std::string::npos);
}

TEST_CASE("energy sections: what keeps its energy to the last bit has no plot of a drift", "[app][report]") {
  const Workplace place;
  const Run run = simulated(place, replaced(small_experiment, "pinned: [0]", "pinned: [0, 1, 2]"));
  for (const Section& section : make_sections(run, {})) CHECK(section.document["title"] != "Energy drift");
}

TEST_CASE("energy sections: of many rows at most 2000 are drawn, and the note says so", "[app][report]") {
  const Workplace place;
  const Run run = simulated(place, small_experiment, "--set simulation.duration=50");
  REQUIRE(energy_of(run).size() == 5001);
  const auto energy = document(make_sections(run, {}), "plot", "Energy");
  CHECK(energy["x"]["values"].size() <= 2000);
  CHECK(energy["x"]["values"].back() == energy_of(run).back().t);
  CHECK(energy["note"].get<std::string>().find(" of 5001 rows") != std::string::npos);
}

TEST_CASE("motion section: decoded positions are those of trajectory.h5 to the stated error", "[app][report]") {
  const Workplace place;
  const Run run = simulated(place, small_experiment, "--set simulation.duration=2");
  const auto motion = document(make_sections(run, {}), "motion", "Motion");
  const auto states = pithball::datasets::read_h5md((place / "run/trajectory.h5").string()).trajectory.states;
  REQUIRE(motion["times"].size() == 201);
  CHECK(motion["thinning"]["kept"] == 201);
  CHECK(motion["thinning"]["shown"] == 201);
  const double error = motion["thinning"]["position_error"];
  CHECK(error > 0);
  CHECK(error < 1e-3);
  const auto positions = unpack(motion["positions"]), speed = unpack(motion["speed"]);
  REQUIRE(positions.size() == 201 * 9);
  double worst = 0, worst_speed = 0, fastest = 0;
  for (std::size_t f = 0; f < states.size(); ++f) {
    CHECK(motion["times"][f] == states[f].t);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto column = static_cast<Eigen::Index>(i);
      const Eigen::Map<const Eigen::Vector3d> shown(&positions[9 * f + 3 * i]);
      worst = std::max(worst, (shown - states[f].x.col(column)).norm());
      worst_speed = std::max(worst_speed, std::abs(speed[3 * f + i] - states[f].v.col(column).norm()));
      fastest = std::max(fastest, states[f].v.col(column).norm());
    }
  }
  CHECK(worst <= error * (1 + 1e-9));
  CHECK(worst > error / 10);
  CHECK(worst_speed <= fastest / 255 / 2 * (1 + 1e-9));
  CHECK(motion["pinned"] == std::vector<int>{0});
  CHECK(unpack(motion["springs"]["pairs"]) == std::vector<double>{0, 1, 1, 2});
  CHECK(unpack(motion["springs"]["rest_length"])[1] == Approx(std::sqrt(2.0)).epsilon(1e-6));
  CHECK(motion["up"] == std::vector<double>{0, 0, 1});
  CHECK(motion["recording"].is_null());
  CHECK(motion["field"]["times"].size() == 60);
  CHECK(motion["field"]["times"].back() == motion["times"].back());
}

TEST_CASE("motion section: a file that lacks what run.yaml has is rejected", "[app][report][error]") {
  const Workplace place;
  simulated(place, replaced(small_experiment, "stiffness: 10", "stiffness: [10, 20]"));
  const std::string file = (place / "run/trajectory.h5").string();
  const pithball::datasets::H5mdTrajectory stored = pithball::datasets::read_h5md(file);
  const auto rejects = [&](void (*damage)(pithball::datasets::H5mdBody&)) {
    pithball::datasets::H5mdBody body = stored.body;
    damage(body);
    write_h5md(file, body, stored.trajectory);
    CHECK_THROWS_AS(make_sections(read_run(place / "run"), {}), pithball::InvalidArgument);
  };
  rejects([](pithball::datasets::H5mdBody& body) { body.stiffness.resize(0); });
  rejects([](pithball::datasets::H5mdBody& body) { body.rest_length.resize(0); });
  rejects([](pithball::datasets::H5mdBody& body) {
    body.springs.pop_back();
    body.stiffness.conservativeResize(1);
    body.rest_length.conservativeResize(1);
  });
}

TEST_CASE("motion section: frames are left out until the budget holds, never the last", "[app][report]") {
  const Workplace place;
  const Run run = simulated(place, small_experiment, "--set simulation.duration=20");
  const auto motion = document(make_sections(run, {.motion_size = 0.003}), "motion", "Motion");
  const std::size_t shown = motion["thinning"]["shown"];
  CHECK(shown < 700);
  CHECK(shown > 20);
  CHECK(motion["times"].size() == shown);
  CHECK(motion["times"].front() == 0);
  CHECK(motion["times"].back() == energy_of(run).back().t);
  CHECK(motion["positions"]["data"].get<std::string>().size() + motion["speed"]["data"].get<std::string>().size() <=
        3000);
  CHECK(motion["thinning"]["kept"] == 2001);
}

TEST_CASE("motion section: colors by charge, and by mass and stiffness where they vary", "[app][report]") {
  const Workplace place;
  std::string yaml = replaced(small_experiment, "mass: 0.1", "mass: [0.1, 0.2, 0.3]");
  yaml = replaced(yaml, "stiffness: 10", "stiffness: [10, 20]");
  const auto motion = document(make_sections(simulated(place, yaml), {}), "motion", "Motion");
  REQUIRE(motion["quantities"].size() == 3);
  const std::vector<std::string> names{"charge", "mass", "stiffness"}, units{"C", "kg", "N/m"};
  for (std::size_t q = 0; q < 3; ++q) {
    CHECK(motion["quantities"][q]["name"] == names[q]);
    CHECK(motion["quantities"][q]["unit"] == units[q]);
    CHECK(motion["quantities"][q]["of"] == (q < 2 ? "particles" : "springs"));
  }
  CHECK(unpack(motion["quantities"][0]["values"])[2] == Approx(1e-6).epsilon(1e-7));
  CHECK(unpack(motion["quantities"][2]["values"]) == std::vector<double>{10, 20});
  const Workplace other;
  const auto plain = simulated(other, replaced(small_experiment, "charge: 1 uC", "charge: 0"));
  CHECK(document(make_sections(plain, {}), "motion", "Motion")["quantities"].empty());
}

TEST_CASE("motion section: arrows are the field of charges, point charges and external fields", "[app][report]") {
  using pithball::sim::coulomb_constant;
  const Workplace place;
  // A charge at rest, a point charge on its way, and a uniform field.
  place.write("way.csv", "t,x,y,z\n0,0,0,3\n0.1,0,0,4\n0.2,0,0,5\n");
  const Run run = simulated(place, R"(name: arrows
system: {vertices: [[0, 0, 0]], mass: 1, charge: 2 uC, pinned: [0]}
forces:
  - electric_field: [0, 1000, 0]
  - point_charge: {charge: 3 uC, position: {file: way.csv}}
simulation: {time_step: 0.01, duration: 0.2}
)");
  const auto motion = document(make_sections(run, {}), "motion", "Motion");
  const auto& field = motion["field"];
  const auto points = unpack(field["points"]), values = unpack(field["values"]);
  CHECK(points.size() / 3 == 512);
  REQUIRE(field["times"].size() == 21);
  REQUIRE(values.size() == 21 * points.size());
  CHECK(motion["point_charges"][0]["charge"] == 3e-6);
  REQUIRE(motion["point_charges"][0]["positions"].size() == 21);
  std::size_t compared = 0;
  for (std::size_t k = 0; k < 21; ++k) {
    const double t = field["times"][k];
    const Eigen::Vector3d other(0, 0, 3 + 10 * t);
    CHECK(motion["point_charges"][0]["positions"][k][2].get<double>() == Approx(other[2]).epsilon(1e-12));
    for (std::size_t p = 0; p < points.size() / 3; ++p) {
      const Eigen::Map<const Eigen::Vector3d> x(&points[3 * p]), got(&values[k * points.size() + 3 * p]);
      if (got.array().isNaN().any()) continue;
      const Eigen::Vector3d r = x - other;
      const Eigen::Vector3d wanted =
          coulomb_constant * (2e-6 * x / std::pow(x.norm(), 3) + 3e-6 * r / std::pow(r.norm(), 3)) +
          Eigen::Vector3d(0, 1000, 0);
      REQUIRE((got - wanted).norm() < 1e-4 * wanted.norm() + 1e-2);
      ++compared;
    }
  }
  CHECK(compared > 21 * 500);
}

TEST_CASE("motion section: obstacles, wind, faces and groups are those of the experiment", "[app][report]") {
  const Workplace place;
  const Run run = simulated(place, R"(name: scene
system:
  mesh: {grid: {size: [1, 1], segments: [1, 2]}}
  mass: 1
  groups: {corner: {vertices: [0, 5]}}
  springs: {stiffness: 10}
forces:
  - drag: {quadratic: 0.1, wind: {expression: ["2", "x", "0"]}}
  - plane_penalty: {point: [0, 0, -50 cm], stiffness: 100}
  - sphere_penalty: {center: [0, 0, 3], sphere_radius: 1, stiffness: 100}
  - box_penalty: {min: [-9, -9, -9], max: [9, 9, 9], stiffness: 100}
simulation: {time_step: 0.01, duration: 0.02}
)");
  const auto motion = document(make_sections(run, {}), "motion", "Motion");
  CHECK(motion["obstacles"] ==
        nlohmann::ordered_json::parse(R"([{"plane": {"point": [0.0, 0.0, -0.5], "normal": [0.0, 0.0, 1.0]}},
                                  {"sphere": {"center": [0.0, 0.0, 3.0], "radius": 1.0}},
                                  {"box": {"min": [-9.0, -9.0, -9.0], "max": [9.0, 9.0, 9.0]}}])"));
  const auto points = unpack(motion["wind"]["points"]), wind = unpack(motion["wind"]["values"]);
  CHECK(motion["wind"]["times"].size() == 1);
  REQUIRE(wind.size() == points.size());
  REQUIRE(wind.size() > 3);
  for (std::size_t p = 0; p < points.size(); p += 3) {
    CHECK(wind[p] == 2);
    CHECK(wind[p + 1] == Approx(points[p]));
  }
  CHECK(motion["faces"]["shape"] == std::vector<int>{4, 3});  // two quadrilaterals
  CHECK(std::ranges::any_of(motion["groups"], [](const auto& group) {
    return group["name"] == "corner" && unpack(group["particles"]) == std::vector<double>{0, 5};
  }));
}

TEST_CASE("motion section: next to charges of a large flat body there are no arrows", "[app][report]") {
  const Workplace place;
  const auto motion = document(make_sections(simulated(place, R"(name: flat
system:
  vertices: [[0, 0, 0], [300, 0, 0], [0, 300, 0], [110, 70, 0], [200, 190, 0], [40, 230, 0], [150, 10, 0]]
  mass: 1
  charge: 2 uC
  pinned: [0, 1, 2, 3, 4, 5, 6]
forces: [coulomb]
simulation: {time_step: 0.01, duration: 0.02}
)"),
                                             {}),
                               "motion", "Motion");
  const double charges[7][2] = {{0, 0}, {300, 0}, {0, 300}, {110, 70}, {200, 190}, {40, 230}, {150, 10}};
  const auto points = unpack(motion["field"]["points"]), values = unpack(motion["field"]["values"]);
  const double spacing = points[3] - points[0];  // along x; along y nearly the same
  REQUIRE(spacing > 10);
  std::size_t empty = 0;
  for (std::size_t p = 0; p < points.size(); p += 3) {
    double nearest = INFINITY;
    for (const auto& charge : charges)
      nearest = std::min(nearest, std::hypot(points[p] - charge[0], points[p + 1] - charge[1]));
    if (std::isnan(values[p]))
      ++empty;
    else
      CHECK(nearest > 0.3 * spacing);
  }
  CHECK(empty > 0);
}

TEST_CASE("motion section: a field that does not change is given once, none without charges", "[app][report]") {
  const Workplace place;
  const std::string still = replaced(small_experiment, "pinned: [0]", "pinned: [0, 1, 2]");
  const auto motion = document(make_sections(simulated(place, still), {}), "motion", "Motion");
  CHECK(motion["field"]["times"].size() == 1);
  CHECK(motion["field"]["points"]["shape"][0].get<int>() > 300);  // a plane of points around a flat body
  const auto points = unpack(motion["field"]["points"]);
  for (std::size_t p = 2; p < points.size(); p += 3) CHECK(points[p] == 0);
  const Workplace other;
  const auto plain = simulated(other, replaced(small_experiment, "charge: 1 uC", "charge: 0"));
  CHECK(!document(make_sections(plain, {}), "motion", "Motion").contains("field"));
}

TEST_CASE("experiment section: is run.yaml and its provenance", "[app][report]") {
  const Workplace place;
  const Run run = simulated(place, small_experiment, "--set system.mass=0.2 --threads 1");
  const auto experiment = document(make_sections(run, {}), "experiment", "Experiment");
  CHECK(experiment["yaml"] == read_text(place / "run/run.yaml"));
  CHECK(experiment["provenance"]["command"] == "simulate");
  CHECK(experiment["provenance"]["overrides"] == std::vector<std::string>{"system.mass=0.2"});
  CHECK(experiment["provenance"]["threads"] == 1);
  CHECK(experiment["provenance"]["experiment"] == (place / "small.yaml").string());
}

TEST_CASE("sections: a run that diverged is reported as such, with the motion up to then", "[app][report]") {
  const Workplace place;
  const Run run = simulated(place, small_experiment,
                            "--set simulation.integrator=velocity_verlet --set system.springs.stiffness=1e11 "
                            "--set simulation.duration=1");
  const Sections sections = make_sections(run, {});
  const auto summary = document(sections, "summary", "Summary");
  CHECK(summary["status"] == "diverged");
  CHECK(summary["grade"] == "bad");
  CHECK(summary["explanation"].get<std::string>().find("diverged at step") != std::string::npos);
  CHECK(!fact(summary, "failed at step").is_null());
  const auto motion = document(sections, "motion", "Motion");
  CHECK(motion["thinning"]["shown"] < motion["thinning"]["kept"]);
  CHECK(motion["note"].get<std::string>().find("snapshots are omitted") != std::string::npos);
  for (const double value : unpack(motion["positions"])) REQUIRE(std::abs(value) < 200);
}

TEST_CASE("sections: a doubtful run is reported as such, with the remedy and its notes", "[app][report]") {
  const Workplace place;
  const Run run = simulated(place, R"(name: small
system:
  vertices: [[0, 0, 0], [0.5, 0, 0], [1, 0, 0]]
  mass: 0.01
  pinned: [0, 2]
  springs: {edges: [[0, 1], [1, 2]], stiffness: 1000, rest_length: 0.7}
simulation: {integrator: imex_euler, time_step: 0.1, duration: 0.5}
)");
  const Sections sections = make_sections(run, {});
  const auto summary = document(sections, "summary", "Summary");
  CHECK(summary["status"] == "doubtful");  // it buckles within one step, and all that energy is gone
  CHECK(summary["grade"] == "doubtful");
  CHECK(summary["explanation"].get<std::string>().find("integrator: imex_midpoint") != std::string::npos);
  CHECK(document(sections, "table", "Notes")["rows"].size() == 1);
}

TEST_CASE("sections: those of a gradient check are its blocks", "[app][report]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const Outcome outcome = place.run("check-gradient small.yaml --steps 3 --out kept --json");
  REQUIRE(outcome.status == 0);
  const Run run = read_run(place / "kept");
  CHECK(run.experiment.scenario.steps == 3);
  const Sections sections = make_sections(run, {});
  CHECK(document(sections, "summary", "Summary")["status"] == "passed");
  const auto table = document(sections, "table", "Derivatives");
  const auto blocks = outcome.json()["blocks"];
  REQUIRE(table["rows"].size() == blocks.size());
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    REQUIRE(table["rows"][k].size() == table["columns"].size());
    CHECK(table["rows"][k][0] == blocks[k]["name"]);
    CHECK(table["rows"][k][2] == blocks[k]["largest"]);
    CHECK(table["rows"][k][3] == blocks[k]["adjoint_vs_tangent"]);
    CHECK(table["rows"][k][6] == blocks[k]["floor"]);
    CHECK(table["rows"][k][7] == blocks[k]["verdict"]);
  }
  CHECK(table["note"].get<std::string>().find("1e-08") != std::string::npos);
  const auto worst = document(sections, "table", "Largest disagreements");
  CHECK(worst["rows"][0][1] == blocks[0]["worst"]);
}
