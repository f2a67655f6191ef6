#include "app/spec/renamed_keys.hpp"

#include <fmt/format.h>

#include <sstream>

#include "app/spec/experiment.hpp"
#include "app/spec/keys_page.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;
using namespace pithball::test;

namespace {

/// A document with one value at the path of a table, `*` being some force or region.
Tree document_at(const std::string& path, Tree value) {
  std::vector<std::string> parts;
  std::istringstream stream(path);
  for (std::string part; std::getline(stream, part, '.');) parts.push_back(part == "*" ? "sph" : part);
  for (std::size_t k = parts.size(); k-- > 0;) {
    const bool is_list = parts[k].ends_with("[]");
    if (is_list) {
      Tree list;
      list.kind = Tree::Kind::List;
      list.entries.push_back(std::move(value));
      value = std::move(list);
    }
    value.key = is_list ? parts[k].substr(0, parts[k].size() - 2) : parts[k];
    Tree map;
    map.kind = Tree::Kind::Map;
    map.entries.push_back(std::move(value));
    value = std::move(map);
  }
  return value;
}

/// The last part of a path.
std::string key_of(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string with_last(const std::string& path, const std::string& key) {
  return path.substr(0, path.rfind('.') + 1) + key;
}

Tree mapping() {
  Tree value;
  value.kind = Tree::Kind::Map;
  return value;
}

const char* ball = R"(name: ball
system:
  vertices: [[0, 0, 0], [0.1, 0, 0]]
  mass: 0.1
  pinned: [0]
  springs: {edges: [[0, 1]], STIFFNESS: 2}
forces:
  - gravity: [0, 0, -9.81]
simulation: {integrator: {xpbd: {ITERATIONS: 3}}, time_step: 2 ms, duration: 20 ms}
)";

}  // namespace

TEST_CASE("renamed keys: each old key becomes the new one, with one note, and what is new stays", "[app][renamed]") {
  for (const RenamedKey& renamed : renamed_keys().keys) {
    INFO(renamed.path << " -> " << renamed.now);
    Tree document = document_at(renamed.path, renamed.applies ? make_scalar("1") : mapping());
    const std::vector<RenameNote> notes = replace_old_names(document, renamed_keys());
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].before == key_of(renamed.path));
    CHECK(notes[0].now == renamed.now);
    CHECK(notes[0].text().find("is now '" + renamed.now + "'") != std::string::npos);
    CHECK(to_yaml(document) ==
          to_yaml(document_at(with_last(renamed.path, renamed.now), renamed.applies ? make_scalar("1") : mapping())));
    CHECK(replace_old_names(document, renamed_keys()).empty());
  }
}

TEST_CASE("renamed keys: each old word becomes the new one, with one note", "[app][renamed]") {
  for (const RenamedWord& renamed : renamed_keys().words) {
    INFO(renamed.path << ": " << renamed.before << " -> " << renamed.now);
    Tree document = document_at(renamed.path, make_scalar(renamed.before));
    const std::vector<RenameNote> notes = replace_old_names(document, renamed_keys());
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].now == renamed.now);
    CHECK(to_yaml(document) == to_yaml(document_at(renamed.path, make_scalar(renamed.now))));
  }
}

TEST_CASE("renamed keys: the page of keys has every new key and no old one", "[app][renamed]") {
  const std::string page = keys_page();
  const auto has = [&](const std::string& path) { return page.find("| `" + path + "` |") != std::string::npos; };
  std::size_t found = 0;
  for (const RenamedKey& renamed : renamed_keys().keys) {
    INFO(renamed.path << " -> " << renamed.now);
    const std::string above = renamed.path.substr(0, renamed.path.rfind('.'));
    // Settings of integrators are on the page once, and names of parameters stand for VALUE.
    const std::string now = with_last(renamed.path, renamed.now);
    if (!renamed.applies) CHECK(!has(renamed.path));
    if (!has(above) || above.find("integrator.") == 0 || above == "key_frames[]" || above == "fit.parameters[]")
      continue;
    CHECK((has(now) || above == "fit.recordings[].value_offsets" || above == "fit.recordings[].markers"));
    ++found;
  }
  CHECK(found >= 15);
}

