// Recordings as tracking programs write them, through the program.

#include <fmt/format.h>

#include <cmath>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using nlohmann::json;
using pithball::test::notes_of;
using pithball::test::Outcome;
using pithball::test::says;
using pithball::test::Workplace;

namespace {

/// Two balls that fall side by side, filmed by 100 frames per second in pixels of 2 mm, y downward; from frame
/// `swapped` on one is taken for the other.
std::string trackpy_table(int swapped) {
  std::string table = ",y,x,mass,frame,particle\n";
  for (int f = 0; f < 60; ++f)
    for (int p = 0; p < 2; ++p) {
      if (f == 20 && p == 1) continue;
      const double t = f / 100.0, wobble = 0.05 * std::sin(71.0 * f * f + p);
      const int ball = f < swapped ? p : 1 - p;
      table += fmt::format("{},{:.3f},{:.3f},900,{},{}\n", 2 * f + p, 0.5 * 9.81 * t * t / 2e-3 + wobble,
                           250.0 * ball - wobble, f + 7, p);
    }
  return table;
}

const char* const falling_balls = R"(name: balls
system:
  vertices: [[0, 0, 0], [0.5, 0, 0]]
  mass: 1
  springs: none
forces:
  - gravity: [0, 0, -9]
simulation: {integrator: velocity_verlet, time_step: 10 ms}
fit:
  recordings:
    - {file: tracks.csv, rate: 100 Hz, scale: 2 mm, up: -y}
  parameters:
    - gravity: {components: z}
)";

const char* const pose_table =
    "scorer,net,net,net\nbodyparts,nose,nose,nose\ncoords,x,y,likelihood\n"
    "0,1,2,0.95\n1,2,2,0.3\n2,3,2,0.9\n3,4,2,0.7\n";

}  // namespace

TEST_CASE("fit: a long table of particles needs a rate and no columns, and its format is written down",
          "[app][recordings][long_table]") {
  const Workplace place;
  place.write("fit.yaml", falling_balls);
  place.write("tracks.csv", trackpy_table(60));
  const Outcome fit = place.run("fit fit.yaml --out out --json");
  INFO(fit.err);
  REQUIRE(fit.status == 0);
  CHECK(fit.json()["parameters"][0]["estimate"].get<double>() == Approx(-9.81).epsilon(1e-3));
  for (const json& finding : fit.json()["findings"]) CHECK(finding["kind"] != "swap");
  CHECK(says(pithball::test::read_text(place / "out/run.yaml"), "format: long_table"));
}

TEST_CASE("fit: particles that are taken for each other make it doubtful, and it finds which is which when asked",
          "[app][recordings][swaps]") {
  const Workplace place;
  place.write("fit.yaml", falling_balls);
  place.write("tracks.csv", trackpy_table(40));
  const Outcome fit = place.run("fit fit.yaml --out out --json");
  INFO(fit.err);
  CHECK(fit.json()["status"] != "converged");  // without a known noise it cannot be judged, and says this first
  CHECK(says(fit.json()["why"].get<std::string>(), "markers '0' and '1' seem to swap at t = 0.4 s (jumps of 5"));
  CHECK(says(fit.json()["remedy"].get<std::string>(), "`identities: partly`"));
  const Outcome asked = place.run("fit fit.yaml --out asked --json --set fit.recording_defaults.identities=partly");
  INFO(asked.out << asked.err);
  REQUIRE(asked.status == 0);
  CHECK(asked.json()["parameters"][0]["estimate"].get<double>() == Approx(-9.81).epsilon(1e-3));
  const json shown = place.run("data show tracks.csv --rate 100 --scale '2 mm' --json").json();
  CHECK(shown["notes"].empty());
  REQUIRE(shown["findings"].size() == 1);
  CHECK(shown["findings"][0]["kind"] == "swap");
  CHECK(shown["findings"][0]["frames"] == json{47});  // the file's own numbers begin with 7
  CHECK(says(shown["findings"][0]["sentence"].get<std::string>(), "seem to swap at t = 0.4 s"));
  // In the unit of the readings.
  const json film =
      place.run("data show tracks.csv --rate 100 --set 'measurement={camera: {focal_length: 100 px}}' --json").json();
  REQUIRE(film["findings"].size() == 1);
  CHECK(says(film["findings"][0]["sentence"].get<std::string>(), " px if their names are exchanged"));
}

