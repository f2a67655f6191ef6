#pragma once
#include <string>

#include "app/yaml/tree.hpp"

namespace pithball::app {

/// The remedy for a list of the wrong length: "if '-9,81' has a decimal comma, write -9.81" if two neighboring integers
/// without a space between them look like one number with a decimal comma ([0, 0, -9,81]); else `otherwise`.
std::string decimal_comma_remedy(const Tree& list, std::string otherwise);

}  // namespace pithball::app
