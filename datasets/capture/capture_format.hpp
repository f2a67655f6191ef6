#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/capture/capture_reader.hpp"

namespace pithball::datasets {

/// What an experiment file may say of some formats, besides rate, scale and axes.
enum class FormatSetting {
  Columns,     ///< which columns mean what: a table
  Markers,     ///< which of the markers that the file names are used
  Likelihood,  ///< which likelihood a sample must have
};

/// A way to write recorded motion to a file. To add one: a reader in this folder, and a line in the registry.
struct CaptureFormat {
  std::string name;                  ///< "c3d": the word of experiment files
  std::string summary;               ///< one line
  std::vector<std::string> endings;  ///< in lower case, with the dot; what tells the format
  /// Where several formats share an ending: whether a file that begins like this (some 4 KiB) is of this one; null:
  /// every one is.
  bool (*recognizes)(std::string_view head);
  Capture (*read)(const CaptureSpec& spec);
  std::vector<FormatSetting> settings = {FormatSetting::Markers};
  bool takes(FormatSetting setting) const { return std::ranges::count(settings, setting) > 0; }
};

/// All formats; of those that share an ending the first that recognizes a file reads it.
const std::vector<CaptureFormat>& capture_formats();

/// The format called `name` or, if that is empty, the one that the file's ending and beginning tell; a folder is
/// obj_frames, and any other ending a table. Throws InvalidArgument on an unknown name.
const CaptureFormat& find_capture_format(const std::string& file, const std::string& name = {});

/// The table of a file whose columns the spec names: with a column of markers, or if the header names one and the spec
/// no points, a row holds one marker; otherwise a frame.
const CaptureFormat& find_table_format(const std::string& file, bool names_marker, bool names_points);

}  // namespace pithball::datasets
