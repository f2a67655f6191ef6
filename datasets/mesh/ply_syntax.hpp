#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/mesh/mesh_syntax.hpp"
#include "sim/core/types.hpp"

namespace pithball::datasets {

using sim::Index;

/// A type of numbers in PLY files.
struct PlyType {
  std::string_view name,  ///< "int"
      other_name;         ///< "int32"
  std::size_t bytes;      ///< of a number in a binary file
  bool whole,             ///< its numbers are whole
      is_signed;          ///< and may be negative
};

/// A property of an element: a number, or a list.
struct PlyProperty {
  std::string_view name;            ///< "x"
  const PlyType* type = nullptr;    ///< of the value, or of each entry of a list
  const PlyType* length = nullptr;  ///< of a list's length; null: no list
};

/// An element as its header announces it: this many entries with these properties.
struct PlyElement {
  std::string_view name;                ///< "vertex"
  Index count = 0;                      ///< how many there are
  std::vector<PlyProperty> properties;  ///< of each, in the order of the file
  std::size_t line = 0;                 ///< of the header, from 1

  /// Whether these are the vertices.
  bool is_vertex() const { return name == "vertex" || name == "vertices"; }
  /// Whether these are the faces.
  bool is_face() const { return name == "face" || name == "faces"; }
  /// Whether these are edges in addition to those of the faces.
  bool is_edge() const { return name == "edge" || name == "edges"; }
  /// Whether a property is x, y or z of a vertex.
  bool is_coordinate(const PlyProperty& property) const {
    return is_vertex() && (property.name == "x" || property.name == "y" || property.name == "z");
  }
  /// The list of a face's corners; null: there is none.
  const PlyProperty* corners() const;
  /// The two ends of an edge, vertex1 and vertex2; null, both: they are not stated.
  std::array<const PlyProperty*, 2> ends() const;
};

/// The contents of a PLY file according to its header.
class PlyHeader {
 public:
  /// Throws InvalidArgument with the line of the first error: an unknown word or type, an element twice, or one that
  /// lacks what CGAL reads.
  PlyHeader(const std::string& path, std::string_view text);

  /// In the order of the file.
  const std::vector<PlyElement>& elements() const { return elements_; }
  /// Whether the numbers that follow are text.
  bool is_text() const { return format_ == "ascii"; }
  /// Whether the most significant byte of a number comes first.
  bool big_endian() const { return format_ == "binary_big_endian"; }
  /// Whether the faces add no springs (`lines_are_all_springs`).
  bool lines_are_all() const { return lines_are_all_; }
  /// What follows the header.
  std::string_view body() const { return rest_; }
  /// How many lines the header has.
  std::size_t lines() const { return line_; }
  /// How many vertices there are.
  Index vertices() const;
  /// The same header with only the names that matter.
  std::string plain() const;

 private:
  [[noreturn]] void reject(const std::string& what, const std::string& required, const std::string& got,
                           const std::string& remedy) const;
  /// Those of the next line.
  const std::vector<std::string_view>& words();
  void read_format();
  void read_element();
  const PlyType* type_of(std::string_view name) const;
  void read_property();
  void require_usable(const PlyElement& element) const;

  const std::string& path_;
  std::string_view rest_, format_, line_text_;
  bool lines_are_all_ = false;
  std::size_t line_ = 0;
  std::vector<std::string_view> words_;
  std::vector<PlyElement> elements_;
};

/// Checks a PLY file, text or binary, as `check_off` checks an OFF file, because CGAL trusts the header; edges that
/// state `vertex1` and `vertex2` are lines in the result. Throws InvalidArgument if a line of the header or a type is
/// unknown; unless vertices have x, y and z as floats and faces a list of integer vertex numbers; if an edge joins a
/// vertex to itself or to none; and if a list or an element is longer than the file.
PlainMesh check_ply(const std::string& path, std::string_view text);

}  // namespace pithball::datasets
