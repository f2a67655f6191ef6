#pragma once
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/capture/capture.hpp"

namespace pithball::datasets {

/// Which frames of a recording to keep, applied in this order.
struct FrameSubset {
  Index skip_first = 0, skip_last = 0;                     ///< frames dropped at either end
  double from = -std::numeric_limits<double>::infinity();  ///< [s] on the recording's own clock
  double to = std::numeric_limits<double>::infinity();     ///< [s], inclusive
  Index every = 1;                                         ///< keep the first of every so many
};

/// From the file's coordinates to meters: x'_a = scale · (± the file's axis named by axes[a]).
struct CaptureFrame {
  std::optional<double> scale;  ///< [m] per unit of the file, > 0; empty: the unit that the file tells, or 1 m
  std::array<std::string, 3> axes{"x", "y",
                                  "z"};  ///< each of x, y, z once, with or without '-'; a mirror image is allowed
};

/// The rotation that turns the file's `up` direction ("z", "-z", "y", "-y", "x", "-x") into +z: "y" gives
/// x, −z, y; "-y", as in images, gives x, z, −y. Throws InvalidArgument on any other word.
std::array<std::string, 3> axes_with_up(std::string_view up);

/// What to do with a point whose coordinates all equal those in the kept frame before, as recorders write when they
/// lose it. A body at rest in coarse digits repeats itself too, so masking is for recordings known to do this.
enum class RepeatedSamples {
  Keep,  ///< take it as measured
  Mask,  ///< take it as missing
};

/// The order of the rows in the file.
enum class RowOrder {
  File,  ///< as written; the time of the kept rows must increase strictly
  Time,  ///< sort by time first; two rows at one time remain an error
};

/// How to read a recording. Columns are those of a table: named as in its header (outer blanks do not matter) or "#3"
/// for the third; other files, which name their markers themselves, have none.
struct CaptureSpec {
  std::string file;
  std::string format;               ///< a name of `capture_formats()`; empty: told by the file's ending and beginning
  std::vector<std::string> select;  ///< of a file that names its markers: only these, in this order; empty: all
  double min_likelihood = 0.6;      ///< samples below it are missing, where a file tells likelihoods; 0 … 1
  Index header_line = 1;            ///< line of the column names, from 1 after '#' comments; 0: there is none
  Index first_data_line = 0;        ///< likewise; 0: the line after the header

  /// Time is a column, or counted: row k of the segment at k/rate, or (frame − first frame)/rate with a column of frame
  /// numbers, so that dropped frames leave gaps. With none of them a column "t" or "time" is taken.
  std::string time;
  double time_scale = 1;  ///< [s] per unit of the time column, > 0
  double rate = 0;        ///< [1/s]; 0: use the time column
  std::string frame;      ///< column of whole frame numbers, with `rate`

  /// Column of marker names: then it is a long table, with a row for each marker and frame, and `points` has one entry.
  std::string marker;

  std::vector<std::string> components{"x", "y", "z"};  ///< `Capture::components`

  /// The columns of each point: one, two or three of x, y, z (the rest is 0); a plain number that names no column is a
  /// constant in file units (`Capture::constant`, as is the rest), and `none` a coordinate that was not recorded (NaN
  /// in every frame). Empty: every triple of columns x<k>, y<k>, z<k> (or x, y, z; likewise of other components), in
  /// the header's order; without any, the points of `find_header_points`.
  std::vector<std::vector<std::string>> points;
  std::vector<std::string> markers;  ///< names of the points; empty: the <k>, or each point's first column

  CaptureFrame frame_of_reference;
  std::map<std::string, std::string>
      segment;  ///< column → value: keep the rows where all agree (as numbers or as text)
  FrameSubset subset;
  RowOrder order = RowOrder::File;
  RepeatedSamples repeated = RepeatedSamples::Keep;
};

/// Reads one recording, in whatever format (`capture_formats()`). Throws InvalidArgument on what its reader rejects.
Capture read_capture(const CaptureSpec& spec);

/// Reads a table of tracks. A point with an empty, nan or NA cell is missing in that frame: masked, never filled in.
/// Cells of columns and rows that the spec does not use are not looked at.
///
/// Throws InvalidArgument with file, line and column where there is one, what is known or required, and a remedy:
/// missing file, no data, ragged row, column not found or not unique, cell that is not a number, time missing or not
/// strictly increasing, segment absent or interrupted (time cannot be counted across an interruption), nothing left by
/// the subset.
Capture read_capture_table(const CaptureSpec& spec);

/// One run of equal values in a column.
struct Segment {
  std::string value;
  Index first_line = 0;  ///< in the file
  Index rows = 0;
};
/// The values of a column in order of first appearance, to choose a segment from.
std::vector<Segment> list_segments(const std::string& file, const std::string& column, Index header_line = 1);

/// Reading a folder of OBJ files, one for each frame.
struct ObjFramesSpec {
  std::string folder;
  double rate = 0;  ///< frames per second [1/s], > 0
  bool number_from_name =
      false;  ///< false: file k at k/rate; true: (number in its name − the first's)/rate, so that gaps stay
  CaptureFrame frame_of_reference;
  FrameSubset subset;
};

/// A capture whose markers are the vertices, in the file's order, named "0", "1", …. Files are taken in the order of
/// the last number in their names. Throws InvalidArgument if the folder holds no .obj file, a file is broken (see
/// `read_mesh`), or one has other faces or another number of vertices than the first.
Capture read_obj_frames(const ObjFramesSpec& spec);

/// Writes columns t, x0, y0, z0, x1, … in seconds and meters with the shortest digits that read back to the same bits;
/// missing samples are empty cells. `comment` goes to lines beginning with '#' at the top. `read_capture` with only
/// `file` set reads it back without loss. Throws InvalidArgument if the file cannot be written.
void write_capture_csv(const Capture& capture, const std::string& file, std::string_view comment = {});

}  // namespace pithball::datasets
