#pragma once
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "optim/measurement/kinds/point.hpp"
#include "sim/core/types.hpp"

namespace pithball::optim {

using sim::Index;
using sim::Points;
using sim::Vec3;
using sim::Vector;

/// The attachment of a marker to the body: Σ weight · x_vertex. If the weights add up to 1, the marker moves with a
/// translation of the body.
struct Marker {
  std::string name;                                ///< unique in the recording, for messages and tables
  std::vector<std::pair<Index, double>> vertices;  ///< (vertex, weight)
};

/// The reference of positions: with what they are compared, in the recording's frame of reference. R and translation
/// are those of the recording_frame. For a scenario that starts from the model's equilibrium (`rest_near`) with known
/// displacements, displacements from both rests are `Start` with `observed` = observed rest + Σ weight·initial.x of the
/// marker.
struct Reference {
  /// What is compared.
  enum class Kind {
    Absolute,  ///< Rᵀ(x_model − translation) − x_observed
    Start,     ///< Rᵀ(x_model(t) − x_model(0)) − (x_observed(t) − observed)
    Given,     ///< Rᵀ(x_model(t) − model) − (x_observed(t) − observed): displacements from two rest shapes
  };
  Kind kind = Kind::Absolute;  ///< with what positions are compared
  Points model;                ///< 3×M [m], for Kind::Given
  Points observed;             ///< 3×M [m]; for Kind::Start it may be empty: the first frame
};

/// The part of the data to which a sample belongs.
enum class Part {
  Fit,               ///< fitted
  ValidationFrame,   ///< in a predicted frame: a later time, or a validation recording
  ValidationMarker,  ///< of a predicted marker, in a frame in which others are fitted
};
/// Every part, in the order of tables.
inline constexpr std::array<Part, 3> all_parts{Part::Fit, Part::ValidationFrame, Part::ValidationMarker};

/// "fit", "validation_frame", "validation_marker": the words in fit.json.
inline const char* to_string(Part part) {
  return part == Part::Fit ? "fit" : part == Part::ValidationFrame ? "validation_frame" : "validation_marker";
}

/// Source of a recording's sigma, which determines the meaning of residuals in units of it.
enum class SigmaOrigin {
  Written,  ///< given in the experiment file
  Tracks,   ///< the noise of the tracks (track_noise.hpp)
  Guess,    ///< only a weight between recordings: the tracks show no noise, or are too short
};

/// Standard deviations of the recorded numbers of M markers.
struct ReadingNoise {
  Vector sigma;                               ///< M, of each component of a marker's position [m], > 0
  Points factor;                              ///< 3×M, > 0: a component's is sigma times this; empty: all 1
  SigmaOrigin origin = SigmaOrigin::Written;  ///< where `sigma` comes from
  /// k_B T [J] of the medium in which free particles are in Brownian motion, which adds to the errors of the readings
  /// (free_diffusion.hpp); 0: none.
  double thermal_energy = 0;
  /// Of that motion: D [m²/s] of the particle that each marker follows, M; empty: that of the scenario's values.
  Vector diffusion = {};
  /// F arrays 3×M, > 0: that of a component of one sample is its sigma times this; empty: all 1.
  std::vector<Points> sample_factor = {};

  /// Standard deviation of one component of a marker's position [m].
  double component_sigma(Index marker, int component) const {
    return factor.size() == 0 ? sigma[marker] : sigma[marker] * factor(component, marker);
  }
};

/// The part of a recording that is not fitted but predicted.
struct Validation {
  double from = std::numeric_limits<double>::infinity();  ///< frames at or after this recorded time; −∞: all frames
  std::vector<bool> markers;                              ///< M, true: the marker, in every frame; empty: none
};

/// Recorded positions of M markers at F times.
struct Observation {
  std::vector<Marker> markers;             ///< M
  std::vector<double> times;               ///< F, strictly increasing, on the recording's own clock [s]
  std::vector<Points> positions;           ///< F arrays 3×M [m]; a component that is not finite is missing
  std::vector<std::vector<bool>> present;  ///< F×M, false: missing whatever the position says; empty: all present
  std::vector<Index> frame_numbers;        ///< F, in the words of the file, for messages; empty: 0, 1, …
  /// M, true: the coordinate was not recorded; its position is an assumption, such as the depth of a planar recording.
  /// It is used for placing a marker and has no residual. Empty: none.
  std::vector<std::array<bool, 3>> supposed;
  ReadingNoise noise;  ///< standard deviations of the positions
  /// F, > 0: the frame's residuals are multiplied by it; empty: all 1. For decaying motion, e^{at} gives late, small
  /// oscillations the same influence as early ones.
  std::vector<double> frame_weight;
  std::shared_ptr<const Instrument> instrument;  ///< meaning of the numbers; null: positions
  RecordingFrame recording_frame;  ///< relation of the recording's clock and frame of reference to the model's

  Reference reference;    ///< with what positions are compared
  Validation validation;  ///< what is predicted instead; its `from` −∞: a validation recording

  /// Recorded position of a marker in a frame [m]; NaN: missing.
  Vec3 sight(std::size_t frame, Index marker) const {
    Vec3 seen = place(frame, marker);
    if (supposed.empty()) return seen;
    for (int a = 0; a < 3; ++a)
      if (supposed[marker][a]) seen[a] = NAN;
    return seen;
  }
  /// The same including assumed coordinates: the position of the marker.
  Vec3 place(std::size_t frame, Index marker) const {
    if (!present.empty() && !present[frame][marker]) return Vec3::Constant(NAN);
    const Vec3 seen = positions[frame].col(marker);
    return seen.array().isFinite().select(seen, NAN);
  }
  double simulated_time(std::size_t frame) const {  ///< [s], by the recording_frame's clock
    const double t = times[frame];
    return t + recording_frame.clock_offset + (recording_frame.clock_scale - 1) * (t - times.front());
  }
  double recorded_time(double simulated) const {  ///< its inverse [s]
    return times.front() + (simulated - recording_frame.clock_offset - times.front()) / recording_frame.clock_scale;
  }
  /// Whether no sample of the frame is fitted.
  bool is_validation(std::size_t frame) const { return times[frame] >= validation.from; }
  /// To which part a sample belongs; whether it exists is not asked.
  Part part(std::size_t frame, Index marker) const {
    if (is_validation(frame)) return Part::ValidationFrame;
    return !validation.markers.empty() && validation.markers[marker] ? Part::ValidationMarker : Part::Fit;
  }
};

/// The measurement kind of the recording.
inline const MeasurementKind& kind_of(const Observation& observation) {
  return observation.instrument ? observation.instrument->kind() : point_kind();
}

}  // namespace pithball::optim
