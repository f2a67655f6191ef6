#include "experiments/spec/mesh_source.hpp"

#include <fmt/format.h>

#include <array>
#include <set>

#include "datasets/mesh_edit.hpp"
#include "datasets/mesh_generator.hpp"
#include "datasets/mesh_reader.hpp"
#include "experiments/yaml/file_name.hpp"
#include "experiments/yaml/nearest.hpp"

namespace pithball::experiments {
namespace {

using datasets::Mesh;

/// What the reading code gets while it describes: two points and a spring.
Mesh placeholder_mesh() {
  Mesh mesh;
  mesh.vertices = Points::Identity(3, 2);
  mesh.springs = {{0, 1}};
  return mesh;
}

template <class Shape>
Mesh made(const Node& node, const Shape& shape, Mesh (*make)(const Shape&)) {
  if (node.describing()) return placeholder_mesh();
  return node.located("", [&] { return make(shape); });
}

datasets::Diagonals read_diagonals(Node& node, const char* fallback) {
  return node.choice("diagonals", {"one", "both"}, "how each quadrilateral is braced", fallback) == "both"
             ? datasets::Diagonals::Both
             : datasets::Diagonals::One;
}

std::array<Index, 2> read_pair(Node& node, const char* key, const char* meaning, std::array<Index, 2> fallback,
                               Index least) {
  if (!node.describing() && !node.has(key)) {
    node.fill(key, fmt::format("[{}, {}]", fallback[0], fallback[1]));
    node.form(key);
    return fallback;
  }
  if (node.describing()) {
    node.document(key, fmt::format("two integers >= {}", least), fmt::format("[{}, {}]", fallback[0], fallback[1]),
                  meaning);
    return fallback;
  }
  const auto list = node.integers(key, meaning, least);
  if (list.size() != 2) node.refuse(key, "must be two whole numbers", fmt::format("{}", list.size()), "write [a, b]");
  return {list[0], list[1]};
}

Mesh read_torus(Node node) {
  datasets::TorusShape shape;
  shape.major_radius =
      node.number("major_radius", "m", "from the axis to the middle of the tube", {}, sim::ValueSign::Positive);
  shape.minor_radius = node.number("minor_radius", "m", "of the tube", {}, sim::ValueSign::Positive);
  shape.segments = read_pair(node, "segments", "around the axis, around the tube", shape.segments, 3);
  shape.diagonals = read_diagonals(node, "one");
  return made(node, shape, datasets::make_torus);
}

Mesh read_sphere(Node node) {
  datasets::SphereShape shape;
  shape.radius = node.number("radius", "m", "of the sphere", {}, sim::ValueSign::Positive);
  shape.segments = node.integer("segments", "parts of each edge of the icosahedron that is refined", shape.segments, 1);
  return made(node, shape, datasets::make_sphere);
}

Mesh read_grid(Node node) {
  datasets::GridShape shape;
  const auto size = node.numbers("size", "m", "along x and y", sim::ValueSign::Positive);
  if (!node.describing() && size.size() != 2)
    node.refuse("size", "must be two lengths", fmt::format("{}", size.size()), "write [x, y]");
  if (size.size() == 2) shape.size = {size[0], size[1]};
  shape.segments = read_pair(node, "segments", "cells along x and y", shape.segments, 1);
  shape.shear = node.flag("shear", "springs along both diagonals of each cell", shape.shear);
  shape.bend = node.flag("bend", "springs from each vertex to the second next", shape.bend);
  return made(node, shape, datasets::make_grid);
}

Mesh read_chain(Node node) {
  datasets::ChainShape shape;
  shape.length = node.number("length", "m", "of the whole chain", {}, sim::ValueSign::Positive);
  shape.segments = node.integer("segments", "springs; one particle more", shape.segments, 1);
  shape.axis = node.vector("axis", "", "direction from the first to the last particle", shape.axis);
  shape.origin = node.vector("origin", "m", "the first particle", shape.origin);
  return made(node, shape, datasets::make_chain);
}

Mesh read_beam(Node node) {
  datasets::BeamShape shape;
  shape.radius = node.number("radius", "m", "of the circle through a ring's particles", {}, sim::ValueSign::Positive);
  shape.sides = node.integer("sides", "particles of each ring", shape.sides, 3);
  if (node.describing())
    node.document(
        "ring_positions", "list of numbers [m]", "optional",
        "distance of each ring from the first along the axis, increasing from 0; instead of length and segments");
  node.ignore("ring_positions");
  if (!node.describing() && node.has("ring_positions")) shape.ring_positions = node.numbers("ring_positions", "m", "");
  if (shape.ring_positions.empty()) {
    shape.length = node.number("length", "m", "from the first to the last ring", {}, sim::ValueSign::Positive);
    shape.segments = node.integer("segments", "bays between rings; one ring more", shape.segments, 1);
  }
  shape.diagonals = read_diagonals(node, "both");
  shape.axis = node.vector("axis", "", "from the first to the last ring", shape.axis);
  shape.side =
      node.vector("side", "", "where the first particle of each ring lies, seen from the ring's centre", shape.side);
  shape.origin = node.vector("origin", "m", "centre of the first ring", shape.origin);
  return made(node, shape, datasets::make_beam);
}

Mesh read_random_cloud(Node node) {
  datasets::RandomCloudShape shape;
  shape.count = node.integer("count", "particles", shape.count, 1);
  shape.min = node.vector("min", "m", "smallest corner of the box", shape.min);
  shape.max = node.vector("max", "m", "largest corner of the box", shape.max);
  shape.seed =
      static_cast<std::uint64_t>(node.integer("seed", "equal seeds give equal points", static_cast<Index>(shape.seed)));
  return made(node, shape, datasets::make_random_cloud);
}

/// The shapes that `mesh:` can name. A new one is one line here and its function above.
struct ShapeReader {
  const char* name;
  const char* meaning;
  Mesh (*read)(Node);
};
constexpr ShapeReader shapes[] = {
    {"torus",
     "a torus around the z axis; groups ring0, ring1, … are its cross-sections; springs around, tube, diagonal",
     read_torus},
    {"sphere", "a refined icosahedron; groups top, bottom", read_sphere},
    {"grid",
     "a rectangular cloth in the xy plane; groups left, right, bottom, top, corners, bottom_left, …; springs stretch, "
     "shear, bend",
     read_grid},
    {"chain", "particles on a line; groups top (the first), bottom (the last); springs link", read_chain},
    {"beam", "a prismatic truss of rings; groups ring0, ring1, …, top, bottom; springs longitudinal, ring, diagonal",
     read_beam},
    {"random_cloud", "particles drawn evenly in a box, without springs", read_random_cloud},
};

Mesh placed(Node& node, Mesh mesh) {
  datasets::Placement placement;
  placement.scale = node.number("scale", "", "multiplies all coordinates; 0.01 for a file in centimetres",
                                placement.scale, sim::ValueSign::Positive);
  node.ignore("rotate");
  if (node.has("rotate")) {
    Node rotate = node.child("rotate", "rotation about the origin, after scaling");
    placement.axis = rotate.vector("axis", "", "direction of the rotation axis");
    placement.angle = rotate.number("angle", "rad", "right-handed about the axis; `90 degrees` is understood");
  }
  placement.translate = node.vector("translate", "m", "shift, after rotation", placement.translate);
  return node.describing() ? mesh : node.located("", [&] { return datasets::transformed(std::move(mesh), placement); });
}

Mesh read_mesh_section(Node node) {
  std::vector<std::string> names{"file"};
  std::string chosen;
  for (const ShapeReader& shape : shapes) names.push_back(shape.name);
  if (node.describing()) {
    read_file_name(node, "file",
                   "a mesh file (.obj, .off, .ply, .stl); springs are its edges (group edge) and both diagonals of "
                   "quadrilaterals (group diagonal)",
                   false);
    for (const ShapeReader& shape : shapes) shape.read(node.child(shape.name, shape.meaning));
    return placed(node, placeholder_mesh());
  }
  for (const std::string& name : names)
    if (node.is_written(name)) {
      if (!chosen.empty()) node.refuse(name, "must not stand beside '" + chosen + "'", "both", "keep one of the two");
      chosen = name;
    }
  if (chosen.empty()) {
    for (const Tree& entry : node.tree() ? node.tree()->entries : std::vector<Tree>{})
      if (const auto meant = nearest(entry.key, names))
        node.refuse(entry.key, "is not a known key here", "", "did you mean '" + *meant + "'?");
    node.refuse("", "must name a file or a shape", "neither", "known are " + joined(names));
  }
  if (chosen == "file") {
    const auto file = read_file_name(node, "file", "a mesh file");
    return placed(node, node.located("file", [&] { return datasets::read_mesh(file.string()); }));
  }
  for (const ShapeReader& shape : shapes)
    if (chosen == shape.name) return placed(node, shape.read(node.child(shape.name, shape.meaning)));
  return {};
}

std::vector<sim::Spring> read_edges(Node springs, Index particles) {
  std::vector<sim::Spring> edges;
  std::set<std::pair<Index, Index>> known;
  auto items = springs.items("edges", "pairs [i, j] of particles that a spring joins; only with `vertices`");
  for (Node& item : items) {
    if (item.describing()) continue;
    const auto pair = item.integers("", "");
    if (pair.size() != 2)
      item.refuse("", "must be a pair [i, j]", fmt::format("{} numbers", pair.size()), "write two particle numbers");
    for (const Index end : pair)
      if (end >= particles)
        item.refuse("", fmt::format("must name particles between 0 and {}", particles - 1), fmt::format("{}", end),
                    "particles are counted from 0");
    if (pair[0] == pair[1])
      item.refuse("", "must join two different particles", fmt::format("particle {} twice", pair[0]),
                  "remove the spring");
    const sim::Spring edge{std::min(pair[0], pair[1]), std::max(pair[0], pair[1])};
    if (!known.insert({edge.i, edge.j}).second)
      item.refuse("", "must join a pair that has no spring yet", fmt::format("[{}, {}] again", pair[0], pair[1]),
                  "remove one of the two");
    edges.push_back(edge);  // stays in the order of writing: lists of stiffness follow it
  }
  return edges;
}

}  // namespace

Mesh read_mesh_source(Node& system) {
  if (system.describing()) {
    read_mesh_section(
        system.child("mesh", "where particles and springs come from: one shape or `file`, with its placement"));
    system.document("vertices", "list of vectors [m]", "optional",
                    "instead of `mesh`: positions of the particles, written out");
    read_edges(system.form("springs"), 2);
    return placeholder_mesh();
  }
  const bool written_out = system.is_written("vertices");
  if (written_out && system.is_written("mesh"))
    system.refuse("vertices", "must not stand beside `mesh`", "both", "keep one of the two");
  if (!written_out) return read_mesh_section(system.child("mesh", "", true));
  Mesh mesh;
  mesh.vertices = system.points("vertices", "m", "");
  if (mesh.vertices.cols() == 0)
    system.refuse("vertices", "must hold at least one particle", "none", "write [[x, y, z], …]");
  if (system.is_map("springs")) mesh.springs = read_edges(system.form("springs"), mesh.vertices.cols());
  return mesh;
}

}  // namespace pithball::experiments
