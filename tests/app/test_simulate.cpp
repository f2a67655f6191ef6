#include <sstream>

#include "datasets/trajectory/h5md.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

namespace {

std::vector<double> numbers_of(const std::string& line) {
  std::istringstream cells(line);
  std::vector<double> numbers;
  for (std::string cell; std::getline(cells, cell, ',');) numbers.push_back(std::stod(cell));
  return numbers;
}

/// Interrupts a run by this integrator, resumes it and compares it with one that was not interrupted.
void interrupt_and_resume(const std::string& integrator) {
  const std::string long_run = replaced(small_experiment, "duration: 0.2", "duration: 600");
  const Workplace place;
  place.write("small.yaml", replaced(replaced(long_run, "imex_midpoint", integrator), "name: small",
                                     "name: small\noutput: {every: 7}"));
  place.write("signal.sh", signal_when_running);
  REQUIRE(place.run("simulate small.yaml --out whole").status == 0);
  // Ends with SIGTERM while the run goes on; on a machine so fast that it is over by then, there is nothing to
  // resume.
  const Outcome stopped = place.run("simulate small.yaml --out parts --json", "sh signal.sh TERM");
  CAPTURE(integrator, stopped.err);
  if (stopped.status != 0) {
    CHECK(stopped.status == 1);
    CHECK(stopped.json()["status"] == "interrupted");
    CHECK(stopped.err.find("Stopping after the current step; what is done is kept.") == 0);
    CHECK(nlohmann::json::parse(read_text(place / "parts/summary.json"))["complete"] == false);
    CHECK(!pithball::datasets::read_h5md((place / "parts/trajectory.h5").string()).trajectory.complete);
    const Outcome other = place.run("simulate small.yaml --out parts --resume --set system.mass=0.2");
    CHECK(other.status == 2);
    CHECK(other.err.find("the experiment has changed") != std::string::npos);
    const Outcome resumed = place.run("simulate small.yaml --out parts --resume --json");
    REQUIRE(resumed.status == 0);
    if (integrator == "imex_bdf2")  // whose past the folder does not hold: it begins again
      CHECK(resumed.json()["resumed_from_step"].is_null());
    else
      CHECK(resumed.json()["resumed_from_step"].get<int>() > 0);
    CHECK((resumed.out.find("the verdict counts the energy of all steps, but close approaches") != std::string::npos) ==
          (integrator != "imex_bdf2"));
  }
  CHECK(read_text(place / "parts/energy.csv") == read_text(place / "whole/energy.csv"));
  const auto a = pithball::datasets::read_h5md((place / "parts/trajectory.h5").string()).trajectory;
  const auto b = pithball::datasets::read_h5md((place / "whole/trajectory.h5").string()).trajectory;
  REQUIRE(a.states.size() == b.states.size());
  CHECK(a.states.back().x == b.states.back().x);
  CHECK(a.states.back().v == b.states.back().v);
  CHECK(place.run("simulate small.yaml --out parts --resume").status == 2);  // complete: nothing to resume
}

}  // namespace

TEST_CASE("simulate: leaves a whole run folder, and one JSON object on standard output", "[app][simulate]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const Outcome outcome = place.run("simulate small.yaml --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.err.empty());
  const auto summary = outcome.json();
  CHECK(summary["status"] == "ok");
  CHECK(summary["completed_steps"] == 20);
  CHECK(summary["complete"] == true);
  for (const char* name : {"run.yaml", "trajectory.h5", "energy.csv", "summary.json"})
    CHECK(fs::exists(place / "runs/small" / name));
  CHECK(nlohmann::json::parse(read_text(place / "runs/small/summary.json"))["completed_steps"] == 20);
  CHECK(place.listing() == "runs small.yaml ");
  CHECK(place.run("simulate small.yaml --quiet").out.empty());
}

