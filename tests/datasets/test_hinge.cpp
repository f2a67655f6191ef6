#include "datasets/mesh/mesh_springs.hpp"

#include <cmath>

#include "datasets/mesh/mesh_generator.hpp"
#include "tests/datasets/sound_mesh.hpp"
#include "tests/datasets/temporary_folder.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;

TEST_CASE("hinge: unfolded lengths of known triangles", "[datasets][mesh]") {
  // Two right isosceles triangles make a unit square; two equilateral ones a rhombus.
  CHECK(unfolded_length(std::sqrt(2), 1, 1, 1, 1) == Approx(std::sqrt(2)).epsilon(1e-15));
  CHECK(unfolded_length(1, 1, 1, 1, 1) == Approx(std::sqrt(3)).epsilon(1e-15));
  // p over a, q over b of a unit edge, both at height 2.
  CHECK(unfolded_length(1, 2, std::sqrt(5), std::sqrt(5), 2) == Approx(std::sqrt(17)).epsilon(1e-15));
}

TEST_CASE("hinge: edges with exactly two triangles", "[datasets][mesh]") {
  const std::vector<std::vector<Index>> faces{{0, 1, 2}, {2, 1, 3}, {1, 0, 4}, {0, 1, 5}, {2, 3, 6, 7}};
  // 0–1 has three faces, 2–3 a triangle and a quadrilateral.
  const auto hinges = find_hinges(faces);
  REQUIRE(hinges.size() == 1);
  CHECK((hinges[0].a == 1 && hinges[0].b == 2 && hinges[0].p == 0 && hinges[0].q == 3));
  CHECK(find_hinges({{0, 1, 2}, {0, 2, 1}}).empty());  // the same triangle twice: no corners face each other
}

TEST_CASE("hinge: bend springs join what faces each other, beside the springs that were there", "[datasets][mesh]") {
  const Mesh sphere = make_sphere({1, 3}), braced = with_bend_springs(sphere);
  check_sound(braced);
  CHECK(braced.spring_groups.at("edge").size() == sphere.springs.size());
  CHECK(braced.spring_groups.at("bend").size() == sphere.springs.size());  // closed: one across each edge
  // Neighbors of neighbors: longer than any edge, shorter than two.
  const auto edges = lengths_of(braced, "edge"), bends = lengths_of(braced, "bend");
  CHECK(bends.minCoeff() > edges.maxCoeff());
  CHECK(bends.maxCoeff() < 2 * edges.maxCoeff());
  CHECK(complaint_of([] { with_bend_springs(make_chain({})); }).find("needs triangles") != std::string::npos);
}
