#include "app/experiment/recording/recorded_noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/experiment/recording/measurement_spec.hpp"
#include "optim/observation/track_noise.hpp"

namespace pithball::app {
namespace {

using optim::TrackNoise;

bool lacks_sigma(const Recording& recording) { return recording.observation.noise.sigma.array().isNaN().any(); }

void reject_constants(const Node& item, const Recording& recording, const TrackNoise& noise) {
  for (const auto& [marker, component] : noise.constant) {
    if (!std::isnan(recording.observation.noise.sigma[marker])) continue;
    item.reject("columns",
                "must vary irregularly from frame to frame, as the other coordinates do (by " +
                    noise.kind->shown(noise.all.sigma) + ": noise, or a motion too fast for the frame rate)",
                fmt::format("constant {} coordinate of marker '{}'", noise.kind->components[component],
                            recording.observation.markers[marker].name),
                "a constant is not a measurement: write `none` for this coordinate, or give a `sigma`");
  }
}

/// Returns the RMS distance of points from their center [m].
double extent_of(const Points& points) {
  const Vec3 center = points.rowwise().mean();
  return std::sqrt((points.colwise() - center).squaredNorm() / static_cast<double>(points.cols()));
}

/// Markers in the first frame: their recorded positions, and those on the body's mesh; coordinates that the recording
/// does not have are 0 in both. (An initial state estimated from the recording would have its unit.)
struct FirstFrame {
  Points recorded, model;
  explicit FirstFrame(const Recording& recording) {
    const optim::Observation& o = recording.observation;
    std::vector<Vec3> seen, meant;
    std::optional<Eigen::Array<bool, 3, 1>> missing;  // of the first marker, and of those that are compared with it
    for (std::size_t m = 0; m < o.markers.size(); ++m) {
      const Vec3 place = o.recording_frame.to_model(o.place(0, static_cast<Index>(m)));
      if (place.array().isNaN().all()) continue;
      if (!missing) missing = place.array().isNaN();
      if ((place.array().isNaN() != *missing).any()) continue;
      seen.push_back(missing->select(0, place));
      Vec3 on_body = Vec3::Zero();
      for (const auto& [vertex, weight] : o.markers[m].vertices)
        on_body += weight * recording.own.body.mesh.vertices.col(vertex);
      meant.push_back(missing->select(0, on_body));
    }
    recorded.resize(3, static_cast<Index>(seen.size()));
    model.resizeLike(recorded);
    for (std::size_t k = 0; k < seen.size(); ++k) {
      recorded.col(static_cast<Index>(k)) = seen[k];
      model.col(static_cast<Index>(k)) = meant[k];
    }
  }
  Index count() const { return recorded.cols(); }
  double distance() const { return std::sqrt((recorded - model).squaredNorm() / static_cast<double>(count())); }
};

/// Returns a sentence on the coordinates of a recording that are given as constants instead of columns; empty if there
/// are none.
std::string say_constants(const Recording& recording) {
  std::string axes;
  for (std::size_t a = 0; a < recording.kind->components.size(); ++a)
    if (std::ranges::any_of(recording.observation.supposed, [&](const auto& marker) { return marker[a]; }))
      axes += fmt::format("{}{}", axes.empty() ? "" : ", ", "xyz"[a]);
  if (axes.empty()) return "";
  return fmt::format(
      "{}: columns.points gives a number instead of a column for {}: this is a known coordinate and not a measurement; "
      "write `none` if it is unknown",
      recording.name, axes);
}

/// Returns the unit of a file whose lengths are `ratio` times those of the model; empty if it is not a common unit.
std::string say_unit(double ratio) {
  if (ratio > 300 && ratio < 3000) return "; if the file is in mm, write `scale: 1 mm`";
  if (ratio > 30 && ratio < 300) return "; if the file is in cm, write `scale: 1 cm`";
  return "";
}

/// Returns a warning if numbers read as meters are probably pixels: two coordinates, never negative, and too large
/// compared with the body for any unit of length. Empty otherwise.
std::string say_pixels(const Recording& recording) {
  const optim::Observation& o = recording.observation;
  Vec3 least = Vec3::Constant(INFINITY), most = Vec3::Constant(-INFINITY);
  for (std::size_t f = 0; f < o.times.size(); ++f)
    for (Index m = 0; m < static_cast<Index>(o.markers.size()); ++m) {
      const Vec3 seen = o.sight(f, m);
      least = seen.array().isNaN().select(least, least.cwiseMin(seen));
      most = seen.array().isNaN().select(most, most.cwiseMax(seen));
    }
  const auto is_seen = most.array() >= least.array();
  const double body = extent_of(recording.own.scenario.initial.x);
  constexpr double beyond_lengths = 100;  // times the size of the body
  if (is_seen.count() != 2 || is_seen.select(least, 0).minCoeff() < 0) return "";
  if (!(body > 0) || !(is_seen.select(most, 0).maxCoeff() > beyond_lengths * body)) return "";
  return fmt::format(
      "{}: coordinates up to {:.4g} m beside a body of {:.3g} m look like pixels of an image: write `measurement: "
      "{{camera: "
      "{{focal_length: …, image_size: […]}}}}`, or the unit of length as `scale`",
      recording.name, is_seen.select(most, 0).maxCoeff(), body);
}

}  // namespace

std::vector<std::string> find_constant_coordinates(const std::vector<Recording>& recordings) {
  std::vector<std::string> said;
  for (const Recording& recording : recordings)
    if (std::string one = say_constants(recording); !one.empty()) said.push_back(std::move(one));
  return said;
}

std::vector<std::string> take_recorded_noise(const std::vector<Node>& items, std::vector<Recording>& recordings) {
  std::vector<TrackNoise> noises;
  std::vector<std::size_t> places;
  for (std::size_t s = 0; s < recordings.size(); ++s) {
    if (!lacks_sigma(recordings[s])) continue;
    places.push_back(s);
    noises.push_back(optim::estimate_track_noise(recordings[s].name, recordings[s].observation));
    reject_constants(items[s], recordings[s], noises.back());
  }
  optim::settle_noise(noises);
  std::vector<std::string> said;
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (std::isnan(noises[k].all.sigma))
      items[places[k]].reject("", "must have noise or motion, or a sigma", "one marker that never moves",
                              "write `residual: {sigma: …}`, the standard deviation of a coordinate");
    optim::take_sigma(noises[k], recordings[places[k]].observation);
    const TrackNoise& noise = noises[k];
    // A note is given if noise differs between components or markers, or comes from residuals; otherwise it is printed
    // with every fit anyway.
    if (noise.by_component || noise.by_marker || noise.source == optim::NoiseSource::Residuals)
      said.push_back(noise.sentence());
  }
  return said;
}

