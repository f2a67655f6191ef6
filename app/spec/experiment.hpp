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

/// An experiment file, read, checked and built, except for its sections `fit:` and `compare:`.
struct Experiment {
  std::string name;                      ///< key `name`, by which the run folder is called
  Body body;                             ///< mesh and named groups
  diff::Scenario scenario;               ///< model, initial state, integrator, time step and number of steps
  const BackendInfo* backend = nullptr;  ///< null: Pithball
  double memory_budget_mb = 0;           ///< memory limit of derivative passes [MB]
  Index every = 1;                       ///< steps between snapshots
  std::optional<sim::PopulationRules> population = {};  ///< emitters and sinks, if any
  std::vector<std::string> notes = {};  ///< what to know of the file before its results, a sentence each
  Tree filled;                          ///< the document with every default filled in
};

/// A path and its new value, as in `--set system.mass=2`.
struct Override {
  std::string path,   ///< keys and list numbers, separated by dots
      value;          ///< YAML
  std::string where;  ///< for error messages: "--set system.mass=2"
};

/// Reads "path.to.key=value"; throws InvalidArgument on anything else.
Override parse_override(const std::string& text);

/// An experiment file before it is interpreted: its YAML tree with overrides applied.
struct ExperimentDocument {
  Tree root;                             ///< with overrides applied
  std::filesystem::path folder;          ///< base of relative file names
  std::vector<RenameNote> renamed = {};  ///< earlier names in the file; `root` contains the current ones
  /// Files used by the experiment, added during reading; shared by copies, which other sections and `set:` modify.
  std::shared_ptr<InputFiles> inputs = std::make_shared<InputFiles>();
  /// Meshes built from it; shared likewise.
  std::shared_ptr<BuiltMeshes> meshes = std::make_shared<BuiltMeshes>();
};
/// Reads an experiment file with all that it includes, and applies the overrides. Throws InvalidArgument if a file
/// cannot be read, is no YAML or has a name that is not UTF-8.
ExperimentDocument load_document(const std::string& file, const std::vector<Override>& overrides = {});
/// The same of a text that is no file; file names in it are relative to `source.folder`. It may not include another.
ExperimentDocument parse_document(const std::string& text, const Source& source,
                                  const std::vector<Override>& overrides = {});

/// Applies overrides to a document; earlier names in them are replaced and noted in `renamed`.
void apply_overrides(const std::vector<Override>& overrides, ExperimentDocument& document);

/// Throws InvalidArgument at the first key, in any section, that no experiment file has, with the nearest one; called
/// before anything is built, because whatever else is wrong may follow from that key.
void reject_unlisted_keys(const ExperimentDocument& document);

/// Reads and checks everything except `fit:` and `compare:`; rejects unknown keys. Writes nothing. `last_time` [s]:
/// simulated duration if the document has no `duration`, as determined by recordings; without either, `duration` is
/// required.
Experiment read_experiment(const ExperimentDocument& document, std::optional<double> last_time = {});

/// The same within a reading pass: the caller then reads `fit:` or `compare:`, rejects unknown keys and takes the
/// filled-in document.
Experiment read_sections(Reading& reading, Node& root, BuiltMeshes& meshes, std::optional<double> last_time);

/// The mesh of an experiment file.
struct ExperimentMesh {
  datasets::Mesh mesh;             ///< of `system:`
  std::vector<std::string> notes;  ///< what results should say of it, one sentence each
};

/// Rejects keys of the document that are unknown, and then reads the mesh of `system:` only.
ExperimentMesh read_experiment_mesh(const ExperimentDocument& document);

/// Every key that the reading code uses.
KeyPage experiment_keys();

/// The same as the page docs/keys.md.
std::string keys_page();

}  // namespace pithball::app
