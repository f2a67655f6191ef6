#include "optim/residual/tangent_measurements.hpp"

namespace pithball::optim {

std::string TangentMeasurements::write(const sim::Model& model, const Place& place, Vector& r,
                                       Eigen::MatrixXd& J) const {
  const Index rows = measurement_.rows(), further = tangents_.cols() - active();
  std::string failure = readings_.residual(model, r.segment(place.row, rows));
  if (!failure.empty()) return failure;
  Eigen::MatrixXd of_frame;
  if (map_.moves_recording_frame(recording_)) of_frame = map_.recording_frame_directions(theta_, recording_);
  const Eigen::MatrixXd of_model = map_.directions(theta_, recording_).topRows(model.values().size());
  const Eigen::MatrixXd mine = ReadingSlopes(readings_, model).push_forward({tangents_, of_frame, of_model});
  for (Index c = 0; c < active(); ++c) J.col(map_.active(recording_)[c]).segment(place.row, rows) = mine.col(c);
  J.block(place.row, place.further, rows, further) = mine.rightCols(further);
  return {};
}

}  // namespace pithball::optim
