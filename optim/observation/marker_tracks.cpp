#include "optim/observation/marker_tracks.hpp"

#include <cmath>

namespace pithball::optim {
namespace {

Index count(const Observation& o) { return o.markers.size(); }

/// Baseline predictions for one component of one marker, on the recording's own clock and in its own frame.
class Baseline {
 public:
  /// From the first two samples of the recording or, for a forecast that follows a fitted part, the last two fitted
  /// samples.
  Baseline(const Observation& o, Index marker, int component, Part part) {
    const bool forecasts_rest = part == Part::ValidationFrame && !o.is_validation(0);
    struct Sight {
      double time, position;
    };
    std::vector<Sight> sights;
    for (std::size_t f = 0; f < o.times.size(); ++f) {
      if (forecasts_rest && o.is_validation(f)) break;
      const double position = o.sight(f, marker)[component];
      if (std::isnan(position)) continue;
      sights.push_back({o.times[f], position});
      if (!forecasts_rest && sights.size() == 2) break;
    }
    if (sights.empty()) return;
    const Sight& anchor = forecasts_rest ? sights.back() : sights.front();
    time_ = anchor.time;
    position_ = anchor.position;
    if (sights.size() > 1) {
      const Sight &a = sights[sights.size() - 2], &b = sights.back();
      velocity_ = (b.position - a.position) / (b.time - a.time);
    }
    const bool rests = o.reference.kind != Reference::Kind::Absolute && o.reference.observed.size() > 0;
    static_ = rests ? o.reference.observed(component, marker) : position_;
  }
  double static_baseline() const { return static_; }
  double constant_velocity(double t) const { return position_ + velocity_ * (t - time_); }

 private:
  double time_ = 0, position_ = NAN, velocity_ = 0, static_ = NAN;
};

/// Returns the frames in which something was recorded.
std::vector<std::size_t> frames_with_sights(const Observation& o) {
  std::vector<std::size_t> frames;
  for (std::size_t f = 0; f < o.times.size(); ++f) {
    bool any = false;
    for (Index m = 0; m < count(o) && !any; ++m) any = !o.sight(f, m).array().isNaN().all();
    if (any) frames.push_back(f);
  }
  return frames;
}

/// Makes an observation without missing values, in the frames in which anything was recorded: positions in the model's
/// frame, or readings of the same instrument.
Observation make_camera(const Observation& o, const std::vector<std::size_t>& frames) {
  Observation camera;
  camera.markers = o.markers;
  camera.noise.sigma = Vector::Ones(count(o));
  for (const std::size_t f : frames) {
    camera.times.push_back(o.simulated_time(f));
    Points& seen = camera.positions.emplace_back(Points::Zero(3, count(o)));
    for (Index m = 0; m < count(o) && o.instrument; ++m)  // recorded values may determine when a reading was taken
      seen.col(m) = o.sight(f, m).unaryExpr([](double x) { return std::isnan(x) ? 0 : x; });
  }
  camera.instrument = o.instrument;
  if (o.instrument) {
    camera.recording_frame = o.recording_frame;
    camera.recording_frame.clock_offset = 0;
    camera.recording_frame.clock_scale = 1;
  }
  return camera;
}

/// Returns the positions of the markers in one state [m].
Points marker_positions(const std::vector<Marker>& markers, const sim::State& state) {
  Points x = Points::Zero(3, markers.size());
  for (std::size_t m = 0; m < markers.size(); ++m)
    for (const auto& [vertex, weight] : markers[m].vertices) x.col(m) += weight * state.x.col(vertex);
  return x;
}

/// Transforms a marker's position from the recording's frame to the model's; for displacements, from the observed
/// reference to the model's. Readings of other kinds are unchanged.
class Carrier {
 public:
  Carrier(const Observation& o, const Points& model_start)
      : o_(o),
        model_start_(model_start),
        recording_frame_(o.recording_frame),
        rotation_(o.recording_frame.rotation_matrix()) {
    if (o.reference.kind != Reference::Kind::Absolute) recording_frame_.translation.setZero();
  }
  /// `model`: the marker's position in the model, used for a missing component that the placement mixes with others.
  Vec3 operator()(Index m, const Vec3& recorded, const Vec3& model) const {
    if (o_.instrument) return recorded;
    Vec3 from = Vec3::Zero(), to = Vec3::Zero();
    if (o_.reference.kind != Reference::Kind::Absolute) {
      from = o_.reference.observed.size() > 0 ? Vec3(o_.reference.observed.col(m)) : o_.sight(0, m);
      to = (o_.reference.kind == Reference::Kind::Given ? o_.reference.model : model_start_).col(m);
    }
    return to + place(recorded - from, model - to);
  }

