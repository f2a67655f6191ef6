#pragma once
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/capture/capture.hpp"
#include "datasets/text/unit_name.hpp"

namespace pithball::datasets {

class CsvTable;
class TableClock;
class TableColumns;

/// Selection of frames of a recording, applied in this order.
struct FrameSubset {
  Index skip_first = 0,                                    ///< frames dropped at the beginning
      skip_last = 0;                                       ///< frames dropped at the end
  double from = -std::numeric_limits<double>::infinity();  ///< [s] on the recording's own clock
  double to = std::numeric_limits<double>::infinity();     ///< [s], inclusive
  Index every = 1;                                         ///< keep the first of every so many
};

/// Conversion of the file's coordinates to meters: x'_a = scale · (± the file's axis named by axes[a]).
struct CaptureFrame {
  std::optional<double> scale;  ///< [m] per unit of the file, > 0; empty: the unit in the file, or 1 m
  std::array<std::string, 3> axes{"x", "y",
                                  "z"};  ///< each of x, y, z once, with or without '-'; a mirror image is allowed
};

/// The rotation of the file's `up` direction ("z", "-z", "y", "-y", "x", "-x") to +z: "y" gives x, −z, y; "-y", as in
/// images, gives x, z, −y. Throws InvalidArgument on any other word.
std::array<std::string, 3> axes_with_up(std::string_view up);

/// Treatment of a point whose coordinates all equal those in the previous selected frame, as some recorders write after
/// losing it. A resting body recorded with few digits repeats itself too, so use Mask only for recorders known to do
/// this.
enum class RepeatedSamples {
  Keep,  ///< measured
  Mask,  ///< missing
};

/// The order of the rows in the file.
enum class RowOrder {
  File,  ///< as written; the times of the selected rows must increase strictly
  Time,  ///< sort by time first; two rows at the same time remain an error
};

/// How to read a recording. Columns are columns of a table: names in its header (surrounding spaces are ignored) or
/// "#3" for the third; other formats name their markers themselves and have no columns.
struct CaptureSpec {
  std::string file;    ///< path; relative paths start at the current folder
  std::string format;  ///< a name of `capture_formats()`; empty: determined from the file's extension and beginning
  std::vector<std::string> select;  ///< in formats that name markers: only these, in this order; empty: all
  double min_likelihood = 0.6;  ///< samples with a lower likelihood are missing, in formats with likelihoods; 0 … 1
  Index header_line = 1;        ///< line of the column names, from 1 after '#' comments; 0: none
  Index first_data_line = 0;    ///< likewise; 0: the line after the header

  /// Time is a column or is computed: row k of the segment is at k/rate, or at (frame − first frame)/rate with a column
  /// of frame numbers, so that dropped frames leave gaps. Empty: the column that the header calls so, with a rate that
  /// of frames; "none": no column, though the header has one.
  std::string time;
  std::optional<double> time_scale;  ///< [s] per unit of the time column, > 0; empty: the unit in its name, or 1 s
  double rate = 0;                   ///< [1/s]; 0: use the time column
  std::string frame;                 ///< column of whole frame numbers, with `rate`

  /// Column of marker names: the table is then a long table, and `points` has one entry.
  std::string marker;

  std::string particle_group;  ///< of a trajectory with several groups of particles; empty: the only one

  std::vector<std::string> components{"x", "y", "z"};  ///< `Capture::components`
  Quantity quantity = Quantity::Length;                ///< what a table's numbers are to be

  /// The columns of each point: one, two or three of x, y, z (the rest is 0). A plain number that is not a column name
  /// is a constant in file units (`Capture::constant`, as is the rest), and `none` a coordinate that was not recorded
  /// (NaN in every frame). Empty: the points of the header (`TableColumns::find_points`).
  std::vector<std::vector<std::string>> points;
  std::vector<std::string> markers;  ///< names of the points; empty: the <k>, or each point's first column

  CaptureFrame frame_of_reference;             ///< how coordinates of the file become meters
  std::map<std::string, std::string> segment;  ///< column → value: keep the rows that match all (as numbers or as text)
  FrameSubset subset;                          ///< default: all frames
  RowOrder order = RowOrder::File;             ///< default: rows are in the order of their times
  RepeatedSamples repeated = RepeatedSamples::Keep;  ///< default: a repeated point was measured
  std::vector<double> missing;                       ///< numbers of the file that mean "missing" (mask_numbers)
};

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
