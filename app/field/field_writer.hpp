#pragma once
#include <string>

#include "app/field/field_samples.hpp"
#include "app/field/sampling.hpp"

namespace pithball::app {

/// Throws InvalidArgument unless a sampling can be written into a file of this name: `.csv` always, `.vti` a grid,
/// `.vtp` a line.
void require_field_format(const std::string& file, bool is_line);

/// The content of the file, told by its ending. `.vti` and `.vtp` are VTK's XML formats (image data; points with one
/// polyline) with arrays `potential` [V] and `field` [V/m] in double precision; `.csv` has the columns x, y, z,
/// potential, ex, ey, ez below comments. Where the samples have no potential, it is left out. `title` goes into the
/// comments.
std::string field_file(const std::string& file, const std::string& title, const Sampling& sampling,
                       const FieldSamples& samples);

}  // namespace pithball::app
