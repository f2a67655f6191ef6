// A document's variants share the meshes that they have in common.

#include "app/experiment/compare_spec.hpp"
#include "app/experiment/experiment_file.hpp"
#include "app/experiment/fit_spec.hpp"
#include "app/experiment/plan_spec.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::app;
using pithball::test::Workplace;

namespace {

ExperimentDocument written(const Workplace& place, const std::string& sections) {
  place.write("net.yaml", R"(name: net
system:
  mesh: {grid: {size: [0.4, 0.4], segments: [2, 2]}}
  mass: 1 g
  pinned: [top]
  springs: {stiffness: 20, damping: 0.01}
forces:
  - gravity: [0, 0, -9.81]
simulation: {integrator: imex_midpoint, time_step: 5 ms, duration: 0.1}
)" + sections);
  return load_document((place / "net.yaml").string());
}

std::string fit_of(const std::string& change) {
  return "fit:\n  recordings:\n    - {name: a, planned: {rate: 100, duration: 0.1 s}, markers: [4]}\n"
         "    - {name: b, planned: {rate: 100, duration: 0.1 s}, markers: [4], set: {" +
         change + "}}\n  parameters: [stiffness]\n";
}

}  // namespace

TEST_CASE("built meshes: a recording that changes only values takes the mesh that is there", "[app][mesh]") {
  const Workplace place;
  const ExperimentDocument document = written(place, fit_of("system.mass: 2 g, forces.gravity: [0, 0, -1.6]"));
  const FitSpec spec = read_fit(document, FitPurpose::Prediction);
  CHECK(document.meshes->times_built() == 1);
  CHECK(spec.recordings[1].own.body.mesh.vertices == spec.recordings[0].own.body.mesh.vertices);
  CHECK(spec.recordings[1].own.body.mass == 2 * spec.recordings[0].own.body.mass);
}

TEST_CASE("built meshes: a recording that changes the mesh gets its own", "[app][mesh]") {
  const Workplace place;
  const ExperimentDocument document = written(place, fit_of("system.mesh.grid.segments: [2, 4]"));
  const FitSpec spec = read_fit(document, FitPurpose::Prediction);
  CHECK(document.meshes->times_built() == 2);
  CHECK(spec.recordings[0].own.body.mesh.vertices.cols() == 9);
  CHECK(spec.recordings[1].own.body.mesh.vertices.cols() == 15);
}

TEST_CASE("built meshes: what was filled in is the same whether a mesh was built or taken", "[app][mesh]") {
  const Workplace place;
  const ExperimentDocument document = written(
      place, fit_of("system.mass: 2 g") + "plan:\n  alternatives:\n    - {name: light, set: {system.mass: 1 g}}\n");
  const PlanSpec plan = read_plan(document);
  REQUIRE(plan.alternatives.size() == 2);
  CHECK(document.meshes->times_built() == 1);
  const std::string filled = to_yaml(plan.alternatives[1].spec.filled);
  CHECK(filled.find("translate") != std::string::npos);  // a default of the mesh's
  CHECK(filled == to_yaml(plan.alternatives[0].spec.filled));
}

TEST_CASE("built meshes: a scan builds a mesh once for all points that share it", "[app][mesh]") {
  const Workplace place;
  const ExperimentDocument document =
      written(place,
              "compare:\n  integrators: [imex_euler, velocity_verlet]\n  time_steps: [5 ms]\nscan:\n  over:\n"
              "    system.mass: [1 g, 2 g, 3 g]\n    system.mesh.scale: [1, 2]\n");
  CHECK(read_scan(document).cells.size() == 6);
  CHECK(document.meshes->times_built() == 3);  // as written, and at each scale
}
