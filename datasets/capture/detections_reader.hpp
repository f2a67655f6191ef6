#pragma once
#include "datasets/capture/capture_spec.hpp"
#include "datasets/film/detections.hpp"

namespace pithball::datasets {

/// Reads a table of detections (`read_detections`). With a rule for links (`RowSpec::links`), each spot of its frame
/// that lasts is a marker "0", "1", … in the order of that frame, and the recording begins there (`link_spots`).
/// Without one, points have no names: spot k of a frame, by y, is marker "k+1" of the capture in that frame alone
/// (`DetectedSpots`), with its covariance if every spot has one. x points to the right and y down; z is not recorded.
/// The times of the rows of a frame may differ, as with a rolling shutter: the frame is at their mean, and a note says
/// so. Throws InvalidArgument as the table's reader, `link_spots` and `to_capture` do.
Capture read_detected_points(const CaptureSpec& spec);

}  // namespace pithball::datasets