TEST_CASE("simulate: energy.csv holds every kind and their sum from step 0", "[app][simulate]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("simulate small.yaml").status == 0);
  const auto lines = lines_of(read_text(place / "runs/small/energy.csv"));
  REQUIRE(lines.size() == 23);
  CHECK(lines[0].starts_with("# time [s]; energies [J] by kind and in total; energy removed since step 0 [J]"));
  CHECK(lines[1] ==
        "step,time,elastic,coulomb,interaction,external,kinetic,total,"
        "drag,dampers,friction,drivers,contacts,thermostats,events,numerical");
  const auto first = numbers_of(lines[2]), last = numbers_of(lines[22]);
  CHECK(first[0] == 0);
  CHECK(first[6] == 0);  // at rest
  // Three charges of 1 µC at distances 1, 1 and √2 m: k_c q² (2 + 1/√2).
  CHECK(first[3] == Approx(8.9875517923e9 * 1e-12 * (2 + 1 / std::sqrt(2.0))).epsilon(1e-12));
  CHECK(last[0] == 20);
  CHECK(last[1] == Approx(0.2).epsilon(1e-12));
  CHECK(last[6] > 0);
  CHECK(last[9] > 0);  // dampers take energy out
  CHECK(last[7] == Approx(last[2] + last[3] + last[4] + last[5] + last[6]).epsilon(1e-12));
  double kept = 0;
  for (std::size_t k = 7; k < 16; ++k) kept += last[k];
  CHECK(kept == Approx(first[7]).epsilon(1e-12));
}

TEST_CASE("simulate: trajectory.h5 holds the snapshots, the last one always", "[app][simulate]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("simulate small.yaml --set output.every=6").status == 0);
  const auto file = pithball::datasets::read_h5md((place / "runs/small/trajectory.h5").string());
  CHECK(file.trajectory.step == std::vector<Eigen::Index>{0, 6, 12, 18, 20});
  CHECK(file.trajectory.complete);
  CHECK(file.body.mass == Eigen::Vector3d::Constant(0.1));
  CHECK(file.body.springs.size() == 2);
  CHECK(file.trajectory.states.back().x.col(0).isZero(0));  // pinned
}

TEST_CASE("simulate: run.yaml is an experiment with every default, and gives the same run", "[app][simulate]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("simulate small.yaml --set system.mass=0.2").status == 0);
  const std::string filled = read_text(place / "runs/small/run.yaml");
  for (const char* text : {"mass: 0.2", "rest_length: mesh", "linear_solver: auto", "softening: 0", "every: 1",
                           "provenance:", "program: \"pithball", "threads:", "system.mass=0.2"}) {
    CAPTURE(text);
    CHECK(filled.find(text) != std::string::npos);
  }
  REQUIRE(place.run("simulate runs/small/run.yaml --out again").status == 0);
  CHECK(read_text(place / "again/energy.csv") == read_text(place / "runs/small/energy.csv"));
}

TEST_CASE("simulate: units, --set and group values mean the same numbers", "[app][simulate]") {
  const Workplace place;
  place.write("plain.yaml", small_experiment);
  std::string other = replaced(small_experiment, "mass: 0.1", "mass: {tip: 100 g, rest: {total: 0.2 kg}}");
  other = replaced(other, "charge: 1 uC", "charge: [1e-6, 1 uC, 1000 nC]");
  other = replaced(other, "time_step: 0.01", "time_step: 10 ms");
  place.write("other.yaml", other);
  REQUIRE(place.run("simulate plain.yaml --out a").status == 0);
  REQUIRE(place.run("simulate other.yaml --out b").status == 0);
  REQUIRE(place
              .run("simulate other.yaml --out c --set system.mass=0.1 --set forces.gravity='[0, 0, -9.81]' --set "
                   "forces.coulomb.softening=0")
              .status == 0);
  REQUIRE(place.run("simulate plain.yaml --out d --set forces.0.gravity='[0, 0, -1]'").status == 0);
  const auto last_row = [&](const std::string& out) {
    return numbers_of(lines_of(read_text(place / (out + "/energy.csv"))).back());
  };
  const auto a = last_row("a"), b = last_row("b"), c = last_row("c");
  for (std::size_t k = 0; k < a.size(); ++k) {  // 1000 nC is 1e-6 C but for a rounding, which 20 steps do not amplify
    CHECK(b[k] == Approx(a[k]).epsilon(1e-12));
    CHECK(c[k] == Approx(a[k]).epsilon(1e-12));
  }
  CHECK(last_row("d")[5] != Approx(a[5]).epsilon(1e-3));
}

