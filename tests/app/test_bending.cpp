// Bending forces, as an experiment file says them: their angles come from the body.
#include <cmath>

#include "app/experiment/experiment.hpp"
#include "app/experiment/experiment_file.hpp"
#include "sim/force/chain_bending.hpp"
#include "sim/force/hinge_bending.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;

namespace {

app::Experiment read(const std::string& mesh, const std::string& force) {
  return app::read_experiment(app::parse_document("name: bent\nsystem:\n  mesh: {" + mesh +
                                                      "}\n  mass: 0.1\n  springs: {stiffness: 10}\nforces:\n  - " +
                                                      force + "\nsimulation: {time_step: 0.01, duration: 0.1}\n",
                                                  {"file"}));
}
template <class Force>
const Force& force_of(const app::Experiment& experiment) {
  return dynamic_cast<const Force&>(*experiment.scenario.model.given_terms().back());
}

}  // namespace

TEST_CASE("bending: a chain turns at all inner particles, and a grid at its inner edges", "[app][bending]") {
  const app::Experiment chain =
      read("chain: {length: 2 m, segments: 4}", "chain_bending: {stiffness: 3 N m2, edges: mesh}");
  const auto& turns = force_of<sim::ChainBending>(chain).angles();
  REQUIRE(turns.size() == 3);
  CHECK(turns[0].weight == Approx(2));  // 1/l̄
  CHECK(chain.scenario.model.values()[*chain.scenario.model.values().find("chain_bending_stiffness")][0] == 3);

  const app::Experiment sphere = read("sphere: {radius: 1 m}", "hinge_bending: {stiffness: 2 N m}");
  const auto& hinges = force_of<sim::HingeBending>(sphere).angles();
  // A closed surface of triangles: three edges for two faces, each a hinge that is bent at rest.
  CHECK(2 * hinges.size() == 3 * sphere.body.mesh.faces.size());
  for (const auto& hinge : hinges) CHECK(std::abs(hinge.rest) > 1e-3);
}

TEST_CASE("bending: lists of chains that adjoin share their hinge", "[app][bending]") {
  const app::Experiment parts = read("chain: {length: 2 m, segments: 4}",
                                     "chain_bending: {stiffness: 3 N m2, edges: [[0, 1], [1, 2]]}\n"
                                     "  - chain_bending: {stiffness: 1 N m2, edges: [[2, 3], [3, 4]]}");
  const auto& angles = force_of<sim::ChainJoint>(parts).angles();
  REQUIRE(angles.size() == 1);
  CHECK(angles[0].particles == std::array<sim::Index, 3>{1, 2, 3});
  CHECK(parts.notes.empty());
}

TEST_CASE("bending: a body without what bends is rejected at the force", "[app][bending][error]") {
  CHECK_THROWS_WITH(read("chain: {length: 1 m, segments: 1}", "chain_bending: {stiffness: 3, edges: mesh}"),
                    Catch::Contains("chain_bending.edges: must have a particle where exactly two of them meet"));
  CHECK_THROWS_WITH(read("chain: {length: 1 m, segments: 4}", "hinge_bending: {stiffness: 3}"),
                    Catch::Contains("hinge_bending: needs a mesh with two faces at an edge"));
}
