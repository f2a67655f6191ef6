#include "optim/verdict/misfit_causes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "optim/measurement/measurement_kind.hpp"
#include "optim/verdict/marker_exchange.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// A test of a cause counts if what it changes is more than this part of the misfit.
constexpr double noticed_part = 0.1;

/// The recording with the largest misfit relative to its motion, among those that do not fit if there are any.
const RecordingMisfit& worst(const FitQuality& quality) {
  const RecordingMisfit* found = nullptr;
  for (const RecordingMisfit& one : quality.recordings)
    if (one.fits() == quality.fits() && (!found || one.misfit / one.motion > found->misfit / found->motion))
      found = &one;
  return *found;
}

/// Returns the time of the last fitted frame.
double last_fitted(const Observation& o) {
  double last = o.times.front();
  for (std::size_t f = 0; f < o.times.size(); ++f)
    if (!o.is_validation(f)) last = o.times[f];
  return last;
}

MisfitCause other_minimum(const MisfitClues& clues, const RecordingMisfit& one, const Observation& o) {
  const double first = o.times.front(), last = o.times.back();
  const bool early_part_fits = one.fits_until > first;
  const double recorded = early_part_fits ? one.fits_until : first + (last - first) / 4;
  const std::string stages = formatted("fit.stages: [{horizon: %.2g}]", recorded + o.recording_frame.clock_offset),
                    count = formatted("fit.starts: {count: %d}", std::max(10, 4 * clues.starts));
  std::string reason = "local minimum";
  if (early_part_fits)
    reason += formatted(": the first %.3g s of the recording fit, later frames do not", recorded - first);
  if (clues.starts > 1)
    reason += formatted(", though %d starts were tried", clues.starts);
  else if (clues.has_searched_further)
    reason += ", though further starts were tried";
  return {reason, stages + ", or " + count, early_part_fits ? stages : count, ""};
}

/// Returns the RMS distance [m] of markers from their mean, or of a single marker from the origin; NaN without markers.
double spread(const std::vector<Vec3>& places) {
  Vec3 mean = Vec3::Zero();
  if (places.size() > 1)
    for (const Vec3& place : places) mean += place / places.size();
  double square = 0;
  for (const Vec3& place : places) square += (place - mean).squaredNorm();
  return std::sqrt(square / places.size());
}

/// Returns the spread of the recorded markers divided by the spread of the same markers of the model at the start.
/// Coordinates that are not recorded count as 0, which does not matter for a factor as large as those between units.
double recorded_scale(const Observation& o, const sim::State& start) {
  std::vector<Vec3> recorded, modeled;
  for (std::size_t f = 0; f < o.times.size() && recorded.empty(); ++f)
    for (std::size_t m = 0; m < o.markers.size(); ++m) {
      const Vec3 seen = o.place(f, m);
      if (seen.array().isNaN().all()) continue;
      recorded.push_back(seen.array().isNaN().select(0, seen));
      Vec3& place = modeled.emplace_back(Vec3::Zero());
      for (const auto& [vertex, weight] : o.markers[m].vertices) place += weight * start.x.col(vertex);
    }
  return spread(recorded) / spread(modeled);
}

/// A ratio beyond this indicates a wrong unit rather than wrong parameters: an inch is 25 mm.
constexpr double telling_scale = 20;

/// Whether a value of a recording's frame of reference is fitted, alone or with others.
bool is_fitted(const ParameterMap& map, const std::string& value, const std::string& recording) {
  return std::ranges::any_of(map.info(), [&](const ParameterInfo& info) {
    return info.value == value && (info.recording.empty() || info.recording == recording);
  });
}

/// Returns the cause of a common shift of all readings, which depends on the kind; none if no key shifts all readings
/// or if such a key is already fitted.
std::optional<MisfitCause> common_shift(const RecordingMisfit& one, const Observation& o, const ParameterMap& map) {
  const MeasurementKind& kind = *one.kind;
  MisfitCause cause;
  if (kind.geometry.registration != Registration::None) {
    if (is_fitted(map, "placement_translation", one.recording) || o.reference.kind != Reference::Kind::Absolute)
      return {};
    const bool turns = is_fitted(map, "placement_rotation", one.recording);
    cause.key = std::string("placement.fit: ") + (turns ? "both" : "translation");
    cause.recording = one.recording;
  } else {
    if (kind.own_values.empty() || is_fitted(map, kind.own_values.front().name, one.recording)) return {};
    cause.key = "fit.parameters: [" + kind.own_values.front().name + "]";
  }
  cause.reason =
      kind.geometry.shift + formatted(": a common shift of all markers is %.2g of the misfit", one.shift / one.misfit);
  cause.remedy = kind.geometry.check_shift + ", or fit it: `" + cause.key + "`";
  return cause;
}

