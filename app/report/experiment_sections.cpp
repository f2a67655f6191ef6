#include "app/report/sections.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// Returns the section `provenance:` of run.yaml.
ordered_json provenance(const Tree& document) {
  ordered_json origin;
  const Tree* written = document.find("provenance");
  if (!written) return origin;
  for (const Tree& entry : written->entries) {
    ordered_json& value = origin[entry.key] = entry.text;
    if (entry.key == "threads") value = ordered_json::parse(entry.text);
    if (entry.key != "overrides") continue;
    value = ordered_json::array();
    for (const Tree& text : entry.entries) value.push_back(text.text);
  }
  return origin;
}

}  // namespace

Sections experiment_sections(const Run& run) {
  return {Section{"experiment",
                  {{"title", "Experiment"},
                   {"note", "The experiment file of this run with all defaults; use it as input to reproduce the run."},
                   {"yaml", run.yaml},
                   {"provenance", provenance(run.document.root)}}}};
}

}  // namespace pithball::app
