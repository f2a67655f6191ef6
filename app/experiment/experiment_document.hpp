#pragma once
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/experiment/mesh_source.hpp"
#include "app/yaml/tree.hpp"

namespace pithball::app {

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
  Tree root;                     ///< with overrides applied
  std::filesystem::path folder;  ///< base of relative file names
  /// Files used by the experiment, added during reading. Shared by the copies of the document that other sections and
  /// `set:` modify.
  std::shared_ptr<InputFiles> inputs = std::make_shared<InputFiles>();
  /// Meshes built from it; shared likewise.
  std::shared_ptr<BuiltMeshes> meshes = std::make_shared<BuiltMeshes>();
  const nlohmann::ordered_json* keys = nullptr;  ///< schema of the keys that it may have; null: not checked
};

/// Applies overrides to a document.
void apply_overrides(const std::vector<Override>& overrides, ExperimentDocument& document);

/// The experiment of one recording: without `fit:`, with the recording's `set:` applied (null: none).
ExperimentDocument own_document(const ExperimentDocument& document, const Tree* set);

/// Throws InvalidArgument at the first key, in any section, that the document's schema lacks, with the nearest one;
/// called before anything is built, because whatever else is wrong may follow from that key.
void reject_unlisted_keys(const ExperimentDocument& document);

}  // namespace pithball::app
