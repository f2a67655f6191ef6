#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "datasets/capture/capture_reader.hpp"

namespace pithball::datasets {

/// What a file of markers says, in its own unit and axes: what the reader of such a format returns.
struct MarkerFile {
  std::string path;                    ///< for messages
  std::vector<std::string> markers;    ///< M names as written; an empty one becomes its number, "#3"
  std::vector<double> frames;          ///< F frame numbers; empty: 0, 1, 2, …
  double rate = 0;                     ///< frames per second [1/s]; 0: the file does not tell
  std::vector<double> time;            ///< F [s]; empty: counted, frames at (frame − first frame)/rate
  std::optional<double> unit;          ///< [m] per unit of the file; empty: not told, or not known by its name
  std::string unit_name;               ///< as written; empty: not told
  std::vector<sim::Points> positions;  ///< F arrays 3×M in the file's unit; a column with a NaN is missing
  /// Which coordinates the file gives; the others are not recorded, and NaN in every frame.
  std::array<bool, 3> recorded{true, true, true};
  std::vector<std::string> notes = {};  ///< `Capture::notes`
};

/// Whether the spec says something about columns and rows, which only tables have.
bool names_columns(const CaptureSpec& spec);

/// The spec without any of that, and without a selection of markers.
CaptureSpec without_columns(const CaptureSpec& spec);

/// Throws InvalidArgument placed at `path` if so many frames of so many markers are more than a recording of single
/// samples can sensibly be spread to (2²⁴): a file of n lines may tell of n frames and n markers.
void check_samples(std::size_t frames, std::size_t markers, const std::string& path);

/// Numbers of the markers that are selected, in that order; all if `select` is empty. Throws InvalidArgument placed at
/// `path` if one is not there or not unique.
std::vector<Index> selected_markers(const std::string& path, const std::vector<std::string>& names,
                                    const std::vector<std::string>& select);

/// The length that a file names: m, cm, mm, um, micron, nm, Angstrom, in, ft, and their long names, in any case [m];
/// empty if it is none of them.
std::optional<double> find_length_unit(std::string_view name);

/// The capture that a file of markers holds: selected markers, kept frames, in meters and in the axes that the spec
/// asks for. A given rate counts the frames anew, a given scale replaces the file's unit. Throws InvalidArgument if
/// rate or unit are told by neither, time does not increase, a selected marker is not there or not unique, a setting
/// is given that only tables have, or no sample is left.
Capture to_capture(const MarkerFile& file, const CaptureSpec& spec);

}  // namespace pithball::datasets
