#include "app/experiment/recording/capture_source.hpp"

#include <fmt/format.h>

#include "app/experiment/detections.hpp"
#include "app/experiment/recording/measurement_spec.hpp"
#include "app/yaml/file_name.hpp"
#include "datasets/capture/capture_format.hpp"
#include "datasets/capture/capture_spec.hpp"
#include "datasets/capture/table_layout.hpp"
#include "optim/measurement/kinds/point.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

/// `names_units`: whether column names of the file may state units.
datasets::CaptureFrame read_frame_of_reference(Node& node, const optim::MeasurementKind& kind, bool names_units) {
  datasets::CaptureFrame frame;
  frame.scale =
      node.optional_number("scale", kind.unit,
                           "one unit of the file: `1 cm`; default: the unit that the file or the names of its "
                           "columns give, or 1 m (other measurements: 1 px, 1 rad, …)",
                           sim::ValueSign::Positive);
  if (!kind.geometry.is_place && !frame.scale && !names_units) frame.scale = 1;  // its values are not lengths
  if (kind.components.size() < 3) {
    for (const char* key : {"axes", "up"})
      if (node.is_written(key))
        node.reject(key, "must be omitted for `measurement: " + kind.name + "`", "axes of a point",
                    kind.name == "camera" ? "write the camera's pose as `placement`" : "it has no axes");
    return frame;
  }
  const auto axes = node.optional_texts("axes", "three axes", "optional",
                                        "the file's axes that become x, y, z: [x, -z, y]; instead of `up`");
  if (node.form_tree("axes")) {
    if (node.is_written("up"))
      node.reject("up", "must be omitted beside `axes`", "both",
                  "write one of them: `axes` says which axis is up, too");
    if (axes.size() != 3) node.reject("axes", "must be three axes", fmt::format("{}", axes.size()), "write [x, -z, y]");
    frame.axes = {axes[0], axes[1], axes[2]};
  } else {
    frame.axes = datasets::axes_with_up(
        node.choice("up", {"x", "-x", "y", "-y", "z", "-z"}, "the file's upward axis, which is rotated to z", "z"));
  }
  return frame;
}

/// Reads the columns of each point: [[x1, y1, z1], …].
std::vector<std::vector<std::string>> read_point_columns(Node& columns) {
  std::vector<std::vector<std::string>> points;
  if (columns.document("points", "list of [x, y, z] column names",
                       "x<k>, y<k>, z<k>, or other names by axes: m1_x, m1_y",
                       "columns of each marker, or the only three of a long table; a number: a known coordinate, which "
                       "is not a measurement; `none`: not recorded"))
    for (Node& point : columns.items("points", "")) points.push_back(point.texts("", ""));
  return points;
}

datasets::ColumnSpec read_columns(Node& recording) {
  datasets::ColumnSpec spec;
  Node columns =
      recording.child("columns", "for a table: meaning of the columns; names as in the header, or #3 for the third");
  spec.time = columns.text(
      "time", "column of times; default: the one that the header calls so, unless there is a `rate`; `none`: no column",
      "");
  spec.time_scale = columns.optional_number("time_scale", "s",
                                            "duration of one unit of the time column, for example `1 ms`; default: the "
                                            "unit in its name, or 1 s",
                                            sim::ValueSign::Positive);
  spec.frame =
      columns.text("frame",
                   "column of frame numbers, with `rate`: dropped frames become gaps; default: the one that the "
                   "header calls so; `none`: rows are frames",
                   "");
  spec.marker = columns.text(
      "marker",
      "column of marker names, for a long table with one row per marker and frame; default: detected from the header",
      "");
  spec.points = read_point_columns(columns);
  spec.names = columns.optional_texts("names", "list of texts", "from the columns", "names of the markers");
  return spec;
}

/// Settings that only tables need.
void read_table_settings(Node& recording, datasets::CaptureSpec& spec) {
  spec.rows.header_line = recording.integer(
      "header_line", "for a table: number of the line with the column names; 0: there is none", spec.rows.header_line);
  spec.rows.first_data_line = recording.integer(
      "first_data_line", "for a table: number of the first line of data; 0: the line after the header",
      spec.rows.first_data_line);
  spec.columns = read_columns(recording);
  for (auto& [column, value] : recording.entries_of("rows", "{COLUMN: value}", "all rows",
                                                    "for a table: use only the rows where the column has this value"))
    spec.rows.segment[column] = value.text("", "");
  const std::string order = recording.choice("row_order", {"file", "time"},
                                             "order of the rows of a table: as in the file, or sorted by time", "file");
  spec.rows.order = order == "time" ? datasets::RowOrder::Time : datasets::RowOrder::File;
}

double read_min_likelihood(Node& recording) {
  const double likelihood = recording.number(
      "min_likelihood", "", "samples with a smaller likelihood are missing, in a format with likelihoods; from 0 to 1",
      datasets::MissingSamples().min_likelihood);
  if (!(likelihood >= 0 && likelihood <= 1))
    recording.reject("min_likelihood", "must be between 0 and 1", fmt::format("{:g}", likelihood),
                     "0 keeps all samples");
  return likelihood;
}

/// Returns the names of all file formats; a folder of frames has its own key.
std::vector<std::string> file_formats() {
  std::vector<std::string> names{"auto"};
  for (const datasets::CaptureFormat& format : datasets::capture_formats())
    if (format.name != "obj_frames") names.push_back(format.name);
  return names;
}

/// Reads `missing: [0, -999]`, the numbers that mark missing samples in the file, or `none`.
std::vector<double> read_missing(Node& recording) {
  if (!recording.document(
          "missing", "none, or list of numbers", "optional",
          "numbers of the file that mean a lost sample: it is missing if all of its coordinates are such "
          "numbers, or one is that is not 0; `none`: every number was measured"))
    return {};
  if (recording.is_list("missing")) return recording.numbers("missing", "", "");
  recording.choice("missing", {"none"}, "");
  return {};
}

