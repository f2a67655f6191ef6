#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/capture/capture_spec.hpp"
#include "sim/core/registry.hpp"

namespace pithball::datasets {

/// Settings of an experiment file that only some formats support, besides rate, scale and axes.
enum class FormatSetting {
  Columns,        ///< meaning of the columns of a table
  Markers,        ///< selection of markers named in the file
  Likelihood,     ///< minimum likelihood of a sample
  ParticleGroup,  ///< which of several groups of particles
  Links,          ///< how spots are joined into tracks
};

/// A file format of recorded motion. To add one: a reader in this folder, and a line in the registry.
struct CaptureFormat {
  std::string name;                  ///< "c3d": the word of experiment files
  std::string summary;               ///< one line
  std::vector<std::string> endings;  ///< file name extensions in lower case, with the dot
  /// For an extension shared by several formats: whether a file that begins like this (about 4 KiB) has this format;
  /// null: always.
  bool (*recognizes)(std::string_view head);
  Capture (*read)(const CaptureSpec& spec);  ///< the reader; throws InvalidArgument on input that it rejects
  std::vector<FormatSetting> settings = {FormatSetting::Markers};  ///< those that it supports
  /// Whether the format supports this setting.
  bool takes(FormatSetting setting) const { return std::ranges::count(settings, setting) > 0; }
};

/// All formats; among those that share an extension, the first that recognizes the file reads it.
sim::Registry<CaptureFormat>& capture_formats();

/// The format called `name` or, if that is empty, the one given by the file's extension and beginning; a folder is
/// obj_frames, and any other extension a table. Throws InvalidArgument on an unknown name.
const CaptureFormat& find_capture_format(const std::string& file, const std::string& name = {});

/// The kind of table, according to the spec's columns: a long table if there is a column of markers, or if the header
/// names one and the spec has no points; otherwise a row is a frame.
const CaptureFormat& find_table_format(const std::string& file, bool names_marker, bool names_points);

}  // namespace pithball::datasets
