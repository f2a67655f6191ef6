// `simulation.backend` and the programs in `compare.integrators`: LAMMPS makes the steps of our own velocity Verlet.

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>

#include "app/report/sections.hpp"
#include "tests/app/backend_place.hpp"
#include "tests/app/outside_program.hpp"

using namespace pithball;
using namespace pithball::test;
using nlohmann::json;

namespace {

const std::string all_forces =
    "[coulomb, {gravity: [1, 0, -9.81]}, {electric_field: {uniform: [3e4, 0, 1e5]}}, {point_charge: {charge: 20 uC, "
    "position: [0, 0, 3]}}]";

KeptRun simulate(const Workplace& place, const std::string& arguments, const std::string& folder) {
  const Outcome outcome = place.run("simulate torus.yaml --quiet " + arguments + " --out " + folder);
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  return KeptRun(place / folder);
}

/// A program that says that it is LAMMPS and then waits to be ended, as file `lmp` of the place; it leaves its number.
void write_waiting_program(const Workplace& place) {
  place.write("lmp", "#!/bin/sh\nif [ \"$1\" = -h ]; then exec lmp -h; fi\necho $$ >'" + (place / "number").string() +
                         "'\nwhile :; do echo waiting; sleep 0.05; done\n");
  ::chmod((place / "lmp").c_str(), 0755);
}

}  // namespace

TEST_CASE(
    "backend: LAMMPS makes the steps of velocity_verlet, with springs, charges, pinned particles, gravity, fields",
    "[app][backend][lammps]") {
  require_lammps();
  const Workplace place;
  place.write("torus.yaml", charged_torus(all_forces) + "output: {every: 7}\n");
  const KeptRun ours = simulate(place, "", "ours"),
                theirs = simulate(place, "--set simulation.backend=lammps", "theirs");
  REQUIRE(ours.trajectory.step.size() == 16);  // 0, 7, … 98 and the last, 100
  const sim::State &start = ours.trajectory.states.front(), &end = ours.trajectory.states.back();
  REQUIRE((end.x - start.x).norm() > 1);
  REQUIRE(end.x.col(30) == start.x.col(30));
  for (const double energy : {ours.energy.back().elastic, ours.energy.back().coulomb, ours.energy.back().external})
    REQUIRE(std::abs(energy) > 1e-2);
  // What differs are the orders of sums over 60 charges and LAMMPS's Coulomb constant times its dielectric, both by a
  // few roundings a step: 100 steps, and neighbors that part at most as their distance to the start grows.
  check_parity(ours, theirs, 1e4);
  CHECK(ours.summary["backend"]["name"] == "pithball");
  const json backend = theirs.summary["backend"];
  CHECK(backend["name"] == "lammps");
  CHECK(backend["version"].get<std::string>().rfind("LAMMPS ", 0) == 0);
  CHECK(backend["seconds"].get<double>() > 0);
  CHECK(backend["seconds"].get<double>() < theirs.summary["seconds"].get<double>());
  CHECK(backend["compile_seconds"].is_null());
  CHECK(read_text(place / "theirs/run.yaml").find("backend: lammps") != std::string::npos);
  CHECK(read_text(place / "ours/run.yaml").find("backend: pithball") != std::string::npos);
}

TEST_CASE("backend: LAMMPS moves neutral springs, and charges without Coulomb forces, as velocity_verlet does",
          "[app][backend][lammps]") {
  require_lammps();
  const Workplace place;
  place.write("torus.yaml", charged_torus("[{electric_field: {uniform: [3e4, 0, 1e5]}}]"));
  check_parity(simulate(place, "", "ours"), simulate(place, "--set simulation.backend=lammps", "theirs"), 1e4);
}

TEST_CASE("backend: a run of LAMMPS is a run folder like any other", "[app][backend][lammps]") {
  require_lammps();
  const Workplace place;
  place.write("torus.yaml", charged_torus("[coulomb]", ", backend: lammps"));
  simulate(place, "", "run");
  CHECK(place.run("export run --format csv --quiet").status == 0);
  CHECK(place.run("export run --format lammps --quiet").status == 0);
  const auto sections = app::make_sections(app::read_run(place / "run"), {});
  const std::string summary = sections.front().document.dump();
  CAPTURE(summary);
  CHECK(summary.find("LAMMPS") != std::string::npos);
}

TEST_CASE("backend: a run of LAMMPS that diverges ends with that status and what it had kept",
          "[app][backend][lammps]") {
  require_lammps();
  const Workplace place;
  place.write("torus.yaml", charged_torus("[coulomb]", ", backend: lammps"));
  const Outcome outcome =
      place.run("simulate torus.yaml --json --set simulation.time_step=0.5 --set simulation.duration=100");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 1);
  const json summary = outcome.json();
  CHECK(summary["status"] == "diverged");
  CHECK(summary["complete"] == true);
  CHECK(summary["failed_step"].get<int>() >= 1);
  CHECK(summary["failed_step"].get<int>() < 50);
  CHECK(summary["why"].get<std::string>().find("diverged at step") != std::string::npos);
  const KeptRun run(place / "runs/torus");
  CHECK(run.trajectory.states.size() >= 1);
  CHECK(run.energy.size() == run.trajectory.states.size());
}