/// Returns the unit of a file whose readings are `ratio` times those of the model: the nearest one within a factor of
/// 2, if there is any; otherwise a multiple of the unit of the kind.
std::string likely_scale(const MeasurementKind& kind, double ratio) {
  const FileUnit* nearest = nullptr;
  const auto distance = [&](const FileUnit& unit) { return std::abs(std::log2(unit.size * ratio)); };
  for (const FileUnit& unit : file_units)
    if (unit.base == kind.unit && distance(unit) < 1 && (!nearest || distance(unit) < distance(*nearest)))
      nearest = &unit;
  return "scale: " + (nearest ? std::string(nearest->written) : formatted("%.3g ", 1 / ratio) + kind.unit);
}

/// A wrong unit, if the readings are much larger or much smaller than those of the model. `what` names the quantity.
std::optional<MisfitCause> wrong_scale(const RecordingMisfit& one, const std::string& what, double ratio) {
  if (!std::isfinite(ratio) || !(ratio > telling_scale || (ratio > 0 && ratio < 1 / telling_scale))) return {};
  const std::string key = likely_scale(*one.kind, ratio);
  return MisfitCause{
      what + formatted(ratio > 1 ? " is %.0f times that of the model" : " is %.2g times that of the model", ratio),
      "check `scale` of the recording: `" + key + "` instead of " + "1 " + one.kind->unit, key, one.recording};
}

/// Returns how much the recorded readings vary in time relative to the simulated ones, over the fitted samples.
/// Independent of the zeros of the readings.
double readings_ratio(const MarkerTracks& tracks) {
  double recorded = 0, simulated = 0;
  for (std::size_t m = 0; m < tracks.markers.size(); ++m)
    for (Index a = 0; a < 3; ++a) {
      const auto column = static_cast<Index>(m);
      std::vector<double> seen, there;
      for (std::size_t f = 0; f < tracks.times.size(); ++f) {
        const double r = tracks.recorded[f](a, column), h = tracks.model[f](a, column);
        if (tracks.part(f, m) != Part::Fit || !std::isfinite(r) || !std::isfinite(h)) continue;
        seen.push_back(r);
        there.push_back(h);
      }
      const auto count = static_cast<Index>(seen.size());
      if (count == 0) continue;
      const Eigen::Map<const Vector> r(seen.data(), count), h(there.data(), count);
      recorded += (r.array() - r.mean()).square().sum();
      simulated += (h.array() - h.mean()).square().sum();
    }
  return std::sqrt(recorded / simulated);
}

/// Only absolute positions are lengths that can be compared with those of the body; pixels have no other unit.
std::optional<MisfitCause> wrong_unit(const RecordingMisfit& one, const Observation& o, const sim::State& start,
                                      const MarkerTracks& tracks) {
  if (one.kind->unit == "px" || o.reference.kind != Reference::Kind::Absolute) return {};
  if (one.kind->geometry.is_place)
    return wrong_scale(one,
                       std::string("unit of length: the recorded ") +
                           (o.markers.size() > 1 ? "spread of the markers" : "distance of the marker from the origin"),
                       recorded_scale(o, start));
  return wrong_scale(one, "unit: the spread of the recorded readings", readings_ratio(tracks));
}

/// Markers whose names were exchanged.
std::optional<MisfitCause> exchanged_names(const RecordingMisfit& one, const Observation& o,
                                           const MarkerTracks& tracks) {
  const std::optional<MarkerExchange> found = find_marker_exchange(tracks);
  if (!found) return {};
  const std::string names = "'" + tracks.markers[found->one] + "' and '" + tracks.markers[found->other] + "'";
  return MisfitCause{"exchanged names: " + names +
                         formatted(" are swapped from t = %.4g s to %.4g s, which explains %.0f %% of the misfit",
                                   o.recorded_time(found->from), o.recorded_time(found->to), 100 * found->part),
                     "exchange them in the file of " + one.recording + " between these times", "", one.recording};
}

