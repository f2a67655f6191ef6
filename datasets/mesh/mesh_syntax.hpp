#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::datasets {

/// Size of a mesh file according to its text.
struct MeshCounts {
  sim::Index vertices = 0;  ///< number of vertices
  sim::Index faces = 0;     ///< number of faces
  sim::Index corners = 0;   ///< of all faces together; −1 if not counted
};

/// A mesh file reduced to coordinates and corners, which is what CGAL reads: its readers do not check the counts and
/// types of other parts of the formats.
struct PlainMesh {
  MeshCounts counts;  ///< of `text`
  std::string text;   ///< an OFF file without comments
};

/// Check a text mesh before CGAL reads it, because CGAL's readers report only success or failure: these throw
/// InvalidArgument with the line of the first error. They return what CGAL must find.
MeshCounts check_obj(const std::string& path, std::string_view text);
/// The same for OFF; what it has read stands in the result without comments.
PlainMesh check_off(const std::string& path, std::string_view text);

/// Throws InvalidArgument unless a face has at least three corners, all of them different.
void check_corners(const std::string& where, const std::string& what, const std::vector<sim::Index>& face);

/// Allowed numbers of vertices.
struct IndexRange {
  sim::Index first,  ///< smallest, included
      last;          ///< largest, included
};
/// Throws InvalidArgument about a vertex number outside its range.
[[noreturn]] void reject_corner(const std::string& where, const std::string& what, std::string got, IndexRange range);

}  // namespace pithball::datasets