TEST_CASE("simulate: springs by strain are those of stiffness Y/l0, and both at once are rejected", "[app][simulate]") {
  const Workplace place;
  const std::string plain = R"(
name: strips
system:
  vertices: [[0, 0, 0], [0.5, 0, 0], [2.5, 0, 0]]
  velocities: [[0, 0, 0], [0, 1, 0], [0, 0, 2]]
  mass: 0.1
  springs: {edges: [[0, 1], [1, 2]], stiffness: [6, 1.5]}
simulation: {integrator: imex_midpoint, time_step: 0.01, duration: 0.3}
)";
  place.write("plain.yaml", plain);
  place.write("strain.yaml", replaced(plain, "stiffness: [6, 1.5]", "axial_stiffness: 3 N"));
  place.write("both.yaml", replaced(plain, "stiffness: [6, 1.5]", "stiffness: 1, axial_stiffness: 3 N"));
  REQUIRE(place.run("simulate plain.yaml --out a").status == 0);
  REQUIRE(place.run("simulate strain.yaml --out b").status == 0);
  const auto a = pithball::datasets::read_h5md((place / "a/trajectory.h5").string()),
             b = pithball::datasets::read_h5md((place / "b/trajectory.h5").string());
  CHECK((a.trajectory.states.back().x - b.trajectory.states.back().x).norm() < 1e-12);
  CHECK(b.body.stiffness.isApprox(pithball::sim::Vector{{6, 1.5}}, 1e-15));
  const Outcome rejected = place.run("simulate both.yaml");
  CHECK(rejected.status == 2);
  CHECK(rejected.err.find("must be given instead of stiffness") != std::string::npos);
}

TEST_CASE("simulate: divergence ends with status 1 and names the step", "[app][simulate]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  // h² k/m = 1e8: far beyond the stability limit 4 of Verlet.
  const Outcome outcome = place.run(
      "simulate small.yaml --json --set simulation.integrator=velocity_verlet --set system.springs.stiffness=1e11 "
      "--set simulation.duration=1");
  CHECK(outcome.status == 1);
  const auto summary = outcome.json();
  CHECK(summary["status"] == "diverged");
  CHECK(summary["failed_step"].get<int>() >= 1);
  CHECK(summary["why"].get<std::string>().find("step " + std::to_string(summary["failed_step"].get<int>())) !=
        std::string::npos);
  CHECK(summary["remedy"].get<std::string>().find("imex_euler") != std::string::npos);
  CHECK(fs::exists(place / "runs/small/summary.json"));
}

TEST_CASE("simulate: a run whose energy comes from its steps ends doubtful, with reason and remedy",
          "[app][simulate][verdict]") {
  const Workplace place;
  // Ten steps a turn: the steps make 2e4 times the energy that the body has.
  place.write("dumb.yaml", R"(name: dumb
system:
  vertices: [[-0.5, 0, 0], [0.5, 0, 0]]
  mass: 1
  velocities: [[0, -3.14159265, 0], [0, 3.14159265, 0]]
  springs: {edges: [[0, 1]], stiffness: 10000, rest_length: 0.998026, damping: 0}
simulation: {time_step: 0.1, duration: 10}
)");
  const Outcome outcome = place.run("simulate dumb.yaml");
  CHECK(outcome.status == 0);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("dumb: doubtful after 100 of 100 steps") == 0);
  const auto summary = nlohmann::json::parse(read_text(place / "runs/dumb/summary.json"));
  CHECK(summary["integrator"] == "imex_midpoint");  // the file names none
  CHECK(summary["status"] == "doubtful");
  CHECK(summary["complete"] == true);
  CHECK(summary["failed_step"].is_null());
  CHECK(summary["energy_error"]["max"].get<double>() > 0.1);
  const std::string why = summary["why"], remedy = summary["remedy"];
  CHECK(why.find(" J") != std::string::npos);
  CHECK(remedy.find("reduce simulation.time_step (now 0.1 s)") == 0);
  CHECK(remedy.find("imex_euler") != std::string::npos);
  CHECK(outcome.out.find("  " + why + "; " + remedy + "\n") != std::string::npos);
  // Its remedies remedy it, and say nothing then.
  const Outcome finer = place.run("simulate dumb.yaml --json --set simulation.time_step=0.005");
  CHECK(finer.json()["status"] == "ok");
  CHECK(finer.json()["why"].is_null());
  CHECK(finer.json()["remedy"].is_null());
  CHECK(finer.json()["notes"].empty());
}