TEST_CASE(
    "backend: LAMMPS that fails before its first word is started once more, then its status and message are printed",
    "[app][backend][lammps]") {
  require_lammps();
  const Workplace place;
  place.write("torus.yaml", charged_torus("[coulomb]", ", backend: lammps"));
  // Fails as often as there are lines in the file `left`, with a message as MPI prints it, then is LAMMPS.
  place.write("lmp",
              "#!/bin/sh\nif [ \"$1\" != -h ] && [ -s left ]; then sed -i 1d left; echo 'no MPI' >&2; exit 7; fi\n"
              "exec lmp \"$@\"\n");
  ::chmod((place / "lmp").c_str(), 0755);
  place.write("left", "1\n");
  const std::string command = "simulate torus.yaml --quiet --out ", lammps = "PITHBALL_LAMMPS=./lmp";
  const Outcome started_again = place.run(command + "one", lammps);
  CAPTURE(started_again.err);
  CHECK(started_again.status == 0);
  CHECK(read_text(place / "left").empty());

  place.write("left", "1\n2\n");
  const Outcome failed = place.run(command + "two", lammps);
  CHECK(failed.status == 1);
  CHECK(failed.err.find("lmp printed nothing and ended with status 7; its message: no MPI") != std::string::npos);
}

TEST_CASE("backend: a program that is absent is named with its package, and nothing is written",
          "[app][backend][error]") {
  const Workplace place;
  place.write("torus.yaml", charged_torus("[coulomb]"));
  const auto rejected = [&](const std::string& arguments, const std::string& before, const std::string& told) {
    const Outcome outcome = place.run(arguments, before);
    CAPTURE(arguments, before, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(told) != std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(place.listing() == "torus.yaml ");
  };
  const std::string lammps = "simulate torus.yaml --set simulation.backend=lammps",
                    jax_md = "simulate torus.yaml --set simulation.backend=jax_md",
                    compare = "compare torus.yaml --set 'compare.integrators=[velocity_verlet, ";
  rejected(lammps, "PATH=/nowhere", "apt install lammps");
  rejected(lammps, "PITHBALL_LAMMPS=/nowhere/lmp", "PITHBALL_LAMMPS");
  rejected(lammps, "PITHBALL_LAMMPS=/bin/true", "must be LAMMPS");
  rejected(compare + "lammps]'", "PATH=/nowhere", "apt install lammps");
  rejected(jax_md, "PITHBALL_BASELINES_PYTHON=/nowhere/python", "make baselines");
  rejected(jax_md, "PITHBALL_BASELINES_PYTHON=/bin/true", "make baselines");
  rejected(compare + "jax_md]'", "PITHBALL_BASELINES_PYTHON=/nowhere/python", "make baselines");
}

TEST_CASE("backend: what another program cannot do is rejected by name before anything runs", "[app][backend][error]") {
  const Workplace place;
  place.write("motion.csv", "t,x,y,z\n0,0,0,0\n0.5,0,0,1\n1,0,0,3\n");
  const std::string backend = GENERATE("lammps", "jax_md");
  place.write("torus.yaml", charged_torus("[coulomb]", ", backend: " + backend));
  const std::string needs = "simulation.backend: needs a model that " +
                            std::string(backend == "lammps" ? "LAMMPS" : "JAX MD") + " has counterparts for, got ";
  const auto rejected = [&](const std::string& change, const std::string& told) {
    const Outcome outcome = place.run("simulate torus.yaml --set '" + change + "'");
    CAPTURE(backend, change, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(told) != std::string::npos);
    CHECK((outcome.err.find("torus.yaml:11:") != std::string::npos) == (told.rfind(needs, 0) == 0));
    CHECK(place.listing() == "motion.csv torus.yaml ");
  };
  for (const std::string integrator : {"imex_euler", "imex_midpoint", "rk4", "verlet"})
    rejected("simulation.integrator=" + integrator,
             "simulation.integrator: must be velocity_verlet for `backend: " + backend);
  rejected("forces=[{drag: {linear: 0.1}}]", needs + "linear_drag;");
  rejected("forces=[{drag: {quadratic: 0.1}}]", needs + "quadratic_drag;");
  rejected("forces=[{electric_field: {expression: [\"x\", \"0\", \"0\"]}}]", needs + "electric_field;");
  rejected("system.springs.damping=0.1", needs + "dampers;");
  rejected("system.springs.cubic_stiffness=5", needs + "cubic_springs;");
  rejected("system.driven=[{vertices: [1], relative: true, path: {file: motion.csv}}]", needs + "driven;");
  if (backend == "lammps") rejected("forces=[{coulomb: {softening: 0.1}}]", needs + "softening;");
  rejected("simulation.backend=lamps", "did you mean 'lammps'?");
}

TEST_CASE("backend: commands other than simulate step by themselves and say so", "[app][backend][error]") {
  const Workplace place;
  place.write("torus.yaml", charged_torus("[coulomb]", ", backend: lammps"));
  for (const std::string command : {"check-gradient", "compare", "record"}) {
    const Outcome outcome =
        place.run(command + " torus.yaml" + (command == "record" ? " --rate 25 --out tracks.csv" : ""));
    CAPTURE(command, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("simulation.backend: must be pithball for `pithball " + command + "`") != std::string::npos);
    CHECK(place.listing() == "torus.yaml ");
  }
}

TEST_CASE("backend: a signal ends LAMMPS with the program, and --resume makes the whole run",
          "[app][backend][lammps]") {
  require_lammps();
  const Workplace place;
  place.write("torus.yaml", charged_torus("[coulomb]", ", backend: lammps"));
  write_waiting_program(place);
  place.write("signal.sh",
              "\"$@\" & program=$!\nwhile [ ! -s number ] && kill -0 $program 2>/dev/null; do sleep 0.02; done\n"
              "kill -TERM $program\nwait $program\n");
  const Outcome stopped = place.run("simulate torus.yaml --quiet --out parts", "PITHBALL_LAMMPS=./lmp sh signal.sh");
  CAPTURE(stopped.err);
  CHECK(stopped.status == 1);
  const pid_t child = std::stoi(read_text(place / "number"));
  CHECK(::kill(child, 0) != 0);  // it is gone
  CHECK(json::parse(read_text(place / "parts/summary.json"))["status"] == "interrupted");
  const KeptRun resumed = simulate(place, "--resume", "parts"), whole = simulate(place, "", "whole");
  CHECK(resumed.summary["complete"] == true);
  check_parity(whole, resumed, 1);
}

TEST_CASE("compare: a program is a row like a method, with the errors of velocity_verlet",
          "[app][compare][backend][lammps]") {
  require_lammps();
  const Workplace place;
  place.write("torus.yaml", charged_torus("[coulomb]"));
  const Outcome outcome = place.run(
      "compare torus.yaml --json --quiet --out kept --set simulation.duration=0.4 --set "
      "'compare={integrators: [velocity_verlet, lammps], time_steps: [0.02, 0.015], reference: {time_step: 0.001}}'");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const json comparison = outcome.json()["comparison"], rows = comparison["rows"];
  REQUIRE(rows.size() == 4);
  for (const std::size_t k : {0, 1}) {
    const json &ours = rows[k], &theirs = rows[k + 2];
    CAPTURE(ours.dump(), theirs.dump());
    CHECK(theirs["method"] == "lammps");
    CHECK(theirs["time_step"] == ours["time_step"]);
    CHECK(theirs["steps"] == ours["steps"]);
    CHECK(theirs["force_evaluations"] == ours["force_evaluations"]);
    CHECK(theirs["over_time"]["time"].size() == ours["over_time"]["time"].size());
    REQUIRE(ours["position_error"]["rms"].get<double>() > 1e-6);
    // The errors of both, 1e-5 m and more, differ by rounding of positions of some meters.
    for (const char* what : {"rms", "relative"})
      CHECK(theirs["position_error"][what].get<double>() ==
            Approx(ours["position_error"][what].get<double>()).epsilon(1e-6));
    for (const char* what : {"mean", "standard_deviation", "max"})
      CHECK(theirs["energy_error"][what].get<double>() ==
            Approx(ours["energy_error"][what].get<double>()).epsilon(1e-6));
    CHECK(theirs["seconds"].get<double>() > 0);
  }
  CHECK(comparison["backends"]["lammps"].get<std::string>().rfind("LAMMPS ", 0) == 0);
  for (const auto& section : app::make_sections(app::read_run(place / "kept"), {}))
    if (section.document.value("title", "") == "Comparison")
      CHECK(section.document["note"].get<std::string>().find("lammps is LAMMPS ") != std::string::npos);
}

TEST_CASE("compare: a program that diverges is a row with its step and without errors",
          "[app][compare][backend][lammps]") {
  require_lammps();
  const Workplace place;
  place.write("torus.yaml", charged_torus("[coulomb]"));
  const Outcome outcome = place.run(
      "compare torus.yaml --json --quiet --set simulation.duration=10 --set "
      "'compare={integrators: [lammps], time_steps: [0.5], reference: {time_step: 0.01}}'");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const json row = outcome.json()["comparison"]["rows"][0];
  CHECK(row["status"] == "diverged");
  CHECK(row["failed_step"].get<int>() <= 20);
  CHECK(row["energy_error"]["mean"].is_null());
  CHECK(row["position_error"]["rms"].is_null());
}
