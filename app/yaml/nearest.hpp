#pragma once
#include "datasets/text/nearest.hpp"

namespace pithball::app {

using datasets::nearest;
using datasets::suggestion;

}  // namespace pithball::app
