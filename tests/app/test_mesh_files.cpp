// Mesh files through the program: what `mesh` and `data show` say, what is written and read back, welding, notes.

#include <fmt/format.h>

#include <cmath>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using namespace pithball::test;

namespace {

/// A unit square of two triangles that share no vertex.
const std::string seam_obj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n";
const std::string seam_note = "2 pieces, 2 pairs of vertices at one place: weld: true joins them";

std::string seam_experiment(const std::string& mesh) {
  return "name: seam\nsystem:\n  mesh: {" + mesh +
         "}\n  mass: 10 g\n  pinned: [0, 1]\n  springs: {stiffness: 1000 N/m}\nforces: [{gravity: [0, 0, -9.81]}]\n"
         "simulation: {time_step: 1 ms, duration: 0.1 s}\n";
}

std::string body(const std::string& mesh) {
  return "name: e\nsystem:\n  mesh: {" + mesh + "}\n  mass: 1 g\nsimulation: {time_step: 1 ms, duration: 1 ms}\n";
}

}  // namespace

TEST_CASE("mesh: pieces, vertices at one place and lengths of edges are said", "[app][mesh]") {
  const Workplace place;
  place.write("seam.obj", seam_obj);
  const auto shown = place.run("mesh seam.obj --json").json();
  CHECK(shown["pieces"] == 2);
  CHECK(shown["coinciding_pairs"] == 2);
  CHECK(shown["coinciding_pairs_of_different_pieces"] == 2);
  CHECK(shown["zero_edges"] == 0);
  CHECK(shown["edge_length"]["shortest"] == 1);
  CHECK(shown["edge_length"]["median"] == 1);
  CHECK(shown["edge_length"]["longest"].get<double>() == Approx(std::sqrt(2)));
  CHECK(shown["notes"] == nlohmann::json{seam_note + " (here: --weld)"});
  const std::string text = place.run("mesh seam.obj").out;
  INFO(text);
  CHECK(says(text, "pieces         2\n"));
  CHECK(says(text, "at one place   2 pairs of vertices, 2 of them in different pieces"));
  CHECK(says(text, "edge length    shortest 1 m, median 1 m, longest 1.41421 m"));
  CHECK(says(text, "note: " + seam_note));

  const auto welded = place.run("mesh seam.obj --weld --to whole.ply --json").json();
  CHECK(welded["vertices"] == 4);
  CHECK(welded["pieces"] == 1);
  CHECK(welded["springs"] == 5);
  CHECK(welded["notes"].empty());
  CHECK(place.run("mesh whole.ply --json").json()["notes"].empty());
}

TEST_CASE("data show: of a mesh file it says what `mesh` does", "[app][mesh]") {
  const Workplace place;
  place.write("seam.OBJ", seam_obj);
  const Outcome shown = place.run("data show seam.OBJ");
  INFO(shown.err);
  CHECK(shown.status == 0);
  CHECK(says(shown.out, "6 vertices, 2 faces, 6 springs"));
  CHECK(says(shown.out, "pieces         2"));
  CHECK(says(shown.out, "note: " + seam_note));
  CHECK(place.run("data show seam.OBJ --json").json()["edge_length"]["median"] == 1);
  place.write("broken.ply", "ply\n");
  CHECK(place.run("data show broken.ply").status == 2);
}