 private:
  Vec3 place(const Vec3& seen, const Vec3& model) const {
    const auto missing = seen.array().isNaN();
    if (!missing.any() || missing.all()) return recording_frame_.to_model(seen);
    const Vec3 supposed = recording_frame_.to_recorded(Points(model)).col(0);
    Vec3 placed = recording_frame_.to_model(missing.select(supposed, seen));
    for (int a = 0; a < 3; ++a)  // components without any recorded part stay unknown
      if (missing.select(0, rotation_.row(a).transpose()).norm() <= RecordingFrame::no_mixing) placed[a] = NAN;
    return placed;
  }

  const Observation& o_;
  Points model_start_;
  RecordingFrame recording_frame_;
  Mat3 rotation_;
};

}  // namespace

TrackRecorder::TrackRecorder(const diff::Scenario& scenario, const Observation& observation)
    : observation_(observation), model_(scenario.model), time_step_(scenario.time_step) {
  const Observation& o = observation_;
  for (const Part part : all_parts) MeasurementModel(o, scenario, part);  // throws if the observation is wrong
  tracks_.recording = scenario.name;
  tracks_.kind = &kind_of(o);
  tracks_.validation_markers = o.validation.markers;
  for (const Marker& marker : o.markers) tracks_.markers.push_back(marker.name);
  frames_ = frames_with_sights(o);
  if (frames_.empty()) return;
  for (const std::size_t f : frames_) tracks_.times.push_back(o.simulated_time(f));
  camera_.emplace(make_camera(o, frames_), scenario, Part::Fit);
  readings_.emplace(*camera_);
  start_ = Points::Zero(3, count(o));
}

void TrackRecorder::add_state(Index n, const sim::State& state) {
  if (n > last_step()) return;
  if (n == 0) start_ = marker_positions(observation_.markers, state);
  readings_->add_state(n, state);
  reached_ = n;
}

MarkerTracks TrackRecorder::finish(const diff::RolloutStatus& status) {
  if (frames_.empty()) return std::move(tracks_);
  if (status.unreliable_step <= last_step()) tracks_.unreliable_step = status.unreliable_step;
  if (!status.ok() && reached_ < last_step()) tracks_.failure = diff::to_string(status);
  Points unknown = Points::Zero(3, count(observation_));
  unknown.topRows(static_cast<Index>(tracks_.kind->components.size())).setConstant(NAN);
  tracks_.model.assign(tracks_.times.size(), unknown);
  Vector off(camera_->rows());
  readings_->residual(model_, off);
  for (const MeasurementModel::Sample& sample : camera_->samples()) {
    if (sample.time / time_step_ > static_cast<double>(reached_) + 1e-9) continue;
    for (Index row = sample.first_row; row < sample.first_row + sample.row_count; ++row)
      tracks_.model[sample.frame](camera_->row(row).component, sample.marker) = off[row] - camera_->row(row).offset;
  }
  draw_recorded();
  return std::move(tracks_);
}

void TrackRecorder::draw_recorded() {
  const Observation& o = observation_;
  const Carrier carry(o, start_);
  const auto predict = [&](Part part) {
    std::vector<Baseline> baselines;
    for (Index m = 0; m < count(o); ++m)
      for (int a = 0; a < 3; ++a) baselines.emplace_back(o, m, a, part);
    return baselines;
  };
  const std::vector<Baseline> fitted = predict(Part::Fit), forecast = predict(Part::ValidationFrame);
  for (const std::size_t f : frames_) {
    const std::vector<Baseline>& baselines = o.is_validation(f) ? forecast : fitted;
    tracks_.parts.push_back(o.is_validation(f) ? Part::ValidationFrame : Part::Fit);
    Points recorded(3, count(o)), resting_places(3, count(o)), constant_velocity(3, count(o));
    for (Index m = 0; m < count(o); ++m) {
      Vec3 resting, moving;
      for (int a = 0; a < 3; ++a) {
        const Baseline& baseline = baselines[3 * m + a];
        resting[a] = baseline.static_baseline();
        moving[a] = baseline.constant_velocity(o.times[f]);
      }
      const Vec3 model = tracks_.model[tracks_.recorded.size()].col(m);
      recorded.col(m) = carry(m, o.sight(f, m), model);
      resting_places.col(m) = carry(m, resting, model);
      constant_velocity.col(m) = carry(m, moving, model);
    }
    tracks_.recorded.push_back(recorded);
    tracks_.static_baseline.push_back(resting_places);
    tracks_.constant_velocity.push_back(constant_velocity);
  }
}

MarkerTracks compute_tracks(const diff::Scenario& scenario, const Observation& observation) {
  TrackRecorder recorder(scenario, observation);
  if (recorder.last_step() < 0) return recorder.finish({});
  diff::Scenario run = scenario;
  run.steps = recorder.last_step();
  const diff::RolloutStatus status =
      diff::run_forward(run, [&](Index n, const sim::State& state) { recorder.add_state(n, state); });
  return recorder.finish(status);
}

namespace {

/// Returns the barycentric weights of the point of triangle abc nearest to p, found from the region of the triangle's
/// plane (of a corner, an edge, or the interior) into which p projects.
Vec3 nearest_in_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap), d3 = ab.dot(bp), d4 = ac.dot(bp), d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return Vec3(-d3, d1, 0) / (d1 - d3);
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return Vec3(-d6, 0, d2) / (d2 - d6);
  if (va <= 0 && d4 >= d3 && d5 >= d6) return Vec3(0, d5 - d6, d4 - d3) / ((d4 - d3) + (d5 - d6));
  return Vec3(va, vb, vc) / (va + vb + vc);
}

}  // namespace

