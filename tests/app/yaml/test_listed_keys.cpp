// Unknown keys are reported before anything is built, and before errors that follow from them.

#include "app/experiment/experiment.hpp"
#include "app/experiment/experiment_file.hpp"
#include "app/yaml/key_page.hpp"
#include "app/yaml/key_schema.hpp"
#include "sim/core/error.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::test;

namespace {

struct Misspelling {
  const char* what;
  const char* by;
  const char* message;
};

/// Each of them leads to another error where it is read, which is not the one to report.
const Misspelling misspellings[] = {
    // The particles would coincide; and without a file that is there.
    {"  vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]",
     "  mesh: {parts: [{name: A, mesh: {chain: {length: 1, segments: 1}}, translate: [1, 0, 0]}, {name: B, mesh: "
     "{chain: {length: 1, segments: 1}}}]}",
     "system.mesh.parts[0].translate: is not a known key here; did you mean one of"},
    {"  vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]", "  mesh: {file: none.obj, scal: 2}",
     "system.mesh.scal: is not a known key here; did you mean 'scale'?"},
    // Two particles at one point need a softening.
    {"  - coulomb", "  - coulomb: {softning: 1 mm}",
     "forces[1].coulomb.softning: is not a known key here; did you mean 'softening'?"},
    {"time_step: 0.01", "dt: 0.01", "simulation.dt: is not a known key here"},
    {"time_step: 0.01", "timestep: 0.01", "simulation.timestep: is not a known key here; did you mean 'time_step'?"},
    {"name: small", "nam: small", "nam: is not a known key here; did you mean 'name'?"},
    // A section that is read last.
    {"name: small", "output: {evry: 2}\nname: small", "output.evry: is not a known key here; did you mean 'every'?"},
    {"  - gravity: [0, 0, -9.81]", "  - grvity: [0, 0, -9.81]",
     "forces[0].grvity: is not a known force, got 'grvity'; did you mean 'gravity'?"},
    {"  - gravity: [0, 0, -9.81]", "  - gravity: [0, 0]\n    selct: [1]",
     "forces[0].selct: is not a known key here; did you mean 'select'?"},
    // Sections that the command does not read.
    {"name: small", "fit: {parametrs: [charge]}\nname: small",
     "fit.parametrs: is not a known key here; did you mean 'parameters'?"},
    {"name: small", "fit: {recordings: [{fil: a.csv}]}\nname: small",
     "fit.recordings[0].fil: is not a known key here; did you mean 'file'?"},
    {"name: small", "fit: {parameters: [{charge: {intial: 3}}]}\nname: small",
     "fit.parameters[0].charge.intial: is not a known key here; did you mean 'initial'?"},
};

std::string complaint_of(const std::string& text) {
  try {
    app::read_experiment(app::parse_document(text, {"small.yaml"}));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("listed keys: a misspelled or misplaced key is reported before what follows from it", "[app][yaml]") {
  for (const Misspelling& one : misspellings) {
    INFO(one.by);
    const std::string message = complaint_of(replaced(small_experiment, one.what, one.by));
    INFO(message);
    CHECK(says(message, one.message));
  }
}

TEST_CASE("listed keys: every key of the page, misspelled in place, is reported as such", "[app][yaml]") {
  const app::KeyPage page = app::experiment_keys();
  std::size_t tried = 0;
  for (const app::KeyPage::Row& row : page.rows()) {
    if (row.path.find_first_of("[") != std::string::npos || row.path == "include") continue;
    const std::size_t dot = row.path.rfind('.');
    const std::string parent = dot == std::string::npos ? "" : row.path.substr(0, dot + 1);
    if (parent.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos) continue;
    if (parent == "system.mass.") continue;  // beside names of groups, as which a misspelled key is reported
    const std::string key = row.path.substr(parent.size());
    if (key.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos) continue;  // the user's own
    const std::string wrong = parent + key + "_";
    app::ExperimentDocument document = app::parse_document("name: small", {"small.yaml"});
    bool placed = true;
    try {
      app::apply_overrides({{wrong, "1", "--set"}}, document);
    } catch (const InvalidArgument&) {
      placed = false;
    }
    if (!placed) continue;
    ++tried;
    INFO(wrong);
    try {
      app::reject_unlisted_keys(document);
      FAIL_CHECK("accepted");
    } catch (const InvalidArgument& error) {
      CHECK(says(error.what(), wrong + ": is not a known key here"));
      CHECK(says(error.what(), "did you mean"));
    }
  }
  CHECK(tried > 200);
}

TEST_CASE("listed keys: names that the user chooses are free", "[app][yaml]") {
  const std::string text = replaced(replaced(small_experiment, "groups: {tip: {vertices: [2]}}",
                                             "groups: {tip: {vertices: [2]}, anything: {box: [[0, 0, 0], [1, 1, 1]]}}"),
                                    "mass: 0.1", "mass: {tip: 0.2, rest: {total: 0.1}}");
  CHECK(complaint_of(text).empty());
  CHECK(complaint_of(text + "fit: {recordings: [{file: a.csv, set: {system.mass.tip: 1, a.b.c: 2}, value_offsets: "
                            "{mass: {tip: 200 g, rest: 0}}}], parameters: [{charge: {prior: {gaussian: {mean: 1, "
                            "standard_deviation: 1}}}}, whatever]}\nprovenance: {who: {ever: 1}}\n")
            .empty());
}

TEST_CASE("listed keys: `pithball mesh` reports them too", "[app][yaml][mesh]") {
  Workplace place;
  place.write("m.yaml", "system: {mesh: {chain: {length: 1, segmnts: 3}}}\n");
  const Outcome one = place.run("mesh m.yaml");
  CHECK(one.status == 2);
  CHECK(says(one.err, "m.yaml:1:36 system.mesh.chain.segmnts: is not a known key here; did you mean 'segments'?"));
  place.write("n.yaml", "system: {mesh: {chain: {length: 1, segments: 3}}, mas: 1}\nsimulatoin: {}\n");
  CHECK(says(place.run("mesh n.yaml").err, "simulatoin: is not a known key here; did you mean 'simulation'?"));
}

TEST_CASE("listed keys: a walk names each mapping with fixed keys once, from the outside", "[app][yaml]") {
  const nlohmann::ordered_json schema = app::experiment_schema(app::experiment_keys());
  std::vector<std::string> paths;
  app::visit_listed_keys(
      app::parse_yaml("system: {groups: {a: {vertices: [1]}}}\nforces: [{drag: {wind: {uniform: [0, 0, "
                      "1]}}}, coulomb]\n",
                      "a.yaml"),
      schema, [&](const app::Tree&, const std::string& path, const app::ListedKeys& listed) {
        paths.push_back(path);
        CHECK(listed.item == (path == "forces[0]" ? "force" : ""));
      });
  CHECK(paths == std::vector<std::string>{"", "system", "system.groups.a", "forces[0]", "forces[0].drag",
                                          "forces[0].drag.wind"});
}
