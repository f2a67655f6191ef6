#include "optim/screening/start_readings.hpp"

#include <algorithm>
#include <cmath>

#include "optim/observation/marker_tracks.hpp"

namespace pithball::optim {
namespace {

/// The first `count` frames that contain a sample.
Observation first_frames(const Observation& o, Index count) {
  Observation part = o;
  part.times.clear();
  part.positions.clear();
  part.present.clear();
  part.frame_weight.clear();
  part.validation.from = std::numeric_limits<double>::infinity();
  part.validation.markers.clear();
  for (std::size_t f = 0; f < o.times.size() && static_cast<Index>(part.times.size()) < count; ++f) {
    bool any = false;
    for (Index m = 0; m < static_cast<Index>(o.markers.size()) && !any; ++m) any = !o.sight(f, m).array().isNaN().all();
    if (!any) continue;
    part.times.push_back(o.times[f]);
    part.positions.push_back(o.positions[f]);
    if (!o.present.empty()) part.present.push_back(o.present[f]);
  }
  if (!part.times.empty()) {  // the clock's scale counts from the first frame of the whole recording
    RecordingFrame& frame = part.recording_frame;
    frame.clock_offset += (frame.clock_scale - 1) * (part.times.front() - o.times.front());
  }
  return part;
}

/// What the model would record of a marker. For displacements only the recorded components are known.
Vec3 reading_of(const Observation& o, const MarkerTracks& tracks, std::size_t f, Index m) {
  if (o.instrument) return tracks.model[f].col(m);
  const Vec3 model = tracks.model[f].col(m);
  if (o.reference.kind == Reference::Kind::Absolute) return o.recording_frame.to_recorded(Points(model)).col(0);
  const Vec3 off = tracks.model[f].col(m) - tracks.recorded[f].col(m);
  return o.sight(f, m) + o.recording_frame.rotation_matrix().transpose() * off / o.recording_frame.scale();
}

}  // namespace

StartReadings simulate_readings(const diff::Scenario& scenario, const Observation& observation, Index frames) {
  const Observation o = first_frames(observation, frames);
  const auto markers = static_cast<Index>(o.markers.size());
  StartReadings readings;
  readings.period = kind_of(o).period;
  readings.knows_noise = o.noise.origin != SigmaOrigin::Guess;
  readings.sigma.resize(3, markers);
  for (Index m = 0; m < markers; ++m)
    for (int a = 0; a < 3; ++a) readings.sigma(a, m) = o.noise.component_sigma(m, a);
  if (o.times.empty()) return readings;
  TrackRecorder recorder(scenario, o);
  diff::Scenario part = scenario;
  part.steps = std::min(part.steps, recorder.last_step());
  const diff::RolloutStatus status =
      diff::run_forward(part, [&](Index n, const sim::State& state) { recorder.add_state(n, state); });
  const MarkerTracks tracks = recorder.finish(status);
  for (std::size_t f = 0; f < o.times.size(); ++f) {
    Points& seen = readings.recorded.emplace_back(3, markers);
    Points& simulated = readings.simulated.emplace_back(3, markers);
    for (Index m = 0; m < markers; ++m) {
      seen.col(m) = o.sight(f, m);
      simulated.col(m) = reading_of(o, tracks, f, m);
    }
  }
  return readings;
}

bool ReadingTest::is_off(const SquareSum& written) const {
  constexpr double noise_multiple = 3;
  return written.count >= least_residuals && (!knows_noise || written.mean() > noise_multiple * noise_multiple);
}

double ReadingTest::excess(const SquareSum& squares) const {
  if (!knows_noise) return squares.mean();
  constexpr double deviations = 3;  // of a mean square of normal noise
  const double by_chance = 1 + deviations * std::sqrt(2 / static_cast<double>(squares.count));
  return std::max(0.0, squares.mean() - by_chance);
}

bool ReadingTest::is_better(const SquareSum& other, const SquareSum& written) const {
  if (!is_off(written) || other.count != written.count || !(other.sum < written.sum)) return false;
  constexpr double least_likelihood_ratio = 50;
  if (knows_noise && written.sum - other.sum < least_likelihood_ratio) return false;
  const double beyond = written.mean() - (knows_noise ? 1 : 0);
  return excess(other) * least_improvement * least_improvement <= beyond;
}

std::vector<Index> window_ends(Index frames) {
  std::vector<Index> ends;
  for (Index end = 1; end < frames; end *= 2) ends.push_back(end);
  if (frames > 0) ends.push_back(frames);
  return ends;
}

}  // namespace pithball::optim
