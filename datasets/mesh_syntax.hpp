#pragma once
#include <string>
#include <string_view>

#include "sim/core/types.hpp"

namespace pithball::datasets {

/// How much a mesh file holds according to its text.
struct MeshCounts {
  sim::Index vertices = 0;
  sim::Index faces = 0;
  sim::Index corners = 0;  ///< of all faces together; −1 where it was not counted
};

/// Walk through a text mesh before CGAL reads it, because CGAL's readers say only whether they succeeded: these know
/// the line of the first mistake and throw InvalidArgument with it. They return what the reader must find.
MeshCounts check_obj(const std::string& path, std::string_view text);
MeshCounts check_off(const std::string& path, std::string_view text);
/// Reads the header only; the body may be binary.
MeshCounts check_ply_header(const std::string& path, std::string_view text);

}  // namespace pithball::datasets
