#include <fmt/format.h>

#include "app/report/drawn_markers.hpp"
#include "app/report/fit_sections.hpp"
#include "app/report/motion_document.hpp"
#include "app/run_folder/own_run.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// What a reader would look for in vain; empty: recorded places are drawn.
std::string say_not_drawn(const optim::MeasurementKind& kind) {
  if (kind.geometry.is_place) return "";
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
    if (kind.geometry.is_place && !fit.tracks[s].times.empty()) document["markers"] = drawn_markers(fit.tracks[s]);
    sections.push_back({"motion", document});
  }
  return sections;
}

}  // namespace pithball::app
