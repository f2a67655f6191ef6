#include "app/export/exported_motion.hpp"

#include <algorithm>

#include "sim/force/spring_force.hpp"

namespace pithball::app {

Vector ExportedMotion::stiffness() const {
  const sim::SpringForce* springs = sim::find_springs(model);
  return springs ? springs->stiffness(model) : Vector();
}

Vector ExportedMotion::rest_length() const {
  const sim::SpringForce* springs = sim::find_springs(model);
  return springs ? springs->rest_length(model) : Vector();
}

datasets::H5mdPages ExportedMotion::states() const {
  if (!file) return datasets::H5mdPages(std::vector{first});
  return datasets::H5mdPages(*file, numbers);
}

Index ExportedMotion::most_particles() const {
  Index most = first.state.x.cols();
  for (const std::size_t number : numbers) most = std::max(most, file->particles(number));
  return most;
}

ExportedMotion ExportedMotion::present(const datasets::H5mdFrame& state) const {
  ExportedMotion now{.name = name,
                     .model = model.with_values(model.at(state.state.t).values().data()),
                     .faces = faces,
                     .step = {state.step},
                     .time = {state.state.t},
                     .first = state,
                     .run = run,
                     .attributes = attributes};
  if (!state.roster) return now;
  const std::vector<sim::ParticleOrigin> origins = sim::origins_of(*state.roster, model.particles());
  now.model = model.with_particles(origins);
  const std::vector<Index> place = sim::places(origins, model.particles());
  now.faces.clear();
  for (std::vector<Index> face : faces) {
    for (Index& corner : face) corner = place[corner];
    if (std::ranges::find(face, -1) == face.end()) now.faces.push_back(std::move(face));
  }
  return now;
}

std::vector<bool> ExportedMotion::held(bool moves) const {
  std::vector<bool> found(particles(), false);
  for (const sim::Held& held : model.topology().held)
    if ((held.path && held.path->moves()) == moves) found[held.particle] = true;
  return found;
}

}  // namespace pithball::app
