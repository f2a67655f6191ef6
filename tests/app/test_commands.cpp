#include <map>
#include <regex>
#include <tuple>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"
#include "tests/support/terminal.hpp"

using nlohmann::json;
using namespace pithball::test;

namespace {

/// Of a damped charged body by every integrator that has derivatives; `length`: options.
void check_gradients(const std::string& length) {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const auto integrators = place.run("list integrators --json").json()["integrators"];
  for (const auto& info : integrators) {
    if (!info["differentiable"]) continue;
    const std::string integrator = info["name"];
    const Outcome outcome = place.run("check-gradient small.yaml --json " + length +
                                      " --set system.velocities='[0.1, 0.2, 0.3]' --set "
                                      "simulation.integrator=" +
                                      integrator);
    CAPTURE(integrator, outcome.out, outcome.err);
    CHECK(outcome.status == 0);
    const auto result = outcome.json();
    CHECK(result["passed"] == true);
    CHECK(result["blocks"].size() >= 6);
    for (const char* key : {"name", "size", "adjoint_vs_tangent", "adjoint_vs_difference", "worst"})
      CHECK(result["blocks"][0].contains(key));
  }
}

}  // namespace

TEST_CASE("check-gradient: says ok only of blocks that it compared", "[app][gradient]") {
  const Workplace place;
  const auto verdicts_of = [&](const std::string& system, const std::string& forces) {
    place.write("pair.yaml", "name: pair\nsystem: {" + system + "}\nforces: [" + forces +
                                 "]\nsimulation: {time_step: 5 ms, duration: 0.2 s}\n");
    const Outcome outcome = place.run("check-gradient pair.yaml --json");
    INFO(outcome.err);
    std::map<std::string, json> blocks;
    const json result = outcome.json();
    for (const json& block : result["blocks"]) blocks[block["name"].get<std::string>()] = block;
    return blocks;
  };
  const std::string gravity = "{gravity: [0, 0, -9.81]}",
                    apart = "vertices: [[0, 0, 0], [0.1, 0, 0]], mass: [10 g, 20 g]";

  // The spring is so stiff that its damping has no effect that differences of the loss could show.
  auto blocks =
      verdicts_of(apart + ", charge: [100 nC, 0 C], springs: {edges: [[0, 1]], stiffness: 50000, damping: 0.01}",
                  gravity + ", {electric_field: [1 kV/m, 0, 0]}");
  CHECK(blocks["damping"]["verdict"] == "not resolved");
  CHECK(blocks["damping"]["floor"].get<double>() > 1e-6);
  CHECK(blocks["damping"]["adjoint_vs_difference"].get<double>() > 1e-6);
  CHECK(blocks["damping"]["passed"] == true);
  CHECK(blocks["position"]["verdict"] == "ok");

  blocks = verdicts_of(apart + ", charge: 100 nC", gravity);
  CHECK(blocks["charge"]["verdict"] == "zero");
  CHECK(place.run("check-gradient pair.yaml").status == 0);

  blocks = verdicts_of(apart, "{field_potential: {expression: 'sqrt(x^2 + 1e-30)'}}");
  CHECK(blocks["position"]["verdict"] == "failed");
  CHECK(blocks["position"]["adjoint_vs_tangent"].is_null());
  const Outcome failed = place.run("check-gradient pair.yaml");
  CHECK(failed.status != 0);
  CHECK(says(failed.out, "nan: a derivative of a force is not a number"));

  // A spring of no length, whose rest_length must remain 0 where it begins.
  blocks = verdicts_of(
      "vertices: [[0, 0, 0], [0, 0, 0]], mass: 10 g, pinned: [0], springs: {edges: [[0, 1]], stiffness: 5, "
      "rest_length: [0]}",
      gravity);
  CHECK(blocks["stiffness"]["verdict"] == "ok");
  CHECK(blocks["rest_length"]["verdict"] == "not resolved");
}

TEST_CASE("paths: a name that several items of a list have is asked for by number", "[app][yaml][error]") {
  const Workplace place;
  place.write("two.yaml", replaced(small_experiment, "  - coulomb",
                                   "  - point_charge: {charge: 1 uC, position: [3, 0, 0]}\n"
                                   "  - point_charge: {charge: 2 uC, position: [-3, 0, 0]}"));
  const Outcome both = place.run("simulate two.yaml --set forces.point_charge.charge=3");
  CHECK(both.status == 2);
  CHECK(says(both.err, "'point_charge', which 2 items have"));
  CHECK(says(both.err, "forces.1.point_charge or forces.2.point_charge"));
  CHECK(place.run("simulate two.yaml --set forces.2.point_charge.charge=3").status == 0);
  CHECK(place.run("simulate two.yaml --out other --set forces.gravity=[0,0,-1]").status == 0);
}

