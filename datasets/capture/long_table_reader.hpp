#pragma once
#include <string_view>

#include "datasets/capture/capture_spec.hpp"

namespace pithball::datasets {

/// Reads a long table: a row for each marker and frame. The spec names the columns, or their names say what they are
/// (`TableColumns`): particle, track_id, Trajectory, … for markers; TrackMate's TRACK_ID, FRAME, POSITION_X, … may have
/// up to three more header lines, the last of which gives units. Frames are at (frame − first frame)/rate; without a
/// rate, time is a column. Rows may be in any order; a frame without a row for a marker is a gap. Markers are sorted by
/// number or, unless all are numbers, by first appearance. Rows without a marker are skipped, and a z that the header
/// alone names and that is equal in all rows is not recorded; notes report both.
///
/// Throws InvalidArgument at file:line on a marker that occurs twice in a frame, a missing column, a cell that is not a
/// number, and if neither rate nor times are known.
Capture read_long_table(const CaptureSpec& spec);

/// Reads a table that may have either shape: as a long table where frames or times repeat and a column tells the rows
/// apart
/// (`find_marker_column`), with a note, otherwise with one row for each frame (`read_capture_table`).
Capture read_table(const CaptureSpec& spec);

/// Whether a table that begins like this has columns of markers, of x and y, and of frames or times.
bool is_long_table(std::string_view head);

}  // namespace pithball::datasets
