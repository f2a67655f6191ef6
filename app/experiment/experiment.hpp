#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/experiment/body.hpp"
#include "app/experiment/experiment_document.hpp"
#include "app/yaml/reading.hpp"
#include "diff/rollout/rollout.hpp"
#include "sim/population/population.hpp"

namespace pithball::app {

struct BackendInfo;

/// Largest number of time steps of a run: more come from a wrong unit, and such a run would never end.
inline constexpr double most_steps = 1e12;

/// An experiment file, read, checked and built, except for its sections `fit:` and `compare:`.
struct Experiment {
  std::string name;                      ///< key `name`, which names the run folder
  Body body;                             ///< mesh and named groups
  diff::Scenario scenario;               ///< model, initial state, integrator, time step and number of steps
  const BackendInfo* backend = nullptr;  ///< null: Pithball
  double memory_budget_mb = 0;           ///< memory limit of derivative passes [MB]
  Index every = 1;                       ///< steps between snapshots
  std::optional<sim::PopulationRules> population = {};  ///< emitters and sinks, if any
  std::vector<std::string> notes = {};  ///< what users should know about the file before its results, one sentence each
  Tree filled;                          ///< the document with every default filled in
};

/// Reads and checks everything except `fit:` and `compare:`; rejects unknown keys. Writes nothing. `last_time` [s]:
/// simulated duration if the document has no `duration`, as determined by recordings; without either, `duration` is
/// required.
Experiment read_experiment(const ExperimentDocument& document, std::optional<double> last_time = {});

/// The same within a reading pass: the caller then reads `fit:` or `compare:`, rejects unknown keys and takes the
/// filled-in document.
Experiment read_sections(Reading& reading, Node& root, BuiltMeshes& meshes, std::optional<double> last_time);

/// Throws InvalidArgument where an experiment has emitters or sinks and its particles must not change; `where`: the
/// command or section, for the message.
void reject_population(const Experiment& experiment, const std::string& where);

/// The mesh of an experiment file.
struct ExperimentMesh {
  datasets::Mesh mesh;             ///< of `system:`
  std::vector<std::string> notes;  ///< what results should say about it, one sentence each
};

/// Rejects keys of the document that are unknown, and then reads the mesh of `system:` only.
ExperimentMesh read_experiment_mesh(const ExperimentDocument& document);

}  // namespace pithball::app