TEST_CASE("list keys: docs/keys.md is what the reading code says", "[app][docs]") {
  const Workplace place;
  const Outcome outcome = place.run("list keys");
  REQUIRE(outcome.status == 0);
  INFO("regenerate with: pithball list keys > docs/keys.md");
  CHECK((outcome.out == read_text(fs::path(pithball::tests::source_folder) / "docs/keys.md")));
}

TEST_CASE("list keys --json: one entry for each row of the page", "[app][list]") {
  const Workplace place;
  const auto keys = place.run("list keys --json").json()["keys"];
  const std::string page = read_text(fs::path(pithball::tests::source_folder) / "docs/keys.md");
  std::size_t rows = 0;
  for (std::size_t at = 0; (at = page.find("\n| `", at)) != std::string::npos; ++at) ++rows;
  CHECK(keys.size() == rows);
  const auto entry = [&](const std::string& key) {
    return *std::find_if(keys.begin(), keys.end(), [&](const auto& one) { return one["key"] == key; });
  };
  CHECK(entry("system.mesh.torus.major_radius") ==
        nlohmann::json{{"key", "system.mesh.torus.major_radius"},
                       {"value", "number > 0 [m]"},
                       {"unit", "m"},
                       {"required", true},
                       {"default", nullptr},
                       {"meaning", "distance from the axis to the center of the tube"}});
  CHECK(entry("output.every")["default"] == "1");
  CHECK(entry("output.every")["unit"].is_null());
  CHECK(!entry("output.every")["required"].get<bool>());
}

TEST_CASE("list schema: docs/experiment.schema.json is what the reading code says", "[app][docs]") {
  const Workplace place;
  const Outcome outcome = place.run("list schema");
  REQUIRE(outcome.status == 0);
  INFO("regenerate with: pithball list schema > docs/experiment.schema.json");
  CHECK((outcome.out == read_text(fs::path(pithball::tests::source_folder) / "docs/experiment.schema.json")));
}

TEST_CASE("list results: page, schema, Python and TypeScript are what the lists of fields say", "[app][docs]") {
  const Workplace place;
  const std::map<std::string, std::string> files{{"results", "docs/results.md"},
                                                 {"results-schema", "docs/results.schema.json"},
                                                 {"results-python", "python/pithball/results.py"},
                                                 {"results-typescript", "viewer/src/results.ts"}};
  for (const auto& [what, file] : files) {
    const Outcome outcome = place.run("list " + what);
    REQUIRE(outcome.status == 0);
    INFO("regenerate with: pithball list " << what << " > " << file);
    CHECK((outcome.out == read_text(fs::path(pithball::tests::source_folder) / file)));
  }
}

TEST_CASE("list: every listing is a JSON object under its name", "[app][list]") {
  const Workplace place;
  for (const std::string what :
       {"integrators", "forces", "shapes", "parameters", "formats", "keys", "schema", "results", "results-schema"}) {
    const Outcome outcome = place.run("list " + what + " --json");
    REQUIRE(outcome.status == 0);
    CHECK(!outcome.json()[what].empty());
  }
  CHECK(place.run("list integrators").out.find("imex_midpoint") != std::string::npos);
}

TEST_CASE("list parameters: values of forces and constraints without derivatives are marked", "[app][list]") {
  const Workplace place;
  std::map<std::string, bool> differentiable;
  const auto listed = place.run("list parameters --json").json()["parameters"];
  for (const auto& parameter : listed) differentiable[parameter["name"]] = parameter["differentiable"];
  for (const char* name : {"stiffness", "charge", "distance_length", "plane_penalty_damping", "velocity"})
    CHECK(differentiable.at(name));
  for (const char* name : {"brownian_friction", "langevin_friction_rate", "plane_radius", "spheres_friction"})
    CHECK_FALSE(differentiable.at(name));
  CHECK(std::regex_search(place.run("list parameters").out, std::regex("langevin_friction_rate .*not differentiable")));
}

