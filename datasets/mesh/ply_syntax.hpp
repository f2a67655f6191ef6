#pragma once
#include <string>
#include <string_view>

#include "datasets/mesh/mesh_syntax.hpp"

namespace pithball::datasets {

/// Checks a PLY file, text or binary, as `check_obj` and `check_off` do theirs, because CGAL trusts the header. Throws
/// InvalidArgument if a line of the header or a type is unknown; unless vertices have x, y and z as floats and faces a
/// list of integer vertex numbers; and if a list or an element is longer than the file.
PlainMesh check_ply(const std::string& path, std::string_view text);

}  // namespace pithball::datasets
