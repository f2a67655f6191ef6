#include "optim/weak_form/body_track.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::optim {
namespace {

/// Largest fraction of an interval by which a frame of a track may be early or late, for example if times have few
/// digits.
constexpr double jitter = 0.01;

/// Reference of a marker's position: x_model = origin + scale · R (x_observed − observed).
struct Origin {
  Vec3 model, observed;
};

bool depends_on_velocity(const sim::Model& model) {
  return std::ranges::any_of(model.terms(), [](const auto& term) { return sim::is_velocity_dependent(*term); });
}

/// Returns the marker of every free particle, −1 for others; `missing` names a free particle without a marker.
std::vector<Index> find_own_markers(const sim::Model& model, const Observation& observation, std::string& missing) {
  std::vector<Index> own(model.particles(), -1);
  for (std::size_t m = 0; m < observation.markers.size(); ++m) {
    const auto& vertices = observation.markers[m].vertices;
    const bool is_fitted = observation.validation.markers.empty() || !observation.validation.markers[m];
    if (is_fitted && vertices.size() == 1 && vertices[0].second == 1 && !model.is_held(vertices[0].first))
      own[vertices[0].first] = m;
  }
  for (Index i = 0; i < model.particles(); ++i)
    if (own[i] < 0 && !model.is_held(i)) {
      missing = "particle " + std::to_string(i) + " has no marker of its own";
      break;
    }
  return own;
}

/// Finds the reference of a marker's position; false if the recording does not contain it.
bool find_origin(const diff::Scenario& scenario, const Observation& observation, Index particle, Index marker,
                 Origin& origin) {
  switch (observation.reference.kind) {
    case Reference::Kind::Absolute:
      origin = {observation.recording_frame.translation, Vec3::Zero()};
      return true;
    case Reference::Kind::Given:
      origin = {observation.reference.model.col(marker), observation.reference.observed.col(marker)};
      return true;
    case Reference::Kind::Start:
      break;
  }
  if (scenario.rest_near) return false;
  const bool is_given = observation.reference.observed.size() > 0;
  origin = {scenario.initial.x.col(particle),
            is_given ? Vec3(observation.reference.observed.col(marker)) : observation.sight(0, marker)};
  return origin.observed.allFinite();
}

/// Returns the positions at the start, where held particles stay.
Points resting_place(const diff::Scenario& scenario) {
  if (!scenario.rest_near) return scenario.initial.x;
  return *scenario.rest_near + scenario.initial.x;
}

/// Divides frames (with positions only) into tracks of equal intervals.
std::vector<BodyTrack> divide(std::vector<sim::State> frames, const std::vector<std::size_t>& numbers) {
  std::vector<BodyTrack> tracks;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const bool follows = f > 0 && numbers[f] == numbers[f - 1] + 1 && !tracks.empty();
    const double interval = f > 0 ? frames[f].t - frames[f - 1].t : 0;
    if (follows && tracks.back().frames.size() == 1) tracks.back().interval = interval;
    if (!follows || std::abs(interval - tracks.back().interval) > jitter * tracks.back().interval)
      tracks.push_back({interval, {}});
    tracks.back().frames.push_back(std::move(frames[f]));
  }
  for (BodyTrack& track : tracks)  // averages out the rounding of single times
    if (track.frames.size() > 1)
      track.interval = (track.frames.back().t - track.frames.front().t) / static_cast<double>(track.frames.size() - 1);
  return tracks;
}

void find_velocities(BodyTrack& track) {
  const std::size_t count = track.frames.size();
  if (count < 5) return track.frames.clear();
  std::vector<sim::State>& at = track.frames;
  for (std::size_t n = 2; n + 2 < count; ++n)
    at[n].v = (8 * (at[n + 1].x - at[n - 1].x) - (at[n + 2].x - at[n - 2].x)) / (12 * track.interval);
  at.erase(at.end() - 2, at.end());
  at.erase(at.begin(), at.begin() + 2);
}

}  // namespace

RecordedBody read_recorded_body(const diff::Scenario& scenario, const Observation& observation) {
  const sim::Model& model = scenario.model;
  RecordedBody body;
  if (!kind_of(observation).geometry.is_place) {
    body.missing = "it is not a recording of positions";
    return body;
  }
  const std::vector<Index> own = find_own_markers(model, observation, body.missing);
  body.sigma = Vector::Zero(model.particles());
  std::vector<Origin> origins(model.particles());
  for (Index i = 0; i < model.particles() && body.missing.empty(); ++i) {
    if (own[i] < 0) continue;
    body.sigma[i] = observation.recording_frame.scale() * observation.noise.sigma[own[i]];
    if (!find_origin(scenario, observation, i, own[i], origins[i]))
      body.missing = "it is of displacements from an unknown place";
  }
  if (!body.missing.empty()) return body;

  const Mat3 turned = observation.recording_frame.scale() * observation.recording_frame.rotation_matrix();
  const Points rest = resting_place(scenario), none = Points::Zero(3, model.particles());
  std::vector<sim::State> frames;
  std::vector<std::size_t> numbers;
  for (std::size_t f = 0; f < observation.times.size() && !observation.is_validation(f); ++f) {
    sim::State state{observation.simulated_time(f), rest, none};
    for (Index i = 0; i < model.particles(); ++i)
      if (own[i] >= 0)
        state.x.col(i) = origins[i].model + turned * (observation.sight(f, own[i]) - origins[i].observed);
    if (!state.x.allFinite()) continue;
    model.place_held(state.t, state.x, &state.v);
    frames.push_back(std::move(state));
    numbers.push_back(f);
  }
  body.tracks = divide(std::move(frames), numbers);
  if (depends_on_velocity(model))
    for (BodyTrack& track : body.tracks) find_velocities(track);
  std::erase_if(body.tracks, [](const BodyTrack& track) { return track.frames.size() < 3; });
  if (body.tracks.empty()) body.missing = "the whole body is not seen in enough consecutive frames at equal intervals";
  return body;
}

}  // namespace pithball::optim
