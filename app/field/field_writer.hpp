#pragma once
#include <string>

#include "app/field/field_samples.hpp"
#include "app/field/sampling.hpp"

namespace pithball::app {

/// Throws InvalidArgument if the format of this file name does not support the sampling: `.csv` supports all, `.vti`
/// grids, `.vtp` lines.
void require_field_format(const std::string& file, bool is_line);

/// The content of the file in the format given by its ending. `.vti` and `.vtp` are VTK's XML formats (image data;
/// points with one polyline) with arrays `potential` [V] and `field` [V/m] in double precision; `.csv` has the columns
/// x, y, z, potential, ex, ey, ez below comments. The potential is omitted if the samples have none. `title` is written
/// into the comments.
std::string field_file(const std::string& file, const std::string& title, const Sampling& sampling,
                       const FieldSamples& samples);

}  // namespace pithball::app
