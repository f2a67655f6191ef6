#include <cmath>
#include <vector>

#include "datasets/trajectory/h5md.hpp"
#include "tests/app/outside_program.hpp"

// What NumPy, VTK and h5py find in our files, against what our own reader finds.

using namespace pithball::test;
using nlohmann::json;
using pithball::datasets::H5mdTrajectory;

namespace {

/// A charged torus: faces with four corners, springs along their sides and across.
const char* const small_torus = R"(name: torus
system:
  mesh: {torus: {major_radius: 2, minor_radius: 0.7, segments: [5, 3]}}
  mass: 0.1
  charge: 10 uC
  pinned: [0, 4]
  springs: {stiffness: 20}
forces: [coulomb]
simulation: {integrator: imex_midpoint, time_step: 0.02, duration: 0.2}
output: {every: 5}
)";

H5mdTrajectory run_torus(const Workplace& place, const std::string& format) {
  place.write("torus.yaml", small_torus);
  const Outcome run = place.run("simulate torus.yaml --out run");
  CAPTURE(run.err);
  REQUIRE(run.status == 0);
  if (!format.empty()) {
    const Outcome written = place.run("export run --format " + format);
    CAPTURE(written.err);
    REQUIRE(written.status == 0);
  }
  return pithball::datasets::read_h5md((place / "run/trajectory.h5").string());
}

std::vector<double> flat(const pithball::sim::Points& x) { return {x.data(), x.data() + x.size()}; }

/// All states' positions or velocities, one after the other.
std::vector<double> all(const H5mdTrajectory& run, pithball::sim::Points pithball::sim::State::*what) {
  std::vector<double> values;
  for (const auto& s : run.trajectory.states)
    values.insert(values.end(), (s.*what).reshaped().begin(), (s.*what).reshaped().end());
  return values;
}

/// Nested lists as one.
std::vector<double> flat(const json& values) {
  if (!values.is_array()) return {values.is_boolean() ? double(values.get<bool>()) : values.get<double>()};
  std::vector<double> all;
  for (const json& value : values) {
    const auto part = flat(value);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::vector<double> pairs(const H5mdTrajectory& run) {
  std::vector<double> ends;
  for (const auto& spring : run.body.springs) ends.insert(ends.end(), {double(spring.i), double(spring.j)});
  return ends;
}

}  // namespace

TEST_CASE("export: NumPy loads the archive to the last bit", "[app][export][python]") {
  const Workplace place;
  const H5mdTrajectory run = run_torus(place, "npz");
  const json arrays = ask_python("read_npz.py", "numpy", place / "run/export/npz/torus.npz");
  const std::size_t states = run.trajectory.states.size(), springs = run.body.springs.size();
  REQUIRE(states == 3);
  const auto check = [&](const char* name, const char* kind, const json& shape, const std::vector<double>& values) {
    CAPTURE(name);
    REQUIRE(arrays.contains(name));
    CHECK(arrays[name]["kind"] == kind);
    CHECK(arrays[name]["shape"] == shape);
    CHECK(arrays[name]["c_order"] == true);
    CHECK(flat(arrays[name]["values"]) == values);
  };
  check("times", "<f8", {states}, {0, run.trajectory.states[1].t, run.trajectory.states[2].t});
  check("steps", "<i8", {states}, {0, 5, 10});
  check("positions", "<f8", {states, 15, 3}, all(run, &pithball::sim::State::x));
  check("velocities", "<f8", {states, 15, 3}, all(run, &pithball::sim::State::v));
  check("mass", "<f8", {15}, {run.body.mass.begin(), run.body.mass.end()});
  check("charge", "<f8", {15}, {run.body.charge.begin(), run.body.charge.end()});
  check("springs", "<i8", {springs, 2}, pairs(run));
  check("stiffness", "<f8", {springs}, std::vector<double>(springs, 20.0));
  CHECK(arrays["rest_length"]["shape"] == json{springs});
  std::vector<double> pinned(15, 0.0);
  pinned[0] = pinned[4] = 1;
  check("pinned", "|b1", {15}, pinned);
  check("driven", "|b1", {15}, std::vector<double>(15, 0.0));
}

TEST_CASE("export: equal runs give equal archives", "[app][export]") {
  const Workplace place;
  run_torus(place, "npz");
  REQUIRE(place.run("export run --format npz --out again").status == 0);
  CHECK(read_text(place / "run/export/npz/torus.npz") == read_text(place / "again/torus.npz"));
}

TEST_CASE("export: VTK reads every frame, and a spring's strain lies on its own line", "[app][export][python]") {
  const Workplace place;
  const H5mdTrajectory run = run_torus(place, "vtk");
  const json series = ask_python("read_vtk.py", "vtk", place / "run/export/vtk/torus.pvd");
  CHECK(series["errors"].empty());
  REQUIRE(series["frames"].size() == 3);
  const std::size_t faces = place.run("mesh torus.yaml --json").json()["faces"];
  REQUIRE(faces > 0);
  const auto& rest = run.trajectory.states.front().x;
  double largest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const json& frame = series["frames"][k];
    const auto& s = run.trajectory.states[k];
    CHECK(frame["time"] == s.t);
    CHECK(flat(frame["points"]) == flat(s.x));
    CHECK(flat(frame["point_data"]["velocity"]) == flat(s.v));
    CHECK(flat(frame["point_data"]["charge"]) == std::vector<double>(15, run.body.charge[0]));
    CHECK(frame["point_data"]["speed"][7].get<double>() == Approx(s.v.col(7).norm()));
    CHECK(frame["point_data"]["held"][4] == 1);
    std::size_t lines = 0, polygons = 0;
    for (std::size_t c = 0; c < frame["cells"].size(); ++c) {
      const json& cell = frame["cells"][c];
      const json &strain = frame["cell_data"]["strain"][c], &stiffness = frame["cell_data"]["stiffness"][c];
      if (cell["kind"] == "polygon") {
        ++polygons;
        CHECK(strain.is_null());
        continue;
      }
      REQUIRE(cell["kind"] == "line");
      ++lines;
      const Eigen::Index i = cell["points"][0], j = cell["points"][1];
      const double expected = (s.x.col(i) - s.x.col(j)).norm() / (rest.col(i) - rest.col(j)).norm() - 1;
      CHECK(strain.get<double>() == Approx(expected).margin(1e-12));
      CHECK(stiffness == 20);
      largest = std::max(largest, std::abs(expected));
    }
    CHECK(lines == run.body.springs.size());
    CHECK(polygons == faces);
  }
  CHECK(largest > 0.01);  // the charges did stretch it
}

