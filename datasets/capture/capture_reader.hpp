#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "datasets/capture/capture.hpp"
#include "datasets/capture/capture_spec.hpp"

namespace pithball::datasets {

class CsvTable;
class TableClock;
class TableColumns;

/// Reads one recording in any format (`capture_formats()`). Throws InvalidArgument on input that its reader rejects.
Capture read_capture(const CaptureSpec& spec);

/// Reads a table. A point with an empty, nan or NA cell is missing in that frame; it is never filled in. Rows at the
/// end with neither time nor points belong to a longer run beside this one. Numbers are in the unit that the names of
/// the columns give, or a line of units below them. A table whose times or frames repeat or restart is a long table
/// (`read_long_table`), if a column names its markers. Unused columns and rows are not checked.
///
/// Throws InvalidArgument with file, line and column if known, what is known or required, and a remedy: missing file,
/// no data, ragged row, column not found or ambiguous, cell that is not a number, time missing or not strictly
/// increasing, segment absent or interrupted (rows cannot be counted across an interruption), no frame selected.
Capture read_capture_table(const CaptureSpec& spec);
/// The same of a table in memory, whose columns and clock are known.
Capture read_capture_table(const CsvTable& table, const TableColumns& columns, const TableClock& clock,
                           const CaptureSpec& spec);

/// A run of equal values in a column.
struct Segment {
  std::string value;     ///< as written, without quotes and surrounding spaces
  Index first_line = 0;  ///< in the file
  Index rows = 0;        ///< number of rows
};
/// The values of a column in order of first appearance, for choosing a segment.
std::vector<Segment> list_segments(const std::string& file, const std::string& column, Index header_line = 1);

/// How to read a folder of OBJ files, one for each frame.
struct ObjFramesSpec {
  std::string folder;  ///< path; relative paths start at the current folder
  double rate = 0;     ///< frames per second [1/s], > 0
  bool number_from_name =
      false;  ///< false: file k at k/rate; true: (number in its name − that of the first)/rate, which keeps gaps
  CaptureFrame frame_of_reference;  ///< how coordinates of the file become meters
  FrameSubset subset;               ///< default: all frames
};

/// A capture whose markers are the vertices, in file order, named "0", "1", …. Files are sorted by the last number in
/// their names. Throws InvalidArgument if the folder contains no .obj file, a file is invalid (see `read_mesh`), or its
/// faces or number of vertices differ from those of the first.
Capture read_obj_frames(const ObjFramesSpec& spec);

/// Writes columns t, x0, y0, z0, x1, … in seconds and meters with the fewest digits that are read back bit for bit;
/// missing samples are empty cells. `comment` is written on lines beginning with '#' at the top. `read_capture` with
/// only `file` set reads it back without loss. Throws InvalidArgument if the file cannot be written.
void write_capture_csv(const Capture& capture, const std::string& file, std::string_view comment = {});

}  // namespace pithball::datasets
