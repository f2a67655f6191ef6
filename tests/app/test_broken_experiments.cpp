#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

namespace {

/// One mistake in the small experiment: what is replaced by what, and what the message must hold.
struct Mistake {
  const char* what;
  const char* by;
  const char* place;    ///< "broken.yaml:5" followed by a colon
  const char* subject;  ///< key path
  const char* remedy;
};

const Mistake mistakes[] = {
    // Keys.
    {"  mass: 0.1", "  mas: 0.1", "broken.yaml:5:", "system.mas", "did you mean 'mass'"},
    {"stiffness: 10", "stifness: 10", "broken.yaml:10:", "system.springs.stifness", "did you mean 'stiffness'"},
    {"damping: 0.1", "dampng: 0.1", "broken.yaml:11:", "system.springs.dampng", "did you mean 'damping'"},
    {"name: small", "nonsense: 1\nname: small", "broken.yaml:1:", "nonsense", "known keys: "},
    {"  charge: 1 uC", "  mass: 0.2", "broken.yaml:6:", "mass", "keep one of the two"},
    {"  mass: 0.1\n", "", "broken.yaml:3:", "system.mass", "add `mass:`"},
    {"name: small\n", "", "broken.yaml:1:", "name", "add `name:`"},
    {"name: small", "charge: 2\nname: small", "broken.yaml:1:", "charge: is not a known key here",
     "did you mean 'system.charge'?"},
    {"    stiffness: 10\n", "", "broken.yaml:9:", "system.springs.stiffness", "add `stiffness:`"},
    // Values.
    {"mass: 0.1", "mass: -0.1", "broken.yaml:5:", "must be > 0 kg, got -0.1", "give a positive value"},
    {"mass: 0.1", "mass: 0", "broken.yaml:5:", "must be > 0 kg", "give a positive value"},
    {"mass: 0.1", "mass: heavy", "broken.yaml:5:", "'heavy' (not a number)", "write a number in kg"},
    {"mass: 0.1", "mass: .nan", "broken.yaml:5:", "system.mass", "write a number in kg"},
    {"mass: 0.1", "mass: inf", "broken.yaml:5:", "not a finite number", "write a number in kg"},
    {"mass: 0.1", "mass: 1e999", "broken.yaml:5:", "not a finite number", "write a number in kg"},
    {"mass: 0.1", "mass: 9 cm", "broken.yaml:5:", "'cm' does not measure the same thing as 'kg'", "with its unit"},
    {"charge: 1 uC", "charge: 1 blob", "broken.yaml:6:", "'blob' is not a known unit", "with its unit"},
    {"time_step: 0.01", "max_iterations: 4294967297, time_step: 0.01",
     "broken.yaml:", "simulation.max_iterations: must be at most 1000000, got 4294967297", "omit it for"},
    {"time_step: 0.01", "tolerance: 0.1, time_step: 0.01",
     "broken.yaml:", "simulation.tolerance: must be at most 0.001, got 0.1", "1e-12"},
    {"mass: 0.1", "mass: [0.1, 0.1]", "broken.yaml:5:", "each of the 3 particles, got 2", "list of that length"},
    {"mass: 0.1", "mass: [0,1, 0,2, 0,3]", "broken.yaml:5:", "each of the 3 particles, got 6",
     "if '0,1' has a decimal comma, write 0.1"},
    {"mass: 0.1", "mass: [0.1, 0.1, -1]", "broken.yaml:5:", "system.mass[2]", "give a positive value"},
    {"mass: 0.1", "mass: {tip: 1}", "broken.yaml:5:", "none for particle 0", "add `rest: value`"},
    {"mass: 0.1", "mass: {tipp: 1, rest: 2}", "broken.yaml:5:", "group of particles", "did you mean 'tip'"},
    {"stiffness: 10", "stiffness: -2", "broken.yaml:10:", "system.springs.stiffness: must be >= 0 N/m, got -2",
     "zero or a positive"},
    {"damping: 0.1", "damping: 0.1\n    rest_length: -1",
     "broken.yaml:12:", "system.springs.rest_length: must be >= 0 m", "zero or a positive"},
    {"damping: 0.1", "damping: 0.1\n    rest_length: {scale: -1}",
     "broken.yaml:12:", "system.springs.rest_length.scale", "zero or a positive"},
    {"[1, 0, 0]", "[1, 0]", "broken.yaml:3:", "system.vertices[1]: must be a vector", "three numbers"},
    {"[1, 0, 0]", "[1, 0, up]", "broken.yaml:3:", "system.vertices[1][2]", "write a number in m"},
    {"vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]", "vertices: []", "broken.yaml:3:", "at least one particle",
     "write [[x, y, z]"},
    {"vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]", "mesh: duck.obj",
     "broken.yaml:3:", "system.mesh: must be a mapping", "write mesh: {file: duck.obj}"},
    {"vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]", "mesh: torus", "broken.yaml:3:", "system.mesh: must be a mapping",
     "write a shape with its settings"},
    {"    edges: [[0, 1], [1, 2]]\n", "", "broken.yaml:9:", "system.springs: requires a body with edges",
     "which particles are linked"},
    // References.
    {"[[0, 1], [1, 2]]", "[[0, 1], [1, 3]]", "broken.yaml:9:", "between 0 and 2, got 3", "counted from 0"},
    {"[[0, 1], [1, 2]]", "[[0, 1], [1, 1]]", "broken.yaml:9:", "two different particles", "remove the spring"},
    {"[[0, 1], [1, 2]]", "[[0, 1], [1, 0]]", "broken.yaml:9:", "no spring yet", "remove one of the two"},
    {"[[0, 1], [1, 2]]", "[[0, 1], [1]]", "broken.yaml:9:", "must be a pair [i, j], got a list of 1;",
     "two particle numbers"},
    {"[[0, 1], [1, 2]]", "[[0, 1], [1, 1.5]]", "broken.yaml:9:", "whole number", "digits only"},
    {"pinned: [0]", "pinned: [7]", "broken.yaml:7:", "between 0 and 2, got 7", "counted from 0"},
    {"pinned: [0]", "pinned: [tp]", "broken.yaml:7:", "name of a group", "did you mean 'tip'"},
    {"pinned: [0]", "pinned: [tip, 2]", "broken.yaml:7:", "particle 2 again", "remove one of the two"},
    {"pinned: [0]", "pinned: [0-7]", "broken.yaml:7:", "between 0 and 2, got 0-7", "counted from 0"},
    {"pinned: [0]", "pinned: [2-0]", "broken.yaml:7:", "a range with the smaller number first, got 2-0", "write 0-2"},
    {"pinned: [0]", "pinned: [2, tip]", "broken.yaml:7:", "particle 2 again", "remove one of the two"},
    {"pinned: [0]", "pinned: [tip, tip]", "broken.yaml:7:", "every group once, got tip again", "remove one of the two"},
    {"pinned: [0]", "pinned: [0-1, 1]", "broken.yaml:7:", "particle 1 again", "remove one of the two"},
    {"pinned: [0]", "pinned: [0-x]", "broken.yaml:7:", "a range such as 0-9", "known groups are"},
    {"pinned: [0]", "pinned: [0]\n  driven: [{vertices: [0], path: [0, 0, 0]}]", "broken.yaml:7:", "at most once",
     "remove one of the two"},
    {"{vertices: [2]}", "{box: [[1, 1, 1], [0, 0, 0]]}", "broken.yaml:4:", "smallest coordinates first", "exchange"},
    {"{vertices: [2]}", "{sphere: {center: [9, 9, 9], radius: 1}}", "broken.yaml:4:", "at least one particle",
     "check the selection"},
    {"groups: {tip:", "groups: {rest:", "broken.yaml:4:", "reserved name", "another name"},
    // Forces.
    {"- gravity:", "- gravty:", "broken.yaml:13:", "is not a known force", "did you mean 'gravity'"},
    {"- gravity: [0, 0, -9.81]", "- gravity: 9.81", "broken.yaml:13:", "must be a vector [x, y, z] [m/s^2]",
     "three numbers"},
    {"  - coulomb", "  - coulomb: {method: directt}", "broken.yaml:14:", "one of auto, direct",
     "did you mean 'direct'"},
    {"  - coulomb", "  - coulomb: {softening: -1}", "broken.yaml:14:", "must be >= 0 m, got -1;", "0 for no softening"},
    {"  - coulomb", "  - coulomb: {softness: 1}", "broken.yaml:14:", "is not a known key here",
     "known keys: method, softening"},
    {"  - coulomb", "  - coulomb: {method: ddef, points: 0}", "broken.yaml:14:", "coulomb.points: must be >= 1",
     "a thousand"},
    {"  - coulomb", "  - coulomb: {method: ddef, variant: paper}", "broken.yaml:14:", "must be one of paper_text",
     "choose one of these"},
    {"  - coulomb", "  - coulomb: {points: 100}", "broken.yaml:14:", "is not a known key here", "method, softening"},
    {"  - coulomb", "  - electric_field: {expression: [\"x +\", \"0\", \"0\"]}", "broken.yaml:14:", "", ";"},
    {"  - coulomb", "  - electric_field: {expression: [\"x\", \"0\"]}", "broken.yaml:14:", "three expressions",
     "write ["},
    {"  - coulomb", "  - point_charge: {charge: 1 uC, position: [0, 0, 0]}", "broken.yaml:14:", "forces.point_charge",
     "move"},
    {"  - coulomb", "  - point_charge: {charge: 1 uC, position: {file: nowhere.csv}}",
     "broken.yaml:14:", "existing file", "relative to the folder"},
    {"  - coulomb", "    coulomb:", "broken.yaml:13:", "must be one force", "its own dash"},
    {"[1, 0, 0]", "[0, 1, 0]", "broken.yaml:", "at the same point", "move one of them"},
    {"  - coulomb", "  - springs", "broken.yaml:14:", "'springs'; did you mean 'system.springs'? known are", ";"},
    {"  - coulomb", "  - tractor_beam", "broken.yaml:14:", "is not a known force, got 'tractor_beam'; known are",
     "coulomb"},
    {"[0, 0, -9.81]", "[0, 0, -9,81]", "broken.yaml:13:", "must be a vector [x, y, z] [m/s^2], got a list of 4",
     "if '-9,81' has a decimal comma, write -9.81"},
    // Time.
    {"imex_midpoint", "imex_midpiont", "broken.yaml:15:", "is not a known integrator",
     "did you mean 'imex_midpoint'? known are imex_euler"},
    {"imex_midpoint", "{imex_midpoint: 0.5}", "broken.yaml:15:", "must be a mapping of settings",
     "write the name alone"},
    {"time_step: 0.01", "time_step: 0", "broken.yaml:15:", "must be > 0 s", "give a positive value"},
    {"duration: 0.2", "duration: 0.205", "broken.yaml:15:", "whole number of time steps", "give 0.2"},
    {"time_step: 0.01, duration: 0.2", "time_step: 0.05, duration: 0.47",
     "broken.yaml:15:", "whole number of time steps", "give 0.45 or 0.5 s"},
    {"duration: 0.2", "duration: 2 kg", "broken.yaml:15:", "does not measure the same thing", "with its unit"},
    {"duration: 0.2", "duration: 1e18", "broken.yaml:15:", "at most 1e12 time steps", "reduce it"},
    {"simulation: {", "output: {every: 0}\nsimulation: {", "broken.yaml:15:", "output.every", "give 1 or more"},
    // YAML itself.
    {"mass: 0.1", "mass: [0.1", "broken.yaml:", "must be YAML", "brackets"},
    {"name: small\n", "name: small\nscan: [1, 2\n", "broken.yaml:", "a '[' without its ']'", "close the brackets"},
    {"duration: 0.2}", "duration: 0.2", "broken.yaml:", "a '{' without its '}'", "close the brackets"},
    {"  mass: 0.1", "\tmass: 0.1", "broken.yaml:5:", "a tab in the indentation", "indent with spaces only"},
    {"  mass: 0.1", "   mass: 0.1", "broken.yaml:5:", "indented by 3 after one indented by 2", "the same column"},
    {"    stiffness: 10", "     stiffness: 10", "broken.yaml:10:", "indented by 5 after one indented by 4",
     "the same column"},
    {"  - gravity: [0, 0, -9.81]\n  - coulomb", "  gravity: [0, 0, -9.81]",
     "broken.yaml:", "forces: must be a list of items, got a mapping", "`- gravity: …`"},
    {"mass: 0.1", "mass: 0,1 kg", "broken.yaml:5:", "'0,1 kg' (a decimal comma)", "write 0.1 kg"},
    {"mass: 0.1", "mass: 0.1\n   charge: 2", "broken.yaml:", "must be YAML", "indentation"},
    {"simulation: {", "---\nsimulation: {", "broken.yaml:", "one YAML document", "---"},
    {"name: small", "name: ../small", "broken.yaml:1:", "usable as a folder's name", "letters"},
    {"  mass: 0.1", "  mass: *m", "broken.yaml:5:", "a reference `*name` without its anchor",
     "define the anchor above"},
    {"system:", "system: 3\nother:", "broken.yaml:3:", "is not a known key", "known keys"},
};

}  // namespace

