#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/base/estimate_text.hpp"
#include "app/base/json_text.hpp"
#include "app/report/fit_sections.hpp"
#include "app/report/packed.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;
using optim::MarkerTracks;
using optim::Part;

/// Largest number of values per quantity on a page; for longer recordings, frames are left out.
constexpr std::size_t most_numbers = 120000;

/// The part of a recording shown on a page.
struct ShownTracks {
  const FitResults& fit;
  std::size_t recording;
  const MarkerTracks& tracks;
  std::vector<std::size_t> frames;

  std::size_t markers() const { return tracks.markers.size(); }
  const std::string& axis(std::size_t number) const { return tracks.kind->components[number]; }
  double recorded(std::size_t frame, std::size_t marker, std::size_t axis) const {
    return tracks.recorded[frame](axis, marker);
  }
  double model(std::size_t frame, std::size_t marker, std::size_t axis) const {
    return tracks.model[frame](axis, marker);
  }
  bool is_fitted(std::size_t frame, std::size_t marker) const { return tracks.part(frame, marker) == Part::Fit; }
  /// Packs the results of `value(frame, marker)` as an array [frames, markers].
  template <class Value>
  ordered_json packed(Value value, int order) const {
    std::vector<double> numbers;
    numbers.reserve(frames.size() * markers());
    for (const std::size_t frame : frames)
      for (std::size_t m = 0; m < markers(); ++m) numbers.push_back(value(frame, m));
    return pack_with_missing({frames.size(), markers()}, numbers, markers(), order);
  }
  bool is_seen(std::size_t axis) const {
    for (std::size_t g = 0; g < tracks.times.size(); ++g)
      if (!tracks.recorded[g].row(axis).array().isNaN().all()) return true;
    return false;
  }
  bool has_unfitted() const {
    return std::ranges::any_of(tracks.parts, [](Part part) { return part != Part::Fit; }) ||
           std::ranges::any_of(tracks.validation_markers, [](bool held) { return held; });
  }
};

/// Returns two series of points: those fitted and, if there are any, those not fitted.
template <class Value>
ordered_json sights(const ShownTracks& shown, const std::string& label, Value value) {
  const auto of = [&](bool fitted) {
    return shown.packed(
        [&](std::size_t g, std::size_t m) { return shown.is_fitted(g, m) == fitted ? value(g, m) : not_known; }, 0);
  };
  ordered_json series = ordered_json::array();
  series.push_back({{"label", label}, {"style", "points"}, {"color", 1}, {"values", of(true)}});
  if (shown.has_unfitted())
    series.push_back({{"label", label + ", not fitted"}, {"style", "points"}, {"color", 2}, {"values", of(false)}});
  return series;
}

ordered_json track_panel(const ShownTracks& shown, std::size_t axis) {
  ordered_json series = ordered_json::array();
  series.push_back(
      {{"label", "simulated"},
       {"style", "line"},
       {"values", shown.packed([&](std::size_t g, std::size_t m) { return shown.model(g, m, axis); }, 2)}});
  for (const ordered_json& one :
       sights(shown, "recorded", [&](std::size_t g, std::size_t m) { return shown.recorded(g, m, axis); }))
    series.push_back(one);
  return {{"y", {{"label", shown.axis(axis)}, {"unit", shown.tracks.kind->unit}}}, {"series", series}};
}

/// Returns a band of ± `times` standard deviations for each marker.
ordered_json noise_band(const ShownTracks& shown, std::size_t axis, int times) {
  std::vector<double> lower, upper;
  for (std::size_t m = 0; m < shown.markers(); ++m) {
    upper.push_back(times * noise_of(shown.fit, shown.recording, m, axis));
    lower.push_back(-upper.back());
  }
  return {
      {"label", fmt::format("± {} σ", times)}, {"lower", numbers_or_null(lower)}, {"upper", numbers_or_null(upper)}};
}