TEST_CASE("version: the program's is that of CITATION.cff", "[app][docs]") {
  const Workplace place;
  const std::string citation = read_text(fs::path(pithball::tests::source_folder) / "CITATION.cff");
  std::smatch found;
  REQUIRE(std::regex_search(citation, found, std::regex("\nversion: ([0-9.]+)\n")));
  CHECK(place.run("--version").out == "pithball " + found[1].str() + "\n");
}

TEST_CASE("help: every command has examples and its exit statuses", "[app][docs]") {
  const Workplace place;
  for (const std::string command :
       {"", "simulate", "fit", "identify", "plan", "compare", "check-gradient", "mesh", "data", "study", "list",
        "bench", "bench coulomb", "bench cloth", "field", "report"}) {
    const Outcome outcome = place.run(command + " --help");
    CAPTURE(command);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find("Examples:") != std::string::npos);
    CHECK(outcome.out.find("Exit status:") != std::string::npos);
  }
}

TEST_CASE("help: each verb of data has examples of its own", "[app][docs]") {
  const Workplace place;
  for (const std::string verb : {"list", "get", "verify", "show"}) {
    const Outcome outcome = place.run("data " + verb + " --help");
    CAPTURE(verb);
    CHECK(outcome.status == 0);
    const std::size_t examples = outcome.out.find("Examples:");
    REQUIRE(examples != std::string::npos);
    CHECK(outcome.out.find("pithball data " + verb, examples) != std::string::npos);
    for (const std::string other : {"list", "get", "verify", "show"})
      if (other != verb) CHECK(outcome.out.find("pithball data " + other, examples) == std::string::npos);
  }
}

TEST_CASE("configs: every quickstart experiment runs", "[app][configs]") {
  const Workplace place;
  int count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(pithball::tests::source_folder) / "experiments/configs")) {
    if (entry.path().extension() != ".yaml") continue;
    ++count;
    // A tenth of a second is enough to see that the file is right.
    const Outcome outcome = place.run("simulate '" + entry.path().string() +
                                      "' --json --set simulation.time_step=0.01 --set simulation.duration=0.1");
    CAPTURE(entry.path().string(), outcome.err);
    CHECK(outcome.status == 0);
  }
  CHECK(count >= 3);
}

TEST_CASE("mesh: counts, groups and conversion keep vertices and faces", "[app][mesh]") {
  const Workplace place;
  place.write("quad.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.1\nf 1 2 3 4\n");
  const auto shown = place.run("mesh quad.obj --json").json();
  CHECK(shown["vertices"] == 4);
  CHECK(shown["springs"] == 6);  // four edges, two diagonals
  CHECK(shown["spring_groups"]["diagonal"] == 2);
  for (const std::string to : {"copy.obj", "copy.off", "copy.ply"}) {
    REQUIRE(place.run("mesh quad.obj --to " + to).status == 0);
    const auto copy = place.run("mesh " + to + " --json").json();
    CHECK(copy["vertices"] == 4);
    CHECK(copy["faces"] == 1);
    CHECK(copy["box"] == shown["box"]);
    CHECK(place.run("mesh quad.obj --to " + to).status == 2);  // never overwrites
  }
  CHECK(place.run("mesh quad.obj --to copy.stl").status == 2);
}

TEST_CASE("check-gradient: passes on two short steps of every integrator", "[app][gradient]") {
  check_gradients("--steps 2 --set simulation.time_step=0.1ms");
}

TEST_CASE("check-gradient: passes on a damped charged body for every integrator", "[app][gradient][slow]") {
  check_gradients("--steps 10");
}

TEST_CASE("check-gradient: a run that diverges fails with status 1", "[app][gradient]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const Outcome outcome = place.run(
      "check-gradient small.yaml --json --set simulation.integrator=velocity_verlet --set "
      "system.springs.stiffness=1e11");
  CHECK(outcome.status == 1);
  CHECK(outcome.json()["passed"] == false);
}

