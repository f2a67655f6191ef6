#pragma once
#include <vector>

#include "datasets/film/picture.hpp"

namespace pithball::datasets {

/// The median over pictures of one size, pixel by pixel: what does not move. Throws InvalidArgument if there are none
/// or sizes differ.
Picture median_picture(const std::vector<Picture>& pictures);

}  // namespace pithball::datasets
