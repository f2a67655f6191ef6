#include "optim/observation/measurement_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "optim/measurement/kinds/point.hpp"
#include "optim/observation/free_diffusion.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

[[noreturn]] void reject_sights(const std::string& recording, const std::string& what, const std::string& required,
                                const std::string& got = "", const std::string& remedy = "") {
  throw InvalidArgument({"", "recording '" + recording + "': " + what, required, got, remedy});
}

/// Checks everything that does not depend on the part.
void check(const Observation& o, const diff::Scenario& scenario) {
  const Index M = o.markers.size();
  const std::size_t F = o.times.size();
  if (M == 0 || F == 0) reject_sights(scenario.name, "observation", "must have at least one marker and one frame");
  if (o.positions.size() != F)
    reject_sights(scenario.name, "positions", "must have one frame for each time", std::to_string(o.positions.size()));
  for (std::size_t f = 0; f < F; ++f) {
    if (o.positions[f].cols() != M)
      reject_sights(scenario.name, "positions", "must be 3×" + std::to_string(M),
                    std::to_string(o.positions[f].cols()) + " columns");
    if (!std::isfinite(o.times[f]) || (f > 0 && !(o.times[f] > o.times[f - 1])))
      reject_sights(scenario.name, "times[" + std::to_string(f) + "]", "must be finite and strictly increasing",
                    std::to_string(o.times[f]));
  }
  if (!o.present.empty()) {
    if (o.present.size() != F)
      reject_sights(scenario.name, "present", "must have one row for each time", std::to_string(o.present.size()));
    for (const std::vector<bool>& row : o.present)
      if (static_cast<Index>(row.size()) != M)
        reject_sights(scenario.name, "present", "must have one entry for each marker", std::to_string(row.size()));
  }
  if (o.noise.sigma.size() != M)
    reject_sights(scenario.name, "sigma", "must have one entry for each marker", std::to_string(o.noise.sigma.size()));
  for (Index m = 0; m < M; ++m)
    if (!(o.noise.sigma[m] > 0) || !std::isfinite(o.noise.sigma[m]))
      reject_sights(scenario.name, "sigma[" + std::to_string(m) + "]", "must be > 0", std::to_string(o.noise.sigma[m]));
  if (o.noise.factor.size() > 0 && (o.noise.factor.cols() != M || !(o.noise.factor.array() > 0).all()))
    reject_sights(scenario.name, "sigma_factor", "must be empty, or 3×" + std::to_string(M) + " and > 0");
  if (!o.validation.markers.empty() && static_cast<Index>(o.validation.markers.size()) != M)
    reject_sights(scenario.name, "validation_markers", "must have one entry for each marker",
                  std::to_string(o.validation.markers.size()));
  if (!o.frame_weight.empty() && o.frame_weight.size() != F)
    reject_sights(scenario.name, "frame_weight", "must have one entry for each time",
                  std::to_string(o.frame_weight.size()));
  if (!o.noise.sample_factor.empty() && o.noise.sample_factor.size() != F)
    reject_sights(scenario.name, "sample_factor", "must have one array for each time",
                  std::to_string(o.noise.sample_factor.size()));
  for (const Points& factor : o.noise.sample_factor)
    if (factor.cols() != M || !(factor.array() > 0).all())
      reject_sights(scenario.name, "sample_factor", "must be 3×" + std::to_string(M) + " and > 0");
  for (const double weight : o.frame_weight)
    if (!(weight > 0) || !std::isfinite(weight))
      reject_sights(scenario.name, "frame_weight", "must be > 0", std::to_string(weight));
  for (const Marker& marker : o.markers) {
    if (marker.vertices.empty())
      reject_sights(scenario.name, "marker '" + marker.name + "'", "must follow at least one vertex");
    for (const auto& [vertex, weight] : marker.vertices) {
      if (vertex < 0 || vertex >= scenario.model.particles())
        reject_sights(scenario.name, "marker '" + marker.name + "'",
                      "vertices must be below " + std::to_string(scenario.model.particles()), std::to_string(vertex));
      if (!std::isfinite(weight))
        reject_sights(scenario.name, "marker '" + marker.name + "'", "weights must be finite");
    }
  }
  const bool needs_observed = o.reference.kind == Reference::Kind::Given ||
                              (o.reference.kind == Reference::Kind::Start && o.reference.observed.size() > 0);
  if (needs_observed && o.reference.observed.cols() != M)
    reject_sights(scenario.name, "observed_reference", "must have one point for each marker");
  if (o.reference.kind == Reference::Kind::Given && o.reference.model.cols() != M)
    reject_sights(scenario.name, "model_reference", "must have one point for each marker");
  if (!o.recording_frame.values().allFinite()) reject_sights(scenario.name, "recording_frame", "must be finite");
}