TEST_CASE("progress: check-gradient and bench draw a bar on a terminal, and none with --quiet or where piped",
          "[app][progress]") {
  const fs::path terminal = "/usr/bin/script";  // runs a command on a terminal of its own
  if (!fs::exists(terminal)) pithball::tests::skip("no /usr/bin/script");
  pithball::tests::require_terminal();
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const auto run_on_terminal = [&](const std::string& command) {
    return place.run("-qec \"" + command + "\" /dev/null", "", terminal);
  };
  const std::string check = "check-gradient small.yaml --steps 2";
  const std::string bench = "bench step --segments 8,3 --repeats 1 --set simulation.duration=0.05";
  for (const auto& [program, arguments, title] :
       {std::tuple{std::string(pithball::tests::built_program), check, std::string("check-gradient small [")},
        std::tuple{std::string(pithball::tests::built_lab), bench, std::string("bench step [")}}) {
    CAPTURE(arguments);
    const Outcome drawn = run_on_terminal(program + " " + arguments);
    CHECK(drawn.status == 0);
    CHECK(says(drawn.out, title));
    CHECK_FALSE(says(run_on_terminal(program + " " + arguments + " --quiet").out, title));
    CHECK_FALSE(says(place.run(arguments).err, title));
  }
}

TEST_CASE("bench: prints solves and Coulomb sums of each pass", "[app][bench]") {
  const Workplace place;
  const Outcome outcome = place.run("bench gradient --segments 8,3 --repeats 1 --json --set simulation.duration=0.05");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto result = outcome.json();
  for (const char* pass : {"forward", "recording", "adjoint"})
    for (const char* key : {"linear_solves_per_step", "coulomb_evaluations_per_step", "seconds"})
      CHECK(result[pass][key].get<double>() > 0);
  CHECK(result["gradient_over_forward"].get<double>() > 0);
  CHECK(place.run("bench step --segments 8,3 --repeats 1 --set simulation.duration=0.05").status == 0);
}

TEST_CASE("data: an installed program finds the recordings beside it, and they are whole", "[app][data]") {
  const Workplace place;
  for (const char* folder : {"prefix/bin", "prefix/share/pithball"}) fs::create_directories(place / folder);
  fs::copy_file(pithball::tests::built_program, place / "prefix/bin/pithball");
  fs::copy_file(pithball::tests::in_sources("datasets/manifest.yaml"), place / "prefix/share/pithball/manifest.yaml");
  fs::create_directory_symlink(pithball::tests::in_sources("datasets/recordings"),
                               place / "prefix/share/pithball/recordings");
  const std::string nothing_else = "env -u PITHBALL_DATA XDG_DATA_HOME='" + (place / "none").string() + "'";
  const Outcome outcome = place.run("data verify --json", nothing_else, place / "prefix/bin/pithball");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto result = outcome.json();
  CHECK(result["data_sets"].size() == 9);
  for (const auto& set : result["data_sets"])
    CHECK(set["folder"] == (place / "prefix/share/pithball/recordings" / set["name"].get<std::string>()).string());
  const Outcome get = place.run("data get trunk_decay", nothing_else, place / "prefix/bin/pithball");
  CHECK(get.status == 0);
  CHECK(get.out.find("already in") != std::string::npos);
  CHECK_FALSE(fs::exists(place / "none"));
}

TEST_CASE("data list: names every set with license and citation", "[app][data]") {
  const Workplace place;
  const Outcome outcome = place.run("data list --json", "PITHBALL_DATA=/nonexistent");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto result = outcome.json();
  for (const auto& set : result["data_sets"]) {
    CHECK(!set["license"].get<std::string>().empty());
    CHECK(!set["citation"].get<std::string>().empty());
  }
  CHECK(place.run("data get no-such-set").status == 2);
  CHECK(place.run("data verify no-such-set").status == 2);
}

