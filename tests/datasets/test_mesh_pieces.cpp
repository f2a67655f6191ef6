#include "datasets/mesh/mesh_edit.hpp"

#include <random>

#include "datasets/mesh/mesh_generator.hpp"
#include "datasets/mesh/mesh_springs.hpp"
#include "datasets/mesh/remesh.hpp"
#include "tests/datasets/sound_mesh.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;

namespace {

Mesh make_mesh(const std::vector<Vec3>& vertices, std::vector<std::vector<Index>> faces,
               const std::vector<std::pair<Index, Index>>& lines = {}) {
  Mesh mesh;
  mesh.vertices.resize(3, static_cast<Index>(vertices.size()));
  for (std::size_t v = 0; v < vertices.size(); ++v) mesh.vertices.col(static_cast<Index>(v)) = vertices[v];
  mesh.faces = std::move(faces);
  SpringBuilder springs;
  springs.add_faces(mesh.faces);
  for (const auto& [i, j] : lines) springs.add(i, j, "line");
  springs.give_to(mesh);
  return mesh;
}

/// A unit square of two triangles that share no vertex.
Mesh make_seam() {
  return make_mesh({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {{0, 1, 2}, {3, 4, 5}});
}

/// A unit cube as textured meshes have it: each corner once for each of its three faces.
Mesh make_textured_cube() {
  std::vector<Vec3> vertices;
  std::vector<std::vector<Index>> faces;
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) {
      for (const auto& [u, w] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
        Vec3 corner;
        corner[axis] = side;
        corner[(axis + 1) % 3] = u;
        corner[(axis + 2) % 3] = w;
        vertices.push_back(corner);
      }
      const auto n = static_cast<Index>(vertices.size());
      faces.push_back(side == 1 ? std::vector<Index>{n - 4, n - 3, n - 2, n - 1}
                                : std::vector<Index>{n - 1, n - 2, n - 3, n - 4});
    }
  return make_mesh(vertices, faces);
}

}  // namespace

TEST_CASE("mesh_pieces: a seam of doubled vertices is found and welded", "[datasets][mesh]") {
  const MeshPieces found = find_pieces(make_seam());
  CHECK(found.pieces == 2);
  CHECK(found.single_vertices == 0);
  CHECK(found.coinciding == 2);
  CHECK(found.torn == 2);
  CHECK(found.edges == 6);
  CHECK(found.zero_edges == 0);
  CHECK(weld_advice(found) == "2 pieces, 2 pairs of vertices at one place: weld: true joins them");
  const Mesh whole = welded(make_seam());
  check_sound(whole);
  REQUIRE(whole.vertices.cols() == 4);
  CHECK(whole.vertices.col(3) == Vec3(0, 1, 0));
  CHECK(whole.faces == std::vector<std::vector<Index>>{{0, 1, 2}, {0, 2, 3}});
  CHECK(whole.springs.size() == 5);
  CHECK(whole.spring_groups.at("edge").size() == 5);
  CHECK(find_pieces(whole).pieces == 1);
  CHECK(weld_advice(find_pieces(whole)).empty());
  CHECK_NOTHROW(remeshed(whole, 0.3, 1));
}

TEST_CASE("mesh_pieces: a textured cube is welded at any size and place, rounded or not", "[datasets][mesh]") {
  std::mt19937 engine(7);
  for (const double scale : {1e-100, 1e-9, 1.0, 1e9, 1e100})
    for (const double away : {0.0, 1.0, 1000.0})
      for (const double rounding : {0.0, 1e-16, 0x1p-24}) {
        CAPTURE(scale, away, rounding);
        Mesh cube = make_textured_cube();
        cube.vertices.array() += away;
        // Copies of a corner that were computed by different ways.
        for (double& x : cube.vertices.reshaped()) x += rounding * (static_cast<int>(engine() % 3) - 1);
        cube.vertices *= scale;
        const MeshPieces found = find_pieces(cube);
        CHECK(found.pieces == 6);
        CHECK(found.coinciding == 24);
        CHECK(found.torn == 24);
        CHECK(found.edge_lengths.median == Approx(scale).epsilon(1e-6));
        const Mesh whole = welded(cube);
        check_sound(whole);
        CHECK(whole.vertices.cols() == 8);
        CHECK(whole.faces.size() == 6);
        CHECK(whole.spring_groups.at("edge").size() == 12);
        CHECK(whole.spring_groups.at("diagonal").size() == 12);
        CHECK(find_pieces(whole).pieces == 1);
      }
}

TEST_CASE("mesh_pieces: vertices that are near but not at one place stay apart", "[datasets][mesh]") {
  for (const double scale : {1e-9, 1.0, 1e9}) {
    Mesh seam = make_seam();
    seam.vertices.rightCols(3).array() += 1e-6;
    seam.vertices *= scale;
    CHECK(find_pieces(seam).coinciding == 0);
    CHECK(welded(seam).vertices.cols() == 6);
    // A net much finer than rounding in single precision would be, and a long rope that it hangs on.
    Mesh net = make_grid({.size = {1e-7, 1e-7}, .segments = {10, 10}, .shear = false, .bend = false});
    net.vertices.conservativeResize(3, 122);
    net.vertices.col(121) << 0, 0, 1;
    net.springs.push_back({120, 121});
    net.vertices *= scale;
    CHECK(find_pieces(net).coinciding == 0);
    CHECK(find_pieces(net).pieces == 1);
  }
}