ordered_json residual_panel(const ShownTracks& shown, std::size_t axis) {
  ordered_json panel{
      {"y", {{"label", fmt::format("{}: recorded − simulated", shown.axis(axis))}, {"unit", shown.tracks.kind->unit}}},
      {"series", sights(shown, "difference", [&](std::size_t g, std::size_t m) {
         return shown.recorded(g, m, axis) - shown.model(g, m, axis);
       })}};
  panel["bands"] = {noise_band(shown, axis, 2), noise_band(shown, axis, 1)};
  return panel;
}

/// Returns the name of a marker, followed by its misfit and whether it is a validation marker.
std::string choice_name(const ShownTracks& shown, std::size_t marker) {
  double squares = 0, standardized = 0;
  std::size_t count = 0;
  for (std::size_t g = 0; g < shown.tracks.times.size(); ++g)
    for (std::size_t a = 0; a < 3; ++a) {
      const double difference = shown.recorded(g, marker, a) - shown.model(g, marker, a);
      if (std::isnan(difference)) continue;
      ++count;
      squares += difference * difference;
      standardized += std::pow(difference / noise_of(shown.fit, shown.recording, marker, a), 2);
    }
  std::string name = shown.tracks.markers[marker];
  if (count == 0) return name + " – missing";
  name += " – rms " + quantity_text(std::sqrt(squares / count), shown.tracks.kind->unit);
  if (std::isfinite(standardized)) name += fmt::format(", {:.3g} σ", std::sqrt(standardized / count));
  if (!shown.tracks.validation_markers.empty() && shown.tracks.validation_markers[marker]) name += ", validation";
  return name;
}

Section track_section(const ShownTracks& shown) {
  ordered_json names = ordered_json::array(), times = names, panels = names;
  for (std::size_t m = 0; m < shown.markers(); ++m) names.push_back(choice_name(shown, m));
  for (const std::size_t frame : shown.frames) times.push_back(shown.tracks.times[frame]);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!shown.is_seen(axis)) continue;
    panels.push_back(track_panel(shown, axis));
    panels.push_back(residual_panel(shown, axis));
  }
  const optim::FitQuality& quality = shown.fit.fit.goodness.quality;
  const optim::MeasurementKind& kind = *shown.tracks.kind;
  std::string note = kind.geometry.is_place
                         ? "Coordinates of one marker in the model's frame of reference, and its residuals"
                         : "Readings of one marker (" + kind.meaning + "), and their residuals";
  note += !quality.is_comparable ? "; σ is that of all residuals." : " compared with the noise assumed in the fit (σ).";
  if (shown.frames.size() < shown.tracks.times.size())
    note += fmt::format(" {1} of {0} frames are shown.", shown.tracks.times.size(), shown.frames.size());
  return {"panels",
          {{"title", title_of("Tracks", shown.tracks.recording, shown.fit)},
           {"note", note},
           {"time", true},
           {"choice", {{"label", "marker"}, {"names", names}}},
           {"x", {{"label", "time"}, {"unit", "s"}, {"values", times}}},
           {"panels", panels},
           {"marks", validation_marks(shown.tracks)}}};
}

}  // namespace

double noise_of(const FitResults& fit, std::size_t recording, std::size_t marker, std::size_t component) {
  const auto& sigma = fit.fit.recordings[recording].sigma;
  if (marker >= sigma.size()) return not_known;
  const bool is_scatter = fit.fit.goodness.quality.is_comparable;
  return sigma[marker][component] * (is_scatter ? 1 : fit.fit.estimates.residual_scale);
}

Sections track_sections(const FitResults& fit) {
  Sections sections;
  for (std::size_t s = 0; s < fit.tracks.size(); ++s) {
    ShownTracks shown{fit, s, fit.tracks[s], {}};
    const std::size_t count = shown.tracks.times.size(), numbers = 3 * count * shown.markers();
    if (numbers == 0) continue;
    const std::size_t stride = (numbers * fit.tracks.size() + most_numbers - 1) / most_numbers;
    for (std::size_t g = 0; g < count; g += stride) shown.frames.push_back(g);
    sections.push_back(track_section(shown));
  }
  return sections;
}

}  // namespace pithball::app
