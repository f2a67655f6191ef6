#include "datasets/trajectory/h5md.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using pithball::test::lines_of;
using pithball::test::Outcome;
using pithball::test::read_text;
using pithball::test::says;
using pithball::test::Workplace;
namespace fs = std::filesystem;

namespace {

/// Drops from a nozzle, 20 in all, of which a plane takes those that fall back; two attributes.
const std::string jet = R"(
name: jet
system: {vertices: [[0, 0, 0], [1, 0, 1]], mass: [1 g, 2 g], charge: [1 nC, 2 nC], pinned: [0]}
forces: [gravity: [0, 0, -9.81], coulomb: {}, point_charge: {charge: 1 nC, position: [0, 3, 3]}]
population:
  seed: 4
  attributes: {temperature: 283, gray: 0.5}
  emitters:
    - disc: {center: [0, 0, 0], normal: [0, 0, 1], radius: 2 cm, rate: 40, end: 0.5, velocity: [0, 0, 3],
             velocity_spread: 0.1, lifetime: 2, lifetime_spread: 1.5, template: [1, 0], attributes: {temperature: 350}}
  sinks:
    - plane: {normal: [0, 0, 1]}
simulation: {integrator: velocity_verlet, time_step: 5 ms, duration: 1.2}
output: {every: 4}
)";

std::string with(const std::string& what, const std::string& instead) {
  std::string text = jet;
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), instead);
}

}  // namespace

TEST_CASE("population: a run folder contains the particles of every state, and their attributes", "[app][population]") {
  const Workplace place;
  place.write("jet.yaml", jet);
  const Outcome run = place.run("simulate jet.yaml --out jet --json");
  REQUIRE(run.status == 0);
  CHECK(run.json()["population"]["emitted"] == 20);
  const auto found = datasets::read_h5md((place / "jet/trajectory.h5").string());
  CHECK(found.body.attributes == std::vector<std::string>{"temperature", "gray"});
  const auto& trajectory = found.trajectory;
  REQUIRE(trajectory.rosters.size() == 61);
  CHECK(trajectory.rosters.front().id == std::vector<std::int64_t>{0, 1});
  std::size_t most = 0;
  for (std::size_t k = 0; k < 61; ++k) {
    const sim::Roster& roster = trajectory.rosters[k];
    most = std::max(most, roster.size());
    for (std::size_t p = 0; p < roster.size(); ++p) {
      const auto column = static_cast<sim::Index>(p);
      CHECK(roster.attributes(0, column) == (roster.id[p] < 2 ? 283 : 350));
      CHECK(roster.attributes(1, column) == 0.5);
      CHECK(roster.like[p] == (roster.id[p] < 2 ? roster.id[p] : 1 - roster.id[p] % 2));
      CHECK((trajectory.states[k].x(2, column) >= 0 && roster.death_time[p] > trajectory.states[k].t));
    }
  }
  CHECK(most > 15);
  CHECK(trajectory.rosters.back().size() < 5);
}