TEST_CASE("renamed keys: a file and options with old names run as with new ones, and each is noted once",
          "[app][renamed]") {
  const Workplace place;
  const auto written = [&](const char* stiffness, const char* iterations) {
    std::string text = ball;
    text.replace(text.find("STIFFNESS"), 9, stiffness);
    text.replace(text.find("ITERATIONS"), 10, iterations);
    return text;
  };
  place.write("new.yaml", written("axial_stiffness", "iterations"));
  place.write("old.yaml", written("strain_stiffness", "sweeps"));
  const Outcome now = place.run("simulate new.yaml --json --out now --set simulation.integrator.xpbd.iterations=4"),
                old = place.run("simulate old.yaml --json --out old --set simulation.integrator.xpbd.sweeps=4"),
                quiet = place.run("simulate old.yaml --quiet --out quiet");
  INFO(now.err << old.err);
  REQUIRE(now.status == 0);
  REQUIRE(old.status == 0);
  CHECK(now.err.find("is now") == std::string::npos);
  CHECK(read_text(place / "now/energy.csv") == read_text(place / "old/energy.csv"));
  CHECK(old.err.find("old.yaml:6:") != std::string::npos);
  std::size_t notes = 0;
  for (const std::string& line : lines_of(old.err))
    notes += line.find("the old name is still read") != std::string::npos;
  CHECK(notes == 2);
  CHECK(quiet.err.empty());
  CHECK(read_text(place / "old/run.yaml").find("strain_stiffness") == std::string::npos);

  place.write("both.yaml", written("axial_stiffness: 1, strain_stiffness", "iterations"));
  const Outcome both = place.run("simulate both.yaml --out both");
  CHECK(both.status == 2);
  CHECK(both.err.find("both.yaml:6:") != std::string::npos);
  CHECK(both.err.find("is the old name of 'axial_stiffness'") != std::string::npos);
}

TEST_CASE("renamed keys: paths into the document and folders of frames are read by their old names", "[app][renamed]") {
  Tree entry = make_scalar("forecast");
  entry.key = "fit.recordings.1.use";
  CHECK(replace_old_names_at(entry, renamed_keys()).size() == 2);  // the key and the word
  CHECK(entry.key == "fit.recordings.1.role");
  CHECK(entry.text == "validation");
  Tree force = make_scalar("1e-21");
  force.key = "forces.lennard_jones.energy";
  CHECK(replace_old_names_at(force, renamed_keys()).size() == 1);
  CHECK(force.key == "forces.lennard_jones.epsilon");

  Tree document = parse_yaml(
      "scan: {over: {forces.0.sph.neighbours: [auto], simulation.integrator: [{xpbd: {sweeps: 2}}]}}\n"
      "plan: {alternatives: [{set: {fit.recordings.0.film.rate: 50}}]}\n"
      "fit: {recordings: [{frames: {dataset: tshirt, path: .}, keep: {to: 1}}, {frames: {from: 1}}], profiles: "
      "[\"strain_stiffness[7]\"]}\n",
      "test");
  CHECK(replace_old_names(document, renamed_keys()).size() == 6);
  CHECK(find_at(document, "scan.over")->find("forces.0.sph.neighbors"));
  CHECK(find_at(document, "scan.over")->find("simulation.integrator")->entries[0].entries[0].find("iterations"));
  CHECK(find_at(document, "fit.profiles.0")->text == "axial_stiffness[7]");
  CHECK(find_at(document, "plan.alternatives.0.set")->find("fit.recordings.0.planned.rate"));
  CHECK(find_at(document, "fit.recordings.0.mesh_sequence"));
  CHECK(find_at(document, "fit.recordings.0.frames.to"));
  CHECK(find_at(document, "fit.recordings.1.frames.from"));
  Tree list = parse_yaml("fit: {recordings: [{frames: [30, 40]}]}\n", "test");  // wrong, and not the old folder
  CHECK(replace_old_names(list, renamed_keys()).empty());
}