Attachment attach_to_vertex(const Points& vertices, const Vec3& point) {
  Index nearest = 0;
  const double square = (vertices.colwise() - point).colwise().squaredNorm().minCoeff(&nearest);
  return {{{nearest, 1.0}}, std::sqrt(square)};
}

std::optional<Attachment> attach_to_face(const Points& vertices, const std::vector<std::vector<Index>>& faces,
                                         const Vec3& point) {
  std::optional<Attachment> best;
  for (const std::vector<Index>& face : faces)
    for (std::size_t k = 1; k + 1 < face.size(); ++k) {
      const std::array<Index, 3> corners{face[0], face[k], face[k + 1]};
      Eigen::Matrix3d x;
      for (std::size_t j = 0; j < 3; ++j) x.col(j) = vertices.col(corners[j]);
      const Vec3 weights = nearest_in_triangle(point, x.col(0), x.col(1), x.col(2));
      const double distance = (x * weights - point).norm();
      if (!(distance < (best ? best->distance : INFINITY))) continue;  // a degenerate triangle may give NaN
      best = Attachment{{}, distance};
      for (std::size_t j = 0; j < 3; ++j)
        if (const double weight = weights[j]; weight > 0) best->vertices.emplace_back(corners[j], weight);
    }
  return best;
}

}  // namespace pithball::optim
