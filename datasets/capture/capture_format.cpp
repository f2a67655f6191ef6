#include "datasets/capture/capture_format.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "datasets/capture/c3d_reader.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "datasets/capture/deeplabcut_reader.hpp"
#include "datasets/capture/detections_reader.hpp"
#include "datasets/capture/h5md_capture.hpp"
#include "datasets/capture/long_table_reader.hpp"
#include "datasets/capture/motive_reader.hpp"
#include "datasets/capture/nexus_csv_reader.hpp"
#include "datasets/capture/npy_reader.hpp"
#include "datasets/capture/qualisys_reader.hpp"
#include "datasets/capture/tracker_reader.hpp"
#include "datasets/capture/trc_reader.hpp"
#include "datasets/text/nearest.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

/// The reader of a file that contains the names of its markers.
template <MarkerFile (*read)(const std::string&)>
Capture read_markers(const CaptureSpec& spec) {
  return to_capture(read(spec.file), spec);
}

template <MarkerFile (*read)(const CaptureSpec&)>
Capture read_markers(const CaptureSpec& spec) {
  return to_capture(read(spec), spec);
}

constexpr std::size_t telling_bytes = 4096;  // bytes, from the beginning: enough to detect a format

std::string beginning_of(const std::string& file) {
  const std::string head = read_beginning(file, telling_bytes);
  return is_utf16(head) ? utf16_to_utf8(head, file) : head;
}

/// Returns the name of the format if the first bytes rule out a table, whatever the file name; otherwise empty.
std::string_view told_by_first_bytes(const std::string& file) {
  const std::string head = beginning_of(file);
  if (head.starts_with("\x89HDF\r\n\x1A\n")) return "h5md";
  return head.starts_with("PathFileType\t") ? "trc" : "";
}

Capture read_folder(const CaptureSpec& spec) {
  if (!spec.select.empty())
    throw InvalidArgument(
        {spec.file, "select", "must not be given for a folder of frames", "", "omit it: every vertex is a marker"});
  return read_obj_frames({spec.file, spec.rate, false, spec.frame_of_reference, spec.subset});
}

std::vector<CaptureFormat> built_in_capture_formats() {
  using enum FormatSetting;
  return {
      {"c3d",
       "motion capture, binary (c3d.org): floats or scaled integers of Intel, DEC and MIPS",
       {".c3d"},
       nullptr,
       read_markers<read_c3d>},
      {"trc",
       "motion capture, text: one row per frame, with tabs or commas",
       {".trc"},
       nullptr,
       read_markers<read_trc>},
      {"nexus_csv",
       "the tables of Vicon Nexus: Trajectories, rate, names, units",
       {".csv"},
       is_nexus_csv,
       read_markers<read_nexus_csv>},
      {"motive",
       "CSV of Motive (OptiTrack): names, length unit, times; only markers are read",
       {".csv", ".txt"},
       is_motive,
       read_markers<read_motive>},
      {"qualisys",
       "3D data of Qualisys Track Manager (TSV): markers in mm",
       {".tsv", ".txt", ".csv"},
       is_qualisys,
       read_markers<read_qualisys>},
      {"deeplabcut",
       "pose estimation by DeepLabCut: scorer, bodyparts, coords; one row per frame",
       {".csv"},
       is_deeplabcut,
       read_markers<read_deeplabcut>,
       {Markers, Likelihood}},
      {"detections", "spots of a film, without names", {".csv"}, is_detections, read_detected_points, {Markers, Links}},
      {"tracker",
       "point masses of Tracker (physlets.org): names, then t, x, y",
       {".txt", ".csv", ".tsv"},
       is_tracker,
       read_markers<read_tracker>},
      {"long_table",
       "a long table, as of TrackPy or TrackMate: one row per marker and frame",
       {".csv", ".tsv", ".txt"},
       is_long_table,
       read_long_table,
       {Columns, Markers}},
      {"npy", "a NumPy array [frames][markers][3]", {".npy"}, nullptr, read_markers<read_npy>},
      {"npz",
       "a NumPy archive: positions [frames][markers][3], times [frames]",
       {".npz"},
       nullptr,
       read_markers<read_npz>},
      {"h5md",
       "a trajectory (H5MD): every particle is a marker",
       {".h5", ".h5md", ".hdf5"},
       nullptr,
       read_markers<read_h5md_capture>,
       {Markers, ParticleGroup}},
      {"obj_frames", "a folder of OBJ files, one per frame: every vertex is a marker", {".obj"}, nullptr, read_folder},
      {"table",
       "a table of marker trajectories: one row per frame, columns as given in the experiment file",
       {".csv", ".tsv", ".txt"},
       nullptr,
       read_table,
       {Columns}},
  };
}

}  // namespace

sim::Registry<CaptureFormat>& capture_formats() {
  static sim::Registry<CaptureFormat> registry("format", built_in_capture_formats());
  return registry;
}

const CaptureFormat& find_capture_format(const std::string& file, const std::string& name) {
  const sim::Registry<CaptureFormat>& formats = capture_formats();
  if (!name.empty()) {
    if (const CaptureFormat* found = formats.find(name)) return *found;
    const std::vector<std::string> names = formats.names();
    throw InvalidArgument({file, "format", "must be one of " + joined(names), "'" + name + "'",
                           suggestion(name, names, "choose one of these")});
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return *formats.find("obj_frames");
  std::string ending = std::filesystem::path(file).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const CaptureFormat& format : formats)
    if (format.name != "obj_frames" && format.name != "table" &&
        std::count(format.endings.begin(), format.endings.end(), ending) > 0 &&
        (!format.recognizes || format.recognizes(beginning_of(file))))
      return format;
  const std::string_view told = told_by_first_bytes(file);
  return *formats.find(told.empty() ? "table" : told);
}

const CaptureFormat& find_table_format(const std::string& file, bool names_marker, bool names_points) {
  const bool is_long = names_marker || (!names_points && is_long_table(beginning_of(file)));
  return find_capture_format(file, is_long ? "long_table" : "table");
}

Capture read_capture(const CaptureSpec& spec) {
  if (spec.format.empty() && names_columns(spec))  // named columns imply a table
    return find_table_format(spec.file, !spec.columns.marker.empty(), !spec.columns.points.empty()).read(spec);
  return find_capture_format(spec.file, spec.format).read(spec);
}

}  // namespace pithball::datasets