std::vector<std::string> find_placement_doubts(const Recording& recording) {
  const optim::Observation& o = recording.observation;
  std::vector<std::string> said;
  const bool starts_there = recording.start.is_written();
  if (recording.planned || o.instrument || o.reference.kind != optim::Reference::Kind::Absolute || o.times.empty())
    return said;
  const double first = o.simulated_time(0), span = o.times.back() - o.times.front();
  constexpr double many_steps = 1000;  // between frames; times in ms read as s give a thousand times too many
  const double steps = o.times.size() > 1 && recording.own.scenario.time_step > 0
                           ? span / static_cast<double>(o.times.size() - 1) / recording.own.scenario.time_step
                           : 0;
  if (steps >= many_steps)
    said.push_back(fmt::format(
        "{}: frames are {:.3g} s or {:.3g} time steps apart; if the times of the file are in ms, write `columns: "
        "{{time_scale: 1 ms}}`",
        recording.name, steps * recording.own.scenario.time_step, steps));
  if (starts_there && o.times.size() > 1 && first > span)
    said.push_back(fmt::format(
        "{}: the first frame comes {:.3g} s after the start, later than the recording lasts ({:.3g} s): write "
        "time_offset: {:.6g} s if the body starts with the recording",
        recording.name, first, span, -o.times.front()));
  if (std::string pixels = say_pixels(recording); !pixels.empty()) said.push_back(std::move(pixels));
  const FirstFrame frame(recording);
  if (frame.count() == 0) return said;
  const double recorded = extent_of(frame.recorded), model = extent_of(frame.model);
  constexpr double other_unit = 3;  // a smaller ratio may be strain; units differ by factors of ten
  if (frame.count() > 1 && model > 0 && (recorded > other_unit * model || recorded < model / other_unit))
    said.push_back(
        fmt::format("{}: the markers of the first frame span {:.3g} mm, those of the model {:.3g} mm: check `scale` of "
                    "the recording{}",
                    recording.name, 1e3 * recorded, 1e3 * model, say_unit(recorded / model)));
  if (!starts_there || first > 1e-6 * span) return said;
  const double motion = optim::estimate_track_noise(recording.name, o).motion * std::sqrt(3.0);
  const double extent = extent_of(recording.own.body.mesh.vertices);
  const double reach = std::max(extent, 2 * motion);
  if (reach > 0 && frame.distance() > reach)
    said.push_back(fmt::format(
        "{}: the first frame is {:.3g} mm from the body, which itself is {:.3g} mm large and moves by {:.3g} mm: check "
        "`scale` (for example `scale: 1 mm`), `up` and `placement` of the recording, or write `initial_state: free`",
        recording.name, 1e3 * frame.distance(), 1e3 * extent, 1e3 * motion));
  return said;
}

}  // namespace pithball::app