TEST_CASE("export: points without springs become cells of their own for VTK", "[app][export][python]") {
  const Workplace place;
  place.write("dust.yaml",
              "name: dust\nsystem: {vertices: [[0, 0, 0], [1, 0, 0]], mass: 1, springs: none}\n"
              "forces: [{gravity: [0, 0, -9.81]}]\nsimulation: {time_step: 0.01, duration: 0.02}\n");
  REQUIRE(place.run("simulate dust.yaml --out run").status == 0);
  REQUIRE(place.run("export run --format vtk").status == 0);
  const json series = ask_python("read_vtk.py", "vtk", place / "run/export/vtk/dust.pvd");
  CHECK(series["errors"].empty());
  CHECK(series["frames"][0]["cells"] ==
        json{{{"kind", "vertex"}, {"points", {0}}}, {{"kind", "vertex"}, {"points", {1}}}});
}

TEST_CASE("simulate: h5py finds H5MD 1.1 in trajectory.h5, with our states to the last bit", "[app][export][python]") {
  const Workplace place;
  const H5mdTrajectory run = run_torus(place, "");
  const json found = ask_python("check_h5md.py", "h5py", place / "run/trajectory.h5");
  CHECK(found["complaints"] == json::array());
  CHECK(found["steps"] == json{0, 5, 10});
  CHECK(flat(found["positions"]) == all(run, &pithball::sim::State::x));
  CHECK(flat(found["velocities"]) == all(run, &pithball::sim::State::v));
  CHECK(flat(found["springs"]) == pairs(run));
  CHECK(flat(found["mass"]) == std::vector<double>(15, 0.1));
}

TEST_CASE("simulate: the check of H5MD sees a file that is spoilt", "[app][export][python]") {
  const std::string python = python_with("h5py");
  const Workplace place;
  run_torus(place, "");
  place.write("spoil.py",
              "import h5py, sys\nfile = h5py.File(sys.argv[1], 'r+')\ndel file['particles/all/box']\n"
              "file['particles/all/position/value'].attrs['unit'] = 'cm'\n");
  REQUIRE(
      succeeds(python + " '" + (place / "spoil.py").string() + "' '" + (place / "run/trajectory.h5").string() + "'"));
  const json found = ask_python("check_h5md.py", "h5py", place / "run/trajectory.h5");
  CHECK(found["complaints"] == json{"particles/all/box is missing", "particles/all/position/value@unit is not m"});
}
