#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "app/base/json_text.hpp"
#include "app/report/fit_sections.hpp"
#include "optim/uncertainty/significance.hpp"
#include "optim/verdict/position_errors.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// Samples beyond this number of standard deviations are counted individually.
constexpr double far_out = 4;
/// Width and range of the histogram's bins in standard deviations.
constexpr double bin = 0.25, reach = 5;
/// At most this many points of a Q–Q plot are drawn.
constexpr std::size_t most_points = 500;

/// Returns (recorded − simulated)/σ of all fitted samples, in ascending order.
std::vector<double> standardized_residuals(const FitResults& fit) {
  std::vector<double> all;
  for (std::size_t s = 0; s < fit.tracks.size(); ++s) {
    const optim::MarkerTracks& tracks = fit.tracks[s];
    for (std::size_t g = 0; g < tracks.times.size(); ++g)
      for (std::size_t m = 0; m < tracks.markers.size(); ++m) {
        if (tracks.part(g, m) != optim::Part::Fit) continue;
        const sim::Vec3 difference = tracks.recorded[g].col(m) - tracks.model[g].col(m);
        for (std::size_t a = 0; a < 3; ++a)
          if (const double z = difference[a] / noise_of(fit, s, m, a); std::isfinite(z)) all.push_back(z);
      }
  }
  std::ranges::sort(all);
  return all;
}

double normal_density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0)); }

/// Returns the quantile of a standard normal distribution, computed as that of a t distribution with very many degrees
/// of freedom.
double normal_quantile(double probability) {
  const double z = optim::one_sided_quantile(std::max(probability, 1 - probability), std::numeric_limits<int>::max());
  return probability < 0.5 ? -z : z;
}

/// Plots the fraction of the samples in each bin, divided by the bin width, with the density of a standard normal
/// distribution.
ordered_json histogram(const std::vector<double>& sorted) {
  const std::size_t bins = 2 * reach / bin;
  std::vector<double> middle, density, normal;
  auto from = std::lower_bound(sorted.begin(), sorted.end(), -reach);
  for (std::size_t k = 0; k < bins; ++k) {
    const double low = -reach + bin * k;
    const auto to = std::lower_bound(from, sorted.end(), low + bin);
    middle.push_back(low + bin / 2);
    density.push_back((to - from) / (bin * sorted.size()));
    normal.push_back(normal_density(middle.back()));
    from = to;
  }
  return {{"x", {{"label", "(recorded − simulated)/σ"}, {"unit", ""}, {"values", middle}}},
          {"y", {{"label", "density"}, {"unit", ""}}},
          {"series",
           {{{"label", "residuals"}, {"values", density}, {"style", "bars"}},
            {{"label", "standard normal"}, {"values", normal}, {"style", "line"}}}}};
}

/// Plots the samples over the normal quantiles of Blom's plotting positions (i − 3/8)/(n + 1/4) (Blom 1958, Statistical
/// Estimates and Transformed Beta-Variables, p. 71); if there are many, the most closely spaced ones are omitted.
ordered_json quantile_plot(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size(), stride = (n + most_points - 1) / most_points, ends = most_points / 8;
  std::vector<double> normal, sample;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % stride != 0 && i >= ends && i + ends < n) continue;
    normal.push_back(normal_quantile((i + 0.625) / (n + 0.25)));
    sample.push_back(sorted[i]);
  }
  return {{"x", {{"label", "quantile of a standard normal distribution"}, {"unit", ""}, {"values", normal}}},
          {"y", {{"label", "(recorded − simulated)/σ"}, {"unit", ""}}},
          {"series",
           {{{"label", "residuals"}, {"values", sample}, {"style", "points"}},
            {{"label", "standard normal"}, {"values", normal}, {"style", "dashed"}}}}};
}

}  // namespace

