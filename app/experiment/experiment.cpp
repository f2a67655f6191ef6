#include "app/experiment/experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/backend/backend_choice.hpp"
#include "app/experiment/dynamics_spec.hpp"
#include "app/experiment/mesh_source.hpp"
#include "app/experiment/value_kind.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"
#include "sim/force/switched_field.hpp"

namespace pithball::app {
namespace {

/// Returns the number of steps in the duration, which must be a whole multiple of the time step.
Index count_steps(Node& simulation, double time_step, std::optional<double> last_time) {
  if (last_time && !simulation.has("duration"))
    return std::max<Index>(1, static_cast<Index>(std::ceil(*last_time / time_step - 1e-9)));
  const double duration = simulation.number(
      "duration", "s",
      "simulated time, a whole number of steps; optional in a fit, where each recording's duration is used", {},
      sim::ValueSign::Positive);
  const double steps = duration / time_step;
  if (steps > most_steps)
    simulation.reject("duration", fmt::format("must be at most 1e{:.0f} time steps", std::log10(most_steps)),
                      fmt::format("{:.3g}", steps), "reduce it or increase time_step");
  const double whole = std::round(steps);
  if (whole < 1 || std::abs(steps - whole) > 1e-6 * std::max(1.0, whole))
    simulation.reject("duration", "must be a whole number of time steps",
                      fmt::format("{} s = {:.6g} steps of {} s", duration, steps, time_step),
                      fmt::format("give {:.10g} or {:.10g} s", time_step * std::max(1.0, std::floor(steps)),
                                  time_step * std::ceil(steps)));
  return static_cast<Index>(whole);
}

/// Reads the backend of `simulation`, which must be able to run the model with the integrator; null for Pithball
/// itself.
const BackendInfo* read_backend(Node& simulation, const diff::Scenario& scenario) {
  std::vector<std::string> names{own_backend};
  for (const BackendInfo& backend : backends()) names.push_back(backend.name);
  const std::string name = simulation.choice(
      "backend", names, "program that integrates; external programs support velocity_verlet only (docs/backends.md)",
      own_backend);
  const BackendInfo* backend = find_backend(name);
  if (!backend) return nullptr;
  if (scenario.integrator.name() != "velocity_verlet")
    simulation.reject("integrator", "must be velocity_verlet for `backend: " + name + "`", scenario.integrator.name(),
                      "write `integrator: velocity_verlet`, or leave the backend out");
  require_counterparts(*backend, scenario.model, scenario.initial.t,
                       simulation.where("backend") + " " + simulation.full_path("backend"));
  return backend;
}

/// Upper limit of `simulation.tolerance`: with a larger relative residual, the equations of a step are not solved.
constexpr double coarsest_tolerance = 1e-3;

void read_simulation(Node simulation, const Body& body, std::optional<double> last_time, Experiment& experiment) {
  diff::Scenario& scenario = experiment.scenario;
  scenario.integrator = read_integrator(simulation, body);
  simulation.require(scenario.model.constraints().empty() || scenario.integrator.info().supports.constraints,
                     "integrator", "must be xpbd for a model with constraints", scenario.integrator.name(),
                     "write `integrator: xpbd`, or leave `constraints` out");
  scenario.time_step = simulation.number("time_step", "s", "length of one step", {}, sim::ValueSign::Positive);
  scenario.steps = count_steps(simulation, scenario.time_step, last_time);
  simulation.located("time_step", [&] { sim::require_resolved_rise(scenario.model.values(), scenario.time_step); });
  sim::StageOptions& stage = scenario.stage;
  stage.linear_solver =
      simulation.choice("linear_solver", {"auto", "block_jacobi_cg", "ssor_cg", "prefactored_cg", "cholesky"},
                        "linear solver of implicit steps; `auto` selects one before step 0", stage.linear_solver);
  stage.tolerance =
      simulation.number("tolerance", "", "residual of an implicit step, relative to the forces on each particle",
                        stage.tolerance, sim::ValueSign::Positive);
  if (stage.tolerance > coarsest_tolerance)
    simulation.reject("tolerance", fmt::format("must be at most {:g}", coarsest_tolerance),
                      fmt::format("{:g}", stage.tolerance), "the default 1e-12 costs little more");
  stage.max_iterations = read_iteration_count(
      simulation, "max_iterations", "maximum number of Newton iterations in an implicit step", stage.max_iterations);
  experiment.memory_budget_mb = simulation.number("memory_budget", "MB",
                                                  "memory for the tape of the derivatives, in MB or with a unit (`1 "
                                                  "GB`); beyond it, parts of the run are recomputed",
                                                  1024, sim::ValueSign::Positive);
  experiment.backend = read_backend(simulation, scenario);
}

using Constraints = std::vector<std::shared_ptr<sim::Constraint>>;

sim::Model build_model(const Node& system, const Body& body, const ForceList& forces, const Constraints& constraints) {
  ForceTerms terms = body.terms;
  terms.insert(terms.end(), forces.terms.begin(), forces.terms.end());
  return system.located("", [&] {
    const sim::Model model(body.topology(), body.mass, body.charges.initial, terms, constraints);
    return body.charges.leak_rate ? model.with_charge_leak(*body.charges.leak_rate) : model;
  });
}

/// Longest experiment name in bytes: a folder name may have 255, and that of an unfinished run is longer.
constexpr std::size_t longest_name = 200;

/// Reads the name of the experiment, which is also that of its run folder unless `--out` is given.
std::string read_name(Node& root) {
  const std::string name = root.text("name", "name of the experiment and of its run folder, runs/<name>");
  const bool is_usable =
      !name.empty() && name.find_first_of("/\\") == std::string::npos && name.front() != '.' && is_printable(name);
  root.require(is_usable, "name", "must be usable as a folder's name", "'" + name + "'",
               "use letters, digits and dashes");
  if (name.size() > longest_name)
    root.reject("name", fmt::format("must have at most {} bytes to be usable as a folder's name", longest_name),
                fmt::format("{}", name.size()), "shorten it");
  return name;
}

/// Documents the key only: includes are resolved before anything is read.
void describe_include(Node& root) {
  if (root.describing())
    root.document("include", "file name", "optional",
                  "another experiment file, whose keys apply where this file does not write them "
                  "(docs/experiment_files.md)");
}

}  // namespace

Experiment read_sections(Reading& reading, Node& root, BuiltMeshes& meshes, std::optional<double> last_time) {
  describe_include(root);
  const std::string name = read_name(root);
  Node system = root.child("system", "the body: particles, springs, masses, charges and initial state", true);
  Body body = read_body(system, meshes);
  const ForceList forces = read_forces(root, body);
  const Constraints constraints = read_constraints(root, body);
  sim::State initial{0, body.mesh.vertices, body.velocities};
  diff::Scenario scenario{.name = name,
                          .model = build_model(system, body, forces, constraints),
                          .initial = std::move(initial),
                          .stage = {}};
  Experiment experiment{
      .name = name, .body = std::move(body), .scenario = std::move(scenario), .notes = forces.notes(), .filled = {}};
  read_simulation(root.child("simulation", "integrator, time step and duration", true), experiment.body, last_time,
                  experiment);
  Node output = root.child("output", "what is stored in the run folder");
  experiment.every =
      output.integer("every", "number of steps between snapshots; the last state is always written", 1, 1);
  experiment.scenario.model = read_key_frames(root, experiment.body, experiment.scenario);
  experiment.population = read_population(root, experiment.body, experiment.scenario);
  root.ignore("provenance");
  if (!reading.describing()) {
    sim::State start = experiment.scenario.initial;  // the start of the run, with driven particles on their paths
    experiment.scenario.model.place_held(start.t, start.x, &start.v);
    root.located("", [&] { experiment.scenario.model.validate(start); });
  }
  experiment.notes.insert(experiment.notes.end(), reading.notes().begin(), reading.notes().end());
  return experiment;
}

Experiment read_experiment(const ExperimentDocument& document, std::optional<double> last_time) {
  reject_unlisted_keys(document);
  Reading reading(document.root, document.folder, document.inputs);
  Node root = reading.root();
  Experiment experiment = read_sections(reading, root, *document.meshes, last_time);
  for (const char* section : {"fit", "plan", "compare", "scan", "sweep"}) root.ignore(section);
  reading.reject_unknown_keys();
  experiment.filled = reading.filled();
  return experiment;
}

void reject_population(const Experiment& experiment, const std::string& where) {
  if (experiment.population)
    throw InvalidArgument({where, "population",
                           "must be omitted here: this command requires the same particles throughout",
                           "emitters and sinks", "remove `population:`, or use `pithball simulate`"});
}

ExperimentMesh read_experiment_mesh(const ExperimentDocument& document) {
  reject_unlisted_keys(document);
  Reading reading(document.root, document.folder, document.inputs);
  Node system = reading.root().child("system", "", true);
  datasets::Mesh mesh = read_mesh_source(system, *document.meshes);
  return {std::move(mesh), reading.notes()};
}

}  // namespace pithball::app
