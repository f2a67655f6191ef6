#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "app/base/estimate_text.hpp"
#include "app/base/json_text.hpp"
#include "app/report/fit_sections.hpp"
#include "app/report/identify_sections.hpp"
#include "app/report/motion_document.hpp"
#include "app/report/sections.hpp"
#include "app/run_folder/finished_fit.hpp"

namespace pithball::app {

/// Shows the design found by `plan --optimize`: its standard errors beside those of the design in the file, its
/// recordings, and the motion and markers of each. Empty without `--optimize`.
Sections design_sections(const Run& run, const PlanResults& results, const ReportOptions& options);

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
    if (results.motions[r].size() == 0) continue;  // could not be simulated, for the reason given in the notes
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

namespace {

/// Returns all parameters of all alternatives, each name once, in order of first appearance.
std::vector<const optim::PredictedParameter*> all_parameters(const PlanRecord& plan) {
  std::vector<const optim::PredictedParameter*> all;
  for (const PlannedAlternative& alternative : plan.alternatives)
    for (const optim::PredictedParameter& p : alternative.prediction.parameters)
      if (std::ranges::none_of(all, [&](const auto* known) { return known->name == p.name; })) all.push_back(&p);
  return all;
}

const optim::PredictedParameter* find_parameter(const PlannedAlternative& alternative, const std::string& name) {
  const std::vector<optim::PredictedParameter>& parameters = alternative.prediction.parameters;
  const auto found = std::ranges::find(parameters, name, &optim::PredictedParameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

std::string plan_note(const PlanRecord& plan) {
  const std::string first = supposed_noise(plan.alternatives.front().prediction);
  std::string note = "Predicted result of a fit if its starting values were true. " + first;
  for (const PlannedAlternative& alternative : plan.alternatives)
    if (const std::string own = supposed_noise(alternative.prediction); own != first && !own.empty())
      note += fmt::format(" {}: {}", alternative.name, own);
  return note;
}

Section plan_plot(const PlanRecord& plan, const std::vector<const optim::PredictedParameter*>& parameters) {
  ordered_json series = ordered_json::array(), names = series, numbers = series;
  for (const auto* p : parameters) {
    numbers.push_back(names.size() + 1);
    names.push_back(p->name);
  }
  for (const PlannedAlternative& alternative : plan.alternatives) {
    std::vector<double> values;
    for (const auto* p : parameters) {
      const auto* own = find_parameter(alternative, p->name);
      values.push_back(own ? 100 * relative_error(*own) : not_known);
    }
    series.push_back({{"label", alternative.name}, {"values", numbers_or_null(values)}, {"style", "points"}});
  }
  return {"plot",
          {{"title", "Predicted relative errors"},
           {"note", plan_note(plan)},
           {"x", {{"label", "parameter"}, {"unit", ""}, {"values", numbers}, {"names", names}}},
           {"y", {{"label", "relative standard error"}, {"unit", "%"}, {"log", true}}},
           {"series", series}}};
}

ordered_json error_cell(const optim::PredictedParameter* p) {
  if (!p) return nullptr;
  if (p->determination == optim::Determination::None) return "not identifiable";
  return quantity_text(p->standard_error, p->unit) + (p->determination == optim::Determination::Poor ? " (poor)" : "");
}

Section plan_table(const PlanRecord& plan, const std::vector<const optim::PredictedParameter*>& parameters) {
  ordered_json columns = ordered_json::array(), rows = columns;
  columns.push_back({{"label", "parameter"}});
  columns.push_back({{"label", "value"}});
  ordered_json seen{"coordinates", nullptr}, condition{"condition of the scaled Jacobian", nullptr};
  for (const PlannedAlternative& alternative : plan.alternatives) {
    columns.push_back({{"label", alternative.name}});
    seen.push_back(std::to_string(alternative.prediction.rows));
    condition.push_back(fmt::format("{:.3g}", alternative.prediction.spectrum.condition));
  }
  for (const auto* p : parameters) {
    ordered_json row{p->name, quantity_text(p->at, p->unit, 4)};
    for (const PlannedAlternative& alternative : plan.alternatives)
      row.push_back(error_cell(find_parameter(alternative, p->name)));
    rows.push_back(row);
    if (rows.size() == most_listed_predictions) break;
  }
  std::string note = "Predicted standard errors of a fit, by alternative.";
  if (rows.size() < parameters.size())
    note += fmt::format(" The first {} of {} parameters; plan.json lists all.", rows.size(), parameters.size());
  rows.push_back(seen);
  rows.push_back(condition);
  return {"table", {{"title", "Predicted standard errors"}, {"note", note}, {"columns", columns}, {"rows", rows}}};
}

}  // namespace

Sections plan_sections(const Run& run, const PlanResults& results, const ReportOptions& options) {
  const PlanRecord& plan = results.plan;
  const auto parameters = all_parameters(plan);
  Sections sections = design_sections(run, results, options);
  if (!parameters.empty()) {
    sections.push_back(plan_plot(plan, parameters));
    sections.push_back(plan_table(plan, parameters));
  }
  ordered_json notes = ordered_json::array(), changes = notes;
  for (const PlannedAlternative& alternative : plan.alternatives) {
    for (const auto* said : {&alternative.prediction.doubts, &alternative.prediction.notes})
      for (const std::string& note : *said) notes.push_back({alternative.name + ": " + note});
    if (!alternative.prediction.ok())
      notes.push_back({alternative.name + ": cannot be simulated: " + alternative.prediction.failure});
    for (const auto& [key, value] : alternative.set) changes.push_back({alternative.name, key, value});
  }
  if (!changes.empty())
    sections.push_back({"table",
                        {{"title", "What the alternatives change"},
                         {"columns", {{{"label", "alternative"}}, {{"label", "key"}}, {{"label", "value"}}}},
                         {"rows", changes}}});
  for (Section& section : prediction_notes(notes)) sections.push_back(std::move(section));
  return sections;
}

}  // namespace pithball::app
