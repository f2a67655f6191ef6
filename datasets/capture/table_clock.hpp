#pragma once
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "datasets/capture/capture_spec.hpp"
#include "datasets/capture/table_columns.hpp"
#include "datasets/text/csv_table.hpp"

namespace pithball::datasets {

/// Source of a coordinate: a column, or a constant in file units; NaN: not recorded.
struct Source {
  std::optional<Index> column;  ///< number of the column, from 0; empty: the constant
  double constant = 0;          ///< used if there is no column
  /// False: the coordinate is NaN in every frame.
  bool recorded() const { return column || std::isfinite(constant); }
};

/// The source of a coordinate that was not recorded.
inline Source not_recorded() { return {{}, std::numeric_limits<double>::quiet_NaN()}; }

/// Parses a word of `ColumnSpec::points`: a column, a number, or `none`. Throws InvalidArgument about `what` on
/// anything else.
Source find_source(const CsvTable& table, const std::string& word, const std::string& what);

/// Which of x, y, z in the spec's axes are constants.
std::array<bool, 3> constant_axes(const std::array<Source, 3>& coordinates, const sim::Mat3& matrix);

/// The rows of the segment, in file order. Throws InvalidArgument if there are none or if, with times computed
/// from row numbers, they are interrupted.
std::vector<Index> find_rows(const CsvTable& table, const RowSpec& spec, bool time_is_counted);

/// The number in a cell; throws InvalidArgument about `what` if it is missing.
double present_number(const CsvTable& table, Index row, Index column, const char* what);

/// The same for a frame number, which must be an integer.
double frame_number(const CsvTable& table, Index row, Index column);

/// Counts the frames of rows with times, at a given rate: each row is the next frame, unless its time is later by more
/// than times are rounded; so rounded times, which may repeat, still show dropped frames.
class FrameCounter {
 public:
  /// Counts at this rate [1/s].
  explicit FrameCounter(double rate) : rate_(rate) {}
  /// The frame of the next row, from 0, whose time [s] is written in steps of `step`; empty where the time contradicts
  /// the rate: it is a quarter of a frame off, or before the next frame.
  std::optional<double> count(double time, double step);

 private:
  double rate_, first_ = 0;
  std::optional<double> frame_;
};

/// The times of the rows of a table: from a column of times, from one of frame numbers and the rate, or counted.
class TableClock {
 public:
  /// Chooses columns by the spec or, where it says nothing, by their names: with a rate, a column of frames, or one of
  /// times that agree with the rate and so show dropped frames; otherwise one of times. `columns.time: none` and
  /// `frame: none` leave out what the header has. Throws InvalidArgument if neither times nor a rate are known, or if a
  /// unit in the name contradicts `time_scale`.
  TableClock(const CsvTable& table, const TableColumns& columns, const CaptureSpec& spec);

  /// Whether rows are counted, as there is no column.
  bool is_counted() const { return !time_ && !frame_; }
  /// Whether the column itself holds frame numbers.
  bool is_column_of_frames() const { return frame_.has_value(); }
  /// Whether readings are frame numbers.
  bool has_frames() const { return rate_ > 0; }
  /// The column, from 0; there must be one.
  Index column() const { return frame_ ? *frame_ : *time_; }
  /// The number in that column: a frame, or a time [s]; with a rate, the frame of a time. Throws InvalidArgument if it
  /// is missing or no frame number.
  double reading(Index row) const;
  /// Whether the cell of the column is empty; false if rows are counted.
  bool is_empty(Index row) const;

  /// The times of these rows [s]: (frame − first frame)/rate, readings of the column, or k/rate.
  std::vector<double> times_of(const std::vector<Index>& rows) const;

  /// Throws InvalidArgument if, in rows whose frames are in order, a column of times contradicts the frame numbers, and
  /// the rate if there is one.
  void check(const std::vector<Index>& rows) const;

  /// What the times show, one clause: they are rounded, and frames are even at some rate; often empty.
  std::string rounding_note(std::vector<Index> rows) const;
  /// The step of the last written digit of a row's time [s].
  double written_step(Index row) const;

 private:
  [[noreturn]] void reject_rate(Index row) const;
  double number(Index row) const;
  double time_of(Index row) const;
  std::vector<double> counted_frames(const std::vector<Index>& rows) const;

  const CsvTable& table_;
  const TableColumns& columns_;
  double rate_ = 0;
  std::optional<Index> time_, frame_;
  std::optional<Index> other_;  ///< a column of times beside one of frames, or the other way round: it is checked
  mutable std::vector<double> numbers_;  ///< of the column, by row, as far as they were read; NaN: not yet
  double seconds_ = 1;                   ///< seconds per unit of the column of times
  bool first_is_least_ = false;          ///< rows are sorted later: the first frame is the smallest
};

/// The lower median of the differences of neighbors, of which there is at least one.
double median_step(const std::vector<double>& values);

/// Whether the values are most of those that lie one step apart from the first to the last, so that some frames may be
/// dropped, but not every other one.
bool are_most(const std::vector<double>& values, double step);

/// The step of the last digit of a number as it is written: 0.01 of "9.87", 0.1 of "1.00E+01".
double last_digit(std::string_view number);

}  // namespace pithball::datasets
