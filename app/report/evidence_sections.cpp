#include <algorithm>
#include <iterator>
#include <optional>

#include "app/base/json_text.hpp"
#include "app/report/field_table.hpp"
#include "app/report/fit_sections.hpp"
#include "app/run_folder/finished_fit.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

Sections cost_sections(const FitRecord& fit) {
  const std::vector<double>& history = fit.search.cost_history;
  if (history.empty()) return {};
  ordered_json iterations = ordered_json::array();
  for (std::size_t k = 0; k < history.size(); ++k) iterations.push_back(k);
  const ordered_json cost{{"label", "cost"}, {"values", numbers_or_null(history)}, {"style", "line"}};
  return {Section{"plot",
                  {{"title", "Cost of each iteration"},
                   {"note",
                    "Half the sum of squared residuals, in units of their standard deviation, during the search; a "
                    "robust loss reduces the weight of outliers."},
                   {"x", {{"label", "iteration"}, {"unit", ""}, {"values", iterations}}},
                   {"y", {{"label", "cost"}, {"unit", ""}, {"log", true}}},
                   {"series", ordered_json::array({cost})}}}};
}

/// Shows the misfit of each recording.
Sections quality_sections(const FitRecord& fit) {
  std::vector<TableRow> rows;
  for (const optim::RecordingMisfit& one : fit.goodness.quality.recordings)
    rows.push_back({[own = one](FieldVisitor& v) mutable { fields(v, own); }, one.kind});
  if (rows.empty()) return {};
  return {field_table("Misfit",
                      "For each recording, root mean squares per coordinate: model − recorded, the recording's own "
                      "noise, and its motion about the mean. docs/results.md explains every column.",
                      rows)};
}

}  // namespace

Sections evidence_sections(const Run& run, const FitResults& results) {
  const FitRecord& fit = results.fit;
  const std::optional<DiagnosisRecord> diagnosis = find_diagnosis(run.folder);
  Sections all;
  for (Sections subject :
       {nuisance_sections(fit), diagnosis ? diagnosis_sections(*diagnosis) : Sections(), confidence_sections(fit),
        profile_sections(fit), identity_sections(fit), track_sections(results), residual_sections(results),
        quality_sections(fit), marker_sections(results), whiteness_sections(results), cost_sections(fit),
        start_sections(fit), correlation_sections(fit)})
    std::ranges::move(subject, std::back_inserter(all));
  return all;
}

}  // namespace pithball::app
