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

/// The meaning of the columns of a table: names in its header (surrounding spaces are ignored) or "#3" for the third;
/// other formats name their markers themselves and have no columns.
struct ColumnSpec {
  /// Time is a column or is computed: row k of the segment is at k/rate, or at (frame − first frame)/rate with a column
  /// of frame numbers, so that dropped frames leave gaps. Empty: the column that the header calls so, with a rate that
  /// of frames; "none": no column, though the header has one.
  std::string time;
  std::optional<double> time_scale;  ///< [s] per unit of the time column, > 0; empty: the unit in its name, or 1 s
  std::string frame;                 ///< column of whole frame numbers, with `CaptureSpec::rate`

  /// Column of marker names: the table is then a long table, and `points` has one entry.
  std::string marker;

  /// The columns of each point: one, two or three of x, y, z (the rest is 0). A plain number that is not a column name
  /// is a constant in file units (`Capture::constant`, as is the rest), and `none` a coordinate that was not recorded
  /// (NaN in every frame). Empty: the points of the header (`TableColumns::find_points`).
  std::vector<std::vector<std::string>> points;
  std::vector<std::string> names;  ///< names of the points; empty: the <k>, or each point's first column
};

/// How the spots of a film, of which no column says whose they are, are joined into tracks.
struct LinkRule {
  std::optional<Index> frame;  ///< number of the frame whose spots are followed; empty: the first of the table
  Index lasting = 1;           ///< frames after it in which a spot has to be seen, or it is left out
  double travel = 0;           ///< largest distance that a spot moves from one frame to the next [px], > 0
  Index gap = 3;               ///< frames of the table in which a spot may be missing in a row
};

/// Where the rows of a table are, which of them are read, and how those of unnamed spots are joined.
struct RowSpec {
  Index header_line = 1;                       ///< line of the column names, from 1 after '#' comments; 0: none
  Index first_data_line = 0;                   ///< likewise; 0: the line after the header
  std::map<std::string, std::string> segment;  ///< column → value: keep the rows that match all (as numbers or as text)
  RowOrder order = RowOrder::File;             ///< default: rows are in the order of their times
  LinkRule links;                              ///< of a table of detections
};

/// Which samples of a file count as missing, besides those that it leaves empty.
struct MissingSamples {
  double min_likelihood = 0.6;  ///< samples with a lower likelihood are missing, in formats with likelihoods; 0 … 1
  RepeatedSamples repeated = RepeatedSamples::Keep;  ///< default: a repeated point was measured
  std::vector<double> numbers;                       ///< numbers of the file that mean "missing" (mask_numbers)
};

/// How to read a recording.
struct CaptureSpec {
  std::string file;    ///< path; relative paths start at the current folder
  std::string format;  ///< a name of `capture_formats()`; empty: determined from the file's extension and beginning
  std::vector<std::string> select;  ///< in formats that name markers: only these, in this order; empty: all
  std::string particle_group;       ///< of a trajectory with several groups of particles; empty: the only one
  double rate = 0;                  ///< frames per second [1/s]; 0: those of the file or of the time column

  std::vector<std::string> components{"x", "y", "z"};  ///< `Capture::components`
  Quantity quantity = Quantity::Length;                ///< what a table's numbers are to be

  ColumnSpec columns;               ///< of a table
  RowSpec rows;                     ///< of a table
  MissingSamples missing;           ///< default: what the file leaves empty, and what is unlikely
  CaptureFrame frame_of_reference;  ///< how coordinates of the file become meters
  FrameSubset subset;               ///< default: all frames
};

/// The rotation of the file's `up` direction ("z", "-z", "y", "-y", "x", "-x") to +z: "y" gives x, −z, y; "-y", as in
/// images, gives x, z, −y. Throws InvalidArgument on any other word.
std::array<std::string, 3> axes_with_up(std::string_view up);

/// The matrix A with x' = A·x of signed axes and a scale; throws InvalidArgument at `where` on bad axes or scale.
sim::Mat3 matrix_of(const CaptureFrame& frame, const std::string& where);

/// The file's axis that becomes axis a.
Index axis_of(const sim::Mat3& matrix, Index a);

/// The factor of each axis: A = diag(factors) · permutation.
sim::Vec3 factors_of(const sim::Mat3& matrix);

/// A·x for signed axes and scale, row by row, so that a coordinate that was not recorded (NaN) does not affect the
/// others.
sim::Points to_meters(const sim::Mat3& matrix, const sim::Points& raw);

/// Replaces a point (column of `raw`, in the file's unit) by NaN if all of its recorded coordinates are numbers that
/// mean "missing", or one of them is such a number other than 0: of [0, -999], (0, 0) and (-999, 3) are missing, but
/// not (0, 3), because a coordinate may pass 0.
void mask_numbers(const std::vector<double>& missing, const std::array<bool, 3>& recorded, Index column,
                  sim::Points& raw);

/// The indices of the selected frames among those at `time`; throws InvalidArgument at `where` on bad numbers or if
/// none is left.
std::vector<Index> kept_frames(const FrameSubset& subset, const std::vector<double>& time, const std::string& where);

}  // namespace pithball::datasets
