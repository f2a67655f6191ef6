// Text of others: names and values that a terminal, YAML or a shell would take for more than text.

#include <atomic>
#include <numbers>
#include <thread>

#include "app/yaml/quantity.hpp"
#include "app/yaml/tree.hpp"
#include "sim/core/text.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using namespace pithball::test;
using namespace pithball::app;

namespace {

/// What a shell takes as this one word.
std::string word(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

const std::string title = "\x1b]0;pwned\x07";  // sets a terminal's title

/// One line of moderate length in which nothing is for the terminal.
void require_tame(const Outcome& outcome) {
  CAPTURE(outcome.err);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.size() < 1500);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  CHECK(pithball::printable(outcome.err) == outcome.err);
}

/// A falling particle, recorded in a file of this name.
void write_fall(const Workplace& place, const std::string& folder, const std::string& file) {
  std::string tracks = "t,x0,y0,z0\n";
  for (int k = 0; k <= 20; ++k) {
    const double t = 0.01 * k;
    tracks += std::to_string(t) + ",0,0," + std::to_string(-0.5 * 9.81 * t * t) + "\n";
  }
  place.write(folder + "/" + file, tracks);
  place.write(folder + "/fit.yaml",
              "name: falling\nsystem: {vertices: [[0, 0, 0]], mass: 1, springs: none}\n"
              "forces: [gravity: [0, 0, -9]]\n"
              "simulation: {integrator: velocity_verlet, time_step: 0.01}\n"
              "fit:\n  recordings:\n    - {file: " +
                  nlohmann::json(file).dump() + ", markers: [0]}\n  parameters: [gravity: {components: z}]\n");
}

const std::vector<std::string> odd_names{"a \"quoted\" name",
                                         "back\\slash",
                                         "two\nlines",
                                         "col: on #1",
                                         "- item",
                                         "[a, b]",
                                         "{a: b}",
                                         "tab\tbed",
                                         "null",
                                         "~",
                                         "1e3",
                                         "cr\rcr",
                                         "*alias",
                                         "&anchor",
                                         "%",
                                         "'single'",
                                         "trail ",
                                         "\xC2\x85nel",
                                         "@",
                                         title,
                                         "\xEF\xBB\xBF"
                                         "bom"};

/// As many keys, anchors and groups of vertices: their time must not grow with the square.
void read_many_keys(int count) {
  const Workplace place;
  std::string keys, groups;
  for (int k = 0; k < count; ++k) {
    keys += "k" + std::to_string(k) + ": &a" + std::to_string(k) + " 1\n";
    groups += "    g" + std::to_string(k) + ": {vertices: [0]}\n";
  }
  place.write("keys.yaml", keys);
  place.write("groups.yaml", replaced(small_experiment, "  groups: {tip: {vertices: [2]}}\n", "  groups:\n" + groups));
  const Outcome unknown = place.run("simulate keys.yaml", "timeout 10");
  require_tame(unknown);
  const Outcome outcome = place.run("simulate groups.yaml --quiet", "timeout 20");
  CAPTURE(outcome.err);
  CHECK(outcome.status == 0);
}

}  // namespace

