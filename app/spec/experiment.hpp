#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/spec/body.hpp"
#include "app/yaml/reading.hpp"
#include "app/yaml/renamed.hpp"
#include "diff/rollout/rollout.hpp"
#include "sim/population/population.hpp"

namespace pithball::app {

struct BackendInfo;

/// An experiment file, read, checked and built: everything but its sections `fit:` and `compare:`.
struct Experiment {
  std::string name;
  Body body;                                            ///< mesh and named groups
  diff::Scenario scenario;                              ///< model, initial state, integrator, step and number of steps
  const BackendInfo* backend = nullptr;                 ///< whose steps; null: our own
  double memory_budget_mb = 0;                          ///< for derivative passes [MB]
  Index every = 1;                                      ///< steps between snapshots
  std::optional<sim::PopulationRules> population = {};  ///< emitters and sinks, if there are any
  Tree filled;                                          ///< the document with every default filled in
};

/// A path and its new value, as in `--set system.mass=2`.
struct Override {
  std::string path, value;
  std::string where;  ///< for messages: "--set system.mass=2"
};

/// Reads "path.to.key=value"; throws InvalidArgument on anything else.
Override parse_override(const std::string& text);

/// An experiment file before it is read: its text as data, overrides applied.
struct ExperimentDocument {
  Tree root;
  std::filesystem::path folder;          ///< what file names in it are relative to
  std::vector<RenameNote> renamed = {};  ///< old names that it was written with; `root` has today's
  /// The files that it names, as reading meets them; shared by copies, which other sections and `set:` change.
  std::shared_ptr<InputFiles> inputs = std::make_shared<InputFiles>();
  /// What was built of it; shared likewise.
  std::shared_ptr<BuiltMeshes> meshes = std::make_shared<BuiltMeshes>();
};
ExperimentDocument load_document(const std::string& file, const std::vector<Override>& overrides = {});
/// The same of a text that is no file; file names in it are relative to `source.folder`. It may not include another.
ExperimentDocument parse_document(const std::string& text, const Source& source,
                                  const std::vector<Override>& overrides = {});

/// Puts overrides into a document; old names in them are replaced and noted in `renamed`.
void apply_overrides(const std::vector<Override>& overrides, ExperimentDocument& document);

/// Reads and checks everything but `fit:` and `compare:`; unknown keys are rejected. Nothing is written. `last_time`
/// [s] is how long to simulate where the document does not say (`duration`), as recordings know; without it `duration`
/// is required.
Experiment read_experiment(const ExperimentDocument& document, std::optional<double> last_time = {});

/// The same within a reading pass that goes on: the caller reads `fit:` or `compare:`, rejects unknown keys and takes
/// what was filled in.
Experiment read_sections(Reading& reading, Node& root, BuiltMeshes& meshes, std::optional<double> last_time);

/// Only the mesh of `system:`; the rest of the document is not looked at.
datasets::Mesh read_experiment_mesh(const ExperimentDocument& document);

/// The page docs/keys.md: every key that the reading code asks for.
std::string keys_page();

}  // namespace pithball::app
