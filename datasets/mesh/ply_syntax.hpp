#pragma once
#include <string>
#include <string_view>

#include "datasets/mesh/mesh_syntax.hpp"

namespace pithball::datasets {

/// Checks a PLY file, text or binary, as `check_off` checks an OFF file, because CGAL trusts the header; edges that
/// state `vertex1` and `vertex2` are lines in the result. Throws InvalidArgument if a line of the header or a type is
/// unknown; unless vertices have x, y and z as floats and faces a list of integer vertex numbers; if an edge joins a
/// vertex to itself or to none; and if a list or an element is longer than the file.
PlainMesh check_ply(const std::string& path, std::string_view text);

}  // namespace pithball::datasets