TEST_CASE("mesh: what is written is read back, with every spring", "[app][mesh]") {
  const Workplace place;
  place.write("rope.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0.1\nl 1 2 3\n");
  place.write("flag.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nf 1 2 3 4\nl 2 5\n");
  for (const std::string shape :
       {"chain: {length: 1, segments: 4}", "grid: {size: [1, 2], segments: [3, 4]}",
        "grid: {size: [1, 2], segments: [3, 4], shear: false, bend: false}",
        "grid: {size: [1, 2], segments: [3, 4], shear: false}", "beam: {radius: 0.1, length: 1, sides: 4}",
        "tube: {radius: 0.1, length: 1, diagonals: one}", "tube: {radius: 0.1, length: 1}",
        "torus: {major_radius: 4, minor_radius: 1.5, diagonals: both}", "tshirt: {vertices: 250}",
        "sphere: {radius: 1}", "file: rope.obj", "file: flag.obj",
        "parts: [{name: a, mesh: {chain: {length: 1}}}, {name: b, mesh: {grid: {size: [1, 1]}}}]"}) {
    place.write("e.yaml", body(shape));
    const auto first = place.run("mesh e.yaml --json").json();
    for (const std::string ending : {"obj", "ply"}) {
      CAPTURE(shape, ending);
      fs::remove(place / ("copy." + ending));
      const Outcome written = place.run("mesh e.yaml --to copy." + ending);
      INFO(written.err);
      REQUIRE(written.status == 0);
      const auto copy = place.run("mesh copy." + ending + " --json").json();
      for (const char* same : {"vertices", "faces", "springs", "box", "pieces", "spring_length"}) {
        INFO(same);
        CHECK(copy[same] == first[same]);
      }
    }
  }
}

