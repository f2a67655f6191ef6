#include "optim/design/recording_information.hpp"

namespace pithball::optim {

RecordingInformation::RecordingInformation(const ResolvedFit& fit, const Vector& theta, std::size_t candidate,
                                           const EarlierEstimates& earlier) {
  const TrajectoryResidual& residual = fit.residual().trajectories();
  Vector r;
  Eigen::MatrixXd J, G;
  Evaluation evaluation = residual.evaluate(theta, r, &J);
  if (evaluation.ok()) evaluation = prior_rows(fit, theta, earlier, G);
  failure_ = evaluation.failure;
  if (!evaluation.ok()) return;
  const MeasurementModel& measurement = residual.measurement(candidate);
  rows_ = J.middleRows(residual.first_row(candidate), measurement.rows());
  J.middleRows(residual.first_row(candidate), measurement.rows()).setZero();
  known_ = J.transpose() * J + G.transpose() * G;
  markers_ = measurement.markers();
  for (const MeasurementModel::Sample& sample : measurement.samples())
    samples_.push_back({sample.frame, sample.marker, sample.first_row, sample.row_count, sample.since_first});
}

std::vector<Eigen::MatrixXd> RecordingInformation::by_marker(const FrameChoice& frames) const {
  std::vector<Eigen::MatrixXd> information(markers_, Eigen::MatrixXd::Zero(rows_.cols(), rows_.cols()));
  const double end = frames.duration * (1 + 1e-9);
  for (const Sample& sample : samples_) {
    if (sample.frame % frames.every != 0 || sample.since_first > end) continue;
    const auto rows = rows_.middleRows(sample.first_row, sample.row_count);
    information[sample.marker].noalias() += rows.transpose() * rows;
  }
  return information;
}

}  // namespace pithball::optim
