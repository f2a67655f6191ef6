#pragma once
#include <string>

#include "app/yaml/tree.hpp"

namespace pithball::app {

/// The remedy for a list of a wrong length: "if '-9,81' has a decimal comma, write -9.81" where two neighbors look like
/// one number with a decimal comma, which parts them in a list ([0, 0, -9,81]): whole numbers without a blank between
/// them. `otherwise` where no neighbors do.
std::string decimal_comma_remedy(const Tree& list, std::string otherwise);

}  // namespace pithball::app