TEST_CASE("broken experiments: each is rejected with its place, subject and remedy, and nothing is written",
          "[app][error]") {
  const Workplace place;
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.what, mistake.by);
    place.write("broken.yaml", replaced(small_experiment, mistake.what, mistake.by));
    const Outcome outcome = place.run("simulate broken.yaml");
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(outcome.err.rfind(mistake.place, 0) == 0);
    CHECK(outcome.err.find(mistake.subject) != std::string::npos);
    CHECK(outcome.err.find(mistake.remedy) != std::string::npos);
    CHECK(outcome.err.find("; ") != std::string::npos);
    CHECK(place.listing() == "broken.yaml ");
  }
}

TEST_CASE("broken experiments: the table is long enough to mean something", "[app][error]") {
  CHECK(std::size(mistakes) >= 40);
}

TEST_CASE("broken experiments: files that are no experiment are rejected", "[app][error]") {
  const Workplace place;
  place.write("empty.yaml", "");
  place.write("list.yaml", "- 1\n- 2\n");
  place.write("binary.yaml", std::string("\x00\x01\xff\xfe", 4));
  place.write("repeated.yaml", replaced(small_experiment, "{integrator", "{time_step: 1, integrator"));
  for (const char* file : {"empty.yaml", "list.yaml", "binary.yaml", "repeated.yaml", "missing.yaml"}) {
    const Outcome outcome = place.run(std::string("simulate ") + file);
    CAPTURE(file, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.rfind(file, 0) == 0);
    CHECK(!fs::exists(place / "runs"));
  }
}

