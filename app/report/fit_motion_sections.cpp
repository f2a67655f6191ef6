#include <fmt/format.h>

#include "app/base/json_text.hpp"
#include "app/report/fit_sections.hpp"
#include "app/report/motion_document.hpp"
#include "app/report/packed.hpp"
#include "app/run_folder/own_run.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

ordered_json pack_points(const std::vector<sim::Points>& frames) {
  std::vector<float> numbers;
  for (const sim::Points& frame : frames)
    for (const double coordinate : sim::flat(frame)) numbers.push_back(static_cast<float>(coordinate));
  return pack_float32({frames.size(), static_cast<std::size_t>(frames.front().cols()), 3}, numbers);
}

/// Where to draw what was recorded: a coordinate that is missing from a sight is the model's; no sight stays NaN.
std::vector<sim::Points> drawn_sights(const optim::MarkerTracks& tracks) {
  std::vector<sim::Points> sights = tracks.recorded;
  for (std::size_t g = 0; g < sights.size(); ++g)
    for (Index m = 0; m < sights[g].cols(); ++m) {
      auto sight = sights[g].col(m);
      if (!sight.array().isNaN().all()) sight = sight.array().isNaN().select(tracks.model[g].col(m), sight).eval();
    }
  return sights;
}

ordered_json markers(const optim::MarkerTracks& tracks) {
  const auto from = validation_from(tracks);
  return {{"names", tracks.markers},
          {"times", tracks.times},
          {"recorded", pack_points(drawn_sights(tracks))},
          {"model", pack_points(tracks.model)},
          {"validation_from", value_or_null(from)}};
}

/// What a reader would look for in vain; empty: recorded places are drawn.
std::string say_not_drawn(const optim::MeasurementKind& kind) {
  if (&kind == &optim::point_kind()) return "";
  return fmt::format(
      "The recording holds no places on the body ({}: {}), so it is not drawn here; Tracks compares it with simulated "
      "readings.",
      kind.name, kind.meaning);
}

}  // namespace

Sections fit_motion_sections(const Run& run, const FitResults& fit, const DiagnosisRecord* diagnosis,
                             const ReportOptions& options) {
  Sections sections;
  const ReportOptions share{.motion_size = options.motion_size / fit.motions.size()};
  for (std::size_t s = 0; s < fit.motions.size(); ++s) {
    if (fit.motions[s].size() == 0) continue;  // its start could not be found; the errors say so
    const FittedRecording& told = fit.fit.recordings[s];
    const Run own = own_run(run, s);
    const std::vector<FittedValues> fitted = own_fitted_values(told, own.experiment.scenario.model);
    const sim::Model model = with_fitted_values(own.experiment.scenario.model, fitted);
    const optim::MeasurementKind& kind = *fit.tracks[s].kind;
    const ShownMotion motion{title_of("Motion", told.name, fit), told.name, model, fit.motions[s], say_not_drawn(kind)};
    ordered_json document = motion_document(own, motion, share);
    for (const FittedValues& values : fitted)
      if (values.of != sim::ValueOwner::Term && values.vary())
        add_coloring(document, {values.value + " estimate", values.value + " estimate", values.unit,
                                values.of == sim::ValueOwner::Particle ? "particles" : "springs", values.estimates});
    if (diagnosis) color_by_diagnosis(*diagnosis, model, document);
    if (&kind == &optim::point_kind() && !fit.tracks[s].times.empty()) document["markers"] = markers(fit.tracks[s]);
    sections.push_back({"motion", document});
  }
  return sections;
}

}  // namespace pithball::app
