#include "optim/observation/readings.hpp"

#include <cmath>

#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

constexpr Index clock_offset = 0, clock_scale = 1;  // in RecordingFrame::values()

}  // namespace

Readings::Readings(const MeasurementModel& measurement, bool moves)
    : measurement_(&measurement), z_(measurement.initial_inputs()) {
  if (moves) rate_ = Vector::Zero(z_.size());
}

void Readings::add_state(Index n, const sim::State& state) {
  measurement_->add_state(n, state, z_);
  if (moves()) measurement_->add_rate(n, state, rate_);
}

Look Readings::look_at(const MeasurementModel::Sample& sample, const Points& inputs, const sim::Model& model) const {
  return {sample.marker, inputs.middleCols(sample.first_input, sample.input_count), measurement_->viewpoint(), model,
          sample.time};
}

std::string Readings::residual(const sim::Model& model, Eigen::Ref<Vector> r) const {
  const Instrument& instrument = measurement_->instrument();
  const double period = instrument.kind().period;
  const Points inputs = z_.reshaped(3, z_.size() / 3);
  std::vector<double> last(static_cast<std::size_t>(measurement_->markers()), NAN);  // of periodic readings, by marker
  std::string failure;
  for (const MeasurementModel::Sample& sample : measurement_->samples()) {
    Vec3 reading = Vec3::Constant(NAN);
    const char* reason = instrument.read(look_at(sample, inputs, model), reading, nullptr);
    if (reason) {
      reading.setConstant(NAN);
      if (failure.empty())
        failure = "marker '" + measurement_->marker_name(sample.marker) + "' " + reason +
                  formatted(" at %.6g s", sample.time);
    }
    for (Index row = sample.first_row; row < sample.first_row + sample.row_count; ++row) {
      const MeasurementModel::Row& at = measurement_->row(row);
      double value = reading[at.component];
      if (period > 0) {  // as the recorded ones, readings turn on from frame to frame without jumps
        double& before = last[sample.marker];
        value += period * std::round(((std::isnan(before) ? -at.offset : before) - value) / period);
        before = value;
      }
      r[row] = (value + at.offset) / at.sigma;
    }
  }
  return failure;
}

void Readings::for_each_slope(const sim::Model& model, const Visit& visit) const {
  const Instrument& instrument = measurement_->instrument();
  const Points inputs = z_.reshaped(3, z_.size() / 3);
  ReadingSlope slope;
  for (const MeasurementModel::Sample& sample : measurement_->samples()) {
    slope.inputs.setZero(3, 3 * sample.input_count);
    slope.frame.setZero(3, RecordingFrame::size());
    slope.model_values.resize(0, 0);
    Vec3 reading;
    if (instrument.read(look_at(sample, inputs, model), reading, &slope)) {
      slope.inputs.setConstant(NAN);
    } else if (moves()) {
      const Vec3 rate = slope.inputs * rate_.segment(3 * sample.first_input, 3 * sample.input_count);
      slope.frame.col(clock_offset) = rate;
      slope.frame.col(clock_scale) = sample.since_first * rate;
      if (sample.delay.count != 0)
        slope.frame.col(sample.delay.value) += measurement_->viewpoint().frame.clock_scale * sample.delay.count * rate;
    }
    visit(sample, slope);
  }
}

}  // namespace pithball::optim
