#include <fmt/format.h>

#include <iterator>
#include <ostream>

#include "experiments/export/export_format.hpp"

namespace pithball::experiments {
namespace {

/// One row for each state and particle; of those that come and go, by their ids, with what they carry.
void write_positions(const ExportedMotion& motion, Progress& progress, std::ostream& out) {
  out << "time,particle,x,y,z,vx,vy,vz";
  if (!motion.rosters.empty()) out << ",like,age";
  for (const std::string& name : motion.attributes) out << "," << name;
  out << "\n";
  for (std::size_t k = 0; k < motion.states.size(); ++k) {
    const sim::State& s = motion.states[k];
    std::string rows;
    const sim::Roster* roster = motion.rosters.empty() ? nullptr : &motion.rosters[k];
    for (Index i = 0; i < s.x.cols(); ++i) {
      const auto p = static_cast<std::size_t>(i);
      fmt::format_to(std::back_inserter(rows), "{},{},{},{},{},{},{},{}", s.t, roster ? roster->id[p] : i, s.x(0, i),
                     s.x(1, i), s.x(2, i), s.v(0, i), s.v(1, i), s.v(2, i));
      if (roster) fmt::format_to(std::back_inserter(rows), ",{},{}", roster->like[p], s.t - roster->birth_time[p]);
      for (std::size_t a = 0; a < motion.attributes.size(); ++a)
        fmt::format_to(std::back_inserter(rows), ",{}", roster->attributes(static_cast<Index>(a), i));
      rows += '\n';
    }
    out << rows;
    progress.update(static_cast<double>(k + 1));
  }
}

std::string particles_table(const ExportedMotion& motion) {
  const auto pinned = motion.pinned(), driven = motion.driven();
  std::string text = "particle,mass,charge,pinned,driven\n";
  for (std::size_t i = 0; i < pinned.size(); ++i)
    fmt::format_to(std::back_inserter(text), "{},{},{},{:d},{:d}\n", i, motion.model.mass()[static_cast<Index>(i)],
                   motion.model.charge()[static_cast<Index>(i)], static_cast<bool>(pinned[i]),
                   static_cast<bool>(driven[i]));
  return text;
}

std::string springs_table(const ExportedMotion& motion) {
  const Vector stiffness = motion.stiffness(), rest_length = motion.rest_length();
  std::string text = "spring,i,j,stiffness,rest_length\n";
  Index e = 0;
  for (const sim::Spring& spring : motion.model.springs()) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{}\n", e, spring.i, spring.j, stiffness[e], rest_length[e]);
    ++e;
  }
  return text;
}

}  // namespace

ExportResult export_csv(const ExportedMotion& motion, const ExportChoices&, NewFolder& folder, Progress& progress) {
  folder.write("positions.csv", [&](std::ostream& out) { write_positions(motion, progress, out); });
  folder.write("particles.csv", particles_table(motion));
  folder.write("springs.csv", springs_table(motion));
  return {"positions.csv", {}};
}

}  // namespace pithball::experiments