TEST_CASE("simulate: the zero of a potential raises no doubt", "[app][simulate][verdict]") {
  const Workplace place;
  const std::string net = R"(name: net
system:
  mesh: {grid: {size: [1, 1], segments: [4, 4]}}
  mass: {total: 100 g}
  pinned: [top_left, top_right]
  springs: {stiffness: 50}
forces:
  - gravity: [0, 0, -9.81]
simulation: {time_step: 1 ms, duration: 0.3}
)";
  double error = 0;
  for (const double height : {0.0, 1.0, 300.0}) {  // the initial energy is 0, 1 J and 300 J
    place.write("net.yaml", replaced(net, "segments: [4, 4]}}",
                                     "segments: [4, 4]}, translate: [0, 0, " + std::to_string(height) + "]}"));
    const auto summary = place.run("simulate net.yaml --json --quiet").json();
    INFO(summary.dump());
    CHECK(summary["status"] == "ok");
    const double here = summary["energy_error"]["max"];
    CHECK(here > 0);
    CHECK(here < 0.01);
    if (error > 0) CHECK(here == Approx(error).epsilon(1e-3));
    error = here;
  }
}

TEST_CASE("simulate: runs whose energy says nothing about the error raise no doubt", "[app][simulate][verdict]") {
  const Workplace place;
  const auto check = [&](const std::string& what, const std::string& text, bool moves) {
    place.write("run.yaml", text);
    const Outcome outcome = place.run("simulate run.yaml --json --quiet");
    INFO(what << outcome.err << outcome.out);
    REQUIRE(outcome.status == 0);
    CHECK(outcome.json()["status"] == "ok");
    const auto error = outcome.json()["energy_error"]["max"];
    CHECK(error.is_null() == !moves);
    if (moves) CHECK(error.get<double>() < 0.01);
  };
  const std::string rest = "name: run\nsystem: {vertices: [[0, 0, 1], [1, 0, 1]], mass: 1, springs: none";
  const std::string end = "simulation: {time_step: 10 ms, duration: 0.2}\n";
  check("nothing moves", rest + "}\n" + end, false);
  check("all is pinned in a field", rest + ", pinned: [0, 1]}\nforces: [{gravity: [0, 0, -9.81]}]\n" + end, false);
  check("a force without potential",
        rest + ", charge: 1 uC}\nforces: [{electric_field: {expression: [\"-1e6*y\", \"1e6*x\", \"0\"]}}]\n" + end,
        true);
  check("values that change",
        rest + ", charge: 1 uC}\nforces: [coulomb]\nkey_frames: [{charge: {times: [0, 0.2], values: [1 uC, 9 uC]}}]\n" +
            end,
        true);
}

TEST_CASE("simulate: a direction of buckling that is drawn at random is reported, with what to do",
          "[app][simulate][verdict]") {
  const Workplace place;
  const std::string column = R"(name: column
system:
  vertices: [[0, 0, 0], [0.5, 0, 0], [1, 0, 0]]
  mass: 0.01
  pinned: [0, 2]
  springs: {edges: [[0, 1], [1, 2]], stiffness: 1000, rest_length: 0.7}
simulation: {integrator: imex_euler, time_step: 0.1, duration: 0.5}
)";
  place.write("column.yaml", column);
  const Outcome outcome = place.run("simulate column.yaml");
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find("note: a direction of buckling was chosen at random") != std::string::npos);
  const auto summary = nlohmann::json::parse(read_text(place / "runs/column/summary.json"));
  REQUIRE(summary["notes"].size() == 1);
  CHECK(summary["notes"][0].get<std::string>().find("perturb its initial state") != std::string::npos);
  place.write("column.yaml", replaced(column, "[0.5, 0, 0]", "[0.5, 0.001, 0]"));
  CHECK(place.run("simulate column.yaml --json").json()["notes"].empty());
}

TEST_CASE("simulate: the memory of a run does not grow with its steps", "[app][simulate]") {
  const Workplace place;
  place.write("pair.yaml", R"(name: pair
system: {vertices: [[0, 0, 0], [1.1, 0, 0]], mass: 1, springs: {edges: [[0, 1]], stiffness: 1, rest_length: 1}}
simulation: {integrator: velocity_verlet, time_step: 0.01, duration: 1000}
output: {every: 100000}
)");
  const auto peak_megabytes = [&](const std::string& duration) {
    const std::string output = (place / "peak").string();
    const Outcome outcome = place.run("simulate pair.yaml --set simulation.duration=" + duration,
                                      "python3 -c 'import resource, subprocess, sys; "
                                      "status = subprocess.run(sys.argv[1:]).returncode; "
                                      "open(\"" +
                                          output +
                                          "\", \"w\").write(str(resource.getrusage("
                                          "resource.RUSAGE_CHILDREN).ru_maxrss)); sys.exit(status)'");
    REQUIRE(outcome.status == 0);
    return std::stod(read_text(output)) / 1024;
  };
  const double few = peak_megabytes("1000"), many = peak_megabytes("30000");  // 1e5 and 3e6 steps
  INFO(few << " MB, " << many << " MB");
  CHECK(many < few + 20);  // at 199 bytes a step it would be 577 MB more
}