datasets::CaptureSpec read_capture_settings(Node& recording, const datasets::FrameSubset& subset) {
  const optim::MeasurementKind& kind = read_measurement_kind(recording);
  datasets::CaptureSpec spec;
  spec.file =
      read_file_name(recording, "file", "file of the recorded motion, in a format of `pithball list formats`", false)
          .string();
  const std::string wanted = recording.choice(
      "format", file_formats(),
      "format of `file`; auto: detected from the file extension and the first bytes; a table if columns are given",
      "auto");
  // Naming columns implies a table.
  bool table = false;
  for (const char* key : {"columns", "header_line", "first_data_line", "rows", "row_order"})
    table |= recording.is_written(key);
  const Node columns = recording.form("columns");
  const datasets::CaptureFormat& format =
      wanted == "auto" && table
          ? datasets::find_table_format(spec.file, columns.is_written("marker"), columns.is_written("points"))
          : datasets::find_capture_format(spec.file, wanted == "auto" ? "" : wanted);
  recording.require(format.name != "obj_frames", "file", "must be a file", "a folder",
                    "give a folder of OBJ frames as `mesh_sequence:`");
  spec.format = format.name;
  if (kind.components.size() < 2 && !format.takes(datasets::FormatSetting::Columns))
    recording.reject("file", "must be a table for `measurement: " + kind.name + "`", "a file of format " + format.name,
                     "export the columns as CSV");
  recording.fill("format", format.name);
  using enum datasets::FormatSetting;
  if (recording.applies(format.takes(Columns))) read_table_settings(recording, spec);
  if (recording.applies(format.takes(Links)) && recording.has("links")) {
    Node links = recording.child("links", "for a table of detections: how its spots are joined into tracks");
    spec.rows.links = read_link_rule(links);
  }
  if (recording.applies(format.takes(Markers)) && recording.has("select"))
    spec.select = recording.optional_texts("select", "list of names", "all",
                                           "markers to use, from a file that names its markers");
  if (recording.applies(format.takes(Likelihood))) spec.missing.min_likelihood = read_min_likelihood(recording);
  if (recording.applies(format.takes(ParticleGroup)))
    spec.particle_group = recording.text(
        "particle_group", "which particles of a trajectory (H5MD) with several groups; default: those of the only one",
        "");
  if (const auto rate = recording.optional_number(
          "rate", "1/s", "frames per second, if the file has no times, or to replace them", sim::ValueSign::Positive))
    spec.rate = *rate;
  const std::string repeated =
      recording.choice("repeated_samples", {"keep", "mask"},
                       "repeated identical frames: `keep` them as measurements or `mask` them as missing", "keep");
  spec.missing.repeated = repeated == "mask" ? datasets::RepeatedSamples::Mask : datasets::RepeatedSamples::Keep;
  spec.missing.numbers = read_missing(recording);
  spec.frame_of_reference = read_frame_of_reference(recording, kind, format.takes(datasets::FormatSetting::Columns));
  spec.components = kind.components;
  spec.quantity = datasets::find_unit(kind.unit)->quantity;
  spec.subset = subset;
  return spec;
}

datasets::Capture read_capture_file(Node& recording, const datasets::FrameSubset& subset) {
  const datasets::CaptureSpec spec = read_capture_settings(recording, subset);
  return recording.located("file", [&] { return datasets::read_capture(spec); });
}

/// Reads the keys of a folder of frames that a file does not have.
datasets::ObjFramesSpec read_folder(Node& recording) {
  datasets::ObjFramesSpec spec;
  spec.folder =
      read_file_name(recording, "mesh_sequence",
                     "instead of `file`: a folder of OBJ files, one per frame; markers are their vertices", false)
          .string();
  spec.number_from_name = recording.flag(
      "number_from_name", "read frame numbers from the file names, so that missing files become gaps", false);
  return spec;
}

datasets::Capture read_frames(Node& recording, const datasets::FrameSubset& subset) {
  datasets::ObjFramesSpec spec = read_folder(recording);
  spec.rate = recording.number("rate", "1/s", "frames per second", {}, sim::ValueSign::Positive);
  spec.frame_of_reference = read_frame_of_reference(recording, optim::point_kind(), false);
  spec.subset = subset;
  return recording.located("mesh_sequence", [&] { return datasets::read_obj_frames(spec); });
}

datasets::Capture read_source(Node& recording, const datasets::FrameSubset& subset) {
  if (recording.is_written("file") && recording.is_written("mesh_sequence"))
    recording.reject("mesh_sequence", "must not be given together with `file`", "both", "keep one of the two");
  return recording.is_written("mesh_sequence") ? read_frames(recording, subset) : read_capture_file(recording, subset);
}

}  // namespace

void describe_capture_source(Node& recording) {
  read_capture_settings(recording, {});
  read_folder(recording);
  const FrameChoice choice(recording);
}

RecordedMotion read_capture_source(Node& recording) {
  const FrameChoice choice(recording);
  datasets::Capture whole = read_source(recording, choice.of_reader());
  return choice.choose(recording, std::move(whole));
}

datasets::Capture read_whole_file(Node& recording) { return read_source(recording, {}); }

std::optional<datasets::TableLayout> read_table_layout(Node& recording) {
  if (!recording.is_written("file")) return {};
  const datasets::CaptureSpec spec = read_capture_settings(recording, {});
  if (!datasets::find_capture_format(spec.file, spec.format).takes(datasets::FormatSetting::Columns)) return {};
  return recording.located("file", [&] { return datasets::lay_out(spec); });
}

}  // namespace pithball::app