TEST_CASE("usage: a word that is no command is named, with the one that was meant", "[app][error]") {
  const Workplace place;
  const auto complaint = [&](const std::string& arguments) {
    const Outcome outcome = place.run(arguments);
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK(complaint("simulat small.yaml --out x") ==
        "pithball: 'simulat' is not a command, did you mean 'simulate'?; run `pithball --help`\n");
  CHECK(complaint("data lits").find("pithball data: 'lits' is not a command, did you mean 'list'?") == 0);
  CHECK(complaint("dance").find("pithball: 'dance' is not a command, known are simulate, record, ") == 0);
  CHECK(complaint("benhc").find("pithball: 'benhc' is not a command, did you mean 'bench'?") == 0);  // of pithball-lab
}

TEST_CASE("options: numbers that are none, or that the option cannot hold, are rejected", "[app][error]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const std::string record = "record small.yaml --rate 100 --out tracks.csv ";
  const std::string field = "field small.yaml --out field.csv ";
  for (const std::string& arguments : {record + "--seed -1",
                                       record + "--seed 99999999999999999999",
                                       record + "--seed 1e3",
                                       record + "--seed 010",
                                       record + "--noise nan",
                                       record + "--gap inf",
                                       field + "--time nan",
                                       field + "--time inf",
                                       field + "--time -1",
                                       field + "--time ''",
                                       std::string("report run --motion-size nan"),
                                       std::string("report run --png --time nan"),
                                       std::string("export run --format csv --time nan"),
                                       std::string("data show tracks.csv --rate nan"),
                                       std::string("data show tracks.csv --rate 0"),
                                       std::string("bench fit --tolerance nan"),
                                       std::string("bench recovery --noise nan"),
                                       std::string("bench recovery --seed -1"),
                                       std::string("bench coulomb --tolerance 1e-3,nan"),
                                       std::string("bench neighbors --neighbors nan"),
                                       std::string("bench cloth --tolerance nan")}) {
    const Outcome outcome = place.run(arguments, "timeout 10");
    CAPTURE(arguments, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("--") != std::string::npos);
    CHECK(place.listing() == "small.yaml ");
  }
  CHECK(place.run(record + "--seed 18446744073709551615 --json").json()["seed"] == 18446744073709551615ULL);
}

TEST_CASE("output: what cannot be written is a failure; a reader that had enough is none", "[app][error]") {
  if (!fs::exists("/dev/full")) pithball::tests::skip("no device /dev/full");
  const Workplace place;
  place.write("small.yaml", small_experiment);
  for (const std::string arguments : {"list forces", "list keys", "--version", "fit --help", "data list --json",
                                      "mesh small.yaml --json", "check-gradient small.yaml --steps 2"}) {
    CAPTURE(arguments);
    const Outcome outcome =
        place.run("-c '\"$0\" \"$@\" > /dev/full' " + std::string(pithball::tests::built_program) + " " + arguments, "",
                  "/bin/sh");
    CHECK(outcome.status == 1);
    CHECK(outcome.err.starts_with("pithball: cannot write "));
    CHECK(outcome.err.find("No space left on device") != std::string::npos);
    for (const std::string ignored : {"", "trap \"\" PIPE; "}) {
      const Outcome piped = place.run("-c '{ " + ignored + "\"$0\" \"$@\"; echo $? > status; } | true' " +
                                          std::string(pithball::tests::built_program) + " " + arguments,
                                      "", "/bin/sh");
      CHECK(piped.err.find("cannot write to standard output") == std::string::npos);
    }
  }
}

TEST_CASE("output: nothing that is printed ends in a file where the shell closed a stream", "[app][error]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const Outcome outcome =
      place.run("-c '\"$0\" simulate small.yaml --out run <&- >&- 2>&-' " + std::string(pithball::tests::built_program),
                "", "/bin/sh");
  CHECK(outcome.status == 0);
  CHECK(place.run("export run --format csv --out exported").status == 0);
  for (const auto& entry : fs::recursive_directory_iterator(place / "run"))
    if (entry.is_regular_file()) CHECK(read_text(entry.path()).find("force evaluations") == std::string::npos);
}

TEST_CASE("option --quiet: a run that failed says why", "[app][error]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const Outcome run = place.run(
      "simulate small.yaml --quiet --set simulation.integrator=velocity_verlet --set system.springs.stiffness=1e11");
  CHECK(run.status == 1);
  CHECK(run.out.empty());
  CHECK(run.err.find("diverged") != std::string::npos);
  const Outcome gradient = place.run(
      "check-gradient small.yaml --quiet --set simulation.integrator=velocity_verlet --set "
      "system.springs.stiffness=1e11");
  CHECK(gradient.status == 1);
  CHECK(gradient.err.find("gradient check") != std::string::npos);
  fs::copy(demo_folder, place / "demo");
  const Outcome fit = place.run("fit demo/charged-net.yaml --quiet --set fit.max_iterations=1");
  CAPTURE(fit.err);
  CHECK(fit.status == 1);
  CHECK(fit.out.empty());
  CHECK(fit.err.starts_with("demo/charged-net.yaml: "));
  CHECK(std::count(fit.err.begin(), fit.err.end(), '\n') == 1);
}