TEST_CASE("hostile text: messages show it as text, in one line, cut", "[app][error][hostile]") {
  const Workplace place;
  const std::string text = title + std::string(100'000, 'x');
  const std::string quoted = "\"\\e]0;pwned\\a" + std::string(200'000, 'x') + "\"";
  const std::pair<std::string, std::string> changes[] = {
      {"mass: 0.1", "mass: " + quoted},
      {"mass: 0.1", quoted + ": 0.1"},
      {"pinned: [0]", "pinned: [" + quoted + "]"},
      {"imex_midpoint", quoted},
      {"name: small", "name: " + quoted},
      {"  - coulomb", "  - " + quoted},
      {"  - coulomb", "  - electric_field: {expression: [" + quoted + ", \"0\", \"0\"]}"},
      {"{vertices: [2]}", "{vertices: [2]}, " + quoted + ": {vertices: []}"},
      {"[[0, 1], [1, 2]]", quoted}};
  for (const auto& [what, by] : changes) {
    CAPTURE(what, by.substr(0, 100));
    place.write("small.yaml", replaced(small_experiment, what, by));
    require_tame(place.run("simulate small.yaml"));
  }
  place.write("small.yaml", small_experiment);
  require_tame(place.run("simulate small.yaml --set " + word("system.mass=" + text)));
  require_tame(place.run("simulate small.yaml --set " + word(text + "=1")));
  require_tame(place.run("simulate " + word(title + ".yaml")));
  require_tame(place.run(word(text)));
  CHECK(place.listing() == "small.yaml ");
}

TEST_CASE("hostile text: results show names as text", "[app][hostile]") {
  const Workplace place;
  place.write(
      "tracks.trc",
      "PathFileType\t4\t(X/Y/Z)\ttracks.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n60\t60\t2\t1\tmm\n"
      "Frame#\tTime\ta" +
          title + "\t\t\n\t\tX1\tY1\tZ1\n\n1\t0\t1\t2\t3\n2\t0.0167\t1\t2\t3\n");
  const Outcome outcome = place.run("data show tracks.trc");
  CAPTURE(outcome.err, outcome.out);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.find("a\\x1b]0;pwned\\x07") != std::string::npos);
  CHECK(outcome.out.find('\x1b') == std::string::npos);
}

TEST_CASE("units: degrees and amounts of data are accepted", "[app][units]") {
  CHECK(read_quantity("90 deg", "rad").value == Approx(std::numbers::pi / 2).epsilon(1e-12));
  CHECK(read_quantity("90 degrees", "rad").problem.empty());
  CHECK(read_quantity("1 GB", "MB").value == 1000);
  CHECK(read_quantity("512 MB", "MB").value == 512);
  CHECK(read_quantity("1 GiB", "kB").value == 1024.0 * 1024 * 1.024);
  CHECK(read_quantity("64", "MB").value == 64);
  CHECK_FALSE(read_quantity("1 kg", "MB").problem.empty());
  // A whole number and a power of ten are exact, so that one division gives the nearest double.
  CHECK(read_quantity("30 nC", "C").value == 30e-9);
  CHECK(read_quantity("7 mm", "m").value == 7e-3);
  CHECK(read_quantity("60 pC", "C").value == 60e-12);
  CHECK(read_quantity("3 km", "m").value == 3000);
  CHECK_FALSE(read_quantity("1 GB", "").problem.empty());
}

TEST_CASE("particle lists: a range names the particles from its first to its last", "[app]") {
  const Workplace place;
  place.write("numbers.yaml", replaced(small_experiment, "pinned: [0]", "pinned: [0, 1]"));
  place.write("range.yaml", replaced(small_experiment, "pinned: [0]", "pinned: [0-1]"));
  REQUIRE(place.run("simulate numbers.yaml --out numbers").status == 0);
  REQUIRE(place.run("simulate range.yaml --out range").status == 0);
  CHECK(read_text(place / "range/energy.csv") == read_text(place / "numbers/energy.csv"));
}

TEST_CASE("hostile text: a unit with a line end prints nothing", "[app][units][hostile]") {
  CHECK(read_quantity("1 kg\n", "kg").value == 1);
  CHECK(read_quantity("\n 1 kg \r\n", "kg").problem.empty());
  CHECK_FALSE(read_quantity("1 k\ng", "kg").problem.empty());
  CHECK_FALSE(read_quantity(std::string_view("1 kg\0m", 6), "kg").problem.empty());
  const Workplace place;
  place.write("small.yaml", replaced(small_experiment, "mass: 0.1", "mass: \"0.1 kg\\n\""));
  const Outcome outcome = place.run("simulate small.yaml --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.out.starts_with("{"));
  place.write("broken.yaml", replaced(small_experiment, "mass: 0.1", "mass: \"0.1 k\\n\\ng\""));
  require_tame(place.run("simulate broken.yaml"));
}

TEST_CASE("hostile text: names that are no folder's are rejected before anything is written", "[app][error][hostile]") {
  const Workplace place;
  const std::string control = "small\x1b[2J";
  for (const std::string& name : {std::string(300, 'n'), std::string(201, 'n'), std::string("\"a\\0b\""),
                                  std::string("\"a\\nb\""), std::string("\"a\\e[2Jb\"")}) {
    CAPTURE(name);
    place.write("small.yaml", replaced(small_experiment, "name: small", "name: " + name));
    const Outcome outcome = place.run("simulate small.yaml");
    require_tame(outcome);
    CHECK(outcome.err.starts_with("small.yaml:1:7 name: must "));
    CHECK(place.listing() == "small.yaml ");
  }
  place.write("small.yaml", replaced(small_experiment, "name: small", "name: " + std::string(200, 'n')));
  CHECK(place.run("simulate small.yaml").status == 0);
}

TEST_CASE("hostile text: a recording whose file name is too long is no existing file", "[app][error][hostile]") {
  const Workplace place;
  write_fall(place, ".", "tracks.csv");
  place.write("long.yaml", replaced(read_text(place / "fit.yaml"), "tracks.csv", std::string(300, 'n') + ".csv"));
  const Outcome outcome = place.run("fit long.yaml");
  require_tame(outcome);
  CHECK(outcome.err.find("fit.recordings[0].file: must be an existing file") != std::string::npos);
}

TEST_CASE("YAML: any text is written so that it reads as the same text, as a value, a key and in a list",
          "[app][yaml][hostile]") {
  for (const std::string& name : odd_names) {
    CAPTURE(name);
    Tree root;
    root.kind = Tree::Kind::Map;
    Tree list;
    list.kind = Tree::Kind::List;
    list.key = name;
    list.entries = {quoted_scalar(name), make_scalar(name)};
    root.entries.push_back(list);
    const Tree again = parse_yaml(to_yaml(root), "again");
    REQUIRE(again.entries.size() == 1);
    CHECK(again.entries[0].key == name);
    REQUIRE(again.entries[0].entries.size() == 2);
    for (const Tree& entry : again.entries[0].entries) {
      CHECK(entry.kind == Tree::Kind::Scalar);
      CHECK(entry.text == name);
    }
  }
}

TEST_CASE("hostile text: a run keeps the names of its files, whatever they are, and reads them again",
          "[app][fit][hostile]") {
  for (const std::string& name : odd_names) {
    CAPTURE(name);
    const Workplace place;
    write_fall(place, name, name + ".csv");
    const Outcome fit = place.run("fit " + word(name + "/fit.yaml") + " --out run --quiet");
    CAPTURE(fit.err);
    REQUIRE(fit.status == 0);
    const Tree kept = parse_yaml_file((place / "run/run.yaml").string());
    CHECK(kept.find("provenance")->find("experiment")->text == fs::absolute(place / name / "fit.yaml").string());
    const Tree& recording = kept.find("fit")->find("recordings")->entries.at(0);
    CHECK(recording.find("file")->text == fs::absolute(place / name / (name + ".csv")).string());
    CHECK(recording.find("name")->text == name);
    const Outcome again = place.run("fit run/run.yaml --out again --quiet");
    CAPTURE(again.err);
    CHECK(again.status == 0);
    CHECK(place.run("export run --format csv --out exported --quiet").status == 0);
  }
}

TEST_CASE("hostile text: names that YAML cannot hold are rejected", "[app][error][hostile]") {
  const std::string latin_1 =
      "K\xE4"
      "fig";
  const Workplace place;
  write_fall(place, latin_1, "tracks.csv");
  const Outcome folder = place.run("fit " + word(latin_1 + "/fit.yaml"));
  require_tame(folder);
  CHECK(folder.err.find("must have a name in UTF-8") != std::string::npos);
  require_tame(place.run("simulate fit.yaml", "cd " + word(latin_1) + " &&"));
  CHECK_FALSE(fs::exists(place / "runs"));
}

TEST_CASE("YAML: ten thousand keys are read", "[app][yaml][error]") { read_many_keys(10'000); }

TEST_CASE("YAML: a hundred thousand keys are read in seconds", "[app][yaml][error][slow]") { read_many_keys(100'000); }

TEST_CASE("hostile files: a trajectory on which HDF5 itself crashes is rejected", "[app][hostile]") {
  const Workplace place;
  fs::copy_file(pithball::tests::in_sources("tests/datasets/crashes_hdf5.h5"), place / "tracks.h5");
  require_tame(place.run("data show tracks.h5"));
}

TEST_CASE("hostile names: one that the file system rejects is wrong input", "[app][hostile]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const std::string name(300, 'x');
  for (const std::string& command : {"simulate small.yaml --out " + name, "record small.yaml --rate 10 --out " + name,
                                     "data show " + name + ".csv", "report " + name, "mesh " + name + ".obj"})
    require_tame(place.run(command));
  CHECK(place.listing() == "small.yaml ");
}

TEST_CASE("run folder: it may lie behind a symbolic link", "[app][folder]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  fs::create_directory(place / "disk");
  fs::create_directory_symlink("disk", place / "runs");
  REQUIRE(place.run("simulate small.yaml").status == 0);  // into runs/small
  CHECK(fs::exists(place / "disk/small/summary.json"));
  CHECK(fs::is_symlink(place / "runs"));
}

TEST_CASE("units: threads may read them at the same time", "[app][units]") {
  std::atomic<int> wrong = 0;
  const auto read = [&](const char* text, const char* unit, double value) {
    for (int k = 0; k < 5000; ++k) wrong += read_quantity(text, unit).value != value;
  };
  std::thread other(read, "2 uC", "C", read_quantity("2 uC", "C").value);
  read("5 N s/km", "N s/m", read_quantity("5 N s/km", "N s/m").value);
  other.join();
  CHECK(wrong == 0);
}