TEST_CASE("data show: prints format, rate, what was not recorded, and notes", "[app][recordings]") {
  const Workplace place;
  place.write("pose.csv", pose_table);
  const Outcome shown = place.run("data show pose.csv --rate 25 --scale '1 mm'");
  INFO(shown.err);
  REQUIRE(shown.status == 0);
  CHECK(
      says(shown.out, "pose.csv: deeplabcut\n  4 frames from 0 s to 0.12 s, 25 frames per second, 1 markers, 1 of 4"));
  CHECK(says(shown.out, "z not recorded"));
  CHECK(says(shown.out, "note: 1 of 4 samples have a likelihood below 0.6 and are missing: `min_likelihood`"));
  CHECK(place.run("data show pose.csv --rate 25 --scale '1 mm' --json").json()["rate"] == 25);
  place.write("masses.txt", "mass_A\nt\tx\ty\n0,00\t1,5\t2,5\n0,04\t1,75\t2,5\n");
  CHECK(says(place.run("data show masses.txt").out, "masses.txt: tracker\n  2 frames"));
  const Outcome list = place.run("list formats");
  for (const char* format : {"long_table", "deeplabcut", "tracker"}) CHECK(says(list.out, format));
}

TEST_CASE("data show: takes every key of a recording, and says what each column is taken for", "[app][recordings]") {
  const Workplace place;
  place.write("lab.csv",
              "Time (ms);bead;X (mm);Y (mm);T\n0;1;1,5;2;20\n0;2;5,5;6;20\n40;1;1,75;2;20\n40;2;5,75;6;21\n");
  const Outcome shown = place.run("data show lab.csv");
  INFO(shown.out << shown.err);
  REQUIRE(shown.status == 0);
  CHECK(says(shown.out, "2 frames from 0 s to 0.04 s, 25 frames per second, 2 markers"));
  CHECK(says(shown.out, "x 0.0015 … 0.00575 m"));
  CHECK(says(shown.out, "'Time (ms)'  times in ms\n"));
  CHECK(says(shown.out, "'bead'       marker names\n"));
  CHECK(says(shown.out, "'X (mm)'     x in mm\n"));
  const json columns = place.run("data show lab.csv --json").json()["columns"];
  REQUIRE(columns.size() == 5);
  CHECK(columns[2] == json({{"name", "X (mm)"}, {"meaning", "x in mm"}, {"used", true}}));
  CHECK(columns[4]["used"] == false);

  const json every = place.run("data show lab.csv --json --set 'rows={bead: 2}' --set 'frames={from: 0.02}'").json();
  CHECK(every["frames"] == 1);
  CHECK(every["markers"].size() == 1);
  const Outcome misspelled = place.run("data show lab.csv --set colums=1");
  CHECK(misspelled.status == 2);
  CHECK(says(misspelled.err, "did you mean 'columns'?"));
  place.write("wide.csv", "t;Ball A x (mm);Ball A y (mm);B x (mm);B y (mm)\n0;1,5;2;3;4\n0,1;1,5;2;3;4\n");
  CHECK(says(place.run("data show wide.csv --yaml").out, "        names: [\"Ball A\", \"B\"]\n"));
  CHECK(says(place.run("data show lab.csv --set measurement=acceleration").err, "write `measurement: point`"));
}

