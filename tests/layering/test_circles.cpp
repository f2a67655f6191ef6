#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/layering/source_lines.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

// A unit is X.hpp with X.cpp. Units of one folder that include one another in a circle can only be understood, tested
// and changed together: three may, as a type, its parts and the function that makes it, but not a whole folder.

namespace {

namespace fs = std::filesystem;
using namespace pithball::tests;

constexpr std::size_t most_units = 3;

/// Everything that is compiled.
const std::vector<std::string> compiled_folders = {"sim",         "diff",  "optim", "datasets", "app",
                                                   "experiments", "tests", "fuzz",  "python",   "examples"};

/// Files whose includes close no circle, each with its reason.
const std::map<std::string, std::string> registries = {
    {"diff/step/step_derivative.cpp",
     "the registry of 15 units: it finds a derivative by the name of its integrator, so it includes them all, and they "
     "include the interface beside it; a unit that is added includes no other for it"},
};

/// Of each unit, the units that it includes, and where.
using Edges = std::map<std::string, std::map<std::string, std::string>>;

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string unit_of(const std::string& file) { return file.substr(0, file.rfind('.')); }

/// Includes between the units of one folder, for all folders below `root`.
Edges read_edges(const fs::path& root) {
  Edges edges;
  for (const std::string& folder : compiled_folders)
    for_each_line(root, folder, [&](const SourceLine& at) {
      const auto include = find_include(at.text);
      if (!include || !include->quoted || registries.contains(at.file)) return;
      const std::string from = unit_of(at.file), to = unit_of(include->name);
      if (from == to || folder_of(at.file) != folder_of(include->name)) return;
      std::string& place = edges[from][to];
      if (place.empty() || at.place() < place) place = at.place();
    });
  return edges;
}

void add_reachable(const Edges& edges, const std::string& from, std::set<std::string>& reached) {
  const auto includes = edges.find(from);
  if (includes == edges.end()) return;
  for (const auto& [to, place] : includes->second)
    if (reached.insert(to).second) add_reachable(edges, to, reached);
}

/// A circle as text: each of its units with one include of another, "a -> b (x/a.hpp:3)".
std::string tell(const Edges& edges, const std::set<std::string>& circle) {
  std::string told = std::to_string(circle.size()) + " units of " + folder_of(*circle.begin()) + " in a circle:";
  for (const std::string& from : circle)
    for (const auto& [to, place] : edges.at(from)) {
      if (!circle.contains(to)) continue;
      told += "\n  " + from.substr(folder_of(from).size() + 1) + " -> " + to.substr(folder_of(to).size() + 1) + " (" +
              place + ")";
      break;
    }
  return told;
}

/// Circles of more than three units, as text.
std::vector<std::string> find_large_circles(const fs::path& root) {
  const Edges edges = read_edges(root);
  std::map<std::string, std::set<std::string>> reached;
  for (const auto& [unit, includes] : edges) add_reachable(edges, unit, reached[unit]);
  std::set<std::string> known;
  std::vector<std::string> told;
  for (const auto& [unit, others] : reached) {
    std::set<std::string> circle;
    for (const std::string& other : others)
      if (const auto back = reached.find(other); back != reached.end() && back->second.contains(unit))
        circle.insert(other);
    if (circle.size() <= most_units || known.contains(unit)) continue;
    known.insert(circle.begin(), circle.end());
    told.push_back(tell(edges, circle));
  }
  return told;
}

}  // namespace

TEST_CASE("layering: no folder has more than three units that include one another in a circle", "[layering]") {
  const fs::path root = source_folder;
  CHECK(read_edges(root).size() > 100);
  for (const auto& [file, reason] : registries) CHECK(fs::exists(root / file));
  for (const std::string& circle : find_large_circles(root)) FAIL_CHECK(circle);
}

TEST_CASE("layering: a circle of four units is found and told with an include of each, one of three is not",
          "[layering]") {
  const auto including = [](const std::string& unit) { return "#pragma once\n#include \"" + unit + ".hpp\"\n"; };
  const Files three{{"sim/force/a.hpp", including("sim/force/b")},
                    {"sim/force/b.cpp", including("sim/force/b") + including("sim/force/c")},
                    {"sim/force/c.hpp", including("sim/force/a")},
                    {"sim/force/d.hpp", including("sim/force/a")}};
  CHECK(find_large_circles(TemporaryTree(three).root()).empty());

  Files four = three;
  four["sim/force/a.cpp"] = including("sim/model/d");  // of another folder
  four["sim/model/d.hpp"] = including("sim/force/d");
  CHECK(find_large_circles(TemporaryTree(four).root()).empty());

  four["sim/force/a.cpp"] = including("sim/force/d");
  CHECK(find_large_circles(TemporaryTree(four).root()) == std::vector<std::string>{"4 units of sim/force in a circle:\n"
                                                                                   "  a -> b (sim/force/a.hpp:2)\n"
                                                                                   "  b -> c (sim/force/b.cpp:4)\n"
                                                                                   "  c -> a (sim/force/c.hpp:2)\n"
                                                                                   "  d -> a (sim/force/d.hpp:2)"});
}

TEST_CASE("layering: a registry closes no circle", "[layering]") {
  const std::string registry = registries.begin()->first, folder = folder_of(registry);
  const std::string own = "#include \"" + unit_of(registry) + ".hpp\"\n";
  Files files{{unit_of(registry) + ".hpp", ""}};
  for (const std::string unit : {"a", "b", "c"}) {
    files[folder + "/" + unit + ".hpp"] = own;
    files[registry] += "#include \"" + folder + "/" + unit + ".hpp\"\n";
  }
  CHECK(find_large_circles(TemporaryTree(files).root()).empty());
  files[unit_of(registry) + ".hpp"] = files[registry];  // the interface itself
  CHECK(find_large_circles(TemporaryTree(files).root()).size() == 1);
}
