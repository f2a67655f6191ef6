#include "optim/verdict/position_errors.hpp"

#include <cmath>

#include "optim/measurement/kinds/point.hpp"
#include "optim/measurement/measurement_kinds.hpp"

namespace pithball::optim {
namespace {

double squared(double x) { return x * x; }

/// Sums of squares, from which errors() computes RMS values.
struct Sums {
  const MeasurementKind* kind = nullptr;
  Index samples = 0, with_baseline = 0;
  double model = 0, static_baseline = 0, constant_velocity = 0;
  bool mixed = false;

  void add(const MarkerTracks& tracks, std::size_t frame, Index marker) {
    kind = tracks.kind;
    bool seen = false, has_baseline = false;
    for (int a = 0; a < 3; ++a) {
      const double position = tracks.recorded[frame](a, marker);
      if (std::isnan(position)) continue;
      seen = true;
      model += squared(tracks.model[frame](a, marker) - position);
      if (std::isnan(tracks.static_baseline[frame](a, marker))) continue;
      has_baseline = true;
      static_baseline += squared(tracks.static_baseline[frame](a, marker) - position);
      constant_velocity += squared(tracks.constant_velocity[frame](a, marker) - position);
    }
    samples += seen;
    with_baseline += has_baseline;
  }
  void add(const Sums& other) {
    if (other.samples == 0) return;
    if (!kind) kind = other.kind;
    mixed |= kind->unit != other.kind->unit;
    samples += other.samples;
    with_baseline += other.with_baseline;
    model += other.model;
    static_baseline += other.static_baseline;
    constant_velocity += other.constant_velocity;
  }
  PositionErrors errors() const {
    PositionErrors e;
    e.samples = samples;
    e.with_baseline = with_baseline;
    if (kind) e.kind = mixed ? nullptr : kind;
    if (samples == 0 || mixed) return e;
    e.model = std::sqrt(model / samples);
    if (with_baseline == 0) return e;
    e.static_baseline = std::sqrt(static_baseline / with_baseline);
    e.constant_velocity = std::sqrt(constant_velocity / with_baseline);
    return e;
  }
};

/// Returns the sums of squares from which these errors were computed.
Sums sums_of(const PositionErrors& e) {
  if (e.samples == 0) return {};
  Sums sums{e.kind, e.samples, e.with_baseline, e.samples * squared(e.model)};
  if (e.with_baseline > 0) {
    sums.static_baseline = e.with_baseline * squared(e.static_baseline);
    sums.constant_velocity = e.with_baseline * squared(e.constant_velocity);
  }
  return sums;
}

/// Fields with the errors of the baselines in one part of all recordings.
void baseline_fields(FieldVisitor& v, const char* part, PositionErrors& e) {
  v.block(part, "Baselines", "errors of the baselines", [&] {
    v("static", e.static_baseline, of_kind, "of markers that stay where they were last fitted");
    v("constant_velocity", e.constant_velocity, of_kind, "of markers that keep their last velocity");
  });
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

FitErrors pool(std::vector<RecordingErrors> recordings) {
  const PositionErrors fit = pool(recordings, Part::Fit), frames = pool(recordings, Part::ValidationFrame),
                       markers = pool(recordings, Part::ValidationMarker);
  return {fit, frames, markers, std::move(recordings)};
}

void fields(FieldVisitor& v, PositionErrors& e) {
  v.is("PositionErrors", "RMS distances between predicted and recorded markers");
  v("samples", e.samples, "number of markers and frames with a recorded component");
  v("rms", e.model, of_kind, "of the simulation; null: no samples");
  v("static", e.static_baseline, of_kind, "of markers that stay where they were last fitted; null: no baseline");
  v("constant_velocity", e.constant_velocity, of_kind, "of markers that keep their last velocity; null: no baseline");
}

void fields(FieldVisitor& v, RecordingErrors& e) {
  v.is("RecordingErrors", "errors of one part of one recording");
  std::string measurement = e.all.kind->name;
  v("recording", e.recording, "as in the experiment file");
  v("measurement", measurement, "its measurement kind");
  v("part", as_word(e.part, all_parts), "whose samples are counted");
  v("all", e.all, "over all markers");
  v("markers", e.markers, "by marker");
  v.after_reading([&] {
    e.all.kind = find_measurement_kind(measurement);
    for (PositionErrors& marker : e.markers) marker.kind = e.all.kind;
  });
  v("failure", or_null(e.failure), "why the model could not be simulated to its end; null: it could");
}

void fields(FieldVisitor& v, FitErrors& errors) {
  v.is("FitErrors", "RMS errors of the fit and of its baselines");
  v("fit", errors.fit.model, of_kind, "of all fitted samples");
  v("validation_frames", errors.validation_frames.model, of_kind, "of all predicted frames; null: none");
  v("validation_markers", errors.validation_markers.model, of_kind, "of all predicted markers; null: none");
  v.block("baselines", "AllBaselines", "errors of the baselines of the same samples", [&] {
    baseline_fields(v, "fit", errors.fit);
    baseline_fields(v, "validation_frames", errors.validation_frames);
    baseline_fields(v, "validation_markers", errors.validation_markers);
  });
  v("recordings", errors.recordings, "by recording and part");
  v.after_reading([&] {
    for (PositionErrors* pooled : {&errors.fit, &errors.validation_frames, &errors.validation_markers})
      pooled->kind = common_kind(errors.recordings);
  });
}

}  // namespace pithball::optim