/// Returns the recorded value relative to which displacements are measured.
Vec3 recorded_reference(const Observation& o, Index m, const std::string& recording, const Vec3& seen) {
  if (o.reference.kind == Reference::Kind::Absolute) return Vec3::Zero();
  if (o.reference.observed.size() > 0) return o.reference.observed.col(m);
  const Vec3 first = o.sight(0, m);
  for (int a = 0; a < 3; ++a)
    if (std::isnan(first[a]) && !std::isnan(seen[a]))
      reject_sights(recording, "marker '" + o.markers[m].name + "'",
                    "must be present in the first frame, which is the reference of its displacements", "missing",
                    "give observed_reference or omit the marker");
  return first;
}

}  // namespace

MeasurementModel::MeasurementModel(const Observation& o, const diff::Scenario& scenario, Part part)
    : recording_(scenario.name),
      span_{scenario.time_step, scenario.steps},
      instrument_(o.instrument ? o.instrument : make_point_instrument(o.reference.kind != Reference::Kind::Absolute)),
      viewpoint_(o.recording_frame) {
  check(o, scenario);
  channels_ = make_channels(o, *instrument_);
  first_time_ = o.times.front();
  if (o.reference.kind == Reference::Kind::Given) model_reference_ = o.reference.model;
  for (std::size_t f = 0; f < o.times.size(); ++f)
    for (Index m = 0; m < static_cast<Index>(o.markers.size()); ++m)
      if (o.part(f, m) == part) add_rows(o, f, m);
  look(o.recording_frame);
  if (o.noise.thermal_energy > 0) whiten_walks(o, scenario);
}

MeasurementModel::Channels MeasurementModel::make_channels(const Observation& o, const Instrument& instrument) {
  const Motion motion = o.reference.kind == Reference::Kind::Start ? Motion::Displacement : Motion::Position;
  Channels channels;
  for (std::size_t m = 0; m < o.markers.size(); ++m) {
    channels.names.push_back(o.markers[m].name);
    channels.first.push_back(static_cast<Index>(channels.inputs.size()));
    for (Input& input : instrument.inputs(static_cast<Index>(m), {o.markers[m].vertices, motion}))
      channels.inputs.push_back(std::move(input));
  }
  channels.first.push_back(static_cast<Index>(channels.inputs.size()));
  return channels;
}

void MeasurementModel::add_rows(const Observation& o, std::size_t f, Index m) {
  const Vec3 seen = o.sight(f, m);
  const Index first_row = rows();
  const Vec3 reference = recorded_reference(o, m, recording_, seen);
  for (int a = 0; a < instrument_->components(); ++a) {
    if (std::isnan(seen[a])) continue;
    const double factor = o.noise.sample_factor.empty() ? 1 : o.noise.sample_factor[f](a, m);
    const double sigma = factor * o.noise.component_sigma(m, a);
    rows_.push_back({a, o.frame_weight.empty() ? sigma : sigma / o.frame_weight[f], reference[a] - seen[a]});
  }
  if (rows() == first_row) return;
  const Index first_input = inputs();
  for (Index k = channels_.first[m]; k < channels_.first[m + 1]; ++k) which_.push_back(k);
  samples_.push_back({static_cast<Index>(f), m, first_row, rows() - first_row, first_input, inputs() - first_input,
                      instrument_->delay(seen), o.times[f] - first_time_});
}

MeasurementModel MeasurementModel::seen_from(const RecordingFrame& recording_frame) const {
  MeasurementModel moved = *this;
  moved.look(recording_frame);
  return moved;
}

void MeasurementModel::look(const RecordingFrame& recording_frame) {
  if (!(recording_frame.clock_scale > 0))
    reject_sights(recording_, "clock_scale", "must be > 0", std::to_string(recording_frame.clock_scale));
  if (!(recording_frame.scale() > 0))
    reject_sights(recording_, "placement_scale", "must be > 0", std::to_string(recording_frame.scale()));
  viewpoint_ = Viewpoint(recording_frame);
  contributions_.clear();
  for (Sample& sample : samples_) place_sample(sample);
}

void MeasurementModel::whiten_walks(const Observation& o, const diff::Scenario& scenario) {
  const Vector diffusion = o.noise.diffusion.size() > 0 ? o.noise.diffusion : compute_diffusion(scenario, o);
  std::map<std::pair<Index, int>, std::vector<WalkWhitening::Reading>> coordinates;
  for (const Sample& sample : samples_)
    for (Index r = sample.first_row; r < sample.first_row + sample.row_count; ++r)
      coordinates[{sample.marker, rows_[r].component}].push_back({r, std::max(0.0, sample.time), rows_[r].sigma});
  const double scale = o.recording_frame.scale();
  for (const auto& [coordinate, readings] : coordinates)
    whitening_.add(readings, 2 * diffusion[coordinate.first] / (scale * scale));
}

