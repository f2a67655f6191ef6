#include "datasets/mesh/tshirt.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "datasets/mesh/mesh_edit.hpp"
#include "datasets/mesh/mesh_springs.hpp"
#include "tests/datasets/sound_mesh.hpp"
#include "tests/datasets/temporary_folder.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;

TEST_CASE("tshirt: two panels, sewn along shoulders and sides, with four openings", "[datasets][mesh]") {
  for (const Index wanted : {300, 600, 1500}) {
    CAPTURE(wanted);
    TshirtShape shape;
    shape.division.vertices = wanted;
    const Mesh mesh = make_tshirt(shape);
    check_sound(mesh);
    CHECK(std::abs(static_cast<double>(mesh.vertices.cols()) / static_cast<double>(wanted) - 1) < 0.1);
    // A sphere with four holes: 2 − 4.
    CHECK(euler_characteristic(mesh) == -2);
    std::size_t on_borders = 0;
    for (const char* opening : {"neck", "hem", "left_sleeve_end", "right_sleeve_end"})
      on_borders += mesh.vertex_groups.at(opening).size();
    CHECK(border_edges(mesh) == on_borders);  // a closed line has as many edges as vertices
    CHECK(signed_volume(mesh) > 0);           // faces point outwards
    const auto lengths = lengths_of(mesh, "edge");
    CHECK(lengths.minCoeff() > 0.3 * lengths.mean());
    CHECK(lengths.maxCoeff() < 1.9 * lengths.mean());
    CHECK(smallest_angle(mesh) > 18);
    CHECK(mesh.vertices.row(0).maxCoeff() == Approx(0.43).epsilon(1e-12));
    CHECK(mesh.vertices.row(0).minCoeff() == Approx(-0.43).epsilon(1e-12));
  }
}

TEST_CASE("tshirt: groups lie where their names say", "[datasets][mesh]") {
  const Mesh mesh = make_tshirt({});
  const auto& x = mesh.vertices;
  const auto group = [&](const char* name) { return mesh.vertex_groups.at(name); };
  CHECK(static_cast<Index>(group("front").size() + group("back").size() + group("seams").size()) == x.cols());
  for (const Index v : group("front")) CHECK(x(1, v) < 0);
  for (const Index v : group("back")) CHECK(x(1, v) > 0);
  for (const Index v : group("seams")) CHECK(x(1, v) == 0);
  for (const Index v : group("hem")) CHECK(x(2, v) == x.row(2).minCoeff());
  for (const Index v : group("shoulders")) {
    const auto seams = group("seams");
    CHECK(std::find(seams.begin(), seams.end(), v) != seams.end());
    CHECK(x(2, v) > 0.8 * x.row(2).maxCoeff());
  }
  for (const Index v : group("left_sleeve_end")) CHECK(x(0, v) < -0.3);
  for (const Index v : group("right_sleeve_end")) CHECK(x(0, v) > 0.3);
  // The front's neck is lower than the back's.
  double front = 1, back = 1;
  for (const Index v : group("neck")) (x(1, v) < 0 ? front : back) = std::min(x(1, v) < 0 ? front : back, x(2, v));
  CHECK(front < back - 0.05);
}

TEST_CASE(
    "tshirt: the pattern is flat, and the drawn edges are stretched by "
    "what the bulge needs",
    "[datasets][mesh]") {
  TshirtShape shape;
  shape.depth = 0.04;
  const Mesh mesh = make_tshirt(shape);
  REQUIRE(mesh.pattern_lengths.size() == static_cast<Index>(mesh.springs.size()));
  CHECK(mesh.pattern_lengths.minCoeff() > 0);
  const auto drawn = mesh.spring_lengths();
  double largest = 0;
  for (const Index s : mesh.spring_groups.at("edge")) {
    const double stretch = drawn[s] / mesh.pattern_lengths[s] - 1;
    CHECK(stretch >= -1e-15);
    largest = std::max(largest, stretch);
  }
  CHECK(largest > 0.01);
  CHECK(largest < std::hypot(1, 1.0 / 3) - 1);  // a slope of 1/3
  CHECK(mesh.vertices.row(1).maxCoeff() < 0.04);
  CHECK(mesh.vertices.row(1).maxCoeff() > 0.03);
  // Scaling keeps drawing and pattern together.
  const Mesh doubled = transformed(mesh, {.scale = 2});
  CHECK(doubled.pattern_lengths == 2 * mesh.pattern_lengths);
}

