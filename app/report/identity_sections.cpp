#include "app/report/field_table.hpp"
#include "app/report/fit_sections.hpp"

namespace pithball::app {
namespace {

/// Returns a row for an entry of a list, with the unit of no kind.
template <class Entry>
TableRow row_of(const Entry& entry) {
  return {[own = entry](FieldVisitor& v) mutable { fields(v, own); }, &optim::point_kind()};
}

/// Returns a table of one list of each recording, long ones shortened.
template <class Entry>
void add_list(const std::string& title, std::string note, const std::vector<Entry>& entries, Sections& sections) {
  if (entries.empty()) return;
  std::vector<TableRow> rows;
  for (const Entry& entry : entries) rows.push_back(row_of(entry));
  Section table = field_table(title, note, rows);
  shorten(table.document["rows"], note);
  table.document["note"] = note;
  sections.push_back(std::move(table));
}

}  // namespace

Sections identity_sections(const FitRecord& fit) {
  if (fit.identities.empty()) return {};
  Sections sections;
  add_list("Identities",
           "How the detections of each recording were assigned to its particles; identities.csv has the probability of "
           "each assignment.",
           fit.identities, sections);
  const bool several = fit.identities.size() > 1;
  for (const optim::RecordingIdentities& one : fit.identities) {
    const std::string of = several ? ": " + one.recording : "";
    add_list("Exchanges" + of,
             "Frames from which on the points of a name, or of a track that was joined without the model, are another "
             "particle.",
             one.swaps, sections);
    add_list("Losses" + of, "Particles in the picture that were not detected in 3 frames or more.", one.losses,
             sections);
    add_list("Open identities" + of, "Particles that may be exchanged in all frames.", one.open, sections);
  }
  return sections;
}

}  // namespace pithball::app
