#include <fmt/format.h>

#include <iterator>
#include <ostream>

#include "app/export/export_format.hpp"

namespace pithball::app {
namespace {

/// Writes one row for each state and particle; for particles that come and go, with their ids and attributes.
void write_positions(const ExportedMotion& motion, Progress& progress, std::ostream& out) {
  out << "time,particle,x,y,z,vx,vy,vz";
  if (motion.come_and_go()) out << ",like,age";
  for (const std::string& name : motion.attributes) out << "," << name;
  out << "\n";
  datasets::H5mdPages states = motion.states();
  for (std::size_t k = 0; k < states.size(); ++k) {
    const sim::State& s = states[k].state;
    const std::optional<sim::Roster>& roster = states[k].roster;
    std::string rows;
    for (Index i = 0; i < s.x.cols(); ++i) {
      const std::size_t p = i;
      fmt::format_to(std::back_inserter(rows), "{},{},{},{},{},{},{},{}", s.t, states[k].id(i), s.x(0, i), s.x(1, i),
                     s.x(2, i), s.v(0, i), s.v(1, i), s.v(2, i));
      if (roster) fmt::format_to(std::back_inserter(rows), ",{},{}", roster->like[p], s.t - roster->birth_time[p]);
      for (std::size_t a = 0; a < motion.attributes.size(); ++a)
        fmt::format_to(std::back_inserter(rows), ",{}", roster->attributes(a, i));
      rows += '\n';
    }
    out << rows;
    progress.update(k + 1);
  }
}

/// Writes the table of a body. If values change with time, writes the table of each state, with its time as first
/// column.
template <class AddRows>
void write_table(const ExportedMotion& motion, const char* columns, const AddRows& add_rows, std::ostream& out) {
  out << (motion.changes() ? "time," : "") << columns << "\n";
  std::string rows;
  if (!motion.changes()) add_rows(motion, "", rows);
  out << rows;
  datasets::H5mdPages states = motion.states();
  for (std::size_t k = 0; motion.changes() && k < states.size(); ++k) {
    rows.clear();
    add_rows(motion.present(states[k]), fmt::format("{},", motion.time[k]), rows);
    out << rows;
  }
}

void add_particles(const ExportedMotion& motion, const std::string& front, std::string& rows) {
  const auto pinned = motion.pinned(), driven = motion.driven();
  for (std::size_t i = 0; i < pinned.size(); ++i)
    fmt::format_to(std::back_inserter(rows), "{}{},{},{},{:d},{:d}\n", front, i, motion.model.mass()[i],
                   motion.model.charge()[i], static_cast<bool>(pinned[i]), static_cast<bool>(driven[i]));
}

void add_springs(const ExportedMotion& motion, const std::string& front, std::string& rows) {
  const Vector stiffness = motion.stiffness(), rest_length = motion.rest_length();
  Index e = 0;
  for (const sim::Spring& spring : motion.model.springs()) {
    fmt::format_to(std::back_inserter(rows), "{}{},{},{},{},{}\n", front, e, spring.i, spring.j, stiffness[e],
                   rest_length[e]);
    ++e;
  }
}

}  // namespace

ExportResult export_csv(const ExportedMotion& motion, const ExportChoices&, NewFolder& folder, Progress& progress) {
  folder.write("positions.csv", [&](std::ostream& out) { write_positions(motion, progress, out); });
  folder.write("particles.csv", [&](std::ostream& out) {
    write_table(motion, "particle,mass,charge,pinned,driven", add_particles, out);
  });
  folder.write("springs.csv",
               [&](std::ostream& out) { write_table(motion, "spring,i,j,stiffness,rest_length", add_springs, out); });
  return {"positions.csv", {}};
}

}  // namespace pithball::app
