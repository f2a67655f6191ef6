#include "app/spec/renamed_keys.hpp"

namespace pithball::app {
namespace {

/// `frames` was the folder of a mesh sequence, where it now says which frames to read.
bool names_a_folder(const Tree& value) { return value.kind == Tree::Kind::Scalar || value.find("dataset"); }

/// Where an integrator is written with its settings.
const std::vector<std::string> integrator_places{"simulation.integrator", "fit.stages[].integrator",
                                                 "compare.integrators[]", "compare.reference.integrator"};

/// Where a parameter is named as a word, and where as a key.
const std::vector<std::string> parameter_words{"fit.parameters[]", "fit.parameters[].*.tied_to.parameter",
                                               "fit.profiles[]", "fit.exact_standard_errors[]"};
const std::vector<std::string> parameter_keys{"fit.parameters[].", "key_frames[].", "fit.recordings[].value_offsets."};

const std::vector<std::pair<std::string, std::string>> parameters{
    {"strain_stiffness", "axial_stiffness"},
    {"lennard_jones_energy", "lennard_jones_epsilon"},
    {"lennard_jones_distance", "lennard_jones_sigma"},
    {"langevin_rate", "langevin_friction_rate"},
};

/// A box is written by two corners.
void add_corners(const std::string& place, std::vector<RenamedKey>& keys) {
  keys.push_back({place + ".low", "min"});
  keys.push_back({place + ".high", "max"});
}

RenamedNames make_names() {
  RenamedNames names;
  names.keys = {
      {"system.springs.strain_stiffness", "axial_stiffness"},
      {"forces[].lennard_jones.energy", "epsilon"},
      {"forces[].lennard_jones.distance", "sigma"},
      {"forces[].sphere_penalty.centre", "center"},
      {"forces[].*.neighbours", "neighbors"},
      {"compare.methods", "integrators"},
      {"fit.residual.sigma_is_known", "absolute_sigma"},
      {"fit.recordings[].frames", "mesh_sequence", names_a_folder},
      {"fit.recordings[].keep", "frames"},
      {"fit.recordings[].film", "planned"},
      {"fit.recordings[].use", "role"},
      {"fit.recordings[].markers[].use", "role"},
      {"fit.recordings[].forecast_from", "validation_from"},
      {"fit.recordings[].segment", "rows"},
      {"fit.recordings[].order", "row_order"},
      {"fit.recordings[].offset", "value_offsets"},
      {"fit.recordings[].markers[].limit", "max_distance"},
      {"fit.recordings[].markers.limit", "max_distance"},
      {"fit.profile", "profiles"},
      {"fit.errors", "standard_errors"},
      {"fit.exact_errors", "exact_standard_errors"},
      {"fit.parameters[].*.factor", "multiplier"},
      {"fit.parameters[].*.prior.sparse", "laplace"},
      {"fit.parameters[].*.prior.laplace.value", "location"},
      {"fit.parameters[].*.prior.smooth.relative_deviation", "relative_standard_deviation"},
      {"forces[].dry_friction.strength", "friction_force"},
      {"forces[].dry_friction.smooth_speed", "stiction_velocity"},
      {"forces[].langevin.rate", "friction_rate"},
      {"population.emitters[].*.like", "template"},
  };
  for (const char* place :
       {"forces[].box_penalty", "constraints[].box", "population.emitters[].box", "population.sinks[].box"})
    add_corners(place, names.keys);
  for (const char* prior : {"gaussian", "lognormal", "smooth"})
    names.keys.push_back({std::string("fit.parameters[].*.prior.") + prior + ".deviation", "standard_deviation"});
  for (const char* field : {"forces[].electric_field", "forces[].drag.wind", "system.tracers.velocity"}) {
    names.keys.push_back({std::string(field) + ".gives", "quantity"});
    names.keys.push_back({std::string(field) + ".smooth", "knot_spacing"});
  }
  for (const std::string& place : integrator_places) {
    names.keys.push_back({place + ".imex_adaptive.approach", "safety_factor"});
    names.keys.push_back({place + ".imex_adaptive.most_substeps", "max_substeps"});
    names.keys.push_back({place + ".xpbd.sweeps", "iterations"});
    names.keys.push_back({place + ".theta.newton_steps", "newton_iterations"});
    names.words.push_back({place + ".xpbd.forces", "once_a_step", "every_step"});
  }
  for (const auto& [before, now] : parameters) {
    for (const std::string& place : parameter_keys) names.keys.push_back({place + before, now});
    for (const std::string& place : parameter_words) names.words.push_back({place, before, now});
  }
  for (const char* place : {"fit.recordings[].role", "fit.recordings[].markers[].role"})
    names.words.push_back({place, "forecast", "validation"});
  names.words.push_back({"fit.recordings[].format", "automatic", "auto"});
  names.words.push_back({"fit.parameters[].*.transform", "automatic", "auto"});
  names.words.push_back({"fit.recordings[].initial_state", "given", "from_system"});
  names.words.push_back({"fit.recordings[].initial_state", "rest", "equilibrium"});
  names.path_mappings = {"plan.alternatives[].set", "fit.recordings[].set"};
  names.path_list_mappings = {"scan.over"};
  return names;
}

}  // namespace

const RenamedNames& renamed_keys() {
  static const RenamedNames names = make_names();
  return names;
}

}  // namespace pithball::app
