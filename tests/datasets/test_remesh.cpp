#include "datasets/mesh/remesh.hpp"

#include <numbers>

#include "datasets/mesh/mesh_generator.hpp"
#include "datasets/mesh/mesh_springs.hpp"
#include "tests/datasets/sound_mesh.hpp"
#include "tests/datasets/temporary_folder.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;

namespace {

constexpr double sharp = std::numbers::pi / 3;

/// A box of the given sides, each face one quadrilateral, its lowest corner at the origin.
Mesh make_box(double a, double b, double c) {
  Mesh box;
  box.vertices.resize(3, 8);
  for (Index v = 0; v < 8; ++v) box.vertices.col(v) << (v & 1 ? a : 0), (v & 2 ? b : 0), (v & 4 ? c : 0);
  box.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  SpringBuilder springs;
  springs.add_faces(box.faces);
  springs.give_to(box);
  return box;
}

}  // namespace

TEST_CASE("remesh: a sphere becomes coarser or finer, evenly, and stays a sphere", "[datasets][mesh]") {
  const Mesh sphere = make_sphere({1, 12});
  for (const double edge : {0.08, 0.2, 0.4}) {
    CAPTURE(edge);
    const Mesh mesh = remeshed(sphere, edge, sharp);
    check_sound(mesh);
    CHECK(border_edges(mesh) == 0);
    CHECK(euler_characteristic(mesh) == 2);
    CHECK(signed_volume(mesh) > 0);
    const auto lengths = lengths_of(mesh, "edge");
    CHECK(lengths.mean() == Approx(edge).epsilon(0.15));
    CHECK(lengths.minCoeff() > 0.5 * edge);
    CHECK(lengths.maxCoeff() < 1.7 * edge);
    // On the old faces, which are up to 1 − cos of half an edge's angle (0.05) inside the sphere.
    CHECK(mesh.vertices.colwise().norm().minCoeff() > 1 - 0.01);
    CHECK(mesh.vertices.colwise().norm().maxCoeff() < 1 + 1e-12);
  }
}

TEST_CASE("remesh: a box keeps corners and faces where sharp edges are kept", "[datasets][mesh]") {
  const Mesh box = make_box(1, 2, 3);
  CHECK(surface_area(box) == Approx(22));
  const Mesh kept = remeshed(box, 0.3, sharp);
  check_sound(kept);
  CHECK(border_edges(kept) == 0);
  CHECK(surface_area(kept) == Approx(22).epsilon(1e-12));
  CHECK(signed_volume(kept) == Approx(6).epsilon(1e-12));
  const Mesh rounded = remeshed(box, 0.3, std::numbers::pi);
  CHECK(signed_volume(rounded) < 6 - 1e-3);
}

TEST_CASE("remesh: an open cloth keeps its border", "[datasets][mesh]") {
  GridShape shape;
  shape.size = {3, 2};
  const Mesh mesh = remeshed(make_grid(shape), 0.15, sharp);
  check_sound(mesh);
  CHECK(euler_characteristic(mesh) == 1);
  CHECK(border_edges(mesh) > 50);
  CHECK(surface_area(mesh) == Approx(6).epsilon(0.01));
  CHECK(mesh.spring_groups.size() == 1);
}

TEST_CASE("remesh: the same mesh gives the same bits, and unused vertices go", "[datasets][mesh]") {
  Mesh torus = make_torus({});
  torus.vertices.conservativeResize(3, 146);
  torus.vertices.col(145) = Vec3(9, 9, 9);
  const Mesh first = remeshed(torus, 0.9, sharp), second = remeshed(torus, 0.9, sharp);
  CHECK(first.vertices == second.vertices);
  CHECK(first.faces == second.faces);
  CHECK(euler_characteristic(first) == 0);
  CHECK(first.vertices.maxCoeff() < 6);
}

TEST_CASE("remesh: what is no surface is rejected with a remedy", "[datasets][mesh][error]") {
  const auto rejects = [](const Mesh& mesh, double edge, const std::string& what) {
    const std::string message = complaint_of([&] { remeshed(mesh, edge, sharp); });
    INFO(message);
    CHECK(message.find(what) != std::string::npos);
    CHECK(message.find("; ") != std::string::npos);
  };
  const Mesh box = make_box(1, 1, 1);
  rejects(make_chain({}), 0.1, "needs a mesh with faces");
  rejects(box, 0, "edge length > 0 m");
  rejects(box, NAN, "edge length > 0 m");
  rejects(box, 1e-5, "ten million");
  Mesh fins = make_box(1, 1, 1);  // three faces at the edge 0–1
  fins.vertices.conservativeResize(3, 9);
  fins.vertices.col(8) = Vec3(0.5, -1, -1);
  fins.faces.push_back({0, 1, 8});
  rejects(fins, 0.3, "branches");
  Mesh flat = make_box(1, 1, 0);
  flat.faces = {{0, 1, 3}, {0, 3, 2}, {1, 0, 4}};  // the last corner lies on the first
  rejects(flat, 0.3, "faces with area");
}
