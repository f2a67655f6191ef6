#pragma once
#include <array>
#include <string>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::datasets {

using sim::Index;

/// What a table of detections has instead of markers.
struct DetectedSpots {
  bool are_unnamed = false;  ///< the points of a frame are in no order, and `Capture::markers` are their numbers in it
  std::vector<sim::Points> variances;  ///< F entries of 3×M, of the components, in the unit of the positions squared
  std::vector<Eigen::VectorXd> covariances;  ///< F entries of M, of the two recorded components; both empty: unknown
};

/// A recorded motion: M markers in F frames, with missing samples where `present` is false (their position is NaN). A
/// coordinate that was not recorded at all is NaN in every frame. Markers have up to three components: the coordinates
/// of a point or, for other measurement kinds, pixels, an angle, a force.
struct Capture {
  std::string name;  ///< of the file or folder, without path and extension, and of the segment: "tracks"
  std::vector<std::string> markers;        ///< M names
  Eigen::VectorXd time;                    ///< F, strictly increasing [s]; starts at the first frame's own time
  std::vector<sim::Points> positions;      ///< F entries of 3×M, of points in m
  std::vector<std::vector<bool>> present;  ///< F×M
  /// F, increasing: numbers of the frames as in the file's column of frames or, without one, as counted from 0. Empty:
  /// 0, 1, …
  std::vector<Index> frame_numbers;
  /// M: coordinates that are constants in the spec instead of columns; empty: none.
  std::vector<std::array<bool, 3>> constant;
  std::vector<std::string> notes;  ///< what the reader omitted or assumed, one clause each: "37 of 1200 samples …"
  std::vector<std::string> components{"x", "y", "z"};  ///< one to three; positions have NaN in the rows that are left
  DetectedSpots spots = {};                            ///< of a table of detections
  /// By component, the unit of the file in that of the positions, negative where the file's axis points the other way.
  sim::Vec3 file_scale = sim::Vec3::Ones();
  /// Number of frames, F.
  Index frames() const { return static_cast<Index>(positions.size()); }
};

}  // namespace pithball::datasets
