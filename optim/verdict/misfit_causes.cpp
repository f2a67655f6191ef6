#include "optim/verdict/misfit_causes.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// A cause is named where its test changes or explains more than this part of the misfit.
constexpr double telling_part = 0.1;

/// The recording that fits worst beside its motion, of those that do not fit if there are any.
const RecordingMisfit& worst(const FitQuality& quality) {
  const RecordingMisfit* found = nullptr;
  for (const RecordingMisfit& one : quality.recordings)
    if (one.fits() == quality.fits() && (!found || one.misfit / one.motion > found->misfit / found->motion))
      found = &one;
  return *found;
}

/// The last recorded time that takes part in the fit.
double last_fitted(const Observation& o) {
  double last = o.times.front();
  for (std::size_t f = 0; f < o.times.size(); ++f)
    if (!o.is_validation(f)) last = o.times[f];
  return last;
}

MisfitCause other_minimum(int starts, const RecordingMisfit& one, const Observation& o) {
  const double first = o.times.front(), last = o.times.back();
  const bool early_part_fits = one.fits_until > first;
  const double recorded = early_part_fits ? one.fits_until : first + (last - first) / 4;
  const double horizon = recorded + o.recording_frame.clock_offset;
  std::string reason = "local minimum";
  if (early_part_fits)
    reason += formatted(": the first %.3g s of the recording fit, later frames do not", recorded - first);
  else if (starts > 1)
    reason += formatted(", though %d starts were tried", starts);
  return {reason,
          formatted("fit.stages: [{horizon: %.2g}], or fit.starts: {count: %d}", horizon, std::max(10, 4 * starts))};
}

/// How far markers lie from their mean; of a single one, from the origin [m]. NaN: there are none.
double spread(const std::vector<Vec3>& places) {
  Vec3 mean = Vec3::Zero();
  if (places.size() > 1)
    for (const Vec3& place : places) mean += place / places.size();
  double square = 0;
  for (const Vec3& place : places) square += (place - mean).squaredNorm();
  return std::sqrt(square / places.size());
}

/// The spread of the recorded markers beside that of the model's at the start. Coordinates that are not recorded count
/// as 0, which is no matter for a factor as large as those between units.
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

/// A ratio beyond this is no matter of parameters: an inch is 25 mm.
constexpr double telling_scale = 20;

/// What one shift of all readings means for each kind.
MisfitCause common_shift(const RecordingMisfit& one) {
  const std::string part = formatted(": a common shift of all markers is %.2g of the misfit", one.shift / one.misfit);
  return {one.kind->geometry.shift + part, one.kind->geometry.check_shift};
}

/// A wrong unit of length, if the markers lie much farther apart than those of the model, or much closer.
std::optional<MisfitCause> wrong_unit(const Observation& o, const sim::State& start) {
  const double scale = recorded_scale(o, start);
  if (!std::isfinite(scale) || !(scale > telling_scale || scale < 1 / telling_scale)) return {};
  const char* what = o.markers.size() > 1 ? "spread of the markers" : "distance of the marker from the origin";
  const double powers = std::log10(scale);
  const char* example = std::abs(powers - 3) < 0.3   ? ": `scale: 1 mm` for a file in millimeters"
                        : std::abs(powers - 2) < 0.3 ? ": `scale: 1 cm` for a file in centimeters"
                                                     : "";
  return MisfitCause{formatted(scale > 1 ? "unit of length: the recorded %s is %.0f times that of the model"
                                         : "unit of length: the recorded %s is %.2g times that of the model",
                               what, scale),
                     std::string("check `scale` of the recording") + example};
}

}  // namespace

std::vector<MisfitCause> find_misfit_causes(const FitQuality& quality, const MisfitClues& clues) {
  if (!quality.calls_for_causes()) return {};
  const bool fits = quality.fits();
  const RecordingMisfit& one = worst(quality);
  const auto place = std::ranges::find(clues.scenarios, one.recording, &diff::Scenario::name) - clues.scenarios.begin();
  const Observation& o = clues.observations[place];
  std::vector<MisfitCause> told, possible;

  // Only positions are lengths that compare with those of the body.
  const bool compares = !fits && !o.instrument && o.reference.kind == Reference::Kind::Absolute;
  const std::optional<MisfitCause> unit = compares ? wrong_unit(o, clues.scenarios[place].initial) : std::nullopt;
  if (unit) told.push_back(*unit);
  const double length = std::sqrt(quality.chi_square);
  const double change = clues.half_step_length / length - 1;
  if (!(std::abs(change) <= telling_part))
    told.push_back({std::isnan(change) ? "time step: the simulation fails at half of it"
                                       : formatted("time step: at half of it the misfit is %.3g times as large",
                                                   clues.half_step_length / length),
                    "reduce simulation.time_step until the result no longer changes"});
  const bool start_is_free = std::ranges::any_of(clues.map.info(), [&](const ParameterInfo& info) {
    return info.value == "position" && info.recording == one.recording;
  });
  // Noise that is common to neighboring frames escapes the estimate of the noise: beside it, any first frame is off.
  const bool knows_noise = !(fits && quality.is_correlated);
  if (!start_is_free && knows_noise && one.start > 3 * one.noise && one.start > telling_part * one.misfit)
    told.push_back({"initial state: the first frame has a residual of " + one.kind->shown(one.start),
                    "initial_state: free, or another time_offset"});
  MisfitCause minimum = other_minimum(clues.starts, one, o);
  const bool fits_early = knows_noise && one.fits_until > o.times.front() && one.fits_until < last_fitted(o);
  (fits_early ? told : possible).push_back(std::move(minimum));
  if (!unit && one.shift > (1 - telling_part) * one.misfit) told.push_back(common_shift(one));
  if (fits) return told;  // of a fit that is not far off, only what a test speaks for
  possible.push_back({"the model is incomplete", "add a fit parameter or a force"});
  told.insert(told.end(), possible.begin(), possible.end());
  return told;
}

void fields(FieldVisitor& v, MisfitCause& cause) {
  v.is("MisfitCause", "a possible cause of a misfit");
  v("reason", cause.reason, "a phrase: \"local minimum\"");
  v("remedy", cause.remedy, "what to change or to test");
}

}  // namespace pithball::optim
