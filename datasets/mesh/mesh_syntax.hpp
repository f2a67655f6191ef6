#pragma once
#include <array>
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

/// A pair of vertices that a file joins explicitly, in addition to the edges of its faces.
using MeshLine = std::array<sim::Index, 2>;

/// A mesh file reduced to what CGAL reads, coordinates and corners, and to the lines, which it does not read: its
/// readers do not check the counts and types of other parts of the formats.
struct PlainMesh {
  MeshCounts counts;                 ///< of `text`
  std::string text;                  ///< what CGAL reads: an OFF file for OBJ and OFF, else the same format
  std::vector<MeshLine> lines = {};  ///< two different vertices each; a pair may occur more than once
  bool lines_are_all = false;        ///< the faces add no springs (`lines_are_all_springs`)
};

/// Comment of OBJ and PLY files that Pithball writes where the lines are all springs and the faces are only drawn. It
/// keeps a body whose faces would have more springs than it has, such as quadrilaterals with one diagonal.
inline constexpr std::string_view lines_are_all_springs = "pithball: the lines are all springs";

/// Checks an OFF file before CGAL reads it, because CGAL's readers report only success or failure: throws
/// InvalidArgument with the line of the first error. Its numbers may all be on one line. Returns what CGAL must find.
PlainMesh check_off(const std::string& path, std::string_view text);

/// The beginning of an OFF file; `kind`: its first word.
std::string off_head(const char* kind, const MeshCounts& counts);
/// Appends a line of the words from `first` to before `last`.
void add_words(std::string& text, const std::vector<std::string_view>& words, std::size_t first, std::size_t last);

/// Throws InvalidArgument unless the words from `first` on begin with three finite numbers.
void check_coordinates(const std::string& where, const std::vector<std::string_view>& words, std::size_t first);

/// Throws InvalidArgument unless a face has at least three corners, all of them different.
void check_corners(const std::string& where, const std::string& what, const std::vector<sim::Index>& face);

/// Allowed numbers of vertices.
struct IndexRange {
  sim::Index first,  ///< smallest, included
      last;          ///< largest, included
};
/// Throws InvalidArgument about a vertex number outside its range.
[[noreturn]] void reject_corner(const std::string& where, const std::string& what, std::string got, IndexRange range);

/// Throws InvalidArgument unless the ends of a line differ.
void check_line(const std::string& where, const std::string& what, const MeshLine& line);

}  // namespace pithball::datasets
