#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pithball::app {

/// A text that trees are parsed from: a file, or an option.
struct Source {
  std::string name;                   ///< for messages: "chain.yaml", "--set system.mass=2"
  std::filesystem::path folder = {};  ///< of a file, absolute: what file names in it are relative to; empty: no file
};

/// Where something was written: a source with line and column from 1; line 0: no line.
struct Place {
  std::shared_ptr<const Source> source;
  int line = 0, column = 0;
  std::string text() const;  ///< "chain.yaml:12:5"
};

/// A YAML document as plain data: every node knows where it was written. Duplicate keys cannot occur.
struct Tree {
  enum class Kind { Null, Scalar, List, Map };
  Kind kind = Kind::Null;
  std::string text;           ///< of a scalar, unquoted
  bool quoted = false;        ///< the scalar was written in quotes: it is text even if it looks like a number
  std::string key;            ///< of an entry of a map
  Place place;                ///< of the value
  Place key_place;            ///< of the key
  std::vector<Tree> entries;  ///< of a list or map, in the order of writing

  const Tree* find(std::string_view name) const;  ///< the entry of a map with that key; null if there is none
  Tree* find(std::string_view name);
};

/// Parses one document; throws InvalidArgument with file, line and column on a syntax error, a duplicate key, a key
/// that is not plain text, or a second document. Anchors and aliases are resolved.
Tree parse_yaml(const std::string& text, Source source);
inline Tree parse_yaml(const std::string& text, const std::string& name) { return parse_yaml(text, Source{name}); }

/// Reads and parses a file of at most 16 MiB, which messages call `path`; throws InvalidArgument as
/// `datasets::read_text_file` and `parse_yaml` do.
Tree parse_yaml_file(const std::string& path);

/// The document as YAML text, two spaces of indentation, lists of scalars in one line. Texts are quoted and escaped
/// where they need it; bytes that are no UTF-8, which YAML cannot hold, become U+FFFD.
std::string to_yaml(const Tree& tree);

/// What was written, in a few words for messages: "'abc'", "a list of 3", "a mapping", "nothing".
std::string shown(const Tree& value);

/// A scalar made by the program.
Tree make_scalar(std::string text);

/// The same, for text of others: a name of any letters, which is text even if it looks like a number or a list.
Tree quoted_scalar(std::string text);

/// Puts `value` at `path` ("system.mass.tip", "forces.gravity", "forces.0.coulomb.softening"): a name selects a map's
/// entry or, in a list, the item whose only key it is; a number selects a list's item. Missing map entries are made.
/// Throws InvalidArgument, placed at `where`, if the path leads through something that has no such part.
void set_at(Tree& root, const std::string& path, Tree value, const std::string& where);

/// What is at such a path, names of maps and numbers of lists; null if nothing is.
const Tree* find_at(const Tree& root, const std::string& path);

}  // namespace pithball::app