TEST_CASE(
    "tshirt: bend springs cross every inner edge and are as long as the "
    "unfolded cloth",
    "[datasets][mesh]") {
  const Mesh mesh = make_tshirt({});
  const auto hinges = find_hinges(mesh.faces);
  // Some few pairs of corners face each other across two edges.
  std::set<std::pair<Index, Index>> facing;
  for (const auto& [a, b, p, q] : hinges) facing.insert({p, q});
  CHECK(mesh.spring_groups.at("bend").size() == facing.size());
  CHECK(static_cast<double>(facing.size()) > 0.98 * static_cast<double>(hinges.size()));
  const auto& x = mesh.vertices;
  const auto& seams = mesh.vertex_groups.at("seams");
  const auto on_seam = [&](Index v) { return std::binary_search(seams.begin(), seams.end(), v); };
  std::map<std::pair<Index, Index>, Index> number_of;
  for (std::size_t s = 0; s < mesh.springs.size(); ++s) number_of[{mesh.springs[s].i, mesh.springs[s].j}] = s;
  Index within = 0, across = 0;
  for (const auto& [a, b, p, q] : hinges) {
    const double length = mesh.pattern_lengths[number_of.at({p, q})];
    const double flat = std::hypot(x(0, p) - x(0, q), x(2, p) - x(2, q));
    if (x(1, p) * x(1, q) < 0) {  // from front to back: the two corners have the
                                  // same place in the pattern
      CHECK(flat < 1e-12);
      const double run = std::hypot(x(0, a) - x(0, b), x(2, a) - x(2, b));
      const double twice_area =
          std::abs((x(0, b) - x(0, a)) * (x(2, p) - x(2, a)) - (x(2, b) - x(2, a)) * (x(0, p) - x(0, a)));
      CHECK(length == Approx(2 * twice_area / run).epsilon(1e-9));
      CHECK((on_seam(a) && on_seam(b)));
      ++across;
    } else {
      CHECK(length == Approx(flat).epsilon(1e-9));
      ++within;
    }
  }
  CHECK(across > 30);
  CHECK(within > 1000);

  TshirtShape plain;
  plain.bend = false;
  CHECK(make_tshirt(plain).spring_groups.count("bend") == 0);
}

TEST_CASE("tshirt: the same settings give the same bits", "[datasets][mesh]") {
  const Mesh first = make_tshirt({}), second = make_tshirt({});
  REQUIRE(first.vertices.size() == second.vertices.size());
  CHECK(std::memcmp(first.vertices.data(), second.vertices.data(), sizeof(double) * first.vertices.size()) == 0);
  CHECK(first.faces == second.faces);
}

TEST_CASE("tshirt: nonsense is rejected with the key and a remedy", "[datasets][mesh][error]") {
  const auto rejects = [](const TshirtShape& shape, const std::string& what) {
    const std::string message = complaint_of([&] { make_tshirt(shape); });
    INFO(message);
    CHECK(message.find(what) != std::string::npos);
    CHECK(message.find("; ") != std::string::npos);
  };
  rejects({.division = {.size = -1}}, "size: must be finite and > 0 m");
  rejects({.division = {.size = 1, .vertices = 20}}, "vertices: must give 100 to a million");
  rejects({.division = {.size = 1, .edge_length = 0.3}}, "edge_length: must give 100 to a million");
  rejects({.depth = 0}, "depth: must be finite and > 0 m");
}
