#pragma once
#include <string_view>

#include "datasets/capture/capture_reader.hpp"

namespace pithball::datasets {

/// Reads a long table: a row for each marker and frame. The spec names the columns, or they are known by their names
/// (in either case of letters): `particle`, `frame`, x, y as TrackPy writes them; `TRACK_ID`, `FRAME`, `POSITION_X`, …
/// of TrackMate, with up to three more header lines, of which the last tells units; `marker`, `frame`, x, y. Frames are
/// at (frame − first frame)/rate; without a rate time is a column. Rows may stand in any order; frames without a row of
/// a marker are gaps of it. Markers are in the order of their numbers or, unless all are numbers, of their first rows.
/// Rows without a marker, which belong to no track, are left out, and a z that is the same in all of TrackMate's rows
/// is not recorded; notes say so.
///
/// Throws InvalidArgument at file:line on a marker that is twice in a frame, a column that is not there, a cell that is
/// no number, and if neither rate nor times are known.
Capture read_long_table(const CaptureSpec& spec);

/// Whether a table that begins like this names the columns of markers, of x and y, and of frames or times.
bool is_long_table(std::string_view head);

}  // namespace pithball::datasets
