#include "app/experiment/mesh_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numbers>
#include <set>

#include "app/experiment/detections.hpp"
#include "app/experiment/shapes/shape.hpp"
#include "app/yaml/file_name.hpp"
#include "app/yaml/nearest.hpp"
#include "app/yaml/particle_list.hpp"
#include "datasets/mesh/mesh_edit.hpp"
#include "datasets/mesh/mesh_reader.hpp"
#include "datasets/mesh/mesh_springs.hpp"
#include "datasets/mesh/remesh.hpp"
#include "datasets/text/text_scan.hpp"

namespace pithball::app {
namespace {

Mesh placed(Node& node, Mesh mesh) {
  datasets::Placement placement;
  placement.scale = node.number("scale", "", "factor that multiplies all coordinates; 0.01 for a file in centimeters",
                                placement.scale, sim::ValueSign::Positive);
  node.ignore("rotate");
  if (node.has("rotate")) {
    Node rotate = node.child("rotate", "rotation about the origin, after scaling");
    placement.axis = rotate.vector("axis", "", "direction of the rotation axis");
    placement.angle = rotate.number("angle", "rad", "right-handed rotation angle, for example `90 deg`");
  }
  placement.translate = node.vector("translate", "m", "translation, after rotation", placement.translate);
  return node.located("", [&] { return datasets::transformed(std::move(mesh), placement); });
}

/// A mesh, and a note on it for the results; empty if there is none.
struct NotedMesh {
  Mesh mesh;
  std::string note;
};

/// Returns the placed mesh of a file or of parts. Coinciding vertices are merged if `weld` is true; if the key is
/// absent, a note on them is returned that begins with `from`.
NotedMesh joined_where_wanted(Node& node, Mesh mesh, const std::string& from) {
  const bool weld = node.flag("weld",
                              "with `file` or `parts`: join vertices at one place (equal up to rounding), as textured "
                              "meshes have them at seams; vertices are then renumbered. `false`, if written, is the "
                              "answer to a note on them",
                              false);
  if (weld) return {datasets::welded(mesh), ""};
  const std::string advice = node.is_written("weld") ? "" : datasets::weld_advice(datasets::find_pieces(mesh));
  return {std::move(mesh), advice.empty() ? "" : from + ": " + advice + " (weld: false keeps them apart)"};
}

/// Applies remeshing and the like to a placed mesh from a file.
Mesh refined(Node& node, Mesh mesh) {
  node.ignore("remesh");
  if (node.has("remesh")) {
    Node remesh = node.child(
        "remesh",
        "only with `file`: remesh the same surface with uniform triangles, coarser or finer; spring group edge");
    const double edge_length =
        remesh.number("edge_length", "m", "approximate mean edge length, after scaling", {}, sim::ValueSign::Positive);
    const double sharp_angle = remesh.number(
        "sharp_angle", "rad", "edges where the face normals differ by more than this are preserved; `180 deg`: none",
        std::numbers::pi / 3, sim::ValueSign::NonNegative);
    mesh = node.located_or(mesh, "remesh", [&] { return datasets::remeshed(mesh, edge_length, sharp_angle); });
  }
  const bool bend = node.flag(
      "bend", "only with `file`: add `bend` springs between the two corners opposite each shared edge of two triangles",
      false);
  if (bend) mesh = node.located("bend", [&] { return datasets::with_bend_springs(std::move(mesh)); });
  return mesh;
}

NotedMesh read_mesh_section(Node node);

/// Reads the meshes of `parts:` and combines them, unconnected, into one body.
Mesh read_parts(Node& node) {
  std::vector<datasets::NamedMesh> parts;
  for (Node& item : node.items("parts", "several bodies in one mesh: a list of names and meshes")) {
    datasets::NamedMesh part;
    part.name = item.text("name", "name of the group of all its particles, and of all its springs");
    if (item.describing()) {
      item.document("mesh", "as `system.mesh`", "required", "shape or file of this part, with its placement");
      return placeholder_mesh();
    }
    part.mesh = read_mesh_section(item.child("mesh", "", true)).mesh;  // notes concern the joined mesh
    parts.push_back(std::move(part));
  }
  return node.located("parts", [&] { return datasets::joined_meshes(parts); });
}

/// Documents the keys of a section.
Mesh describe_mesh_section(Node& node) {
  read_file_name(node, "file",
                 "a mesh file (.obj, .off, .ply, .stl); springs are its edges (group edge), both diagonals of "
                 "quadrilaterals (group diagonal), and other lines of an OBJ or edges of a PLY (group line)",
                 false);
  read_parts(node);
  for (const ShapeInfo& shape : shapes()) shape.read(node.child(shape.name, shape.meaning));
  return refined(node, joined_where_wanted(node, placed(node, placeholder_mesh()), "").mesh);
}

NotedMesh read_mesh_section(Node node) {
  if (node.describing()) return {describe_mesh_section(node), ""};
  std::vector<std::string> names{"file", "parts"};
  std::string chosen;
  std::ranges::copy(shapes().names(), std::back_inserter(names));
  for (const std::string& name : names)
    if (node.is_written(name)) {
      if (!chosen.empty())
        node.reject(name, "must not be given together with '" + chosen + "'", "both", "keep one of the two");
      chosen = name;
    }
  if (chosen.empty()) {
    for (const Tree& entry : node.tree() ? node.tree()->entries : std::vector<Tree>{})
      if (const auto meant = nearest(entry.key, names))
        node.reject(entry.key, "is not a known key here", "", "did you mean '" + *meant + "'?");
    node.reject("", "must name a file or a shape", "neither", "known are " + joined(names));
  }
  if (chosen == "file") {
    const auto file = read_file_name(node, "file", "a mesh file");
    Mesh mesh = placed(node, node.located("file", [&] { return datasets::read_mesh(file.string()); }));
    NotedMesh joined = joined_where_wanted(node, std::move(mesh), file.filename().string());
    return {refined(node, std::move(joined.mesh)), std::move(joined.note)};
  }
  for (const char* key : {"remesh", "bend"})
    if (node.is_written(key))
      node.reject(key, "requires `file`", "a shape", "set the resolution of a shape with its own keys");
  if (chosen == "parts") return joined_where_wanted(node, placed(node, read_parts(node)), "parts");
  if (node.is_written("weld"))
    node.reject("weld", "requires `file` or `parts`", "a shape", "remove it: no vertices of a shape are at one place");
  for (const ShapeInfo& shape : shapes())
    if (chosen == shape.name) return {placed(node, shape.read(node.child(shape.name, shape.meaning))), ""};
  return {};
}

/// Reads `springs.edges`: the pairs joined by springs in a mesh given in the experiment file.
std::vector<sim::Spring> read_spring_edges(Node springs, Index particles) {
  return read_pairs(springs, "edges", "pairs [i, j] of particles connected by a spring; only with `vertices`", "spring",
                    particles);
}

/// Returns the text of a section, followed by the folders to which file names in it are relative.
std::string section_text(const Tree& section) {
  std::string text = to_yaml(section);
  std::set<std::filesystem::path> folders;
  const auto collect = [&](const auto& self, const Tree& part) -> void {
    if (part.kind == Tree::Kind::Scalar && part.place.source) folders.insert(part.place.source->folder);
    for (const Tree& entry : part.entries) self(self, entry);
  };
  collect(collect, section);
  for (const std::filesystem::path& folder : folders) text += folder.string() + "\n";
  return text;
}

/// Builds `mesh:`, or reuses the mesh built from the same text.
Mesh read_or_take(Node& system, BuiltMeshes& built) {
  const Tree* tree = system.form_tree("mesh");
  const std::string section = tree ? section_text(*tree) : "";
  if (const BuiltMesh* same = built.find(section)) {
    system.ignore("mesh");  // its keys were checked when the mesh was built
    system.fill("mesh", same->filled);
    if (!same->note.empty()) system.note(same->note);
    return same->mesh;
  }
  if (system.is_scalar("mesh"))
    system.reject("mesh", "must be a mapping of keys", shown(*tree),
                  tree->text.find('.') != std::string::npos
                      ? "write mesh: {file: " + tree->text + "}"
                      : "write a shape with its settings, such as mesh: {chain: {length: 0.5 m, segments: 5}}");
  NotedMesh read = read_mesh_section(system.child("mesh", "", true));
  if (!read.note.empty()) system.note(read.note);
  built.add(section, {read.mesh, *system.filled("mesh"), read.note});
  return std::move(read.mesh);
}

}  // namespace

Mesh read_mesh_source(Node& system, BuiltMeshes& built) {
  if (system.describing()) {
    read_mesh_section(system.child("mesh", "source of particles and springs: one shape or `file`, with its placement"));
    system.document("vertices", "list of vectors [m]", "optional", "positions of the particles; instead of `mesh`");
    read_detected_particles(system);
    read_spring_edges(system.form("springs"), 2);
    return placeholder_mesh();
  }
  const bool written_out = system.is_written("vertices");
  if (written_out && system.is_written("mesh"))
    system.reject("vertices", "must not be given together with `mesh`", "both", "keep one of the two");
  if (!written_out) return read_or_take(system, built);
  Mesh mesh;
  mesh.vertices = system.is_map("vertices") ? read_detected_particles(system) : system.points("vertices", "m", "");
  if (mesh.vertices.cols() == 0)
    system.reject("vertices", "must contain at least one particle", "none", "write [[x, y, z], …]");
  if (system.is_map("springs")) mesh.springs = read_spring_edges(system.form("springs"), mesh.vertices.cols());
  return mesh;
}

sim::Polygons read_polygons(Node& node, std::string_view key, std::string_view meaning) {
  if (node.describing()) {
    node.document(key, "as `system.mesh`", "required", meaning);
    // A placeholder: a tetrahedron is valid for every use of a surface.
    return {(Points(3, 4) << 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1).finished(),
            {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}}};
  }
  Mesh mesh = read_mesh_section(node.child(key, meaning, true)).mesh;
  return {std::move(mesh.vertices), std::move(mesh.faces)};
}

