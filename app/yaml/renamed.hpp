#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/yaml/tree.hpp"

namespace pithball::app {

/// A key of an experiment file that has a new name. Keys above it are written by their new names; `[]` is each item of
/// a list, `*` any key: "forces[].*.neighbors".
struct RenamedKey {
  std::string path, now;
  /// Where the old name means something else today: whether this value belongs to the old meaning.
  bool (*applies)(const Tree& value) = nullptr;
};

/// A word among the values of a key, or a name in a list, that has a new name: {"fit.recordings[].role", "forecast",
/// "validation"}. A name may have an entry behind it: "strain_stiffness[7]".
struct RenamedWord {
  std::string path, before, now;
};

/// All old names, and the mappings whose keys are paths into the document, with a value for each or with a list of
/// values: "plan.alternatives[].set", "scan.over".
struct RenamedNames {
  std::vector<RenamedKey> keys;
  std::vector<RenamedWord> words;
  std::vector<std::string> path_mappings, path_list_mappings;
};

/// What an old name that was met is called now, and where it was met first.
struct RenameNote {
  std::string place;  ///< "chain.yaml:12:5"
  std::string path;   ///< of the key: "fit.recordings[].use"
  std::string before, now;
  int count = 0;  ///< how often it was met

  /// "chain.yaml:12:5 fit.recordings[].use: 'use' is now 'role'; the old name is still read"
  std::string text() const;
};

/// Replaces old names in a document; returns one note for each that was met. Throws InvalidArgument where a key stands
/// beside its old name.
std::vector<RenameNote> replace_old_names(Tree& root, const RenamedNames& names);

/// The same for an entry whose key is a path into the document, `--set fit.recordings.0.use=forecast`.
std::vector<RenameNote> replace_old_names_at(Tree& entry, const RenamedNames& names);

/// The notes of several passes over one document, one for each old name.
void add_notes(std::vector<RenameNote>& notes, std::span<const RenameNote> more);

}  // namespace pithball::app
