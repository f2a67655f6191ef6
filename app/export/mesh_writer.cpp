#include "app/export/mesh_writer.hpp"

#include <fmt/format.h>

#include <iterator>

#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using datasets::Index;
using datasets::Mesh;
using Out = std::back_insert_iterator<std::string>;

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
  for (const auto& face : mesh.faces) {  // OBJ counts from 1
    fmt::format_to(out, "f");
    for (const Index i : face) fmt::format_to(out, " {}", i + 1);
    fmt::format_to(out, "\n");
  }
  if (mesh.faces.empty())
    for (const auto& spring : mesh.springs) fmt::format_to(out, "l {} {}\n", spring.i + 1, spring.j + 1);
}

void write_off(const Mesh& mesh, Out out) {
  fmt::format_to(out, "OFF\n{} {} 0\n", mesh.vertices.cols(), mesh.faces.size());
  write_vertices(mesh, "", out);
  write_counted_faces(mesh, out);
}

void write_ply(const Mesh& mesh, Out out) {
  fmt::format_to(out,
                 "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n",
                 mesh.vertices.cols());
  fmt::format_to(out, "element face {}\nproperty list uchar int vertex_indices\n", mesh.faces.size());
  const bool edges = mesh.faces.empty();
  if (edges) fmt::format_to(out, "element edge {}\nproperty int vertex1\nproperty int vertex2\n", mesh.springs.size());
  fmt::format_to(out, "end_header\n");
  write_vertices(mesh, "", out);
  write_counted_faces(mesh, out);
  if (edges)
    for (const auto& spring : mesh.springs) fmt::format_to(out, "{} {}\n", spring.i, spring.j);
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

}  // namespace pithball::app