TEST_CASE("data: the current folder does not choose what is fetched and from where", "[app][data]") {
  const Workplace place;
  place.write(
      "datasets/manifest.yaml",
      "foreign:\n  title: F\n  kind: k\n  repository: o/r\n  commit: c\n  license: l\n  citation: c\n  units: m\n"
      "  files: [{name: x, path: y, sha256: " +
          std::string(64, '0') + "}]\n");
  const Outcome outcome = place.run("data list");
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("foreign") == std::string::npos);
  CHECK(outcome.out.find("meshes") != std::string::npos);
}

TEST_CASE("data get: a signal ends the download too and leaves nothing", "[app][data]") {
  const Workplace place;
  place.write("curl", "#!/bin/sh\necho $$ > '" + (place / "pid").string() + "'\nexec sleep 60\n");
  fs::permissions(place / "curl", fs::perms::owner_exec, fs::perm_options::add);
  place.write(
      "signal.sh",
      "\"$@\" & program=$!\nwhile [ ! -s pid ]; do sleep 0.02; done\nkill -TERM $program\nwait $program\nstatus=$?\n"
      "kill -0 $(cat pid) 2>/dev/null && echo orphan\nexit $status\n");
  const Outcome outcome =
      place.run("signal.sh " + std::string(pithball::tests::built_program) + " data get meshes",
                "env -u PITHBALL_DATA PATH=\"$PWD:$PATH\" XDG_DATA_HOME=\"$PWD/data/home\"", "/bin/sh");
  CAPTURE(outcome.err);
  CHECK(outcome.status == 1);
  CHECK(outcome.err ==
        "Stopping; unfinished files are removed. A second Ctrl-C ends the program at once.\npithball: interrupted\n");
  CHECK(outcome.out.empty());
  CHECK_FALSE(fs::exists(place / "data"));
}

TEST_CASE("commands: a bare program shows its help, in groups", "[app][commands]") {
  const Workplace place;
  const Outcome bare = place.run_as_written("");
  CHECK(bare.status == 0);
  CHECK(bare.err.empty());
  CHECK(bare.out == place.run_as_written("--help").out);
  std::size_t at = 0;
  for (const char* line : {"\nSimulate:\n  simulate ", "\nFit:\n  fit ", "\nResults:\n  report ",
                           "\nMeshes, recordings and lists:\n  mesh "}) {
    INFO(line);
    at = bare.out.find(line, at);
    REQUIRE(at != std::string::npos);
  }
  CHECK(bare.out.find("bench") == std::string::npos);
  const Outcome lab = place.run_as_written("", "", pithball::tests::built_lab);
  CHECK(lab.status == 0);
  for (const char* verb : {"  study ", "  cases ", "  demos ", "  paper ", "  bench "})
    CHECK(lab.out.find(verb) != std::string::npos);
}

TEST_CASE("commands: help speaks of options in sentences", "[app][commands]") {
  const Workplace place;
  const auto help = [&](const std::string& verb, const fs::path& program = pithball::tests::built_program) {
    return place.run_as_written(verb + " --help", "", program).out;
  };
  CHECK(says(help("report"), "--time SECONDS Needs: --png"));
  CHECK(says(help("record"), "Replace the file of --out if it exists"));
  CHECK_FALSE(says(help("record"), "folder are kept"));
  CHECK(says(help("export"), "for lammps, the state from which LAMMPS starts"));
  CHECK(says(help("compare"), "the run is compared at its first step\nafter each of them"));
  CHECK(says(help("paper", pithball::tests::built_lab), "A run that\ncannot be made also ends with status 1."));
  for (const char* verb : {"study", "cases", "demos", "paper"}) {
    const std::string text = help(verb, pithball::tests::built_lab);
    const std::size_t quick = text.find("--quick");
    INFO(text);
    REQUIRE(quick != std::string::npos);
    const std::size_t first = text.find_first_not_of(' ', quick + std::string("--quick").size());
    CHECK(std::isupper(static_cast<unsigned char>(text[first])));
  }
}

