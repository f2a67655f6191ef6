#pragma once
#include <string_view>
#include <vector>

#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads the layout of early versions of Motive, and of Tracking Tools and Arena before it, in which each row begins
/// with what it holds; rows of comments describe it:
///
///     righthanded
///     info,version,1.1
///     frame,INDEX,TIME,BODIES,(ID,x,y,z,qx,qy,qz,qw,yaw,pitch,roll)…,MARKERS,(x,y,z,ID,NAME)…
///
/// Markers that a frame does not list are missing in it. Early versions give markers no names: their ids are taken. The
/// unit of length is not in the file. Throws InvalidArgument at file:line on anything else.
MarkerFile read_motive_frames(const std::vector<std::string_view>& lines, const std::string& path);

/// Whether a file that begins like this has that layout.
bool is_motive_frames(std::string_view head);

}  // namespace pithball::datasets
