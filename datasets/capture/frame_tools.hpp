#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/capture/capture_spec.hpp"

namespace pithball::datasets {

/// The rotation of the file's `up` direction ("z", "-z", "y", "-y", "x", "-x") to +z: "y" gives x, −z, y; "-y", as in
/// images, gives x, z, −y. Throws InvalidArgument on any other word.
std::array<std::string, 3> axes_with_up(std::string_view up);

/// The matrix A with x' = A·x of signed axes and a scale; throws InvalidArgument at `where` on bad axes or scale.
sim::Mat3 matrix_of(const CaptureFrame& frame, const std::string& where);

/// The file's axis that becomes axis a.
Index axis_of(const sim::Mat3& matrix, Index a);

/// The factor of each axis: A = diag(factors) · permutation.
sim::Vec3 factors_of(const sim::Mat3& matrix);

/// A·x for signed axes and scale, row by row, so that a coordinate that was not recorded (NaN) does not affect the
/// others.
sim::Points to_meters(const sim::Mat3& matrix, const sim::Points& raw);

/// Replaces a point (column of `raw`, in the file's unit) by NaN if all of its recorded coordinates are numbers that
/// mean "missing", or one of them is such a number other than 0: of [0, -999], (0, 0) and (-999, 3) are missing, but
/// not (0, 3), because a coordinate may pass 0.
void mask_numbers(const std::vector<double>& missing, const std::array<bool, 3>& recorded, Index column,
                  sim::Points& raw);

/// The indices of the selected frames among those at `time`; throws InvalidArgument at `where` on bad numbers or if
/// none is left.
std::vector<Index> kept_frames(const FrameSubset& subset, const std::vector<double>& time, const std::string& where);

}  // namespace pithball::datasets