TEST_CASE("population: an interrupted run continues as if it had not been", "[app][population]") {
  const Workplace place;
  place.write("jet.yaml", jet);
  REQUIRE(place.run("simulate jet.yaml --out whole").status == 0);
  // The folder as a kill would have left it after the 23rd snapshot.
  constexpr std::size_t left = 23;
  fs::copy(place / "whole", place / "parts.partial", fs::copy_options::recursive);
  fs::remove(place / "parts.partial/summary.json");
  auto kept = datasets::read_h5md((place / "whole/trajectory.h5").string());
  kept.trajectory.states.resize(left);
  kept.trajectory.complete = false;
  datasets::write_h5md((place / "parts.partial/trajectory.h5").string(), kept.body, kept.trajectory);
  const auto rows = lines_of(read_text(place / "whole/energy.csv"));
  std::string table;
  for (std::size_t k = 0; k <= left + 1; ++k) table += rows[k] + "\n";
  place.write("parts.partial/energy.csv", table);

  const Outcome resumed = place.run("simulate jet.yaml --out parts --resume --json");
  CAPTURE(resumed.err);
  REQUIRE(resumed.status == 0);
  CHECK(resumed.json()["resumed_from_step"] == 88);
  CHECK(read_text(place / "parts/energy.csv") == read_text(place / "whole/energy.csv"));
  const auto a = datasets::read_h5md((place / "parts/trajectory.h5").string()).trajectory;
  const auto b = datasets::read_h5md((place / "whole/trajectory.h5").string()).trajectory;
  REQUIRE(a.states.size() == b.states.size());
  CHECK(a.states.back().x == b.states.back().x);
  CHECK(a.states.back().v == b.states.back().v);
  CHECK(a.rosters.back().id == b.rosters.back().id);
  CHECK(a.rosters.back().attributes == b.rosters.back().attributes);
  const auto summary = [&](const char* folder) {
    return nlohmann::json::parse(read_text(place / (std::string(folder) + "/summary.json")));
  };
  CHECK(summary("parts")["population"] == summary("whole")["population"]);
}

TEST_CASE("population: pages and exports show particles while they are there", "[app][population]") {
  const Workplace place;
  place.write("jet.yaml", jet);
  REQUIRE(place.run("simulate jet.yaml --out jet --report").status == 0);
  const std::string page = read_text(place / "jet/report.html");
  CHECK(page.find("\"present\"") != std::string::npos);
  // Colors reach from the coldest that is there, not from the 0 of nobody.
  const std::size_t temperature = page.find("\"name\":\"temperature\"");
  REQUIRE(temperature != std::string::npos);
  CHECK(page.find("\"offset\":283.0", temperature) < page.find("\"data\":", temperature));

  const auto kept = datasets::read_h5md((place / "jet/trajectory.h5").string()).trajectory;
  std::size_t particles = 0;
  for (const sim::Roster& roster : kept.rosters) particles += roster.size();
  REQUIRE(place.run("export jet --format csv").status == 0);
  const auto rows = lines_of(read_text(place / "jet/export/csv/positions.csv"));
  CHECK(rows.front() == "time,particle,x,y,z,vx,vy,vz,like,age,temperature,gray");
  CHECK(rows.size() == particles + 1);
  CHECK(place.run("export jet --format npz").status == 0);
  REQUIRE(place.run("export jet --format vtk").status == 0);
  const std::string frame = read_text(place / "jet/export/vtk/jet_00020.vtp");
  CHECK(frame.find("NumberOfPoints=\"" + std::to_string(kept.rosters[20].size()) + "\"") != std::string::npos);
  for (const char* name : {"\"id\"", "\"age\"", "\"temperature\""}) CHECK(frame.find(name) != std::string::npos);
  // LAMMPS starts from one state, with those who are there, and the external charge as one more atom.
  REQUIRE(place.run("export jet --format lammps --time 0.4 --out deck").status == 0);
  CHECK(read_text(place / "deck/system.data").find(std::to_string(kept.rosters[20].size() + 1) + " atoms") !=
        std::string::npos);
  for (const char* format : {"obj", "pc2"}) {
    const Outcome rejected = place.run(std::string("export jet --format ") + format);
    CHECK(rejected.status == 2);
    CHECK(rejected.err.find("come and go") != std::string::npos);
  }
}

