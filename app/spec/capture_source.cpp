#include "app/spec/capture_source.hpp"

#include <fmt/format.h>

#include "app/yaml/file_name.hpp"
#include "datasets/capture/capture_format.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

datasets::FrameSubset read_subset(Node node) {
  datasets::FrameSubset subset;
  subset.skip_first = node.integer("skip_first", "frames dropped at the beginning", 0);
  subset.skip_last = node.integer("skip_last", "frames dropped at the end", 0);
  if (const auto from = node.optional_number("from", "s", "keep frames from this time of the recording's clock on"))
    subset.from = *from;
  if (const auto to = node.optional_number("to", "s", "keep frames up to this time")) subset.to = *to;
  subset.every = node.integer("every", "keep the first of every so many frames", 1, 1);
  return subset;
}

datasets::CaptureFrame read_frame_of_reference(Node& node) {
  datasets::CaptureFrame frame;
  frame.scale = node.optional_number(
      "scale", "m", "length of one unit of the file: `1 cm`; by default the unit that it tells, or 1 m",
      sim::ValueSign::Positive);
  node.ignore("axes");
  if (node.describing()) {
    node.document("axes", "three axes", "optional", "the file's axes that become x, y, z: [x, -z, y]; instead of `up`");
  } else if (node.has("axes")) {
    const auto axes = node.texts("axes", "");
    if (axes.size() != 3) node.refuse("axes", "must be three axes", fmt::format("{}", axes.size()), "write [x, -z, y]");
    frame.axes = {axes[0], axes[1], axes[2]};
  }
  if (node.describing() || !node.has("axes"))
    frame.axes = datasets::axes_with_up(
        node.choice("up", {"x", "-x", "y", "-y", "z", "-z"}, "the file's upward axis, which is turned to z", "z"));
  return frame;
}

/// [[x1, y1, z1], …]: the columns of each point.
std::vector<std::vector<std::string>> read_point_columns(Node& columns) {
  std::vector<std::vector<std::string>> points;
  if (columns.describing()) {
    columns.document("points", "list of [x, y, z] column names", "every triple x<k>, y<k>, z<k>",
                     "the columns of each marker; a plain number is a known place and no measurement, `none` was not "
                     "recorded");
    return points;
  }
  for (Node& point : columns.items("points", "")) points.push_back(point.texts("", ""));
  return points;
}

/// What only tables need to be told.
void read_table_settings(Node& recording, datasets::CaptureSpec& spec) {
  spec.header_line =
      recording.integer("header_line", "of a table: line of the column names; 0: there is none", spec.header_line);
  spec.first_data_line = recording.integer("first_data_line", "of a table: first row of numbers; 0: after the header",
                                           spec.first_data_line);
  Node columns =
      recording.child("columns", "of a table: which column is what; names as in the header, or #3 for the third");
  spec.time = columns.text("time", "column of times; without it t or time, or `rate`", "");
  spec.time_scale =
      columns.number("time_scale", "s", "length of one unit of the time column", 1, sim::ValueSign::Positive);
  spec.frame = columns.text("frame", "column of frame numbers, with `rate`: dropped frames leave gaps", "");
  spec.points = read_point_columns(columns);
  if (!columns.describing() && columns.has("names")) spec.markers = columns.texts("names", "");
  columns.document("names", "list of texts", "from the columns", "names of the markers");
  recording.document("segment", "{COLUMN: value}", "all rows",
                     "of a table: keep only the rows where the column has this value");
  if (!recording.describing() && recording.has("segment"))
    for (auto& [column, value] : recording.child("segment", "").entries("COLUMN"))
      spec.segment[column] = value.text("", "");
  const std::string order =
      recording.choice("order", {"file", "time"}, "of a table: rows as written, or sorted by time first", "file");
  spec.order = order == "time" ? datasets::RowOrder::Time : datasets::RowOrder::File;
}

/// The word of every format of files; a folder of frames is named by `frames`.
std::vector<std::string> file_formats() {
  std::vector<std::string> names{"automatic"};
  for (const datasets::CaptureFormat& format : datasets::capture_formats())
    if (format.name != "obj_frames") names.push_back(format.name);
  return names;
}

datasets::Capture read_capture_file(Node& recording) {
  datasets::CaptureSpec spec;
  spec.file =
      read_file_name(recording, "file", "the recorded motion, in a format of `pithball list formats`", false).string();
  const std::string wanted = recording.choice(
      "format", file_formats(),
      "of `file`; automatic: told by its ending and beginning, a table where columns are named", "automatic");
  // Who names columns means a table.
  bool table = false;
  for (const char* key : {"columns", "header_line", "first_data_line", "segment", "order"})
    table |= recording.is_written(key);
  const std::string automatic = table ? "table" : "";
  const datasets::CaptureFormat& format =
      datasets::find_capture_format(spec.file, wanted == "automatic" ? automatic : wanted);
  if (!recording.describing() && format.name == "obj_frames")
    recording.refuse("file", "must be a file", "a folder", "name a folder of OBJ frames by `frames:`");
  spec.format = format.name;
  recording.fill("format", format.name);
  if (recording.describing() || format.names_columns) read_table_settings(recording, spec);
  if (recording.describing())
    recording.document("select", "list of names", "all", "only these markers, of a file that names its markers itself");
  else if (!format.names_columns && recording.has("select"))
    spec.select = recording.texts("select", "");
  if (const auto rate = recording.optional_number(
          "rate", "1/s", "frames per second, where the file does not tell or times are to be counted anew",
          sim::ValueSign::Positive))
    spec.rate = *rate;
  const std::string repeated =
      recording.choice("repeated_samples", {"keep", "mask"},
                       "frames equal to the one before: keep as measured, or take as missing", "keep");
  spec.repeated = repeated == "mask" ? datasets::RepeatedSamples::Mask : datasets::RepeatedSamples::Keep;
  spec.frame_of_reference = read_frame_of_reference(recording);
  spec.subset = read_subset(recording.child("keep", "which frames to keep"));
  if (recording.describing()) return {};
  return recording.located("file", [&] { return datasets::read_capture(spec); });
}

datasets::Capture read_frames(Node& recording) {
  datasets::ObjFramesSpec spec;
  spec.folder =
      read_file_name(recording, "frames",
                     "instead of `file`: a folder of OBJ files, one for each frame; markers are their vertices", false)
          .string();
  spec.number_from_name =
      recording.flag("number_from_name", "frame numbers are those in the file names, so that gaps stay", false);
  if (recording.describing()) return {};
  spec.rate = recording.number("rate", "1/s", "frames per second", {}, sim::ValueSign::Positive);
  spec.frame_of_reference = read_frame_of_reference(recording);
  spec.subset = read_subset(recording.child("keep", ""));
  return recording.located("frames", [&] { return datasets::read_obj_frames(spec); });
}

}  // namespace

datasets::Capture read_capture_source(Node& recording) {
  if (recording.describing()) {
    read_capture_file(recording);
    return read_frames(recording);
  }
  if (recording.is_written("file") && recording.is_written("frames"))
    recording.refuse("frames", "must not stand beside `file`", "both", "keep one of the two");
  return recording.is_written("frames") ? read_frames(recording) : read_capture_file(recording);
}

}  // namespace pithball::app