TEST_CASE("mesh_pieces: pieces may touch in one vertex, and vertices may be joined by nothing", "[datasets][mesh]") {
  const std::vector<Vec3> bow{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 0}, {-1, 1, 0}, {0, 0, 0}, {7, 7, 7}};
  const MeshPieces joined = find_pieces(make_mesh(bow, {{0, 1, 2}, {0, 3, 4}}));
  CHECK(joined.pieces == 1);
  CHECK(joined.single_vertices == 2);
  CHECK(joined.coinciding == 1);  // vertex 5 lies on the knot
  CHECK(joined.torn == 1);
  CHECK(weld_advice(joined) == "1 piece, 2 single vertices, 1 pair of vertices at one place: weld: true joins them");
  const MeshPieces apart = find_pieces(make_mesh(bow, {{0, 1, 2}, {5, 3, 4}}));
  CHECK(apart.pieces == 2);
  CHECK(apart.single_vertices == 1);
  CHECK(apart.coinciding == 1);
  CHECK(find_pieces(welded(make_mesh(bow, {{0, 1, 2}, {5, 3, 4}}))).pieces == 1);
  // A seam within one piece.
  const MeshPieces crack = find_pieces(make_mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {1, 0, 0}},
                                                 {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}}));
  CHECK(crack.pieces == 1);
  CHECK(crack.coinciding == 1);
  CHECK(crack.torn == 0);
}

TEST_CASE("mesh_pieces: edges are those of faces and lines, without diagonals", "[datasets][mesh]") {
  const MeshPieces found =
      find_pieces(make_mesh({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {4, 0, 0}}, {{0, 1, 2, 3}}, {{1, 4}, {0, 1}}));
  CHECK(found.edges == 5);
  CHECK(found.edge_lengths.shortest == 1);
  CHECK(found.edge_lengths.median == 1);
  CHECK(found.edge_lengths.longest == 3);
  const MeshPieces rope = find_pieces(make_mesh({{0, 0, 0}, {1, 0, 0}, {3, 0, 0}}, {}, {{0, 1}, {1, 2}}));
  CHECK(rope.edge_lengths.median == 1.5);
  CHECK(find_pieces(make_random_cloud({.count = 20})).edges == 0);
  CHECK(find_pieces(make_random_cloud({.count = 20})).single_vertices == 20);
}

TEST_CASE("mesh_pieces: what welding makes degenerate is dropped", "[datasets][mesh]") {
  // A quadrilateral with a side of no length, a triangle on a line of no length, and a line between equal points.
  const Mesh mesh =
      make_mesh({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 0}, {0, 0, 0}}, {{0, 1, 2, 3}, {0, 4, 2}}, {{2, 3}});
  const MeshPieces found = find_pieces(mesh);
  CHECK(found.zero_edges == 2);
  CHECK(found.coinciding == 2);
  CHECK(weld_advice(found) ==
        "1 piece, 2 pairs of vertices at one place, 2 edges of zero length: weld: true joins them");
  const Mesh whole = welded(mesh);
  check_sound(whole);
  CHECK(whole.vertices.cols() == 3);
  CHECK(whole.faces == std::vector<std::vector<Index>>{{0, 1, 2}});
  CHECK(whole.springs.size() == 3);
  CHECK(whole.spring_groups.at("edge").size() == 3);
  CHECK(whole.spring_groups.count("diagonal") == 0);
  // All vertices at one place.
  const Mesh point = make_mesh({{2, 2, 2}, {2, 2, 2}, {2, 2, 2}}, {{0, 1, 2}});
  CHECK(find_pieces(point).coinciding == 3);
  CHECK(find_pieces(point).zero_edges == 3);
  CHECK(welded(point).vertices.cols() == 1);
}

TEST_CASE("mesh_pieces: groups and lengths of the pattern follow the vertices and springs", "[datasets][mesh]") {
  const Mesh left = make_chain({.length = 1, .segments = 2, .axis = Vec3::UnitX()});
  const Mesh right = make_chain({.length = 1, .segments = 2, .axis = Vec3::UnitX(), .origin = Vec3(1, 0, 0)});
  Mesh both = joined_meshes({{"left", left}, {"right", right}});
  both.pattern_lengths = (Eigen::VectorXd(4) << 1, 2, 3, 4).finished();
  const Mesh whole = welded(both);
  CHECK(whole.vertices.cols() == 5);
  CHECK(whole.vertex_groups.at("left") == std::vector<Index>{0, 1, 2});
  CHECK(whole.vertex_groups.at("right") == std::vector<Index>{2, 3, 4});
  CHECK(whole.vertex_groups.at("right_top") == std::vector<Index>{2});
  CHECK(whole.spring_groups.at("right") == std::vector<Index>{2, 3});
  CHECK(whole.spring_groups.at("link") == std::vector<Index>{0, 1, 2, 3});
  CHECK(whole.pattern_lengths == both.pattern_lengths);
  CHECK(find_pieces(whole).pieces == 1);
}

TEST_CASE("mesh_pieces: every shape is as it was, as its vertices are apart", "[datasets][mesh]") {
  for (const Mesh& mesh :
       {make_torus({.major_radius = 4, .minor_radius = 1.5}), make_sphere({.radius = 1}), make_grid({.size = {1, 2}}),
        make_beam({.length = 1, .radius = 0.1, .ring_positions = {}})}) {
    const MeshPieces found = find_pieces(mesh);
    CHECK(found.pieces == 1);
    CHECK(found.coinciding == 0);
    const Mesh same = welded(mesh);
    CHECK(same.vertices == mesh.vertices);
    CHECK(same.faces == mesh.faces);
    CHECK(same.springs.size() == mesh.springs.size());
    CHECK(same.spring_groups == mesh.spring_groups);
  }
}