TEST_CASE("population: a run that cannot continue with those that come ends with what it has", "[app][population]") {
  const Workplace place;
  // Without velocity the second drop of charge meets the first.
  std::string text = with("velocity: [0, 0, 3]", "velocity: [0, 0, 0]");
  for (const auto& [what, instead] : std::map<std::string, std::string>{
           {"disc: {center: [0, 0, 0], normal: [0, 0, 1], radius: 2 cm,", "point: {at: [0, 1, 1],"},
           {"velocity_spread: 0.1", "start: 0.1"},
           {"gravity: [0, 0, -9.81], coulomb: {}, point_charge: {charge: 1 nC, position: [0, 3, 3]}", "coulomb: {}"},
           {"time_step: 5 ms", "time_step: 0.1"}}) {
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    text.replace(at, what.size(), instead);
  }
  place.write("jet.yaml", text);
  const Outcome run = place.run("simulate jet.yaml --out jet --json --report");
  CHECK(run.status == 1);
  CHECK(run.json()["status"] == "failed");
  CHECK(run.json()["failed_step"] == run.json()["completed_steps"].get<int>() + 1);
  CHECK(run.json()["why"].get<std::string>().find("at the same point") != std::string::npos);
  CHECK(fs::exists(place / "jet/report.html"));
  CHECK(datasets::read_h5md((place / "jet/trajectory.h5").string()).trajectory.states.size() > 0);
}

TEST_CASE("population: what a link has let go can leave, and exports follow", "[app][population]") {
  const Workplace place;
  place.write("pair.yaml", R"(
name: pair
system: {vertices: [[0, 0, 1], [1, 0, 1]], mass: 1}
forces: [gravity: [0, 0, -9.81], drag: {linear: 0.01}]
constraints: [distance: {edges: [[0, 1]], rest_length: 0.5, compliance: 1 mm/N, max_tension: 5}]
population: {sinks: [plane: {normal: [0, 0, 1]}], emitters: [point: {at: [3, 0, 1], rate: 100, velocity: [0, 0, 1]}]}
simulation: {integrator: xpbd, time_step: 10 ms, duration: 1}
)");
  const Outcome run = place.run("simulate pair.yaml --out pair --json");
  REQUIRE(run.status == 0);
  CHECK(run.json()["broken_links"].size() == 1);
  CHECK(run.json()["population"]["taken"] > 2);
  CHECK(place.run("export pair --format vtk").status == 0);
  CHECK(place.run("report pair").status == 0);
}

TEST_CASE("population: what cannot be is rejected with its place", "[app][population][error]") {
  const Workplace place;
  const auto complaint = [&](const std::string& text, const std::string& command = "simulate") {
    place.write("jet.yaml", text);
    const Outcome outcome = place.run(command + " jet.yaml");
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK(says(complaint(with("disc:", "plane:")), "known are point, disc, sphere, box"));
  CHECK(says(complaint(with("- plane: {normal", "- disc: {normal")), "known are sphere, box, plane"));
  CHECK(says(complaint(with("rate: 40", "rate: -40")), "rate: must be >= 0 1/s"));
  CHECK(says(complaint(with("template: [1, 0]", "template: [7]")), "template"));
  CHECK(says(complaint(with("lifetime_spread: 1.5", "lifetime_spread: 2.5")), "lifetime_spread"));
  for (const char* name : {"age", "positions", "speed", "\"a,b\"", "\".\""})
    CHECK(says(complaint(with("gray: 0.5", std::string(name) + ": 0.5")), "must be an unused name"));
  CHECK(says(complaint(with("rate: 40", "rate: 1e19")), "at most 1e9 particles"));
  CHECK(says(complaint(with("attributes: {temperature: 350}", "attributes: {temprature: 350}")), "temperature"));
  CHECK(says(complaint(with("velocity_verlet", "imex_bdf2")), "step history"));
  CHECK(says(complaint(with("population:", "key_frames: [charge: {times: [0], values: [0]}]\npopulation:")),
             "key_frames"));
  CHECK(says(complaint(jet, "check-gradient"), "the same particles"));
  CHECK(says(complaint(jet + "compare: {integrators: [velocity_verlet, imex_euler], time_steps: [5 ms]}\n", "compare"),
             "the same particles"));
  CHECK(says(complaint(jet + "fit: {parameters: [charge], recordings: []}\n", "fit"), "the same particles"));
  CHECK(place.listing() == "jet.yaml ");
}
