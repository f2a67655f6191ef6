#include "experiments/export/exported_motion.hpp"

#include <algorithm>

#include "sim/force/spring_force.hpp"

namespace pithball::experiments {

Vector ExportedMotion::stiffness() const {
  const sim::SpringForce* springs = sim::find_springs(model);
  return springs ? springs->stiffness(model) : Vector();
}

Vector ExportedMotion::rest_length() const {
  const sim::SpringForce* springs = sim::find_springs(model);
  return springs ? springs->rest_length(model) : Vector();
}

ExportedMotion ExportedMotion::present(std::size_t state) const {
  ExportedMotion now{.name = name,
                     .model = model.with_values(model.at(states[state].t).values().data()),
                     .faces = faces,
                     .step = {step[state]},
                     .states = {states[state]},
                     .integrator = integrator,
                     .time_step = time_step,
                     .last_step = last_step,
                     .every = every,
                     .complete = complete,
                     .rosters = {},
                     .attributes = attributes};
  if (rosters.empty()) return now;
  now.rosters = {rosters[state]};
  const std::vector<sim::Member> members = sim::members_of(rosters[state], model.particles());
  now.model = model.repopulated(members);
  const std::vector<Index> place = sim::places(members, model.particles());
  now.faces.clear();
  for (std::vector<Index> face : faces) {
    for (Index& corner : face) corner = place[static_cast<std::size_t>(corner)];
    if (std::ranges::find(face, -1) == face.end()) now.faces.push_back(std::move(face));
  }
  return now;
}

std::vector<bool> ExportedMotion::held(bool moves) const {
  std::vector<bool> found(static_cast<std::size_t>(particles()), false);
  for (const sim::Held& held : model.topology().held)
    if ((held.path && held.path->moves()) == moves) found[static_cast<std::size_t>(held.particle)] = true;
  return found;
}

}  // namespace pithball::experiments