void MeasurementModel::place_sample(Sample& sample) {
  const RecordingFrame& from = viewpoint_.frame;
  sample.since_first = sample.frame_time + sample.delay.count * viewpoint_.values[sample.delay.value];
  sample.time = first_time_ + sample.since_first + from.clock_offset + (from.clock_scale - 1) * sample.since_first;
  const double step = sample.time / span_.time_step;
  if (!(step >= -1e-9) || step > static_cast<double>(span_.steps) + 1e-9)
    reject_sights(
        recording_, "times[" + std::to_string(sample.frame) + "]",
        "must be within the simulated time span of 0 to " + std::to_string(span_.steps * span_.time_step) + " s",
        std::to_string(sample.time) + " s", "give a longer duration, another time offset, or fewer frames");
  for (Index k = sample.first_input; k < sample.first_input + sample.input_count; ++k)
    for (const StepWeight& weight :
         find_step_weights(channels_.inputs[which_[k]].motion, {step, span_.steps, span_.time_step}))
      contribute(k, weight);
}

void MeasurementModel::contribute(Index input, const StepWeight& weight) {
  const auto n = static_cast<std::size_t>(weight.step);
  if (contributions_.size() <= n) contributions_.resize(n + 1);
  std::vector<Contribution>& here = contributions_[n];
  if (!here.empty() && here.back().end == input && here.back().weight == weight)
    here.back().end = input + 1;
  else
    here.push_back({input, input + 1, weight});
}

template <class Visit>
void MeasurementModel::for_each(Index n, Visit visit) const {
  if (n > last_step()) return;
  for (const Contribution& c : contributions_[n])
    for (Index k = c.first; k < c.end; ++k)
      for (const auto& [vertex, weight] : channels_.inputs[which_[k]].vertices) visit(k, vertex, weight, c.weight);
}

Points MeasurementModel::channel_points(const Channels& channels, Index m, const Points& x) {
  Points z = Points::Zero(3, channels.count(m));
  for (Index k = 0; k < z.cols(); ++k)
    if (const Input& input = channels.inputs[channels.first[m] + k]; input.motion <= Motion::Displacement)
      for (const auto& [vertex, weight] : input.vertices) z.col(k) += weight * x.col(vertex);
  return z;
}

bool MeasurementModel::sees(const sim::Model& model, const Points& x, const Eigen::MatrixXd& displacements) const {
  constexpr double unseen = 1e-8;  // of the longest displacement: rounding error in modes of a body at rest
  std::vector<std::array<bool, 3>> has_rows(markers(), {false, false, false});
  for (const Sample& sample : samples_)
    for (Index r = sample.first_row; r < sample.first_row + sample.row_count; ++r)
      has_rows[sample.marker][rows_[r].component] = true;
  for (Index m = 0; m < markers(); ++m) {
    const Points here = channel_points(channels_, m, x);
    ReadingSlope slope{Eigen::MatrixXd::Zero(3, here.size()), Eigen::MatrixXd::Zero(3, RecordingFrame::size()), {}};
    Vec3 reading;
    if (instrument_->read({m, here, viewpoint_, model}, reading, &slope)) continue;
    const double scale = slope.inputs.norm();
    for (Index c = 0; c < displacements.cols(); ++c) {
      const Points moved = displacements.col(c).reshaped(3, displacements.rows() / 3);
      const Vec3 change = slope.inputs * channel_points(channels_, m, moved).reshaped();
      const double least = unseen * scale * moved.colwise().norm().maxCoeff();
      for (int a = 0; a < instrument_->components(); ++a)
        if (has_rows[m][a] && std::abs(change[a]) > least) return true;
    }
  }
  return false;
}

Vector MeasurementModel::initial_inputs() const {
  Vector z = Vector::Zero(3 * inputs());
  if (model_reference_.size() > 0)
    for (const Sample& sample : samples_) z.segment<3>(3 * sample.first_input) = -model_reference_.col(sample.marker);
  return z;
}

void MeasurementModel::add_state(Index n, const sim::State& state, Eigen::Ref<Vector> z) const {
  for_each(n, [&](Index k, Index vertex, double weight, const StepWeight& at) {
    z.segment<3>(3 * k) += weight * at.position * state.x.col(vertex) + weight * at.velocity * state.v.col(vertex);
  });
}

void MeasurementModel::add_rate(Index n, const sim::State& state, Eigen::Ref<Vector> rate) const {
  for_each(n, [&](Index k, Index vertex, double weight, const StepWeight& at) {
    rate.segment<3>(3 * k) +=
        weight * at.position_rate * state.x.col(vertex) + weight * at.velocity_rate * state.v.col(vertex);
  });
}

void MeasurementModel::add_tangent(Index n, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv,
                                   Eigen::Ref<RowMatrix> dz) const {
  for_each(n, [&](Index k, Index vertex, double weight, const StepWeight& at) {
    if (at.position != 0) dz.middleRows<3>(3 * k) += weight * at.position * dx.middleRows<3>(3 * vertex);
    if (at.velocity != 0) dz.middleRows<3>(3 * k) += weight * at.velocity * dv.middleRows<3>(3 * vertex);
  });
}

void MeasurementModel::add_seed(Index n, const Eigen::Ref<const Vector>& w, Points& gx, Points& gv) const {
  for_each(n, [&](Index k, Index vertex, double weight, const StepWeight& at) {
    gx.col(vertex) += weight * at.position * w.segment<3>(3 * k);
    gv.col(vertex) += weight * at.velocity * w.segment<3>(3 * k);
  });
}

}  // namespace pithball::optim