TEST_CASE("simulate: interrupted and resumed, the run is the uninterrupted one to the last bit", "[app][simulate]") {
  for (const char* integrator : {"imex_midpoint", "velocity_verlet"}) interrupt_and_resume(integrator);
}

TEST_CASE("simulate: interrupted and resumed, a run of imex_euler or imex_bdf2 is the uninterrupted one, too",
          "[app][simulate]") {
  for (const char* integrator : {"imex_euler", "imex_bdf2"}) interrupt_and_resume(integrator);
}

TEST_CASE("simulate: a killed run leaves a partial folder that --resume completes", "[app][simulate]") {
  const Workplace place;
  place.write("small.yaml", replaced(small_experiment, "duration: 0.2", "duration: 600"));
  place.write("signal.sh", signal_when_running);
  REQUIRE(place.run("simulate small.yaml --out whole").status == 0);
  const Outcome killed = place.run("simulate small.yaml --out parts", "sh signal.sh KILL");
  if (killed.status != 0) CHECK(!fs::exists(place / "parts"));
  REQUIRE(place.run("simulate small.yaml --out parts " + std::string(killed.status != 0 ? "--resume" : "")).status ==
          0);
  CHECK(!fs::exists(place / "parts.partial"));
  CHECK(read_text(place / "parts/energy.csv") == read_text(place / "whole/energy.csv"));
}

TEST_CASE("simulate: a run killed before it kept a state is resumed from step 0", "[app][simulate]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("simulate small.yaml --out parts").status == 0);
  fs::rename(place / "parts", place / "parts.partial");
  place.write("parts.partial/trajectory.h5", "not yet HDF5");
  const Outcome resumed = place.run("simulate small.yaml --out parts --resume --json");
  REQUIRE(resumed.status == 0);
  CHECK(resumed.json()["resumed_from_step"].is_null());
  CHECK(resumed.json()["complete"] == true);
}

TEST_CASE("simulate: a fine cloth that buckles is stepped at 4 ms", "[app][simulate]") {
  // In its 12th step the falling cloth is squeezed until its energy has a saddle where Newton's steps begin, and then
  // valleys along which the regularized matrix is far too stiff.
  const Workplace place;
  place.write("cloth.yaml", R"(
name: cloth
system:
  mesh:
    grid: {size: [1, 1], segments: [99, 99]}
    rotate: {axis: [1, 0, 0], angle: 60 degrees}
  mass: {total: 150 g}
  charge: {total: 3 uC}
  pinned: [top_left, top_right]
  springs: {stiffness: {stretch: 200, shear: 50, bend: 5}, damping: 0.001}
forces:
  - gravity: [0, 0, -9.81]
simulation: {integrator: imex_euler, time_step: 4 ms, duration: 60 ms}
)");
  const Outcome outcome = place.run("simulate cloth.yaml --json");
  REQUIRE(outcome.status == 0);
  CHECK(outcome.json()["cost"]["linear_solves"].get<int>() < 15 * 10);
}

TEST_CASE("simulate: a driven particle follows its file", "[app][simulate]") {
  const Workplace place;
  place.write("motion.csv", "t,x,y,z\n0,0,0,0\n0.1,0,0,1\n0.2,0,0,2\n");
  place.write("small.yaml", replaced(small_experiment, "pinned: [0]",
                                     "driven: [{vertices: [0, 1], relative: true, path: {file: motion.csv}}]"));
  const Outcome outcome = place.run("simulate small.yaml");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto states = pithball::datasets::read_h5md((place / "runs/small/trajectory.h5").string()).trajectory.states;
  // The cubic through points on a line is the line.
  CHECK((states.back().x.col(0) - Eigen::Vector3d(0, 0, 2)).norm() < 1e-12);
  CHECK((states[10].x.col(1) - Eigen::Vector3d(1, 0, 1)).norm() < 1e-12);
}

