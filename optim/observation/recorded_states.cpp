#include "optim/observation/recorded_states.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::optim {
namespace {

/// The straight line a + b·(t − t₀) through residuals of one marker near t₀.
class ResidualLine {
 public:
  void add(double since, const Vec3& residual) {
    ++count_;
    t_ += since;
    tt_ += since * since;
    r_ += residual;
    tr_ += since * residual;
  }
  /// False: too few instants.
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

/// The median time between frames [s]; 0: there is one only.
double frame_spacing(const std::vector<double>& times) {
  std::vector<double> spacing;
  for (std::size_t f = 1; f < times.size(); ++f) spacing.push_back(times[f] - times[f - 1]);
  if (spacing.empty()) return 0;
  const auto middle = spacing.begin() + static_cast<std::ptrdiff_t>(spacing.size() / 2);
  std::nth_element(spacing.begin(), middle, spacing.end());
  return *middle;
}

/// Moves the vertices of a marker by the least change that moves the marker by δ.
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
    readings.residual(scenario.model, here);
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
