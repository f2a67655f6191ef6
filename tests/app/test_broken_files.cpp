#include <sys/stat.h>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::test;

namespace {

struct BrokenFile {
  const char* name;
  const char* text;
  const char* place;  ///< the message begins with this
};

const BrokenFile meshes[] = {
    {"bad-index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "bad-index.obj:4"},
    {"zero-index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "zero-index.obj:4"},
    {"two-corners.obj", "v 0 0 0\nv 1 0 0\nf 1 2\n", "two-corners.obj:3"},
    {"same-corner.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 2\n", "same-corner.obj:4"},
    {"no-number.obj", "v 0 0 zero\nf 1 1 1\n", "no-number.obj:1"},
    {"not-finite.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not-finite.obj:1"},
    {"empty.obj", "", "empty.obj"},
    {"no-faces.obj", "v 0 0 0\n", "no-faces.obj"},
    {"short.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n", "short.off"},
    {"bad-header.off", "OFFF\n3 1 0\n", "bad-header.off:1"},
    {"junk.obj", "hello\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "junk.obj"},
    {"two-facets.stl", "solid s\nfacet\nvertex 0 0 0\nvertex 1 0 0\nendfacet\nendsolid\n", "two-facets.stl"},
    {"int-x.ply",
     "ply\nformat ascii 1.0\nelement vertex 3\nproperty int x\nproperty float y\nproperty float z\nelement face 1\n"
     "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
     "int-x.ply:3"},
    {"long.ply",
     "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
     "property list uint int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n4294967295 0 1 2\n",
     "long.ply"},
    {"unknown.xyz", "0 0 0\n", "unknown.xyz"},
};

const BrokenFile captures[] = {
    {"no-time.csv", "x0,y0,z0\n0,0,0\n", "no-time.csv"},
    {"backwards.csv", "t,x0,y0,z0\n0,0,0,0\n0.1,0,0,0\n0.05,0,0,0\n",
     "time: must increase strictly, got 0.05 s after 0.1 s"},
    {"ragged.csv", "t,x0,y0,z0\n0,0,0,0\n0.1,0,0\n", "ragged.csv:3"},
    {"no-number.csv", "t,x0,y0,z0\n0,0,0,0\n0.1,0,abc,0\n", "no-number.csv:3"},
    {"infinite.csv", "t,x0,y0,z0\n0,0,0,0\n0.1,inf,0,0\n", "infinite.csv:3"},
    {"empty.csv", "", "empty.csv"},
    {"header-only.csv", "t,x0,y0,z0\n", "header-only.csv"},
    {"title.csv", "Drop of May 3\nt,x0,y0,z0\n0,0,0,0\n0.1,0,0,-0.05\n", "line 1 is a title"},
    {"decimal-comma.csv", "t;x0;y0;z0\n0,0;0,0;0,0;0,0\n0,1;0,0;0.5;0,0\n", "got '0,0' and elsewhere '0.5'"},
    {"thousands.csv", "t;x0;y0;z0\n0;1,500;2,500;0\n", "thousands.csv:2"},
    {"commas.csv", "t,x0,y0,z0\n0,0,0,0,0,0,0,0\n", "decimal commas"},
    {"utf-16.csv", "\xfe\xff\xd8\x3d\x41\x41", "must be sound UTF-16"},
    {"two-ways.csv", "t,m1_x,m1_y,x_m2,y_m2\n0,0,0,0,0\n", "must be named in one way"},
    {"long-twice.csv", "particle,t,x,y\n0,0,0,0\n0,0,0,0\n", "long-twice.csv:3"},
    {"long-no-time.csv", "particle,frame,x,y\n0,0,0,0\n", "frame numbers without a rate"},
    {"likelihood.csv", "scorer,n,n,n\nbodyparts,a,a,a\ncoords,x,y,likelihood\n0,1,2,1.5\n", "likelihood.csv:4"},
    {"mass-twice.csv", "mass_A\nt,x,y\n0,0,0\n0,0,0\n", "mass-twice.csv:4"},
    {"incomplete.csv", "t,x0,y0,z0,x1,y1\n0,0,0,0,0,0\n", "incomplete.csv:1 marker '1'"},
    {"open-quote.csv", "t,x0,y0,z0\n0,\"0,0,0\n", "open-quote.csv:2"},
};

/// A fit of a falling particle to tracks.csv.
const char* const small_fit = R"(name: falling
system:
  vertices: [[0, 0, 0]]
  mass: 1
  springs: none
forces:
  - gravity: [0, 0, -9]
simulation: {integrator: velocity_verlet, time_step: 0.01}
fit:
  recordings:
    - file: tracks.csv
      markers: [0]
  parameters:
    - gravity: {components: z}
)";

struct FileMistake {
  const char* what;
  const char* by;
  const char* place;
  const char* subject;
};

const FileMistake fit_mistakes[] = {
    {"file: tracks.csv", "file: nowhere.csv", "fit.yaml:11:", "existing file"},
    {"file: tracks.csv", "fil: tracks.csv", "fit.yaml:11:", "did you mean 'file'"},
    {"markers: [0]", "markers: [0, 0]", "fit.yaml:12:", "each of the 1 recorded points"},
    {"markers: [0]", "markers: [3]", "fit.yaml:12:", "between 0 and 0"},
    {"markers: [0]", "markers: [{vertices: [0], weights: [1, 2]}]", "fit.yaml:12:", "each of the 1 particles"},
    {"markers: [0]", "markers: [{vertices: [0], sigma: 0}]", "fit.yaml:12:", "must be > 0 m"},
    {"markers: [0]", "columns: {time: seconds}", "", "seconds"},
    {"markers: [0]", "columns: {points: [[x, y, z]]}", "", "x"},
    {"markers: [0]", "rows: {ID: 3}", "", "rows: must be one of the columns"},
    // A misspelled key is not hidden by what its file lacks without it.
    {"markers: [0]", "columns: {tim: t, points: [[a, b, c]]}", "fit.yaml:12:", "columns.tim: is not a known key here"},
    {"markers: [0]", "header_line: 9\n      colums: {time: t}", "fit.yaml:13:", "did you mean 'columns'?"},
    {"markers: [0]", "header_line: 9\n      frames: {evry: 2}", "fit.yaml:13:", "did you mean 'every'?"},
    {"markers: [0]", "columns: {time: seconds}", "",
     "got 'seconds'; if another line holds the column names, give its number as `header_line`"},
    {"markers: [0]", "scale: 1 kg", "fit.yaml:12:", "does not measure the same thing"},
    {"markers: [0]", "up: w", "fit.yaml:12:", "must be one of x"},
    {"markers: [0]", "frames: {from: 99}", "tracks.csv",
     "frames: must leave at least one frame, got none of 3 frames between 0 s and 0.2 s"},
    {"markers: [0]", "set: {system.mas: 2}", "fit.yaml:12:", "system.mas"},
    {"markers: [0]", "set: {system.mass: -2}", "fit.yaml:12:", "must be > 0 kg"},
    {"markers: [0]", "initial_state: guess", "fit.yaml:12:", "must be one of from_system"},
    {"markers: [0]", "time_offset: -1", "fit.yaml:12:", "before the start of the simulation"},
    {"markers: [0]", "value_offsets: {color: 1}", "fit.yaml:12:", "must be a value of particles or springs"},
    {"gravity: {components", "gravty: {components", "fit.yaml:14:", "did you mean 'gravity'"},
    {"gravity: {components", "stiffness: {components", "fit.yaml:14:", "requires a body with springs"},
    {"gravity: {components", "linear_drag: {components", "fit.yaml:14:", "no force in this file has"},
    {"{components: z}", "{share: everybody}", "fit.yaml:14:", "must be one of all"},
    {"{components: z}", "{initial: 3 kg}", "fit.yaml:14:", "does not measure the same thing"},
    {"{components: z}", "{bounds: [3, 1]}",
     "fit.yaml:14:", "must be [lower, upper], got [3, 1]; exchange the two: [1, 3]"},
    {"{components: z}", "{bounds: [3, 3]}", "fit.yaml:14:", "must be [lower, upper], got 3 twice; give two different"},
    {"{components: z}", "{components: z, initial: -20, bounds: [-10, -9]}", "",
     "initial must be within the bounds -10 to -9, got -20; give `initial` within the bounds"},
    {"    - gravity: {components: z}", "    - gravity: {components: z}\n    - gravity: {components: z}", "",
     "list each parameter once"},
    {"- gravity: {components: z}", "- gravity: -3",
     "fit.yaml:14:", "gravity: must be a mapping of settings, got '-3'; write `gravity: {initial: -3}`"},
    {"- gravity: {components: z}", "- gravity:\n      components: z\n      initial: -3",
     "fit.yaml:15:", "must be one of the settings of `gravity`, got a key next to it; indent it below `gravity`"},
    {"- gravity: {components: z}", "- {gravity: {components: z}, bounds: [-12, -3]}",
     "fit.yaml:14:", "bounds: must be one of the settings of `gravity`"},
    {"time_step: 0.01", "time_step: 1e-10", "fit.yaml:8:",
     "time_step: must divide every recording of a fit into at most 1e9 steps, got 2e+09 steps of 1e-10 s"},
    {"    - gravity: {components: z}", "    []", "fit.yaml:14:", "at least one parameter"},
    {"  parameters:", "  solver: newton\n  parameters:", "fit.yaml:13:", "must be one of auto, levenberg_marquardt"},
    {"  parameters:", "  residual: {sigma: 0}\n  parameters:", "fit.yaml:13:", "must be > 0 m"},
};

}  // namespace

TEST_CASE("broken meshes: rejected with file and line, whether shown or simulated", "[app][error]") {
  const Workplace place;
  for (const BrokenFile& mesh : meshes) {
    place.write(mesh.name, mesh.text);
    place.write("e.yaml", std::string("name: e\nsystem: {mesh: {file: ") + mesh.name +
                              "}, mass: 1, springs: {stiffness: 1}}\nsimulation: {time_step: 1, duration: 1}\n");
    for (const std::string& arguments : {std::string("mesh ") + mesh.name, std::string("simulate e.yaml")}) {
      const Outcome outcome = place.run(arguments);
      CAPTURE(mesh.name, arguments, outcome.err);
      CHECK(outcome.status == 2);
      CHECK(outcome.err.find(mesh.place) != std::string::npos);
      CHECK(outcome.err.find("; ") != std::string::npos);
      CHECK(lines_of(outcome.err).size() == 1);  // libraries have nothing to say besides
      CHECK(outcome.out.empty());
      CHECK(!fs::exists(place / "runs"));
    }
  }
}

TEST_CASE("input files: folders, pipes, devices and huge files are rejected at once, by every reader", "[app][error]") {
  const Workplace place;
  place.write("folder/a.txt", "a");
  fs::create_symlink("/dev/zero", place / "endless");
  REQUIRE(::mkfifo((place / "pipe").c_str(), 0600) == 0);
  place.write("giant", "");
  fs::resize_file(place / "giant", std::uintmax_t{1} << 30);  // takes no room on the disk
  place.write("mesh.yaml",
              "name: e\nsystem: {mesh: {file: input.obj}, mass: 1}\nsimulation: {time_step: 1, duration: 1}\n");
  place.write("fit.yaml", replaced(small_fit, "tracks.csv", "input.csv"));
  struct Asker {
    const char *name, *command;
  };
  const Asker askers[] = {
      {"input.yaml", "simulate input.yaml"}, {"input.yaml", "fit input.yaml"},     {"input.obj", "mesh input.obj"},
      {"input.obj", "simulate mesh.yaml"},   {"input.csv", "data show input.csv"}, {"input.csv", "fit fit.yaml"},
      {"input.trc", "data show input.trc"},  {"input.npz", "data show input.npz"}, {"input.h5", "data show input.h5"}};
  for (const Asker& asker : askers)
    for (const char* what : {"folder", "endless", "pipe", "giant"}) {
      const bool capture = std::string(asker.name) != "input.yaml" && std::string(asker.name) != "input.obj";
      if (std::string(what) == "folder" && capture) continue;  // it could be one of frames
      fs::create_symlink(what, place / asker.name);
      const Outcome outcome = place.run(asker.command, "ulimit -v 4000000; timeout 20");
      CAPTURE(asker.command, what, outcome.err);
      CHECK(outcome.status == 2);
      CHECK(outcome.err.find(asker.name) != std::string::npos);
      CHECK(lines_of(outcome.err).size() == 1);
      if (std::string(what) == "giant" && std::string(asker.name).find(".yaml") != std::string::npos)
        CHECK(outcome.err.find("must have at most 16777216 bytes, got 1073741824") != std::string::npos);
      fs::remove(place / asker.name);
    }
}

TEST_CASE("broken captures: rejected with file and line", "[app][error]") {
  const Workplace place;
  for (const BrokenFile& capture : captures) {
    place.write(capture.name, capture.text);
    place.write("fit.yaml", replaced(small_fit, "tracks.csv", capture.name));
    const Outcome outcome = place.run("fit fit.yaml");
    CAPTURE(capture.name, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(capture.place) != std::string::npos);
    CHECK(outcome.err.find("; ") != std::string::npos);
    CHECK(!fs::exists(place / "runs"));
  }
}

TEST_CASE("broken fits: each is rejected with its place and subject, and nothing is written", "[app][error]") {
  const Workplace place;
  place.write("tracks.csv", "t,x0,y0,z0\n0,0,0,0\n0.1,0,0,-0.05\n0.2,0,0,-0.2\n");
  for (const FileMistake& mistake : fit_mistakes) {
    place.write("fit.yaml", replaced(small_fit, mistake.what, mistake.by));
    const Outcome outcome = place.run("fit fit.yaml");
    CAPTURE(mistake.by, outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(mistake.place) != std::string::npos);
    CHECK(outcome.err.find(mistake.subject) != std::string::npos);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(!fs::exists(place / "runs"));
  }
}

TEST_CASE("broken fits: times in milliseconds are named with their time_scale", "[app][fit]") {
  const Workplace place;
  std::string tracks = "t,x0,y0,z0\n";
  for (int k = 0; k <= 20; ++k) tracks += std::to_string(20 * k) + ",0,0," + std::to_string(-0.00196 * k * k) + "\n";
  place.write("tracks.csv", tracks);
  place.write("fit.yaml", small_fit);
  const Outcome outcome = place.run("fit fit.yaml");
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.status == 2);  // before the search, which would take a thousand times as long
  CHECK(!fs::exists(place / "runs"));
  CHECK((outcome.out + outcome.err).find("tracks: times are in ms: ") != std::string::npos);
  CHECK(outcome.err.find("write `columns: {time_scale: 1 ms}` in recording 'tracks'") != std::string::npos);
}

TEST_CASE("fit: a file without a fit section is rejected", "[app][error]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  const Outcome outcome = place.run("fit small.yaml");
  CHECK(outcome.status == 2);
  CHECK(outcome.err.find("fit: is required") != std::string::npos);
}

TEST_CASE("fit: free fall gives the acceleration that the recording was made with", "[app][fit]") {
  const Workplace place;
  std::string tracks = "t,x0,y0,z0\n";
  for (int k = 0; k <= 20; ++k) {
    const double t = 0.01 * k;
    if (k != 7)
      tracks += std::to_string(t) + ",0,0," + std::to_string(-0.5 * 9.81 * t * t) + "\n";  // one frame is missing
  }
  place.write("tracks.csv", tracks);
  place.write("fit.yaml", small_fit);
  const Outcome outcome = place.run("fit fit.yaml --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto parameter = outcome.json()["parameters"][0];
  // velocity_verlet is exact in free fall; the file has six decimals, 0.5e-6 m over t²/2 = 0.02 s² at worst, averaged.
  CHECK(parameter["estimate"].get<double>() == Approx(-9.81).epsilon(1e-4));
  CHECK(parameter["identifiable"].get<bool>());
  CHECK(fs::exists(place / "runs/falling/fit.json"));
  CHECK(nlohmann::json::parse(read_text(place / "runs/falling/fit.json"))["status"] == "cannot be judged");
}