TEST_CASE("commands: an option that is none is named, with the nearest one", "[app][commands][error]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const auto complaint = [&](const std::string& arguments) {
    const Outcome outcome = place.run_as_written(arguments);
    CHECK(outcome.status == 2);
    CHECK(place.listing() == "small.yaml ");
    return outcome.err;
  };
  CHECK(complaint("simulate small.yaml --ovewrite") ==
        "pithball simulate: '--ovewrite' is not an option, did you mean '--overwrite'?; run `pithball simulate "
        "--help`\n");
  CHECK(complaint("simulate small.yaml --outt=run").find("did you mean '--out'?") != std::string::npos);
  CHECK(complaint("simulate --outt run").find("did you mean '--out'?") != std::string::npos);  // though FILE lacks, too
  CHECK(complaint("fit small.yaml --perpetuum").find("'--perpetuum' is not an option, known are --help") !=
        std::string::npos);
}

TEST_CASE("commands: the verbs that pithball-lab has now still work", "[app][commands]") {
  const Workplace place;
  const Outcome lab =
      place.run_as_written("bench step --segments 8,3 --repeats 1 --json", "", pithball::tests::built_lab);
  const Outcome old = place.run_as_written("bench step --segments 8,3 --repeats 1 --json");
  REQUIRE(lab.status == 0);
  CHECK(old.status == 0);
  CHECK(old.err == "pithball bench: this command is now `pithball-lab bench`; starting it\n" + lab.err);
  const auto keys = [](const nlohmann::json& object) {
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) names.push_back(name);
    return names;
  };
  CHECK(keys(old.json()) == keys(lab.json()));
  for (const char* verb : {"study", "cases", "demos", "paper"}) {
    INFO(verb);
    const std::string help = std::string(verb) + " --help";
    CHECK(place.run_as_written(help).out == place.run_as_written(help, "", pithball::tests::built_lab).out);
  }
  CHECK(place.run_as_written("bench step --repeats 0").status == 2);

  // A copy of pithball alone.
  fs::create_directories(place / "alone");
  fs::copy_file(pithball::tests::built_program, place / "alone/pithball");
  const Outcome alone = place.run_as_written("bench step", "", place / "alone/pithball");
  CHECK(alone.status == 2);
  CHECK(alone.err.find("cannot start " + (place / "alone/pithball-lab").string() +
                       ": No such file or directory; build it with `make program`") != std::string::npos);
}

TEST_CASE("commands: a message that cannot be written ends nothing", "[app][commands]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const std::string full = "sh -c 'exec \"$@\" 2>/dev/full' sh";
  CHECK(place.run_as_written("simulate none.yaml", full).status == 2);
  CHECK(place.run_as_written("simulat small.yaml", full).status == 2);
  CHECK(place.run_as_written("simulate small.yaml --out run", full).status == 0);
  const Outcome out = place.run_as_written("list keys", "sh -c 'exec \"$@\" >/dev/full' sh");
  CHECK(out.status == 1);
  CHECK(says(out.err, "cannot write to"));
}

TEST_CASE("errors: with --json standard output has the parts of the error too", "[app][error]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const Outcome wrong = place.run("simulate small.yaml --json --out r --set system.mass=-1");
  CHECK(wrong.status == 2);
  const nlohmann::json said = wrong.json();
  CHECK(said["status"] == "invalid input");
  CHECK(said["exit_status"] == 2);
  CHECK(said["error"]["message"].get<std::string>() + "\n" == wrong.err);
  CHECK(said["error"]["what"] == "system.mass");
  CHECK(said["error"]["got"] == "-1");
  const Outcome unknown = place.run("simulate small.yaml --json --treads 2");
  CHECK(unknown.status == 2);
  CHECK(says(unknown.json()["error"]["message"], "'--treads' is not an option"));
  CHECK(unknown.json()["error"]["remedy"].is_null());
}

TEST_CASE("completion: every command and option is in the scripts", "[app][docs]") {
  const Workplace place;
  const std::string bash = place.run("completion bash").out, fish = place.run("completion fish").out;
  for (const std::string command : {"simulate", "fit", "data", "list"}) {
    CHECK(says(bash, "\n    '" + command + "') words='"));
    CHECK(says(fish, "-n \"__pithball_is_at '" + command + "'\""));
  }
  CHECK(says(bash, "'data get') words='"));
  CHECK(says(fish, "-n \"__pithball_is_at 'data get'\""));
  CHECK(says(bash, "--halve-step"));
  CHECK(says(fish, "--halve-step"));
  CHECK(says(bash, "results-schema"));  // a choice of `list`
  CHECK(place.run("completion tcsh").status == 2);
}
