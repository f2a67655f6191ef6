#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::datasets {

/// How much a mesh file holds according to its text.
struct MeshCounts {
  sim::Index vertices = 0;
  sim::Index faces = 0;
  sim::Index corners = 0;  ///< of all faces together; −1 where it was not counted
};

/// A mesh file with nothing in it but coordinates and corners, which is what CGAL is given: of everything else that
/// formats allow, its readers take counts and types on trust.
struct PlainMesh {
  MeshCounts counts;
  std::string text;
};

/// Walk through a text mesh before CGAL reads it, because CGAL's readers say only whether they succeeded: these know
/// the line of the first mistake and throw InvalidArgument with it. They return what the reader must find.
MeshCounts check_obj(const std::string& path, std::string_view text);
PlainMesh check_off(const std::string& path, std::string_view text);

/// Throws InvalidArgument unless a face has at least three corners, all of them different.
void check_corners(const std::string& where, const std::string& what, const std::vector<sim::Index>& face);

struct IndexRange {
  sim::Index first, last;  ///< both included
};
/// Throws InvalidArgument because of a vertex number that is outside its range.
[[noreturn]] void reject_corner(const std::string& where, const std::string& what, std::string got, IndexRange range);

}  // namespace pithball::datasets
