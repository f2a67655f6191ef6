#include "app/experiment/shapes/shape.hpp"

#include <fmt/format.h>

namespace pithball::app {

namespace {

std::vector<ShapeInfo> built_in_shapes() {
  return {
      {"torus",
       "a torus around the z axis; groups ring0, ring1, … are its cross-sections; spring groups around, tube, "
       "diagonal",
       read_torus},
      {"sphere", "a refined icosahedron; groups top, bottom", read_sphere},
      {"grid",
       "a rectangular cloth in the xy plane; groups left, right, bottom, top, corners, bottom_left, …; spring "
       "groups stretch, shear, bend",
       read_grid},
      {"chain", "particles on a line; groups top (the first), bottom (the last); spring group link", read_chain},
      {"beam",
       "a prismatic truss of rings; groups ring0, ring1, …, top, bottom; spring groups longitudinal, ring, "
       "diagonal",
       read_beam},
      {"tube",
       "a hollow beam, whose sections can flatten; groups ring0, ring1, …, top, bottom; spring groups "
       "longitudinal, "
       "ring, diagonal",
       read_tube},
      {"random_cloud", "particles at uniformly random positions in a box, without springs", read_random_cloud},
      {"lattice", "particles on a lattice in a box or a ball, without springs", read_lattice},
      {"duck",
       "a duck: a closed mesh of nearly equilateral triangles, facing along x; groups body, neck, head, bill, "
       "tail, "
       "left_wing, right_wing; spring group edge",
       read_duck},
      {"bunny",
       "a bunny: a closed mesh of nearly equilateral triangles, facing along x; groups body, head, left_ear, "
       "right_ear, tail, left_hind_leg, right_hind_leg, left_foreleg, right_foreleg; spring group edge",
       read_bunny},
      {"implicit",
       "a closed mesh of nearly equilateral triangles around given parts; each part is a group; spring group edge",
       read_implicit},
      {"tshirt",
       "a t-shirt sewn from a flat pattern, upright in the xz plane; groups neck, hem, left_sleeve_end, "
       "right_sleeve_end, shoulders, seams, front, back; spring groups edge, bend",
       read_tshirt},
  };
}

}  // namespace

sim::Registry<ShapeInfo>& shapes() {
  static sim::Registry<ShapeInfo> registry("mesh.shape", built_in_shapes());
  return registry;
}

Mesh placeholder_mesh() {
  Mesh mesh;
  mesh.vertices = Points::Identity(3, 2);
  mesh.springs = {{0, 1}};
  return mesh;
}

datasets::Diagonals read_diagonals(Node& node, const char* fallback) {
  return node.choice("diagonals", {"one", "both"}, "diagonal springs of each quadrilateral", fallback) == "both"
             ? datasets::Diagonals::Both
             : datasets::Diagonals::One;
}

std::array<Index, 2> read_pair(Node& node, const char* key, const char* meaning, std::array<Index, 2> fallback,
                               Index least) {
  const std::string usual = fmt::format("[{}, {}]", fallback[0], fallback[1]);
  if (!node.document(key, fmt::format("two integers >= {}", least), usual, meaning))
    return node.fill(key, usual), fallback;
  const auto list = node.integers(key, meaning, least);
  if (list.size() != 2) node.reject(key, "must be two whole numbers", fmt::format("{}", list.size()), "write [a, b]");
  return {list[0], list[1]};
}

datasets::Division read_division(Node& node, datasets::Division division) {
  division.size =
      node.number("size", "m", "largest extent along x, y or z",
                  division.size > 0 ? std::optional(division.size) : std::nullopt, sim::ValueSign::Positive);
  division.edge_length = node.optional_number("edge_length", "m", "approximate mean edge length; instead of vertices",
                                              sim::ValueSign::Positive);
  if (division.edge_length) {
    if (node.is_written("vertices"))
      node.reject("vertices", "must not be given together with `edge_length`", "both", "keep one of the two");
    return division;
  }
  division.vertices = node.integer("vertices", "approximate number of vertices", division.vertices, 1);
  return division;
}

}  // namespace pithball::app
