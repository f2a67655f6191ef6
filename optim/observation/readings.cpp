#include "optim/observation/readings.hpp"

#include <algorithm>
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
  std::string failure = scaled_offsets(model, r);
  if (!measurement_->whitening().empty())
    measurement_->whitening().apply(Eigen::Map<Eigen::MatrixXd>(r.data(), r.size(), 1));
  return failure;
}

std::string Readings::scaled_offsets(const sim::Model& model, Eigen::Ref<Vector> r) const {
  const Instrument& instrument = measurement_->instrument();
  const double period = instrument.kind().period;
  const Points inputs = z_.reshaped(3, z_.size() / 3);
  std::vector<double> last(static_cast<std::size_t>(measurement_->markers()), NAN);  // if periodic, by marker
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
      if (period > 0) {  // like the recorded ones, readings continue from frame to frame without jumps
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
  measurement_->whitening().apply(J);
  return J;
}

ReadingSlopes::Gradient ReadingSlopes::pull_back(const Eigen::Ref<const Vector>& given) const {
  Vector w = given;
  measurement_->whitening().apply_transposed(w);
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

namespace {

/// The straight line a + b·(t − t₀) fitted to residuals of one marker near t₀.
class ResidualLine {
 public:
  void add(double since, const Vec3& residual) {
    ++count_;
    t_ += since;
    tt_ += since * since;
    r_ += residual;
    tr_ += since * residual;
  }
  /// Returns false if there are too few different times.
  bool solve(Vec3& a, Vec3& b) const {
    const double spread = tt_ * count_ - t_ * t_;
    if (!(spread > 0)) return false;
    b = (tr_ * count_ - t_ * r_) / spread;
    a = (r_ - t_ * b) / count_;
    return true;
  }

 private:
  double count_ = 0, t_ = 0, tt_ = 0;
  Vec3 r_ = Vec3::Zero(), tr_ = Vec3::Zero();
};

/// Returns the median time between frames [s]; 0 if there is only one frame.
double frame_spacing(const std::vector<double>& times) {
  std::vector<double> spacing;
  for (std::size_t f = 1; f < times.size(); ++f) spacing.push_back(times[f] - times[f - 1]);
  if (spacing.empty()) return 0;
  const auto middle = spacing.begin() + static_cast<std::ptrdiff_t>(spacing.size() / 2);
  std::nth_element(spacing.begin(), middle, spacing.end());
  return *middle;
}

/// Moves the vertices of a marker by the smallest displacements that move the marker by δ.
void move_marker(const Marker& marker, const Vec3& delta, Points& points) {
  double squares = 0;
  for (const auto& [vertex, weight] : marker.vertices) squares += weight * weight;
  for (const auto& [vertex, weight] : marker.vertices) points.col(vertex) += weight / squares * delta;
}

}  // namespace

diff::Segments states_from_recording(const diff::Scenario& scenario, const Observation& observation,
                                     const MeasurementModel& measurement, const std::vector<Index>& steps,
                                     diff::RolloutStatus& status) {
  diff::Segments found;
  const double reach = 3.5 * frame_spacing(observation.times) * observation.recording_frame.clock_scale;
  const auto beyond = static_cast<Index>(std::ceil(reach / scenario.time_step));
  const Mat3 turned = observation.recording_frame.scale() * observation.recording_frame.rotation_matrix();
  sim::State from = scenario.initial;
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Index begin = k == 0 ? 0 : steps[k - 1];
    diff::Scenario piece = scenario;
    if (k > 0) {
      piece.initial = from;
      piece.rest_near.reset();
    }
    piece.steps = std::min(steps[k] + beyond, measurement.last_step()) - begin;
    Readings readings(measurement);
    status = diff::run_forward(piece, [&](Index n, const sim::State& state) {
      readings.add_state(begin + n, state);
      if (begin + n == steps[k]) from = state;
    });
    if (!status.ok()) break;
    Vector here(measurement.rows());
    readings.scaled_offsets(scenario.model, here);
    const double start = begin * scenario.time_step, node = steps[k] * scenario.time_step;
    std::vector<ResidualLine> lines(observation.markers.size());
    for (const MeasurementModel::Sample& sample : measurement.samples()) {
      const double time = observation.simulated_time(sample.frame), since = time - node;
      if (time < start || std::abs(since) > reach || sample.row_count != 3) continue;
      Vec3 off = here.segment<3>(sample.first_row);
      for (Index a = 0; a < 3; ++a) off[a] *= measurement.row_sigma(sample.first_row + a);
      lines[sample.marker].add(since, off);
    }
    for (std::size_t m = 0; m < lines.size(); ++m) {
      Vec3 a, b;
      if (!lines[m].solve(a, b)) continue;
      move_marker(observation.markers[m], -turned * a, from.x);
      move_marker(observation.markers[m], -turned * b, from.v);
    }
    scenario.model.place_held(from.t, from.x, &from.v);
    found.begin.push_back(steps[k]);
    found.states.push_back(from);
  }
  return found;
}

}  // namespace pithball::optim