TEST_CASE("data show: --yaml prints a recording that reads the file as shown", "[app][recordings]") {
  const Workplace place;
  // Names that YAML or `columns:` would take for something else, and a column whose name is there twice.
  const std::string text =
      "frame,#,none,a: x (mm),\"b, y\",x (mm),y (mm),y (mm)\n0,1,2,3,4,5,6,6\n2,1,2,3,4,7,8,8\n3,1,2,3,4,7,8,8\n";
  place.write("odd.csv", text);
  const std::string keys = "--set rate=10 --set 'columns={points: [[\"x (mm)\", \"#7\"]]}' --set up=y";
  const Outcome block = place.run("data show odd.csv --yaml " + keys);
  INFO(block.out << block.err);
  REQUIRE(block.status == 0);
  REQUIRE(block.out.starts_with("    - file: "));
  CHECK(says(block.out, "# markers: [x (mm)]"));
  place.write("fit.yaml",
              "name: odd\nsystem: {vertices: [[0, 0, 0]], springs: none, mass: 1}\nforces: [gravity: [0, 0, -9.81]]\n"
              "simulation: {integrator: velocity_verlet, time_step: 10 ms}\nfit:\n  recordings:\n" +
                  block.out + "      initial_state: free\n  parameters: [{gravity: {components: z}}]\n");
  const Outcome fit = place.run("fit fit.yaml --out out --json --threads 1");
  INFO(fit.err);
  CHECK(fit.status != 2);
  const std::string used = pithball::test::read_text(place / "out/run.yaml");
  CHECK(says(used, "frame: \"frame\""));
  const json shown = place.run("data show odd.csv --json " + keys).json();
  CHECK(shown["last_time"] == Approx(0.3));
  CHECK(shown["absent_frames"] == 1);
  place.write("far.csv", "frame,x,y\n0,1,2\n3000000000,1,3\n");  // its gap is counted, not listed
  place.write("farther.csv", "frame,x,y\n0,1,2\n1e300,1,3\n");
  CHECK(says(place.run("data show farther.csv --rate 10").err, "farther.csv:3:1 frame: must be a whole number"));
  const Outcome far = place.run("data show far.csv --rate 10");
  CHECK(says(far.out, "2999999999 frames between these are not read\n"));
  CHECK(says(place.run("data show odd.csv " + keys).out, "1 frame between these is not read: frame 1\n"));
}

