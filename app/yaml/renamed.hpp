#pragma once
#include <span>
#include <string>
#include <vector>

#include "app/yaml/tree.hpp"

namespace pithball::app {

/// A renamed key of an experiment file. Keys above it have their current names; `[]` is each item of a list, `*` any
/// key: "forces[].*.neighbors".
struct RenamedKey {
  std::string path,  ///< with the earlier name at its end
      now;           ///< the current name, of the key alone
  /// If the earlier name has another meaning today: whether this value has the earlier meaning.
  bool (*applies)(const Tree& value) = nullptr;
};

/// A renamed word among the values of a key, or a name in a list: {"fit.recordings[].role", "forecast", "validation"}.
/// A name may have an index: "strain_stiffness[7]".
struct RenamedWord {
  std::string path,  ///< of the key
      before,        ///< the earlier word
      now;           ///< the current word
};

/// All earlier names, and the mappings whose keys are paths into the document, with a value or a list of values for
/// each: "plan.alternatives[].set", "scan.over".
struct RenamedNames {
  std::vector<RenamedKey> keys;            ///< in any order
  std::vector<RenamedWord> words;          ///< in any order
  std::vector<std::string> path_mappings,  ///< mappings whose keys are paths
      path_list_mappings;                  ///< the same with a list of values for each path
};

/// An earlier name in a document, its current name, and its first place.
struct RenameNote {
  std::string place;   ///< "chain.yaml:12:5"
  std::string path;    ///< of the key: "fit.recordings[].use"
  std::string before,  ///< the earlier name
      now;             ///< the current name
  int count = 0;       ///< number of occurrences

  /// "chain.yaml:12:5 fit.recordings[].use: 'use' is now 'role'; the old name is still read"
  std::string text() const;
};

/// Replaces earlier names in a document; returns one note for each. Throws InvalidArgument if a key occurs together
/// with its earlier name.
std::vector<RenameNote> replace_old_names(Tree& root, const RenamedNames& names);

/// The same for an entry whose key is a path into the document, `--set fit.recordings.0.use=forecast`.
std::vector<RenameNote> replace_old_names_at(Tree& entry, const RenamedNames& names);

/// Merges the notes of several passes over one document: one for each earlier name.
void add_notes(std::vector<RenameNote>& notes, std::span<const RenameNote> more);

}  // namespace pithball::app
