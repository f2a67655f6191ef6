#include "app/report/design_sections.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "app/base/estimate_text.hpp"
#include "app/base/json_text.hpp"
#include "app/report/drawn_markers.hpp"
#include "app/report/motion_document.hpp"
#include "app/report/prediction_notes.hpp"
#include "app/run_folder/own_run.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

std::string error_text(double error, const std::string& unit) {
  return std::isfinite(error) ? quantity_text(error, unit) : "not identifiable";
}

Section gain_table(const OptimizedDesign& design) {
  ordered_json rows = ordered_json::array();
  for (const DesignGain& gain : design.gains) {
    if (rows.size() == most_listed_predictions) break;
    const double ratio = gain.ratio();
    rows.push_back({gain.parameter, error_text(gain.before, gain.unit), error_text(gain.optimized, gain.unit),
                    std::isfinite(ratio) ? ordered_json(fmt::format("{:.3g}", ratio)) : ordered_json(nullptr)});
  }
  std::string note = fmt::format(
      "Predicted standard errors of a fit to the design that was found (optimized for {}), compared with {}.",
      design.criterion, design.before);
  if (!design.given.empty()) note += fmt::format(" What {} knows counts in both.", design.given);
  if (design.waveform_gain > 1)
    note +=
        fmt::format(" Of this, the numbers of `vary` contribute a factor {:.3g} in the mean.", design.waveform_gain);
  if (rows.size() < design.gains.size())
    note += fmt::format(" The first {} of {} parameters; plan.json lists all.", rows.size(), design.gains.size());
  return {"table",
          {{"title", "Gain of the optimized design"},
           {"note", note},
           {"columns",
            {{{"label", "parameter"}}, {{"label", design.before}}, {{"label", "optimized"}}, {{"label", "ratio"}}}},
           {"rows", rows}}};
}

Section recording_table(const OptimizedDesign& design) {
  ordered_json rows = ordered_json::array();
  for (const OptimizedRecording& recording : design.recordings) {
    std::string set;
    for (const auto& [key, value] : recording.set) set += (set.empty() ? "" : "; ") + key + ": " + value;
    rows.push_back({recording.name, fmt::format("{:.6g}", recording.rate), fmt::format("{:.6g}", recording.duration),
                    std::to_string(recording.frames), fmt::format("{}", fmt::join(recording.markers, ", ")), set});
  }
  return {
      "table",
      {{"title", "Optimized design"},
       {"note", "Recordings to make next, as in planned.yaml. Markers are numbers of particles; none: as in the file."},
       {"columns",
        {{{"label", "recording"}},
         {{"label", "rate"}, {"unit", "1/s"}},
         {{"label", "duration"}, {"unit", "s"}},
         {{"label", "frames"}},
         {{"label", "markers"}},
         {{"label", "set"}}}},
       {"rows", rows}}};
}

}  // namespace

Sections design_sections(const Run& run, const PlanResults& results, const ReportOptions& options) {
  if (!results.plan.optimized) return {};
  const OptimizedDesign& design = *results.plan.optimized;
  Sections sections{gain_table(design), recording_table(design)};
  const ReportOptions share{.motion_size = options.motion_size / static_cast<double>(results.motions.size())};
  for (std::size_t r = 0; r < results.motions.size(); ++r) {
    if (results.motions[r].size() == 0) continue;  // cannot be simulated; the notes say so
    const Run own = designed_run(run, design.recordings[r].name);
    const std::string name = design.recordings[r].name;
    const ShownMotion motion{"Motion and markers of " + name, name, own.experiment.scenario.model, results.motions[r],
                             "Simulated at the values of the prediction."};
    ordered_json document = motion_document(own, motion, share);
    const optim::MarkerTracks& tracks = results.tracks[r];
    if (tracks.kind->geometry.is_place && !tracks.times.empty()) document["markers"] = drawn_markers(tracks);
    sections.push_back({"motion", document});
  }
  return sections;
}

}  // namespace pithball::app
