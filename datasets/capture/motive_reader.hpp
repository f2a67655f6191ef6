#pragma once
#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads a CSV file that Motive (OptiTrack) exports, with its header (format versions 1.1 to 1.25):
///
///     Format Version,1.23,Take Name,rope,…,Export Frame Rate,120.000000,…,Length Units,Meters,…
///
///     ,Type,Rigid Body,…,Marker,Marker,Marker,…
///     ,Name,base,…,rope:1,rope:1,rope:1,…
///     ,ID,…                                     (in some versions; likewise Parent)
///     ,,Rotation,…,Position,Position,Position,…
///     Frame,Time (Seconds),X,…,X,Y,Z,…
///     0,0.000000,…
///
/// The positions of markers are read: the measured ones (type Marker) or, if there are none, those that Motive expects
/// of rigid bodies and bones. Positions and rotations of bodies are not read; a note counts them. Empty cells are
/// missing samples. Times are those of their column; without it, frames are counted by the stated rate.
///
/// The older layout with a row `frame,0,0.000000,…` for each frame is read, too (`read_motive_frames`). Throws
/// InvalidArgument at file:line on anything else.
MarkerFile read_motive(const std::string& path);

/// Whether a file that begins like this was exported by Motive, or by its predecessors.
bool is_motive(std::string_view head);

}  // namespace pithball::datasets
