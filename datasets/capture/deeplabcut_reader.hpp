#pragma once
#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// Reads a table written by DeepLabCut: three or four header lines, then a row for each frame:
///
///     scorer,net,net,net,net,net,net
///     bodyparts,nose,nose,nose,tail,tail,tail
///     coords,x,y,likelihood,x,y,likelihood
///     0,312.5,118.25,0.998,290.5,240.75,0.12
///
/// With a line `individuals` above the body parts, markers are called "mouse1:nose". Samples with a likelihood below
/// `min_likelihood` are missing, and a note counts them; without likelihoods all are kept. Positions are in pixels: the
/// spec must give their scale, and the rate. Throws InvalidArgument at file:line on another header, on rows of another
/// length, and on a likelihood outside 0 … 1.
MarkerFile read_deeplabcut(const CaptureSpec& spec);

/// Whether a file that begins like this is such a table: its first two or three lines are `scorer`, (`individuals`,)
/// `bodyparts`.
bool is_deeplabcut(std::string_view head);

}  // namespace pithball::datasets