TEST_CASE("simulate: a folder whose name is no UTF-8 does not stop the program at its end", "[app][simulate]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  for (const std::string command : {"simulate small.yaml", "check-gradient small.yaml --steps 2"}) {
    const std::string folder = command.substr(0, 5) + "\xff";
    const Outcome outcome = place.run(command + " --json --out '" + folder + "'");
    CAPTURE(command, outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.json()["folder"].get<std::string>().find("\xef\xbf\xbd") != std::string::npos);
    CHECK(nlohmann::json::parse(read_text(place / (folder + "/summary.json")))["folder"].is_string());
  }
}

TEST_CASE("simulate: more than a billion steps are announced before the first", "[app][simulate]") {
  const Workplace place;
  const std::string long_run =
      replaced(small_experiment, "time_step: 0.01, duration: 0.2", "time_step: 1e-10, duration: 2");
  place.write("long.yaml", replaced(long_run, "simulation: {", "output: {every: 10000000}\nsimulation: {"));
  const Outcome outcome = place.run("simulate long.yaml", "timeout -s KILL 2");
  CHECK(outcome.err.starts_with(
      "long.yaml: note: simulation: 2e+10 time steps of 1e-10 s, with 2e+03 snapshots; check the units of `duration` "
      "and `time_step`, or increase `time_step` and `output.every`\n"));
  CHECK_FALSE(says(place.run("simulate long.yaml --quiet", "timeout -s KILL 2").err, "note"));
}

TEST_CASE("simulate: units that are constants of nature are those of CODATA 2018", "[app][units]") {
  const Workplace place;
  const auto body = [&](const std::string& mass, const std::string& charge) {
    place.write("ion.yaml", "name: ion\nsystem: {vertices: [[0, 0, 0]], mass: " + mass + ", charge: " + charge +
                                ", springs: none}\nforces: []\n"
                                "simulation: {integrator: rk4, time_step: 1, duration: 1}\n");
    const Outcome outcome = place.run("simulate ion.yaml --out ion");
    CAPTURE(outcome.err);
    REQUIRE(outcome.status == 0);
    return pithball::datasets::read_h5md((place / "ion/trajectory.h5").string()).body;
  };
  for (const char* mass : {"1 u", "1 amu", "1 atomic_mass_unit", "2 unified_atomic_mass_units"})
    CHECK(body(mass, "2 e").mass[0] == Approx((mass[0] == '2' ? 2 : 1) * 1.66053906660e-27).epsilon(1e-14));
  CHECK(body("1 ku", "2 e").mass[0] == Approx(1.66053906660e-24).epsilon(1e-14));
  CHECK(body("1 keV m-2 s2", "2 e").mass[0] == Approx(1.602176634e-16).epsilon(1e-14));
  CHECK(body("1 u", "2 e").charge[0] == Approx(2 * 1.602176634e-19).epsilon(1e-14));
}

TEST_CASE("simulate: its cost names the linear solver of implicit steps", "[app][simulate]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const auto printed = [&](const std::string& integrator) {
    return place.run("simulate small.yaml --overwrite --set simulation.integrator=" + integrator).out;
  };
  CHECK(says(printed("imex_midpoint"), " linear solves by block_jacobi_cg with "));
  CHECK(says(printed("implicit_euler"), " linear solves by ssor_cg with "));
  CHECK(says(printed("velocity_verlet"), " force evaluations\n"));
}

TEST_CASE("simulate: only a run that solved linear systems names their solver", "[app][simulate]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  place.write(
      "free.yaml",
      replaced(small_experiment, "  springs:\n    edges: [[0, 1], [1, 2]]\n    stiffness: 10\n    damping: 0.1\n", ""));
  for (const std::string name : {"small", "free"}) {
    CAPTURE(name);
    const Outcome outcome = place.run("simulate " + name + ".yaml --json --out " + name);
    REQUIRE(outcome.status == 0);
    const std::string solver = name == "small" ? "block_jacobi_cg" : "";
    CHECK((outcome.json()["cost"]["linear_solves"] > 0) == !solver.empty());
    CHECK(outcome.json()["linear_solver"] == solver);
    const std::string filled = read_text(place / name / "run.yaml"),
                      provenance = filled.substr(filled.find("provenance:"));
    CHECK(says(provenance, "linear_solver: " + solver) == !solver.empty());
  }
}
