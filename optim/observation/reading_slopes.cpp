#include "optim/observation/reading_slopes.hpp"

namespace pithball::optim {

ReadingSlopes::ReadingSlopes(const Readings& readings, const sim::Model& model)
    : measurement_(&readings.measurement()), values_(model.values().size()), inputs_(3, 3 * measurement_->inputs()) {
  const Index samples = measurement_->samples().size(), frame_size = RecordingFrame::size();
  if (readings.moves()) frame_.resize(3, samples * frame_size);
  std::vector<Eigen::Triplet<double>> of_values;
  Index k = 0;
  readings.for_each_slope(model, [&](const MeasurementModel::Sample& sample, const ReadingSlope& slope) {
    inputs_.middleCols(3 * sample.first_input, 3 * sample.input_count) = slope.inputs;
    if (frame_.size() > 0) frame_.middleCols(k * frame_size, frame_size) = slope.frame;
    for (Index c = 0; c < slope.model_values.cols(); ++c)
      for (Index row = 0; row < 3; ++row)
        if (slope.model_values(row, c) != 0) of_values.emplace_back(3 * k + row, c, slope.model_values(row, c));
    ++k;
  });
  if (of_values.empty()) return;
  model_values_.resize(3 * samples, values_);
  model_values_.setFromTriplets(of_values.begin(), of_values.end());
}

Eigen::MatrixXd ReadingSlopes::push_forward(const Change& change) const {
  Eigen::MatrixXd J(measurement_->rows(), change.inputs.cols());
  Eigen::MatrixXd block;
  const Index frame_size = RecordingFrame::size();
  Index k = 0;
  for (const MeasurementModel::Sample& sample : measurement_->samples()) {
    const Index first = 3 * sample.first_input, count = 3 * sample.input_count;
    block.noalias() = inputs_.middleCols(first, count) * change.inputs.middleRows(first, count);
    if (const Index own = change.recording_frame.cols(); own > 0 && frame_.size() > 0)
      block.leftCols(own) += frame_.middleCols(k * frame_size, frame_size) * change.recording_frame;
    if (model_values_.size() > 0)
      block.leftCols(change.model_values.cols()) += model_values_.middleRows(3 * k, 3) * change.model_values;
    for (Index row = sample.first_row; row < sample.first_row + sample.row_count; ++row)
      J.row(row) = block.row(measurement_->row(row).component) / measurement_->row_sigma(row);
    ++k;
  }
  return J;
}

ReadingSlopes::Gradient ReadingSlopes::pull_back(const Eigen::Ref<const Vector>& w) const {
  const Index frame_size = RecordingFrame::size();
  Gradient gradient{Vector::Zero(inputs_.cols()), Vector::Zero(frame_size), Vector::Zero(values_)};
  Index k = 0;
  for (const MeasurementModel::Sample& sample : measurement_->samples()) {
    const Index first = 3 * sample.first_input, count = 3 * sample.input_count;
    Vec3 of_reading = Vec3::Zero();
    for (Index row = sample.first_row; row < sample.first_row + sample.row_count; ++row)
      of_reading[measurement_->row(row).component] = w[row] / measurement_->row_sigma(row);
    gradient.inputs.segment(first, count) = inputs_.middleCols(first, count).transpose() * of_reading;
    if (frame_.size() > 0)
      gradient.recording_frame += frame_.middleCols(k * frame_size, frame_size).transpose() * of_reading;
    if (model_values_.size() > 0) gradient.model_values += model_values_.middleRows(3 * k, 3).transpose() * of_reading;
    ++k;
  }
  return gradient;
}

}  // namespace pithball::optim