TEST_CASE("mesh: what a format cannot hold is not written", "[app][mesh][error]") {
  const Workplace place;
  const auto refused = [&](const std::string& shape, const std::string& to, const std::string& reason) {
    place.write("e.yaml", body(shape));
    const Outcome outcome = place.run("mesh e.yaml --to " + to);
    CAPTURE(shape, to, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(says(outcome.err, reason));
    CHECK(!fs::exists(place / to));
  };
  refused("chain: {length: 1}", "a.off", "must have the springs of its faces only");
  refused("grid: {size: [1, 1]}", "a.off", "must have the springs of its faces only");  // bend springs
  refused("grid: {size: [1, 1], shear: false, bend: false}", "a.off", "must have the springs of its faces only");
  refused("random_cloud: {}", "a.obj", "must have faces or springs");
  refused("lattice: {spacing: 0.3}", "a.ply", "must have faces or springs");
  place.write("e.yaml", body("grid: {size: [1, 1], bend: false}"));
  CHECK(place.run("mesh e.yaml --to a.off").status == 0);
}

TEST_CASE("mesh files: lines become springs of an experiment", "[app][mesh]") {
  const Workplace place;
  place.write("rope.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nl 1 2 \\\n3\n");
  place.write("e.yaml",
              "name: e\nsystem:\n  mesh: {file: rope.obj}\n  mass: 10 g\n  pinned: [0]\n"
              "  springs: {stiffness: {line: 100 N/m}}\nforces: [{gravity: [0, 0, -9.81]}]\n"
              "simulation: {time_step: 1 ms, duration: 0.1 s}\n");
  const Outcome run = place.run("simulate e.yaml --json");
  INFO(run.err);
  CHECK(run.status == 0);
  CHECK(run.json()["springs"] == 2);
  const auto refused = [&](const std::string& mesh, const std::string& reason) {
    place.write("bad.yaml", body(mesh));
    const Outcome outcome = place.run("mesh bad.yaml");
    CAPTURE(mesh, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(says(outcome.err, reason));
  };
  refused("file: rope.obj, remesh: {edge_length: 0.1}", "needs a mesh with faces");
  refused("file: rope.obj, bend: true", "needs triangles that meet at edges");
  place.write("flag.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nl 2 4\n");
  refused("file: flag.obj, remesh: {edge_length: 0.1}", "needs a mesh without lines");
}

TEST_CASE("weld: doubled vertices of a mesh file are noted, joined or left, as the file says", "[app][mesh]") {
  const Workplace place;
  place.write("seam.obj", seam_obj);
  place.write("e.yaml", seam_experiment("file: seam.obj"));
  const std::string note = "seam.obj: " + seam_note + " (weld: false keeps them apart)";
  const Outcome noted = place.run("simulate e.yaml --json");
  REQUIRE(noted.status == 0);
  CHECK(noted.json()["notes"] == nlohmann::json{note});
  CHECK(says(place.run("simulate e.yaml").out, "note: " + note));
  CHECK(place.run("mesh e.yaml --json").json()["notes"] == nlohmann::json{note});

  for (const std::string answer : {"true", "false"}) {
    CAPTURE(answer);
    place.write("answered.yaml", seam_experiment("file: seam.obj, weld: " + answer));
    const Outcome run = place.run("simulate answered.yaml --json");
    REQUIRE(run.status == 0);
    CHECK(run.json()["notes"].empty());
    const auto mesh = place.run("mesh answered.yaml --json").json();
    CHECK(mesh["notes"].empty());
    CHECK(mesh["vertices"] == (answer == "true" ? 4 : 6));
    CHECK(mesh["pieces"] == (answer == "true" ? 1 : 2));
  }
  // It is a key beside the placement, remeshing and bending, which see one piece.
  place.write("e.yaml", body("file: seam.obj, scale: 1e-9, weld: true, remesh: {edge_length: 3e-10}, bend: true"));
  CHECK(place.run("mesh e.yaml --json").json()["pieces"] == 1);
}

TEST_CASE("weld: a fit notes doubled vertices before its search and in its result", "[app][mesh][fit]") {
  const Workplace place;
  place.write("seam.obj", seam_obj);
  std::string table = "t,x,y,z\n";  // vertex 5 falls with its half of the square
  for (int k = 0; k <= 40; ++k) {
    const double t = 0.0025 * k;
    table += fmt::format("{},0,1,{}\n", t, -9.81 / 2 * t * t);
  }
  place.write("tracks.csv", table);
  const std::string fit =
      "fit:\n  recordings:\n    - file: tracks.csv\n      markers: [5]\n      sigma: 1 mm\n"
      "  parameters:\n    - gravity: {components: z}\n";
  place.write("e.yaml", seam_experiment("file: seam.obj") + fit);
  const Outcome noted = place.run("fit e.yaml --json");
  INFO(noted.err);
  CHECK(says(noted.err, "seam.obj: " + seam_note));
  CHECK(says(notes_of(noted.json()), "seam.obj: " + seam_note));
  place.write("e.yaml", seam_experiment("file: seam.obj, weld: false") + fit);
  const Outcome answered = place.run("fit e.yaml --json");
  CHECK(!says(answered.err, "at one place"));
  CHECK(!says(notes_of(answered.json()), "at one place"));
  // Where only a recording has such a body, its name is said, too.
  place.write("whole.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 0 0.5\nv 1 1 0.5\nv 0 1 0\nf 1 2 3\nf 4 5 6\n");
  place.write("e.yaml", seam_experiment("file: whole.obj") +
                            replaced(fit, "sigma: 1 mm", "sigma: 1 mm\n      set: {system.mesh.file: seam.obj}"));
  CHECK(says(place.run("fit e.yaml --json").err, "tracks: seam.obj: " + seam_note));
}

TEST_CASE("weld: parts that touch are noted and joined as one mesh", "[app][mesh]") {
  const Workplace place;
  const std::string parts =
      "parts: [{name: a, mesh: {chain: {length: 1, segments: 2}}}, "
      "{name: b, mesh: {chain: {length: 1, segments: 2}, translate: [0, 0, -1]}}]";
  place.write("e.yaml", body(parts));
  const auto apart = place.run("mesh e.yaml --json").json();
  CHECK(apart["vertices"] == 6);
  CHECK(says(apart["notes"].dump(), "parts: 2 pieces, 1 pair of vertices at one place: weld: true joins them"));
  place.write("e.yaml", body(parts + ", weld: true"));
  const auto joined = place.run("mesh e.yaml --json").json();
  CHECK(joined["vertices"] == 5);
  CHECK(joined["pieces"] == 1);
  CHECK(joined["vertex_groups"]["b"] == 3);
  CHECK(joined["notes"].empty());
  place.write("e.yaml", body("chain: {length: 1}, weld: true"));
  const Outcome shape = place.run("mesh e.yaml");
  CHECK(shape.status == 2);
  CHECK(says(shape.err, "weld: requires `file` or `parts`"));
}

TEST_CASE("mesh: an unknown key is reported before anything is built, wherever it stands", "[app][mesh][error]") {
  const Workplace place;
  place.write("soup.obj", "v 0 0 0\nthis is no mesh\n");  // which must not be read before
  const auto refused = [&](const std::string& text, const std::string& key) {
    place.write("e.yaml", text);
    const Outcome outcome = place.run("mesh e.yaml");
    CAPTURE(text, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(says(outcome.err, key + ": is not a known key here"));
  };
  const std::string tail = "simulation: {time_step: 1 ms, duration: 1 ms}\n";
  refused("name: e\nsystem: {mesh: {file: soup.obj, wled: true}, mass: 1}\n" + tail, "system.mesh.wled");
  refused("name: e\nsystem: {mesh: {file: soup.obj, remesh: {edge: 1}}, mass: 1}\n" + tail, "system.mesh.remesh.edge");
  refused("name: e\nsystem: {mesh: {file: soup.obj}, masss: 1}\n" + tail, "system.masss");
  refused("name: e\nsytem: {mesh: {file: soup.obj}, mass: 1}\n" + tail, "sytem");
  refused("name: e\nsystem: {mesh: {file: soup.obj}, mass: 1}\nsimulation: {dt: 1 ms}\n", "simulation.dt");
  refused("name: e\nsystem: {mesh: {file: soup.obj}, mass: 1}\nforces: [{coulomb: {softning: 1 mm}}]\n" + tail,
          "forces[0].coulomb.softning");
  refused(
      "name: e\nsystem:\n  mesh:\n    parts:\n      - {name: a, mesh: {file: soup.obj}}\n"
      "      - {name: b, mesh: {chain: {length: 1}, tranlate: [0, 0, 1]}}\n" +
          tail,
      "system.mesh.parts[1].mesh.tranlate");
  refused(
      "name: e\nsystem:\n  mesh:\n    parts:\n      - {name: a, mesh: {file: soup.obj}, translate: [0, 0, 1]}\n" + tail,
      "system.mesh.parts[0].translate");
  refused("name: e\nsystem: {mesh: {implicit: {size: 1, parts: [{name: a, elipsoid: {}}]}}, mass: 1}\n" + tail,
          "system.mesh.implicit.parts[0].elipsoid");
}

TEST_CASE("mesh: keys of the shipped experiments, and those that a run writes, are known", "[app][mesh]") {
  const Workplace place;
  int files = 0;
  for (const char* folder : {"captured", "configs", "demo", "demonstrations", "paper"})
    for (const auto& entry : fs::recursive_directory_iterator(pithball::tests::in_sources("experiments/") + folder)) {
      if (entry.path().extension() != ".yaml" || entry.path().stem() == "claims") continue;
      // In place of bodies that take long to build; one that lists its vertices ends with an error of another kind.
      const Outcome outcome =
          place.run("mesh '" + entry.path().string() + "' --set 'system.mesh={chain: {length: 1}}'");
      CAPTURE(entry.path().string(), outcome.err);
      CHECK(!says(outcome.err, "is not a known key here"));
      files += outcome.status == 0 ? 1 : 0;
    }
  CHECK(files > 20);
  place.write("seam.obj", seam_obj);
  place.write("e.yaml", seam_experiment("file: seam.obj, weld: true"));
  REQUIRE(place.run("simulate e.yaml --out run").status == 0);
  CHECK(place.run("mesh run/run.yaml --json").json()["vertices"] == 4);
}