Sections residual_sections(const FitResults& fit) {
  const std::vector<double> sorted = standardized_residuals(fit);
  if (sorted.size() < 2) return {};
  const auto far = std::ranges::count_if(sorted, [](double z) { return std::abs(z) > far_out; });
  const double expected = sorted.size() * std::erfc(far_out / std::sqrt(2.0));
  const auto outside = std::ranges::count_if(sorted, [](double z) { return std::abs(z) > reach; });
  std::string note = fmt::format(
      "All {} fitted coordinates, each in units of its σ. {} of them {} beyond ± {:g}; normal noise would have {:.2g}.",
      sorted.size(), far, far == 1 ? "lies" : "lie", far_out, expected);
  if (outside > 0) note += fmt::format(" {} beyond ± {:g} are not in the histogram.", outside, reach);
  return {Section{"panels",
                  {{"title", "Distribution of the residuals"},
                   {"note", note},
                   {"panels", {histogram(sorted), quantile_plot(sorted)}}}}};
}

namespace {

using optim::MarkerTracks;
using optim::Part;
using optim::PositionErrors;

constexpr std::size_t most_markers = 200, most_cells = 60000;

/// Whether the errors are distances, as for positions; otherwise they are differences of readings. Null: readings of
/// several kinds.
bool are_places(const optim::MeasurementKind* kind) { return kind && kind->geometry.is_place; }

/// Returns a label such as "RMS distance from the recorded markers".
std::string rms_words(const optim::MeasurementKind* kind) {
  return are_places(kind) ? "RMS distance from the recorded markers" : "RMS difference from the recorded readings";
}

Section error_over_time(const FitResults& fit, const MarkerTracks& tracks) {
  const std::vector<PositionErrors> errors = compute_errors_over_time(tracks);
  double largest = 0;
  for (const PositionErrors& e : errors)
    for (const double error : {e.model, e.static_baseline, e.constant_velocity})
      if (std::isfinite(error)) largest = std::max(largest, error);
  const auto series = [&](const char* label, double PositionErrors::*error, const char* style) {
    ordered_json values = ordered_json::array();
    for (const PositionErrors& e : errors)  // a logarithmic axis cannot show errors that are zero up to rounding
      values.push_back(e.*error > 1e-9 * largest ? ordered_json(e.*error) : ordered_json(nullptr));
    return ordered_json{{"label", label}, {"values", values}, {"style", style}};
  };
  return {
      "plot",
      {{"title", title_of("Error over time", tracks.recording, fit)},
       {"note", rms_words(tracks.kind) +
                    " at each time, for the model and two baselines without a model. Where a baseline is exact (at the "
                    "samples it starts from) it is not drawn."},
       {"time", true},
       {"x", {{"label", "time"}, {"unit", "s"}, {"values", tracks.times}}},
       {"y",
        {{"label", are_places(tracks.kind) ? "distance" : "difference"}, {"unit", tracks.kind->unit}, {"log", true}}},
       {"series",
        {series("model", &PositionErrors::model, "line"), series("static", &PositionErrors::static_baseline, "dashed"),
         series("constant velocity", &PositionErrors::constant_velocity, "dashed")}},
       {"marks", validation_marks(tracks)}}};
}

/// Returns |model − recorded| over the components that were seen [m]; null if there are none.
ordered_json distance(const MarkerTracks& tracks, std::size_t frame, std::size_t marker) {
  const optim::Vec3 difference = (tracks.model[frame] - tracks.recorded[frame]).col(static_cast<optim::Index>(marker));
  const auto missing = difference.array().isNaN();
  if (missing.all()) return nullptr;
  return missing.select(0, difference).norm();
}

Section residual_map(const FitResults& fit, const MarkerTracks& tracks) {
  const std::size_t markers = tracks.markers.size(), frames = tracks.times.size();
  const std::size_t marker_stride = (markers + most_markers - 1) / most_markers;
  const std::size_t rows = (markers + marker_stride - 1) / marker_stride;
  const std::size_t frame_stride = (frames * rows + most_cells - 1) / most_cells;
  ordered_json names = ordered_json::array(), times = names, values = names;
  for (std::size_t g = 0; g < frames; g += frame_stride) times.push_back(tracks.times[g]);
  for (std::size_t m = 0; m < markers; m += marker_stride) {
    names.push_back(tracks.markers[m]);
    ordered_json row = ordered_json::array();
    for (std::size_t g = 0; g < frames; g += frame_stride) row.push_back(distance(tracks, g, m));
    values.push_back(row);
  }
  std::string note = are_places(tracks.kind) ? "Distance between the simulated and the recorded marker"
                                             : "Difference between the simulated and the recorded reading";
  note += "; empty for missing samples.";
  if (marker_stride > 1) note += fmt::format(" One in {1} of {0} markers is shown.", markers, marker_stride);
  if (frame_stride > 1) note += fmt::format(" One in {1} of {0} frames is shown.", frames, frame_stride);
  return {"heatmap",
          {{"title", title_of("Residual of each marker", tracks.recording, fit)},
           {"note", note},
           {"time", true},
           {"rows", {{"label", "marker"}, {"names", names}}},
           {"columns", {{"label", "time"}, {"unit", "s"}, {"values", times}}},
           {"values", values},
           {"unit", tracks.kind->unit},
           {"marks", validation_marks(tracks)}}};
}

/// Returns a table row with the errors of one part of a recording, or of all recordings.
ordered_json error_row(const std::string& recording, Part part, const PositionErrors& e) {
  const double better = std::min(e.static_baseline, e.constant_velocity);
  return {recording,
          optim::to_string(part),
          e.samples,
          number_or_null(e.model),
          number_or_null(e.static_baseline),
          number_or_null(e.constant_velocity),
          better == 0 ? ordered_json(nullptr) : number_or_null(e.model / better)};
}

/// Lists the errors of each part of each recording, and the pooled errors.
Section error_table(const optim::FitErrors& errors) {
  ordered_json rows = ordered_json::array();
  const optim::MeasurementKind* kind = common_kind(errors.recordings);
  const std::string unit = kind ? kind->unit : "";
  std::string note = rms_words(kind) + ". A ratio below 1: the model is closer than the better of the two baselines.";
  for (const optim::RecordingErrors& e : errors.recordings) {
    const std::string own_unit = !kind && e.all.kind ? " [" + e.all.kind->unit + "]" : "";
    rows.push_back(error_row(e.recording + own_unit, e.part, e.all));
    if (!e.failure.empty()) note += fmt::format(" The simulation of {} did not complete: {}.", e.recording, e.failure);
  }
  for (const Part part : optim::all_parts) {
    PositionErrors pooled = part == Part::Fit               ? errors.fit
                            : part == Part::ValidationFrame ? errors.validation_frames
                                                            : errors.validation_markers;
    pooled.samples = 0;
    optim::Index count = 0;
    for (const optim::RecordingErrors& e : errors.recordings) {
      if (e.part != part) continue;
      pooled.samples += e.all.samples;
      ++count;
    }
    if (count > 1 && kind) rows.push_back(error_row("all together", part, pooled));
  }
  return {"table",
          {{"title", "Errors"},
           {"note", note},
           {"columns",
            {{{"label", "recording"}},
             {{"label", "part"}},
             {{"label", "samples"}},
             {{"label", "model"}, {"unit", unit}},
             {{"label", "static"}, {"unit", unit}},
             {{"label", "constant velocity"}, {"unit", unit}},
             {{"label", "model / better baseline"}}}},
           {"rows", rows}}};
}

}  // namespace

std::optional<double> validation_from(const MarkerTracks& tracks) {
  const auto first = std::find(tracks.parts.begin(), tracks.parts.end(), Part::ValidationFrame);
  if (first == tracks.parts.end()) return std::nullopt;
  return tracks.times[first - tracks.parts.begin()];
}

ordered_json validation_marks(const MarkerTracks& tracks) {
  const std::optional<double> from = validation_from(tracks);
  ordered_json list = ordered_json::array();
  if (from) list.push_back({{"at", *from}, {"label", "validation"}});
  return list;
}

Sections marker_sections(const FitResults& fit) {
  Sections sections;
  for (const auto& make : {error_over_time, residual_map})
    for (const MarkerTracks& tracks : fit.tracks)
      if (!tracks.times.empty()) sections.push_back(make(fit, tracks));
  if (!fit.fit.goodness.errors.recordings.empty()) sections.push_back(error_table(fit.fit.goodness.errors));
  return sections;
}

}  // namespace pithball::app
