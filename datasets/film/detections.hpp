#pragma once
#include <Eigen/Core>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::datasets {

using sim::Index;

/// A spot of a frame, which belongs to no particle yet. Lengths are in the unit of its table, for films px.
struct Detection {
  double time = 0;  ///< of the exposure [s]; with a row time, of the row of its center
  double x = 0,     ///< of the center, to the right of the center of the first pixel
      y = 0;        ///< likewise, downwards
  /// Covariance of x and y [px²]; NaN where the table has none.
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Constant(not_stated);
  double size = not_stated;        ///< √⟨r²⟩, the RMS radius of the fitted spot; of a ring its radius
  double brightness = not_stated;  ///< integral of the fitted spot; negative: a dark one
  double snr = not_stated;         ///< how far it stands out of the noise

  static const double not_stated;  ///< NaN: the table has no such column
};

/// The detections of one frame.
struct DetectionFrame {
  Index number = 0;              ///< of the frame, as in the table
  std::vector<Detection> spots;  ///< by y
};

/// What a detector found in a film, frame by frame; which spots are the same particle is not known.
struct Detections {
  std::string unit = "px";             ///< of lengths, as the table names it
  std::vector<DetectionFrame> frames;  ///< by number; read ones have only frames with detections

  /// Number of detections in all frames.
  std::size_t count() const;
};

/// Whether a file that begins like this is a table of detections with their errors: its header names frame, x, y and
/// variance_x, each once.
bool is_detections(std::string_view head);

/// The table of detections as CSV: a header line, a row for each detection, by frame and y.
std::string detections_csv(const Detections& detections);

/// Reads a table of detections: that of `detections_csv`, or a table of another program whose columns say what they
/// are, such as TrackMate's spots (FRAME or POSITION_T, POSITION_X, POSITION_Y, RADIUS, QUALITY, TOTAL_INTENSITY_CH1)
/// and TrackPy's (frame, x, y, size, mass, signal). A column of tracks is not used. `rate` [1/s] turns frames into
/// times where there are none.
///
/// Throws InvalidArgument at file:line on a table without x, y, or frames, on a cell that is no number, on a covariance
/// that is not positive definite, and where neither times nor a rate are known.
Detections read_detections(const std::string& path, std::optional<double> rate = std::nullopt);

}  // namespace pithball::datasets