TEST_CASE("broken overrides: --set is rejected with its own text as the place", "[app][error]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const char* const broken[] = {"system.mass",    "=3",         "system.mass.tip=3", "system.mas=3",
                                "system.mass=-3", "forces.5=1", "forces.drag=1",     "system..mass=1",
                                "system.mass=[1"};
  for (const char* text : broken) {
    const Outcome outcome = place.run(std::string("simulate small.yaml --set '") + text + "'");
    CAPTURE(text, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.rfind("--set", 0) == 0);
    CHECK(outcome.err.find(":1:") == std::string::npos);  // an option is one line
    CHECK(!fs::exists(place / "runs"));
  }
}

TEST_CASE("broken overrides: a name without its path is answered with the path", "[app][error]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const auto complaint = [&](const std::string& change) {
    return place.run("simulate small.yaml --set '" + change + "'").err;
  };
  CHECK(complaint("mass=2") == "--set mass=2 mass: is not a known key here; did you mean 'system.mass'?\n");
  CHECK(says(complaint("stiffness=2"), "did you mean 'system.springs.stiffness'?"));
  CHECK(says(complaint("gravity=[0, 0, -5]"), "did you mean 'forces.gravity'?"));
  CHECK(says(complaint("tip=1"), "did you mean 'system.groups.tip'?"));
  CHECK(says(complaint("nonsense=1"), "known keys: include, name, system"));
  CHECK(place.run("simulate small.yaml --set system.mass=2").status == 0);
}

TEST_CASE("wrong usage: exit status 2, the command and its help are named", "[app][error]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  for (const char* arguments :
       {"simulat small.yaml", "simulate", "simulate small.yaml --thread 2", "simulate small.yaml --threads 0",
        "list nothing", "mesh", "data", "data get", "bench", "simulate a b"}) {
    const Outcome outcome = place.run(arguments);
    CAPTURE(arguments, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("--help") != std::string::npos);
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("option --out: a folder that is no run folder is left alone", "[app][error]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  place.write("precious/thesis.txt", "do not lose");
  place.write("file", "text");
  for (const char* out : {"precious", "file", "file/below"}) {
    const Outcome outcome = place.run(std::string("simulate small.yaml --out ") + out);
    CAPTURE(out, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("--out") != std::string::npos);
  }
  CHECK(read_text(place / "precious/thesis.txt") == "do not lose");
}
