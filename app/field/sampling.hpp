#pragma once
#include <array>
#include <string>

#include "app/field/field_samples.hpp"
#include "sim/core/types.hpp"

namespace pithball::app {

using sim::Index;
using sim::Points;
using sim::Vec3;

/// Sample points of a field: a grid in a box, or points along a line.
struct Sampling {
  bool is_line = false;                     ///< false: a grid
  std::array<Index, 3> counts{64, 64, 64};  ///< along x, y, z; of a line: {points, 1, 1}
  Vec3 first = Vec3::Zero();                ///< smallest corner of the box, or start of the line [m]
  Vec3 last = Vec3::Zero();                 ///< largest corner, or end of the line [m]

  /// Number of points.
  Index size() const { return counts[0] * counts[1] * counts[2]; }
  /// Distance of neighbors along each axis of a grid [m]; 1 where there is only one point.
  Vec3 spacing() const;
  /// The first point of a grid [m]: `first`, but halfway between the corners along an axis of one point.
  Vec3 origin() const;
  /// All points, x changing fastest [m], 3×size().
  Points points() const;
};

/// A box around the points with a margin of a quarter of its largest side (1 m if all points coincide), as first and
/// last corner of a grid with these counts.
Sampling grid_around(const Points& x, const std::array<Index, 3>& counts);

/// A grid in a box given by two opposite corners, smallest first, as on the command line: "0,0,0,1,1,1" [m]. Throws
/// InvalidArgument, naming the option, on anything else.
Sampling read_grid_box(const std::string& box, const std::array<Index, 3>& counts);
/// A line of `samples` ≥ 2 points between two points, given and refused likewise.
Sampling read_line(const std::string& line, Index samples);

/// "64,64,64": three whole numbers ≥ 1 whose product is at most 1e8.
std::array<Index, 3> read_grid_counts(const std::string& text);

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
