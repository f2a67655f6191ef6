#include <fmt/format.h>

#include <algorithm>

#include "app/backend/lammps_system.hpp"
#include "app/export/export_format.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

/// Returns one sentence for each feature without a counterpart in LAMMPS. Throws InvalidArgument that names all such
/// features not listed in `leave_out`, or if `leave_out` contains any other name.
std::vector<std::string> settle_missing(const LammpsSystem& system, const std::vector<std::string>& leave_out) {
  std::string names, options;
  for (const auto& [name, sentence] : system.missing) names += (names.empty() ? "" : ", ") + name;
  for (const std::string& name : leave_out)
    if (!system.missing.count(name))
      throw InvalidArgument(
          {"--leave-out", "", "must name a part without a counterpart in LAMMPS", "'" + name + "'",
           names.empty() ? "omit the option: every part of this model has a counterpart" : "here it is " + names});
  names.clear();
  std::vector<std::string> sentences;
  for (const auto& [name, sentence] : system.missing) {
    sentences.push_back(sentence);
    if (std::find(leave_out.begin(), leave_out.end(), name) != leave_out.end()) continue;
    names += (names.empty() ? "" : ", ") + name;
    options += " --leave-out " + name;
  }
  if (!names.empty())
    throw InvalidArgument({"--format lammps", "", "requires a model with counterparts in LAMMPS", names,
                           "omit it with" + options + "; the deck will say so"});
  return sentences;
}

LammpsMotion motion_from(const ExportedMotion& motion) {
  return {.name = motion.name,
          .model = motion.model,
          .start = motion.first.state,
          .step = motion.step.front(),
          .integrator = motion.run.integrator,
          .time_step = motion.run.time_step,
          .last_step = motion.run.last_step,
          .every = motion.run.every};
}

}  // namespace

ExportResult export_lammps(const ExportedMotion& motion, const ExportChoices& choices, NewFolder& folder, Progress&) {
  const sim::State& start = motion.first.state;
  if (!(start.x.allFinite() && start.v.allFinite()))
    throw InvalidArgument({"--format lammps", "", "requires finite initial positions and velocities",
                           fmt::format("others at t = {:g} s, where the run diverged", start.t),
                           "choose an earlier --time"});
  const LammpsMotion from = motion_from(motion);
  const LammpsSystem system = lammps_system(from);
  const std::vector<std::string> left_out = settle_missing(system, choices.leave_out);
  const std::string data = "system.data", deck = "in.pithball";
  folder.write(data, lammps_data(from, system));
  folder.write(deck, lammps_deck(from, system, data, left_out));
  ExportResult result{deck, {}};
  for (const std::string& sentence : left_out) result.notes.push_back("omitted: " + sentence);
  if (const Index substeps = lammps_substeps(from); substeps > 1)
    result.notes.push_back(fmt::format("{} steps of velocity Verlet per step of {}, because the springs are stiff",
                                       substeps, motion.run.integrator));
  return result;
}

}  // namespace pithball::app