namespace {

template <class Inside>
std::vector<Index> select(const Points& vertices, Inside inside) {
  std::vector<Index> selected;
  for (Index i = 0; i < vertices.cols(); ++i)
    if (inside(vertices.col(i))) selected.push_back(i);
  return selected;
}

std::vector<Index> read_box(Node& group, const Points& vertices) {
  const Points corners = group.points("box", "m", "");
  if (corners.cols() != 2)
    group.reject("box", "must be two corners", fmt::format("{}", corners.cols()), "write [[x, y, z], [x, y, z]]");
  if ((corners.col(0).array() > corners.col(1).array()).any())
    group.reject("box", "must have the corner with the smallest coordinates first", "a coordinate that decreases",
                 "exchange the two corners, or their coordinates");
  return select(vertices, [&](const Vec3& x) {
    return (x.array() >= corners.col(0).array()).all() && (x.array() <= corners.col(1).array()).all();
  });
}

std::vector<Index> read_ball(Node& group, const Points& vertices) {
  Node sphere = group.child("sphere", "the particles inside a sphere, including the boundary");
  const Vec3 center = sphere.vector("center", "m", "center of the sphere");
  const double radius = sphere.number("radius", "m", "radius of the sphere", {}, sim::ValueSign::Positive);
  return select(vertices, [&](const Vec3& x) { return (x - center).norm() <= radius; });
}

std::vector<Index> read_group(Node group, const Points& vertices, const Groups& groups) {
  if (group.describing()) {
    read_particles(group, "vertices", "particle numbers and names of earlier groups", vertices.cols(), groups);
    group.document("box", "two vectors [m]", "optional",
                   "[[min x, y, z], [max x, y, z]]: the particles inside, including the boundary");
    read_ball(group, vertices);
    return {};
  }
  if (group.is_written("box")) return read_box(group, vertices);
  if (group.is_written("sphere")) return read_ball(group, vertices);
  std::vector<Index> chosen = read_particles(group, "vertices", "", vertices.cols(), groups);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

void read_groups(Node node, const Points& vertices, Groups& groups) {
  for (auto& [name, group] : node.entries("NAME")) {
    if (name == "rest" || name == "total" || name == "all")
      group.reject("", "must not use the reserved name '" + name + "'", "", "choose another name");
    if (name.find_first_of(".[] ") != std::string::npos || name.empty() || datasets::parse_number(name))
      group.reject("", "must have a name without dots, brackets and spaces, which is not a number", "'" + name + "'",
                   "choose another name");
    if (groups.count(name))
      group.reject("", "must not repeat the name of a group of the mesh", "'" + name + "'", "choose another name");
    std::vector<Index> chosen = read_group(group, vertices, groups);
    group.require(!chosen.empty(), "", "must contain at least one particle", "none",
                  "check the selection against `pithball mesh`");
    groups[name] = std::move(chosen);
  }
}

}  // namespace pithball::app