TEST_CASE("data show: files of Qualisys and Motive, and of programs that are not read", "[app][recordings]") {
  const Workplace place;
  place.write("run.tsv",
              "NO_OF_FRAMES\t4\r\nNO_OF_MARKERS\t2\r\nFREQUENCY\t100\r\nDATA_INCLUDED\t3D\r\nMARKER_NAMES\tA\tB\r\n"
              "Frame\tTime\tA X\tA Y\tA Z\tB X\tB Y\tB Z\t\r\n1\t0.00\t819.834\t277.77\t22.421\t694.2\t-183.4\t97.0\r\n"
              "2\t0.01\t819.9\t277.8\t22.4\t694.2\t-183.3\t97\r\n3\t0.02\t820\t277.9\t22.3\t694.3\t-183.2\t97.1\r\n"
              "4\t0.03\t820.1\t278\t22.2\t694.4\t-183.1\t97.2\r\n");
  Outcome shown = place.run("data show run.tsv");
  INFO(shown.err);
  CHECK(says(shown.out, "run.tsv: qualisys\n  4 frames from 0 s to 0.03 s, 100 frames per second, 2 markers, 0 of 8"));
  CHECK(says(shown.out, "x 0.6942 … 0.8201 m"));
  place.write("take.csv",
              "Format Version,1.23,Capture Frame Rate,120.0,Export Frame Rate,120.0,Length Units,Meters\n\n"
              ",Type,Rigid Body,Marker,Marker,Marker\n,Name,base,rope:1,rope:1,rope:1\n,ID,AA,B1,B1,B1\n"
              ",,Rotation,Position,Position,Position\nFrame,Time (Seconds),W,X,Y,Z\n0,0.000000,1,0.1,1.0,0.0\n"
              "1,0.008333,1,0.1,0.9,0.0\n2,0.016667,1,,,\n");
  shown = place.run("data show take.csv");
  CHECK(says(shown.out, "take.csv: motive\n  3 frames from 0 s to 0.016667 s, "));
  CHECK(says(shown.out, "rope:1 (1 missing)"));
  CHECK(says(shown.out, "note: positions and rotations of 1 body are not read: base"));
  const Outcome list = place.run("list formats");
  for (const char* format : {"motive", "qualisys"}) CHECK(says(list.out, format));
  for (const auto& [name, bytes, words] :
       {std::tuple("a.xlsx", std::string("PK\3\4\0\0\0xl/workbook.xml", 22),
                   "an Excel workbook (.xlsx); save the sheet as CSV"),
        std::tuple("a.mat", std::string("MATLAB 5.0 MAT-file, Platform: posix"), "a MATLAB file; in MATLAB, write"),
        std::tuple("a.bvh", std::string("HIERARCHY\nROOT Hips\n{\n"), "a BVH file: angles of a skeleton; export"),
        std::tuple("a.mot", std::string("Coordinates\nversion=1\nendheader\ntime\tx\n0\t1\n"), "a table of OpenSim")}) {
    place.write(name, bytes);
    const Outcome refused = place.run(fmt::format("data show {}", name));
    CHECK(refused.status == 2);
    CHECK(says(refused.err, words));
    CHECK(!says(refused.err, "header_line"));
  }
}

TEST_CASE("fit: a particle group is a key of trajectories only", "[app][recordings][h5md][error]") {
  const Workplace place;
  place.write("tracks.csv", trackpy_table(60));
  std::string text = falling_balls;
  text.replace(text.find("up: -y"), 6, "up: -y, particle_group: water");
  place.write("fit.yaml", text);
  const Outcome fit = place.run("fit fit.yaml --out out");
  CHECK(fit.status == 2);
  CHECK(says(fit.err, "particle_group"));
  place.write("run.yaml",
              "name: run\nsystem: {vertices: [[0, 0, 0], [1, 0, 0]], mass: 1 kg, springs: none}\n"
              "simulation: {integrator: velocity_verlet, time_step: 10 ms, duration: 0.1 s}\n");
  REQUIRE(place.run("simulate run.yaml --out run").status == 0);
  text = falling_balls;
  text.replace(text.find("{file"), text.find('}', text.find("{file")) + 1 - text.find("{file"),
               "{file: run/trajectory.h5, particle_group: water}");
  place.write("fit.yaml", text);
  CHECK(says(place.run("fit fit.yaml --out out").err,
             "particle_group: must be a group of particles with positions, got 'water'"));
}

TEST_CASE("fit: a likelihood is asked for where a file has some, between 0 and 1", "[app][recordings][error]") {
  const Workplace place;
  place.write("tracks.csv", pose_table);
  const auto complaint = [&](const std::string& settings) {
    std::string text = falling_balls;
    text.replace(text.find("up: -y"), 6, settings);
    place.write("fit.yaml", text);
    const Outcome fit = place.run("fit fit.yaml --out out --json");
    CHECK(fit.status == 2);
    return fit.err;
  };
  CHECK(says(complaint("min_likelihood: 2"), "min_likelihood: must be between 0 and 1, got 2"));
  CHECK(says(complaint("min_likelihood: 0.99"), "must contain at least one sample"));
  CHECK(says(complaint("columns: {marker: nose}"), "tracks.csv"));
  place.write("tracks.csv", trackpy_table(60));
  CHECK(says(complaint("min_likelihood: 0.5"), "min_likelihood"));
  CHECK(says(complaint("columns: {marker: ball}"), "must be one of the columns"));
}
