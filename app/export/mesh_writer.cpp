#include "app/export/mesh_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "datasets/mesh/mesh_springs.hpp"
#include "datasets/mesh/mesh_syntax.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using datasets::Index;
using datasets::Mesh;
using Out = std::back_insert_iterator<std::string>;

/// The springs that a file must list besides its faces, so that the same springs are read back.
struct WrittenLines {
  std::vector<std::pair<Index, Index>> lines;
  bool are_all = false;  // all springs, because the mesh lacks some along edges of faces
};

WrittenLines lines_of(const Mesh& mesh) {
  const auto pairs_of = [](const std::vector<sim::Spring>& springs) {
    std::vector<std::pair<Index, Index>> pairs;
    for (const auto& [i, j] : springs) pairs.emplace_back(std::min(i, j), std::max(i, j));
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
  };
  datasets::SpringBuilder builder;
  builder.add_faces(mesh.faces);
  Mesh drawn;
  builder.give_to(drawn);
  const auto springs = pairs_of(mesh.springs), of_faces = pairs_of(drawn.springs);
  if (!std::ranges::includes(springs, of_faces)) return {springs, true};
  WrittenLines written;
  std::ranges::set_difference(springs, of_faces, std::back_inserter(written.lines));
  return written;
}

void write_vertices(const Mesh& mesh, const char* prefix, Out out) {
  for (Index i = 0; i < mesh.vertices.cols(); ++i)
    fmt::format_to(out, "{}{} {} {}\n", prefix, mesh.vertices(0, i), mesh.vertices(1, i), mesh.vertices(2, i));
}

/// "3 0 1 2"
void write_counted_faces(const Mesh& mesh, Out out) {
  for (const auto& face : mesh.faces) fmt::format_to(out, "{} {}\n", face.size(), fmt::join(face, " "));
}

void write_obj(const Mesh& mesh, Out out) {
  write_vertices(mesh, "v ", out);
  for (const auto& face : mesh.faces) {  // indices in OBJ start at 1
    fmt::format_to(out, "f");
    for (const Index i : face) fmt::format_to(out, " {}", i + 1);
    fmt::format_to(out, "\n");
  }
  const WrittenLines written = lines_of(mesh);
  if (written.are_all) fmt::format_to(out, "# {}\n", datasets::lines_are_all_springs);
  for (const auto& [i, j] : written.lines) fmt::format_to(out, "l {} {}\n", i + 1, j + 1);
}

void write_off(const Mesh& mesh, Out out) {
  fmt::format_to(out, "OFF\n{} {} 0\n", mesh.vertices.cols(), mesh.faces.size());
  write_vertices(mesh, "", out);
  write_counted_faces(mesh, out);
}

void write_ply(const Mesh& mesh, Out out) {
  const WrittenLines written = lines_of(mesh);
  fmt::format_to(out, "ply\nformat ascii 1.0\n");
  if (written.are_all) fmt::format_to(out, "comment {}\n", datasets::lines_are_all_springs);
  fmt::format_to(out, "element vertex {}\nproperty double x\nproperty double y\nproperty double z\n",
                 mesh.vertices.cols());
  fmt::format_to(out, "element face {}\nproperty list uchar int vertex_indices\n", mesh.faces.size());
  if (!written.lines.empty())
    fmt::format_to(out, "element edge {}\nproperty int vertex1\nproperty int vertex2\n", written.lines.size());
  fmt::format_to(out, "end_header\n");
  write_vertices(mesh, "", out);
  write_counted_faces(mesh, out);
  for (const auto& [i, j] : written.lines) fmt::format_to(out, "{} {}\n", i, j);
}

}  // namespace

std::string mesh_text(const Mesh& mesh, const std::string& ending) {
  std::string text;
  if (ending == ".obj")
    write_obj(mesh, std::back_inserter(text));
  else if (ending == ".off")
    write_off(mesh, std::back_inserter(text));
  else if (ending == ".ply")
    write_ply(mesh, std::back_inserter(text));
  else
    throw InvalidArgument({"", "the ending of a mesh file", "must be .obj, .off or .ply", "'" + ending + "'",
                           "choose one of these endings"});
  return text;
}

void require_read_back(const Mesh& mesh, const std::string& ending) {
  if (mesh.faces.empty() && mesh.springs.empty())
    throw InvalidArgument({"", "the mesh", "must have faces or springs to be read back from a file", "neither",
                           "list its points under system.vertices, or export a run of them"});
  const WrittenLines written = lines_of(mesh);
  if (ending == ".off" && (mesh.faces.empty() || written.are_all || !written.lines.empty()))
    throw InvalidArgument({"", "an OFF file", "must have the springs of its faces only, as it can list no others",
                           std::to_string(written.lines.size()) + " springs to list", "write .obj or .ply"});
}

}  // namespace pithball::app
