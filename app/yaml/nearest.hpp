#pragma once
#include "datasets/text/nearest.hpp"

namespace pithball::app {

using datasets::joined;
using datasets::nearest;
using datasets::suggestion;

}  // namespace pithball::app
