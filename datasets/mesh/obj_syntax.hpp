#pragma once
#include <string>
#include <string_view>

#include "datasets/mesh/mesh_syntax.hpp"

namespace pithball::datasets {

/// `check_off` for OBJ, where a backslash at the end of a line continues it; its lines (`l`) are in the result.
PlainMesh check_obj(const std::string& path, std::string_view text);

}  // namespace pithball::datasets
