#include "app/report/fit_sections.hpp"

namespace pithball::app {

namespace {

using nlohmann::ordered_json;

Section note_table(const std::string& note, const ordered_json& rows) {
  const ordered_json column{{"label", "note"}};
  return {"table", {{"title", "Notes"}, {"note", note}, {"columns", ordered_json::array({column})}, {"rows", rows}}};
}

ordered_json note_rows(const std::vector<std::string>& notes) {
  ordered_json rows = ordered_json::array();
  for (const std::string& note : notes) rows.push_back(ordered_json::array({note}));
  return rows;
}

}  // namespace

Sections note_sections(const SimulationResults& simulation) {
  if (simulation.outcome.notes.empty()) return {};
  return {note_table("Notes on this run.", note_rows(simulation.outcome.notes))};
}

Sections note_sections(const FitResults& results) {
  std::vector<std::string> notes;
  for (const RecordingFinding& fault : open_faults(results.fit.findings)) notes.push_back(fault.note());
  notes.insert(notes.end(), results.fit.notes.begin(), results.fit.notes.end());
  if (notes.empty()) return {};
  ordered_json rows = note_rows(notes);
  std::string note = "Notes on this fit.";
  shorten(rows, note);
  return {note_table(note, rows)};
}

}  // namespace pithball::app
