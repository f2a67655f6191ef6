#pragma once
#include <limits>

namespace pithball::app {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();  ///< null in a file of a run folder

}  // namespace pithball::app
