#include <fmt/format.h>

#include <algorithm>

#include "app/base/estimate_text.hpp"
#include "app/base/json_text.hpp"
#include "app/report/design_sections.hpp"
#include "app/report/prediction_notes.hpp"
#include "app/report/sections.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// Names of all parameters of all alternatives, in the order in which they come.
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
