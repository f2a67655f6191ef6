// What a run says of events that are too short for its steps.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using pithball::test::Outcome;
using pithball::test::Workplace;

namespace {

nlohmann::json simulated(const Workplace& place, const std::string& arguments) {
  const Outcome run = place.run("simulate " + arguments + " --out run --overwrite --json");
  INFO(run.err);
  REQUIRE(run.status == 0);
  return nlohmann::json::parse(run.out);
}

/// Whether the reason of the status, if there is one, says this.
bool says(const nlohmann::json& summary, const std::string& text) {
  const nlohmann::json& why = summary.at("why");
  return why.is_string() && why.get<std::string>().find(text) != std::string::npos;
}

/// The time step that a remedy says to write.
std::string written_step(const nlohmann::json& summary) {
  const std::string remedy = summary.at("remedy"), begin = "`time_step: ";
  const auto at = remedy.find(begin);
  REQUIRE(at != std::string::npos);
  return remedy.substr(at + begin.size(), remedy.find('`', at + 1) - at - begin.size());
}

}  // namespace

TEST_CASE("short events: what flies through something makes a run doubtful, and the step to write resolves it",
          "[app][simulate]") {
  const Workplace place;
  place.write("spheres.yaml",
              "name: spheres\n"
              "system: {vertices: [[-1, 0, 0], [1, 0.004, 0]], mass: 1, springs: none,\n"
              "         velocities: [[500, 0, 0], [-500, 0, 0]]}\n"
              "constraints: [{spheres: {radius: 0.01, restitution: 1}}]\n"
              "simulation: {integrator: xpbd, time_step: 1 ms, duration: 5 ms}\n");
  place.write("block.yaml",
              "name: block\n"
              "system: {vertices: [[0.013, 0, 0]], mass: 1, springs: none, velocities: [[50, 0, 0]]}\n"
              "forces: [{box_penalty: {min: [0.5, -1, -1], max: [0.51, 1, 1], side: outside, stiffness: 1e8}}]\n"
              "simulation: {integrator: velocity_verlet, time_step: 1 ms, duration: 20 ms}\n");
  for (const std::string name : {"spheres", "block"}) {
    INFO(name);
    const nlohmann::json seen = simulated(place, name + ".yaml");
    CHECK(seen.at("status") == "doubtful");
    CHECK(says(seen, "flew through"));
    const nlohmann::json better =
        simulated(place, name + ".yaml --set \"simulation.time_step=" + written_step(seen) + "\"");
    INFO(better.dump());
    CHECK_FALSE(says(better, "flew through"));  // whether a stiff wall needs shorter steps yet, its energy says
  }
  // Those that pass beside each other are none of this.
  const nlohmann::json beside = simulated(place, "spheres.yaml --set \"system.vertices=[[-1, 0, 0], [1, 0.03, 0]]\"");
  CHECK(beside.at("status") == "ok");
  const nlohmann::json above = simulated(place, "block.yaml --set \"system.vertices=[[0, 1.5, 0]]\"");
  CHECK(above.at("status") == "ok");
}

TEST_CASE(
    "short events: a pulse that is too short for the time step makes a run doubtful, and the step to write "
    "resolves it",
    "[app][simulate]") {
  const Workplace place;
  place.write("table.csv", "s,phi\n-9,9\n0,0\n9,-9\n");
  const auto experiment = [&](const std::string& force, const std::string& integrator) {
    place.write("a.yaml", "name: a\nsystem: {vertices: [[0, 0, 0]], mass: 1, charge: 1, springs: none}\nforces: [" +
                              force + "]\nsimulation: {integrator: " + integrator + ", time_step: 0.1, duration: 1}\n");
  };
  const std::string pulse = "{applied_force: {each: {expression: [\"exp(-((t-0.52)/0.01)^2)\", \"0\", \"0\"]}}}";
  const std::string smooth = "{applied_force: {each: {expression: [\"sin(5*t)\", \"0\", \"0\"]}}}";
  const std::string field = "{electric_field: {table: table.csv, from: 0.52, until: 0.53}}";
  for (const auto& [force, integrator] :
       {std::pair{pulse, "velocity_verlet"}, {pulse, "rk4"}, {pulse, "xpbd"}, {field, "leapfrog"}, {field, "ab2"}}) {
    INFO(integrator << ": " << force);
    experiment(force, integrator);
    nlohmann::json seen = simulated(place, "a.yaml");
    CHECK(seen.at("status") == "doubtful");
    const char* pulse_of = "a pulse of a force or field";
    CHECK(says(seen, pulse_of));
    for (int k = 0; k < 3 && says(seen, pulse_of); ++k)  // a first look may not see how short it is
      seen = simulated(place, "a.yaml --set \"simulation.time_step=" + written_step(seen) + "\"");
    CHECK_FALSE(says(seen, pulse_of));
  }
  for (const auto& [force, integrator] : {std::pair{smooth, "velocity_verlet"},
                                          {smooth, "rk4"},
                                          {smooth, "leapfrog"},
                                          {field, "velocity_verlet"},
                                          {field, "imex_midpoint"},
                                          {pulse, "dormand_prince"}}) {
    INFO(integrator << ": " << force);
    experiment(force, integrator);
    CHECK(simulated(place, "a.yaml").at("status") == "ok");
  }
}

TEST_CASE("short events: max_step of an adaptive integrator must be positive", "[app][simulate][error]") {
  const Workplace place;
  place.write("a.yaml",
              "name: a\nsystem: {vertices: [[0, 0, 0]], mass: 1, springs: none}\n"
              "simulation: {integrator: {dormand_prince: {max_step: 0 s}}, time_step: 0.1, duration: 1}\n");
  const Outcome run = place.run("simulate a.yaml");
  CHECK(run.status == 2);
  CHECK_THAT(run.err, Catch::Contains("max_step"));
}
