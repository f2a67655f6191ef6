#pragma once
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pithball::app {

/// Source of a tree: a file, or an option.
struct Source {
  std::string name;                   ///< for error messages: "chain.yaml", "--set system.mass=2"
  std::filesystem::path folder = {};  ///< of a file, absolute: base of relative file names; empty: not a file
};

/// Place in a source: line and column from 1; line 0: no line.
struct Place {
  std::shared_ptr<const Source> source;  ///< null: the tree was made by the program
  int line = 0,                          ///< from 1; 0: no line
      column = 0;                        ///< from 1
  std::string text() const;              ///< "chain.yaml:12:5"
};

/// A YAML document as plain data: every node has its place. Keys are unique.
struct Tree {
  /// Which of the members hold the value.
  enum class Kind { Null, Scalar, List, Map };
  Kind kind = Kind::Null;     ///< Null: nothing was written
  std::string text;           ///< of a scalar, unquoted
  bool quoted = false;        ///< the scalar was in quotes: it is text even if it looks like a number
  std::string key;            ///< of an entry of a map
  Place place;                ///< of the value
  Place key_place;            ///< of the key
  std::vector<Tree> entries;  ///< of a list or map, in file order

  const Tree* find(std::string_view name) const;  ///< the entry of a map with that key; null if there is none
  /// The same, to change it.
  Tree* find(std::string_view name);
};

/// Parses one document. Throws InvalidArgument with file, line and column on a syntax error, a duplicate key, a key
/// that is not plain text, or a second document. Resolves anchors and aliases.
Tree parse_yaml(const std::string& text, Source source);
/// The same of a text that is called `name` in messages.
inline Tree parse_yaml(const std::string& text, const std::string& name) { return parse_yaml(text, Source{name}); }

/// Reads and parses a file of at most 16 MiB, called `path` in messages; throws InvalidArgument as
/// `datasets::read_text_file` and `parse_yaml` do.
Tree parse_yaml_file(const std::string& path);

/// The document as YAML text, indented by two spaces, lists of scalars on one line. Text is quoted and escaped where
/// necessary; invalid UTF-8, which YAML cannot contain, becomes U+FFFD.
std::string to_yaml(const Tree& tree);

/// What was written, in a few words for messages: "'abc'", "a list of 3", "a mapping", "nothing".
std::string shown(const Tree& value);

/// A list or map without entries.
Tree empty_tree(Tree::Kind kind);

/// A scalar created by the program.
Tree make_scalar(std::string text);

/// The same for text from outside: it stays text even if it looks like a number or a list.
Tree quoted_scalar(std::string text);

/// Sets an entry of a map, or adds it.
void put(Tree& map, std::string key, Tree value);

/// Puts the entries of a map into `target`, in place of those that it has; maps in both are merged.
void merge(const Tree& map, Tree& target);

/// Sets `value` at `path` ("system.mass.tip", "forces.gravity", "forces.0.coulomb.softening"): a name selects a map
/// entry or, in a list, the one item that has it as a key; a number selects a list item. Creates missing map
/// entries. Throws InvalidArgument at `where` if part of the path does not exist, or if several items have the name.
void set_at(Tree& root, const std::string& path, Tree value, const std::string& where);

/// The node at such a path of map names and list numbers; null if there is none.
const Tree* find_at(const Tree& root, const std::string& path);

/// Absolute paths of the files and folders used by documents, added during reading.
class InputFiles {
 public:
  /// Relative paths start at the current folder.
  void add(const std::filesystem::path& file) { files_.insert(std::filesystem::absolute(file).lexically_normal()); }
  /// Sorted, each once.
  std::vector<std::filesystem::path> files() const { return {files_.begin(), files_.end()}; }

 private:
  std::set<std::filesystem::path> files_;
};

}  // namespace pithball::app
