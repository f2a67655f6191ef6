// An experiment file that includes another.

#include "app/yaml/include.hpp"

#include "app/experiment/experiment.hpp"
#include "sim/core/error.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::app;
using pithball::test::Outcome;
using pithball::test::read_text;
using pithball::test::says;
using pithball::test::Workplace;

namespace {

Tree read(const Workplace& place, const std::string& name) { return read_with_includes((place / name).string()); }

std::string merged_text(const char* base, const char* over) {
  return to_yaml(merged(parse_yaml(base, "base"), parse_yaml(over, "over")));
}

/// A body of two balls, in parts/body.yaml, whose masses are in a file beside it.
void write_body(const Workplace& place) {
  place.write("parts/body.yaml", R"(name: body
system:
  mesh: {file: segment.obj}
  mass: {rest: 0.1}
  springs: {stiffness: 2, damping: 0.1}
forces: [gravity: [0, 0, -9.81]]
simulation: {integrator: imex_euler, time_step: 1 ms, duration: 3 ms}
)");
  place.write("parts/segment.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
}

}  // namespace

TEST_CASE("include: mappings merge, everything else replaces, a key without a value removes", "[app][include]") {
  CHECK(merged_text("{a: 1, b: {c: 2, d: 3}}", "{b: {d: 4, e: 5}, f: 6}") ==
        merged_text("{}", "{a: 1, b: {c: 2, d: 4, e: 5}, f: 6}"));
  CHECK(merged_text("{a: [1, 2, 3]}", "{a: [4]}") == merged_text("{}", "{a: [4]}"));
  CHECK(merged_text("{a: {b: 1}}", "{a: 2}") == merged_text("{}", "{a: 2}"));
  CHECK(merged_text("{a: 1}", "{a: {b: 2}}") == merged_text("{}", "{a: {b: 2}}"));
  CHECK(merged_text("{a: 1, b: 2}", "{a: }") == merged_text("{}", "{b: 2}"));
}

TEST_CASE("include: the files included are a base, and each part keeps its place", "[app][include]") {
  const Workplace place;
  place.write("lowest.yaml", "name: lowest\nsystem: {mass: 1, charge: 2}\n");
  place.write("middle/middle.yaml", "include: ../lowest.yaml\nsystem:\n  mass: 3\n");
  place.write("top.yaml", "include: middle/middle.yaml\nname: top\n");
  const Tree root = read(place, "top.yaml");
  CHECK(to_yaml(root) == "name: top\nsystem:\n  mass: 3\n  charge: 2\n");
  CHECK(root.find("name")->place.text() == (place / "top.yaml").string() + ":2:7");
  CHECK(root.find("system")->find("mass")->place.text() == (place / "middle/middle.yaml").string() + ":3:9");
  CHECK(root.find("system")->find("charge")->place.text() == (place / "lowest.yaml").string() + ":2:27");
}

TEST_CASE("include: what cannot be included is rejected at its line", "[app][include]") {
  const Workplace place;
  place.write("a.yaml", "name: a\ninclude: b.yaml\n");
  place.write("b.yaml", "include: a.yaml\n");
  place.write("missing.yaml", "include: nowhere.yaml\n");
  place.write("list.yaml", "include: [a.yaml, b.yaml]\n");
  place.write("empty.yaml", "# nothing yet\n");
  place.write("of_empty.yaml", "include: empty.yaml\n");
  const auto complaint = [&](const std::string& name) {
    try {
      read(place, name);
    } catch (const pithball::InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(says(complaint("a.yaml"), "b.yaml:1:10 include: must not lead back"));
  CHECK(says(complaint("missing.yaml"), "missing.yaml:1:10 include: must be an existing file, got 'nowhere.yaml'"));
  CHECK(says(complaint("list.yaml"), "list.yaml:1:10 include: must be the name of a file, got a list of 2"));
  CHECK(says(complaint("of_empty.yaml"), "of_empty.yaml:1:10 include: must name a file that holds a mapping"));
}

TEST_CASE("include: a run reads files beside the included one and stores a file of its own", "[app][include]") {
  const Workplace place;
  write_body(place);
  place.write("light.yaml", "include: parts/body.yaml\nname: light\nsystem: {mass: {rest: 0.05}}\n");
  const Outcome run = place.run("simulate light.yaml --set system.springs.stiffness=7 --out run --quiet");
  INFO(run.err);
  REQUIRE(run.status == 0);
  const std::string stored = read_text(place / "run/run.yaml");
  CHECK(!says(stored, "include"));
  CHECK(says(stored, "name: light"));
  CHECK(says(stored, "rest: 0.05"));
  CHECK(says(stored, "stiffness: 7"));
  CHECK(says(stored, (place / "parts/segment.obj").string()));
  pithball::test::fs::create_directory(place / "elsewhere");
  pithball::test::fs::rename(place / "parts/body.yaml", place / "parts/gone.yaml");
  const Outcome again = place.run("simulate run/run.yaml --out elsewhere/again --quiet");
  INFO(again.err);
  CHECK(again.status == 0);
}

TEST_CASE("include: a mistake in the included file is reported with its line there", "[app][include]") {
  const Workplace place;
  write_body(place);
  place.write("heavy.yaml", "include: parts/body.yaml\nsystem: {mass: {rest: 0.3}, masss: 2}\n");
  const Outcome own = place.run("simulate heavy.yaml");
  CHECK(own.status == 2);
  CHECK(says(own.err, "heavy.yaml:2:29 system.masss: is not a known key here"));
  place.write("parts/bad.yaml", "include: body.yaml\nsystem:\n  springs: {stiffness: -2}\n");
  place.write("worse.yaml", "include: parts/bad.yaml\nname: worse\n");
  const Outcome included = place.run("simulate worse.yaml");
  CHECK(included.status == 2);
  CHECK(says(included.err, "parts/bad.yaml:3:24 system.springs.stiffness: must be >= 0"));
  const Outcome set = place.run("simulate worse.yaml --set include=parts/body.yaml");
  CHECK(set.status == 2);
  CHECK(says(set.err, "include: must be written in the experiment file"));
}
