#include "app/report/fit_sections.hpp"

namespace pithball::app {

using nlohmann::ordered_json;

Sections note_sections(const Run& run) {
  const ordered_json& told = run.fit ? *run.fit : run.summary;
  ordered_json rows = ordered_json::array();
  for (const ordered_json& note : told.value("notes", ordered_json::array()))
    rows.push_back(ordered_json::array({note}));
  if (rows.empty()) return {};
  std::string note = run.fit ? "What to know about this fit." : "What to know about this run.";
  if (run.fit) shorten(rows, note);
  const ordered_json column{{"label", "note"}};
  return {Section{"table",
                  {{"title", "Notes"}, {"note", note}, {"columns", ordered_json::array({column})}, {"rows", rows}}}};
}

}  // namespace pithball::app
