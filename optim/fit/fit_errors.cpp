#include "optim/fit/fit_errors.hpp"

#include <cmath>

#include "optim/measurement/kinds/point.hpp"

namespace pithball::optim {
namespace {

double squared(double x) { return x * x; }

/// Sums of squares, first; their roots at the end.
struct Sums {
  const MeasurementKind* kind = nullptr;
  Index samples = 0;
  double model = 0, static_baseline = 0, constant_velocity = 0;
  bool mixed = false;

  void add(const MarkerTracks& tracks, std::size_t frame, Index marker) {
    kind = tracks.kind;
    bool seen = false;
    for (int a = 0; a < 3; ++a) {
      const double position = tracks.recorded[frame](a, marker);
      if (std::isnan(position)) continue;
      seen = true;
      model += squared(tracks.model[frame](a, marker) - position);
      if (std::isnan(tracks.static_baseline[frame](a, marker))) continue;
      static_baseline += squared(tracks.static_baseline[frame](a, marker) - position);
      constant_velocity += squared(tracks.constant_velocity[frame](a, marker) - position);
    }
    if (seen) ++samples;
  }
  void add(const Sums& other) {
    if (other.samples == 0) return;
    if (!kind) kind = other.kind;
    mixed |= kind->unit != other.kind->unit;
    samples += other.samples;
    model += other.model;
    static_baseline += other.static_baseline;
    constant_velocity += other.constant_velocity;
  }
  PositionErrors errors() const {
    PositionErrors e;
    e.samples = samples;
    if (kind) e.kind = mixed ? nullptr : kind;
    if (samples == 0 || mixed) return e;
    const auto mean_root = [this](double sum) { return std::sqrt(sum / samples); };
    e.model = mean_root(model);
    e.static_baseline = mean_root(static_baseline);
    e.constant_velocity = mean_root(constant_velocity);
    return e;
  }
};

/// What Sums held before their roots were taken.
Sums sums_of(const PositionErrors& e) {
  if (e.samples == 0) return {};
  const double n = e.samples;
  return {e.kind, e.samples, n * squared(e.model), n * squared(e.static_baseline), n * squared(e.constant_velocity)};
}

}  // namespace

RecordingErrors compute_errors(const MarkerTracks& tracks, Part part) {
  RecordingErrors result;
  result.recording = tracks.recording;
  result.part = part;
  std::vector<Sums> by_marker(tracks.markers.size());
  for (std::size_t g = 0; g < tracks.times.size(); ++g) {
    for (std::size_t m = 0; m < by_marker.size(); ++m) {
      if (tracks.part(g, m) != part) continue;
      if (tracks.model[g].array().isNaN().any()) result.failure = tracks.failure;
      by_marker[m].add(tracks, g, m);
    }
  }
  Sums all;
  for (const Sums& sums : by_marker) {
    result.markers.push_back(sums.errors());
    all.add(sums);
  }
  result.all = all.errors();
  return result;
}

std::vector<PositionErrors> compute_errors_over_time(const MarkerTracks& tracks) {
  std::vector<PositionErrors> errors;
  for (std::size_t g = 0; g < tracks.times.size(); ++g) {
    Sums sums;
    for (std::size_t m = 0; m < tracks.markers.size(); ++m) sums.add(tracks, g, m);
    errors.push_back(sums.errors());
  }
  return errors;
}

const MeasurementKind* common_kind(const std::vector<RecordingErrors>& errors) {
  if (errors.empty()) return &point_kind();
  for (const RecordingErrors& e : errors)
    if (!e.all.kind || e.all.kind->unit != errors.front().all.kind->unit) return nullptr;
  return errors.front().all.kind;
}

PositionErrors pool(const std::vector<RecordingErrors>& errors, Part part) {
  Sums sums;
  for (const RecordingErrors& e : errors)
    if (e.part == part) sums.add(sums_of(e.all));
  return sums.errors();
}

}  // namespace pithball::optim
