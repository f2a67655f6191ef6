#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/layering/source_lines.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

// One include root serves the whole house, so the compiler accepts any include; what the house allows is stated here.

namespace {

namespace fs = std::filesystem;
using namespace pithball::tests;

/// Who may include whom. Nothing points back.
const std::map<std::string, std::set<std::string>> allowed_folders = {
    {"sim", {"sim"}},
    {"diff", {"diff", "sim"}},
    {"optim", {"optim", "diff", "sim"}},
    {"datasets", {"datasets", "sim"}},
    {"app", {"app", "optim", "diff", "datasets", "sim"}},
    {"experiments", {"experiments", "app", "optim", "diff", "datasets", "sim"}},
    {"tests", {"tests", "experiments", "app", "optim", "diff", "datasets", "sim"}},
    {"fuzz", {"fuzz", "app", "optim", "diff", "datasets", "sim"}},
};

/// The rooms of a folder by level: a room may include its own level and those below.
using Levels = std::map<std::string, int>;

const Levels sim_level = {
    {"core", 0},       {"field", 0}, {"kernel", 1},     {"linear", 1}, {"coulomb", 1},
    {"neighbors", 1},  {"force", 2}, {"constraint", 2}, {"model", 2},  {"integrator", 3},
    {"population", 3}, {"run", 4},   {"check", 5},
};

/// `backend` is below `spec`, because reading an experiment checks the backend that it names.
const Levels app_level = {
    {"base", 0}, {"film", 1},  {"yaml", 1},   {"backend", 2}, {"experiment", 3}, {"result", 4},    {"run_folder", 5},
    {"run", 6},  {"sweep", 7}, {"export", 7}, {"field", 8},   {"report", 9},     {"commands", 10},
};

const Levels optim_level = {
    {"measurement", 0}, {"parameter", 1},   {"observation", 2}, {"residual", 3}, {"screening", 4},
    {"search", 4},      {"uncertainty", 5}, {"weak_form", 5},   {"verdict", 6},  {"fit", 7},
    {"diagnosis", 8},   {"design", 8},      {"identity", 8},
};

const Levels datasets_level = {{"text", 0},     {"mesh", 1}, {"trajectory", 1},
                               {"manifest", 1}, {"film", 1}, {"capture", 2}};

/// The folders with levels. In the others no circle of rooms may include one another.
const std::map<std::string, Levels> levels = {
    {"sim", sim_level}, {"app", app_level}, {"optim", optim_level}, {"datasets", datasets_level}};

/// A library, or a header that shows one, and the only files that may name it.
struct LibraryRule {
  std::string name;
  std::regex include;
  std::regex files;
};

const std::vector<LibraryRule>& library_rules() {
  static const std::vector<LibraryRule> rules = {
      {"CHOLMOD", std::regex("(suitesparse/)?cholmod.*"), std::regex("sim/.*\\.cpp")},
      {"Highway", std::regex("hwy/.*"),
       std::regex("sim/.*(\\.cpp|-inl\\.hpp)|datasets/film/spot_sums\\.cpp|tests/sim/.*")},
      {"nanoflann", std::regex("nanoflann\\.hpp"), std::regex("sim/neighbors/.*\\.cpp")},
      {"CGAL", std::regex("CGAL/.*"), std::regex("(sim|datasets)/.*\\.cpp")},
      {"HDF5", std::regex("(hdf5|H5|highfive/).*"),
       std::regex(
           "datasets/.*\\.cpp|datasets/trajectory/hdf5_(handle|writing)\\.hpp|tests/(datasets|app)/.*|fuzz/.*\\.cpp")},
      {"Ceres", std::regex("ceres/.*"), std::regex("optim/.*\\.cpp|optim/search/ceres_support\\.hpp|tests/.*")},
      {"yaml-cpp", std::regex("yaml-cpp/.*"), std::regex("(datasets|app|tests/datasets|tests/app)/.*")},
      {"CLI11", std::regex("CLI/.*"), std::regex("(app|experiments)/commands/.*")},
      {"zlib", std::regex("zlib\\.h"), std::regex("app/report/.*\\.cpp|optim/search/ledger\\.cpp|tests/app/report/.*")},
      {"UDUNITS-2", std::regex("(udunits2/)?udunits.*"), std::regex("app/yaml/.*\\.cpp")},
      {"libzip", std::regex("zip\\.h"),
       std::regex("app/export/npz\\.cpp|datasets/capture/npy_reader\\.cpp|tests/datasets/formats/.*")},
      {"OpenCV", std::regex("opencv2/.*"), std::regex("datasets/film/picture_filter\\.cpp")},
      {"a private header",
       std::regex(
           "datasets/trajectory/(hdf5_(handle|objects|reader|writing|dialogue)|h5md_(lists|writer_file))\\.hpp|optim/"
           "search/ceres_support\\.hpp"),
       std::regex(".*\\.cpp|datasets/trajectory/(hdf5_(reader|writing|dialogue)|h5md_(lists|writer_file))\\.hpp")},
      {"Catch2", std::regex("catch2/.*"), std::regex("tests/.*")},
      // Work is shared by `parallel_for` only: what waits in another way is slow where processors are busy.
      {"a thread", std::regex("omp\\.h|thread|future|execution|tbb/.*"),
       std::regex("sim/core/(parallel_for\\.cpp|brief_wait\\.hpp)|app/base/child_process\\.cpp|tests/.*")},
  };
  return rules;
}

/// A function of a library, and the only files that may call it.
struct CallRule {
  std::string reason;
  std::regex call;
  std::regex files;
};

/// Where the program may read JSON. Results travel as structs, so that a wrong name of a key does not compile.
const char* const readers_of_json =
    "(?!app/).*"
    "|app/result/json_fields\\.cpp"               // the files of run folders, into structs by their lists of fields
    "|app/run_folder/.*"                          // the parts of files that no list of fields has
    "|app/backend/jax_md\\.cpp"                   // answers of another program
    "|app/report/(browser|report_view)\\.cpp"     // answers of a browser, and of the page that it shows
    "|app/report/(packed|motion_document)\\.cpp"  // the size of an array that was packed for the page just before
    "|app/report/experiment_sections\\.cpp"       // a number of run.yaml
    "|app/report/section\\.hpp"                   // the title of what was made for the page just before
    ;

const std::vector<CallRule>& call_rules() {
  static const std::vector<CallRule> rules = {
      // What a file says of its sizes is checked in one place before HDF5 copies it into memory.
      {"numbers and texts of HDF5 files are read by datasets/trajectory/hdf5_objects.cpp only",
       std::regex(R"re(.*\b(H5[AD]read\w*|H5D(vlen_)?gather|H5Literate\w*|H5Ovisit\w*)\s*\(.*)re"),
       std::regex("datasets/trajectory/hdf5_objects\\.cpp|tests/.*")},
      // Whatever differs from kind to kind stands in MeasurementKind.
      {"measurement kinds are compared in optim/measurement only",
       std::regex(R"re(.*[=!]=\s*&(optim::)?\w+_kind\(\).*)re"), std::regex("optim/measurement/.*|tests/.*")},
      {"JSON of the program's own is read in app/result and app/run_folder only, into structs",
       std::regex(R"re(.*(\.(get|get_to|get_ref)<|\.get_to\(|\.at\(\s*"[^"]|ordered_json::parse\().*)re"),
       std::regex(readers_of_json)},
      // A message that cannot be written must end nothing.
      {"messages are printed by app/base/print_message.hpp", std::regex(R"re(.*fmt::print\(stderr.*)re"),
       std::regex("tests/.*")},
  };
  return rules;
}

/// The first part of a path with '/': "sim" of "sim/core/state.hpp"; empty without a '/'.
std::string first_part(const std::string& path) {
  const auto slash = path.find('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

/// "core" of "sim/core/state.hpp".
std::string room(const std::string& path) { return first_part(path.substr(first_part(path).size() + 1)); }

/// Why a room of `folder` may not include another by their levels; empty if it may.
std::optional<std::string> objection_of_levels(const std::string& folder, const std::string& upper,
                                               const std::string& lower) {
  const auto found = levels.find(folder);
  if (found == levels.end()) return std::nullopt;
  const Levels& level = found->second;
  if (upper.empty()) return std::nullopt;  // in no room, above all of them: main.cpp, optim/fit.hpp
  if (lower.empty()) return folder + "/" + upper + " may not include what lies above all rooms of " + folder;
  if (!level.count(lower) || !level.count(upper))
    return "a room of " + folder + " without a level: give it one in " + folder + "_level";
  if (level.at(lower) > level.at(upper)) return folder + "/" + upper + " may not include " + folder + "/" + lower;
  return std::nullopt;
}

/// Why `file` (a path in the repository) may not include `include`; empty if it may.
std::optional<std::string> objection(const std::string& file, const std::string& include, bool quoted) {
  for (const auto& rule : library_rules())
    if (std::regex_match(include, rule.include) && !std::regex_match(file, rule.files))
      return rule.name + " does not belong in this file";
  const std::string from = first_part(file), to = first_part(include);
  if (!allowed_folders.count(to))
    return quoted ? std::optional<std::string>("own headers are included by their path in the repository")
                  : std::nullopt;
  if (!allowed_folders.at(from).count(to)) return from + " may not include " + to;
  return from == to ? objection_of_levels(from, room(file), room(include)) : std::nullopt;
}

/// Which rooms a room includes, with a file that shows it.
using Rooms = std::map<std::string, std::map<std::string, std::string>>;

struct Scan {
  int includes = 0;                    ///< read, allowed or not
  std::vector<std::string> found;      ///< the forbidden ones, as "file:line: reason: include"
  std::map<std::string, Rooms> rooms;  ///< of each folder
};

/// Files that lie in the folder itself are in no room.
void add_to_rooms(const std::string& file, const std::string& include, std::map<std::string, Rooms>& rooms) {
  const std::string folder = first_part(file);
  if (first_part(include) != folder) return;
  const std::string from = room(file), to = room(include);
  if (!from.empty() && !to.empty() && from != to) rooms[folder][from].emplace(to, file);
}

/// A way from the last room of `way` to its first, appended to it; false if there is none.
bool closes(const Rooms& rooms, std::vector<std::string>& way, std::set<std::string>& seen) {
  const auto from = rooms.find(way.back());
  if (from == rooms.end()) return false;
  for (const auto& [to, file] : from->second) {
    if (to == way.front()) return true;
    if (!seen.insert(to).second) continue;
    way.push_back(to);
    if (closes(rooms, way, seen)) return true;
    way.pop_back();
  }
  return false;
}

/// Rooms that include one another in a circle, as "a -> b (a/file.hpp) -> a (b/file.cpp)"; empty if there are none.
std::string circle(const Rooms& rooms) {
  for (const auto& [start, includes] : rooms) {
    std::vector<std::string> way{start};
    std::set<std::string> seen;
    if (!closes(rooms, way, seen)) continue;
    std::string told = start;
    for (std::size_t k = 0; k < way.size(); ++k) {
      const std::string& next = way[(k + 1) % way.size()];
      told += " -> " + next + " (" + rooms.at(way[k]).at(next) + ")";
    }
    return told;
  }
  return "";
}

/// Whether a line holds what some rule of calls begins with; the rules themselves would take long.
bool may_be_ruled(const std::string& line) {
  return std::ranges::any_of(std::array{"H5", ".get", ".at(", "::parse(", "::print("},
                             [&](const char* sign) { return line.find(sign) != std::string::npos; });
}

/// Why `file` may not hold this line of code; empty if it may.
std::optional<std::string> objection_to_call(const std::string& file, const std::string& line) {
  for (const CallRule& rule : call_rules())
    if (!std::regex_match(file, rule.files) && std::regex_match(line.substr(0, line.find("//")), rule.call))
      return rule.reason;
  return std::nullopt;
}

/// Reads the includes and calls of every .hpp and .cpp in the house's folders below `root`.
Scan scan_includes(const fs::path& root) {
  Scan scan;
  for (const auto& [folder, allowed] : allowed_folders)
    for_each_line(root, folder, [&](const SourceLine& at) {
      if (may_be_ruled(at.text))
        if (const auto reason = objection_to_call(at.file, at.text)) scan.found.push_back(at.place() + ": " + *reason);
      const auto include = find_include(at.text);
      if (!include) return;
      ++scan.includes;
      if (include->quoted) add_to_rooms(at.file, include->name, scan.rooms);
      if (const auto reason = objection(at.file, include->name, include->quoted))
        scan.found.push_back(at.place() + ": " + *reason + ": " + include->name);
    });
  std::sort(scan.found.begin(), scan.found.end());
  return scan;
}

}  // namespace

TEST_CASE("layering: every include and call of the repository is allowed", "[layering]") {
  const Scan scan = scan_includes(pithball::tests::source_folder);
  CHECK(scan.includes > 0);
  for (const auto& complaint : scan.found) FAIL_CHECK(complaint);
}

TEST_CASE("layering: no circle of rooms includes one another", "[layering]") {
  const Scan scan = scan_includes(pithball::tests::source_folder);
  for (const char* folder : {"app", "diff", "experiments"}) CHECK(scan.rooms.count(folder) == 1);
  for (const auto& [folder, rooms] : scan.rooms)
    if (folder != "sim" && folder != "tests") CHECK(circle(rooms) == "");  // of `sim` some rooms share a level
}

TEST_CASE("layering: a circle of rooms is found and told with the files that close it", "[layering]") {
  const TemporaryTree tree(Files{{"diff/step/a.hpp", "#include \"diff/loss/a.hpp\"\n"},
                                 {"diff/loss/a.hpp", "#include \"diff/check/a.hpp\"\n#include \"diff/b.hpp\"\n"},
                                 {"diff/check/b.cpp", "#include \"diff/step/b.hpp\"\n"},
                                 {"diff/b.hpp", "#include \"diff/loss/b.hpp\"\n"},
                                 {"optim/a/a.hpp", "#include \"optim/b/a.hpp\"\n#include \"diff/step/a.hpp\"\n"}});
  const Scan scan = scan_includes(tree.root());
  CHECK(circle(scan.rooms.at("diff")) ==
        "check -> step (diff/check/b.cpp) -> loss (diff/step/a.hpp) -> check (diff/loss/a.hpp)");
  CHECK(circle(scan.rooms.at("optim")) == "");
}

TEST_CASE("layering: a forbidden include is found and named with file and line", "[layering]") {
  struct Case {
    std::string file, include, reason;
  };
  const Case cases[] = {
      {"sim/force/a.hpp", "\"diff/rollout/rollout.hpp\"", "sim may not include diff"},
      {"sim/core/a.hpp", "\"sim/force/force_term.hpp\"", "sim/core may not include sim/force"},
      {"sim/model/a.cpp", "\"sim/run/trajectory.hpp\"", "sim/model may not include sim/run"},
      {"sim/attic/a.cpp", "\"sim/core/types.hpp\"", "a room of sim without a level: give it one in sim_level"},
      {"app/experiment/a.hpp", "\"app/run/fit_run.hpp\"", "app/experiment may not include app/run"},
      {"app/backend/a.cpp", "\"app/experiment/experiment.hpp\"", "app/backend may not include app/experiment"},
      {"app/attic/a.cpp", "\"app/base/version.hpp\"", "a room of app without a level: give it one in app_level"},
      {"app/commands/a.cpp", "\"experiments/paper/claim.hpp\"", "app may not include experiments"},
      {"optim/a.cpp", "\"app/base/version.hpp\"", "optim may not include app"},
      {"optim/search/a.hpp", "\"optim/fit/report.hpp\"", "optim/search may not include optim/fit"},
      {"optim/design/a.hpp", "\"optim/fit.hpp\"", "optim/design may not include what lies above all rooms of optim"},
      {"datasets/mesh/a.cpp", "\"datasets/capture/capture.hpp\"", "datasets/mesh may not include datasets/capture"},
      {"fuzz/a.cpp", "\"experiments/paper/claim.hpp\"", "fuzz may not include experiments"},
      {"app/report/a.hpp", "<CLI/CLI.hpp>", "CLI11 does not belong in this file"},
      {"sim/core/a.hpp", "\"types.hpp\"", "own headers are included by their path in the repository"},
      {"diff/step/a.hpp", "\"optim/objective.hpp\"", "diff may not include optim"},
      {"optim/a.cpp", "\"datasets/mesh/mesh.hpp\"", "optim may not include datasets"},
      {"datasets/a.cpp", "\"diff/rollout/rollout.hpp\"", "datasets may not include diff"},
      {"datasets/a.cpp", "\"tests/support/catch.hpp\"", "datasets may not include tests"},
      {"sim/linear/a.hpp", "<cholmod.h>", "CHOLMOD does not belong in this file"},
      {"sim/field/a.cpp", "<yaml-cpp/yaml.h>", "yaml-cpp does not belong in this file"},
      {"diff/step/a.cpp", "<ceres/jet.h>", "Ceres does not belong in this file"},
      {"sim/force/a.cpp", "<nanoflann.hpp>", "nanoflann does not belong in this file"},
      {"datasets/a.hpp", "<CGAL/Surface_mesh.h>", "CGAL does not belong in this file"},
      {"experiments/a.cpp", "<hdf5.h>", "HDF5 does not belong in this file"},
      {"optim/a.hpp", "\"optim/search/ceres_support.hpp\"", "a private header does not belong in this file"},
      {"optim/a.cpp", "<catch2/catch.hpp>", "Catch2 does not belong in this file"},
  };
  for (const auto& c : cases) {
    const TemporaryTree tree(Files{{c.file, "#pragma once\n\n  #  include " + c.include + "  // why\n"}});
    const Scan scan = scan_includes(tree.root());
    CAPTURE(c.file, c.include);
    REQUIRE(scan.found.size() == 1);
    CHECK(scan.found[0] == c.file + ":3: " + c.reason + ": " + c.include.substr(1, c.include.size() - 2));
  }
}

TEST_CASE("layering: HDF5 reads through one file", "[layering]") {
  const std::string call = "#include <hdf5.h>\n\n  hdf5_check(H5Dread(data, type, space, space, 0, &x), \"read\");\n";
  const TemporaryTree tree(Files{{"datasets/a.cpp", call},
                                 {"datasets/b.cpp", "int f() { return H5Aread (a, t, &n); }  // why\n"},
                                 {"datasets/c.cpp", "// never H5Dread(…) here\nH5Dwrite(a, b);\n"},
                                 {"datasets/trajectory/hdf5_objects.cpp", call},
                                 {"tests/datasets/a.cpp", call}});
  const Scan scan = scan_includes(tree.root());
  REQUIRE(scan.found.size() == 2);
  CHECK(scan.found[0] ==
        "datasets/a.cpp:3: numbers and texts of HDF5 files are read by datasets/trajectory/hdf5_objects.cpp only");
  CHECK(scan.found[1].find("datasets/b.cpp:1: ") == 0);
}

TEST_CASE("layering: JSON is read in few places of app", "[layering]") {
  const TemporaryTree tree(
      Files{{"app/report/a.cpp", "double cost = fit.at(\"cost\").get<double>();\nreturn json.get<int>();  // why\n"},
            {"app/report/b.cpp",
             "auto* a = std::get_if<A>(&v);\nstd::get<B>(v).at(k);  // never .get<int>() or .at(\"a\")\n"},
            {"app/commands/a.cpp", "const auto told = ordered_json::parse(text);\n"},
            {"app/run_folder/a.cpp", "double cost = fit.at(\"cost\").get<double>();\n"},
            {"app/report/browser.cpp", "return answer.at(\"result\");\n"},
            {"experiments/paper/a.cpp", "return results.at(\"cost\").get<double>();\n"}});
  const Scan scan = scan_includes(tree.root());
  REQUIRE(scan.found.size() == 3);
  CHECK(scan.found[0] ==
        "app/commands/a.cpp:1: JSON of the program's own is read in app/result and app/run_folder only, into structs");
  CHECK(scan.found[1].find("app/report/a.cpp:1: ") == 0);
  CHECK(scan.found[2].find("app/report/a.cpp:2: ") == 0);
}

TEST_CASE("layering: messages are printed where their loss ends nothing", "[layering]") {
  const TemporaryTree tree(Files{{"app/commands/a.cpp", "  fmt::print(stderr, \"{}\", error.what());\n"},
                                 {"app/commands/b.cpp", "  fmt::print(\"{}\", text);  // fmt::print(stderr, …)\n"}});
  const Scan scan = scan_includes(tree.root());
  REQUIRE(scan.found.size() == 1);
  CHECK(scan.found[0] == "app/commands/a.cpp:1: messages are printed by app/base/print_message.hpp");
}

TEST_CASE("layering: includes along the house's order are allowed", "[layering]") {
  const TemporaryTree tree(Files{
      {"sim/core/topology.hpp", "#include <Eigen/Core>\n#include \"sim/field/path.hpp\"\n"},
      {"sim/linear/a.cpp", "#include <cholmod.h>\n#include \"sim/core/types.hpp\"\n"},
      {"sim/force/a.hpp", "#include \"sim/model/values.hpp\"\n#include \"sim/coulomb/coulomb_sum.hpp\"\n"},
      {"optim/a.cpp",
       "#include <ceres/ceres.h>\n#include \"diff/rollout/rollout.hpp\"\n#include \"sim/core/types.hpp\"\n"},
      {"datasets/a.cpp", "#include <hdf5.h>\n#include <CGAL/Surface_mesh.h>\n#include <yaml-cpp/yaml.h>\n"},
      {"app/commands/a.cpp", "#include <CLI/CLI.hpp>\n#include \"app/base/version.hpp\"\n"},
      {"app/experiment/a.hpp", "#include \"app/experiment/body.hpp\"\n#include \"app/backend/backend.hpp\"\n"},
      {"experiments/paper/a.cpp",
       "#include \"app/run/fit_run.hpp\"\n#include \"optim/objective.hpp\"\n#include \"datasets/mesh/mesh.hpp\"\n"},
      {"tests/diff/a.cpp",
       "#include <ceres/jet.h>\n#include <catch2/catch.hpp>\n#include \"tests/support/catch.hpp\"\n"},
  });
  const Scan scan = scan_includes(tree.root());
  CHECK(scan.includes == 22);
  CHECK(scan.found.empty());
}
