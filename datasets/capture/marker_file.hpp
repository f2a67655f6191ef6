#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "datasets/capture/capture_spec.hpp"

namespace pithball::datasets {

/// Content of a marker file in its own unit and axes: the result of a reader.
struct MarkerFile {
  std::string path;                    ///< for messages
  std::vector<std::string> markers;    ///< M names as written; an empty one becomes its number, "#3"
  std::vector<double> frames;          ///< F frame numbers; empty: 0, 1, 2, …
  double rate = 0;                     ///< frames per second [1/s]; 0: not in the file
  std::vector<double> time;            ///< F [s]; empty: computed, frames at (frame − first frame)/rate
  std::optional<double> unit;          ///< [m] per unit of the file; empty: not in the file, or unknown
  std::string unit_name;               ///< as written; empty: none
  std::vector<sim::Points> positions;  ///< F arrays 3×M in the file's unit; a column with a NaN is missing
  /// The coordinates in the file; the others were not recorded, and are NaN in every frame.
  std::array<bool, 3> recorded{true, true, true};
  std::vector<std::string> notes = {};  ///< `Capture::notes`
};

/// Whether the spec contains column or row settings, which only tables support.
bool names_columns(const CaptureSpec& spec);

/// The spec without these and without a selection of markers.
CaptureSpec without_columns(const CaptureSpec& spec);

/// Throws InvalidArgument at `path` if this number of samples exceeds the limit of 2²⁴: a small file could otherwise
/// declare n frames of n markers and exhaust memory.
void check_samples(std::size_t frames, std::size_t markers, const std::string& path);

/// Numbers of the selected markers, in that order; all if `select` is empty. Throws InvalidArgument at `path` if one
/// does not exist or is ambiguous.
std::vector<Index> selected_markers(const std::string& path, const std::vector<std::string>& names,
                                    const std::vector<std::string>& select);

/// The size of the unit of length with this name [m] (`find_unit`); empty if it is none.
std::optional<double> find_length_unit(std::string_view name);

/// The capture in a marker file: selected markers and frames, in meters and in the axes of the spec. A rate in the spec
/// recomputes the times, a scale replaces the file's unit. Throws InvalidArgument if rate or unit is given in neither,
/// time does not increase, a selected marker does not exist or is ambiguous, a setting only applies to tables, or no
/// sample is left.
Capture to_capture(const MarkerFile& file, const CaptureSpec& spec);

}  // namespace pithball::datasets