/// A time step that is too long, if halving it changes the misfit.
std::optional<MisfitCause> long_step(const FitQuality& quality, const MisfitClues& clues, double time_step) {
  const double ratio = clues.half_step_length / std::sqrt(quality.chi_square);
  if (std::abs(ratio - 1) <= noticed_part) return {};
  const std::string key = formatted("simulation.time_step: %.6g s", time_step / 2);
  return MisfitCause{std::isnan(ratio) ? "time step: the simulation fails at half of it"
                                       : formatted("time step: at half of it the misfit is %.3g times as large", ratio),
                     "reduce simulation.time_step until the result no longer changes, first to half: `" + key + "`",
                     key, ""};
}

/// A start that contradicts the first frame.
MisfitCause wrong_start(const RecordingMisfit& one, const Observation& o) {
  const bool from_rest = o.reference.kind != Reference::Kind::Absolute;
  const std::string key = std::string("initial_state: ") + (from_rest ? "from_recording" : "free");
  return {"initial state: the first frame has a residual of " + one.kind->shown(one.start),
          key + ", or another time_offset", key, one.recording};
}

}  // namespace

std::vector<MisfitCause> find_misfit_causes(const FitQuality& quality, const MisfitClues& clues) {
  if (!quality.calls_for_causes()) return {};
  const bool fits = quality.fits();
  const RecordingMisfit& one = worst(quality);
  const auto place = std::ranges::find(clues.scenarios, one.recording, &diff::Scenario::name) - clues.scenarios.begin();
  const Observation& o = clues.observations[place];
  std::vector<MisfitCause> told, possible;

  const diff::Scenario& scenario = clues.scenarios[place];
  const std::optional<MisfitCause> unit =
      fits ? std::nullopt : wrong_unit(one, o, scenario.initial, clues.tracks[place]);
  if (unit) told.push_back(*unit);
  if (const auto exchange = exchanged_names(one, o, clues.tracks[place])) told.push_back(*exchange);
  if (const auto step = long_step(quality, clues, scenario.time_step)) told.push_back(*step);
  const bool start_is_free = std::ranges::any_of(clues.map.info(), [&](const ParameterInfo& info) {
    return info.value == "position" && info.recording == one.recording;
  });
  // If residuals are correlated, the noise estimate does not include the noise that neighboring frames share, so that
  // any first frame would appear to be off.
  const bool knows_noise = !(fits && quality.is_correlated);
  if (!start_is_free && knows_noise && one.start > 3 * one.noise && one.start > noticed_part * one.misfit)
    told.push_back(wrong_start(one, o));
  const bool has_tried = clues.starts > 1 || clues.has_searched_further;
  const bool fits_early = knows_noise && one.fits_until > o.times.front() && one.fits_until < last_fitted(o);
  if (!has_tried) (fits_early ? told : possible).push_back(other_minimum(clues, one, o));
  if (!unit && one.shift > (1 - noticed_part) * one.misfit)
    if (const auto shift = common_shift(one, o, clues.map)) told.push_back(*shift);
  if (fits) return told;  // without a large misfit, report only causes that a test supports
  possible.push_back(
      {"the model is incomplete", "add a fit parameter or a force; `pithball diagnose` tests which", "", ""});
  if (has_tried) possible.push_back(other_minimum(clues, one, o));
  told.insert(told.end(), possible.begin(), possible.end());
  return told;
}

void fields(FieldVisitor& v, MisfitCause& cause) {
  v.is("MisfitCause", "a possible cause of a misfit");
  v("reason", cause.reason, "a phrase: \"local minimum\"");
  v("remedy", cause.remedy, "what to change or to test");
  v("key", or_null(cause.key),
    "the remedy in the experiment file, \"fit.starts: {count: 10}\"; entries of `fit.parameters` come beside those "
    "that "
    "are there; null: no key answers it");
  v("recording", or_null(cause.recording), "the recording whose key it is; null: a key of the file");
}

}  // namespace pithball::optim
