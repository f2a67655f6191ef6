#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/yaml/reading.hpp"
#include "sim/core/types.hpp"
#include "sim/model/values.hpp"

namespace pithball::app {

using sim::Index;
using sim::Points;
using sim::Vec3;
using sim::Vector;

/// A default that follows from other keys or files: in words, and as a value.
template <class Value>
struct Derived {
  std::string words;           ///< "from the file"
  std::optional<Value> value;  ///< in SI units; empty: the key is required wherever it is read
};

/// A node of a document, read by key. Every query names the key, its unit and meaning, and a default if the key is
/// optional; it reads and documents at the same time. Values are finite and in SI units. A missing or invalid value
/// throws InvalidArgument: "chain.yaml:12:5 springs.stiffness: must be > 0 N/m, got -2; …". The empty key is the node
/// itself.
class Node {
 public:
  /// Full name of the node: "system.springs"; empty: the document.
  const std::string& path() const { return path_; }
  /// Whether there is no document, and queries only become rows of the page of keys.
  bool describing() const { return reading_->describing(); }
  /// Whether the key is present (true when describing).
  bool has(std::string_view key) const;
  /// Whether the key was written, even without a value.
  bool is_written(std::string_view key) const { return tree_ && tree_->find(key); }
  /// Whether a mapping was written there; queries nothing, as do the next two.
  bool is_map(std::string_view key = "") const;
  /// Whether a list was written there.
  bool is_list(std::string_view key = "") const;
  /// Whether a number or text was written there.
  bool is_scalar(std::string_view key = "") const;

  /// A finite number with a unit that can be converted to `unit`, with the required sign.
  double number(std::string_view key, std::string_view unit, std::string_view meaning,
                std::optional<double> fallback = {}, sim::ValueSign sign = sim::ValueSign::Any);
  /// The same; empty if it was not written.
  std::optional<double> optional_number(std::string_view key, std::string_view unit, std::string_view meaning,
                                        sim::ValueSign sign = sim::ValueSign::Any);
  /// An integer that is at least `least`.
  Index integer(std::string_view key, std::string_view meaning, std::optional<Index> fallback = {}, Index least = 0);
  /// `true` or `false`.
  bool flag(std::string_view key, std::string_view meaning, std::optional<bool> fallback = {});
  /// Any scalar, as text.
  std::string text(std::string_view key, std::string_view meaning, std::optional<std::string> fallback = {});
  /// The same as `number`, `integer` or `text`, with a default that follows from other keys or files.
  double number_or(std::string_view key, std::string_view unit, std::string_view meaning,
                   const Derived<double>& fallback, sim::ValueSign sign = sim::ValueSign::Any);
  Index integer_or(std::string_view key, std::string_view meaning, const Derived<Index>& fallback,
                   Index least = 0);  ///< as `number_or`
  std::string text_or(std::string_view key, std::string_view meaning,
                      const Derived<std::string>& fallback);  ///< as `number_or`
  /// One of the words `choices`.
  std::string choice(std::string_view key, const std::vector<std::string>& choices, std::string_view meaning,
                     std::optional<std::string> fallback = {});
  /// [x, y, z], each in `unit`.
  Vec3 vector(std::string_view key, std::string_view unit, std::string_view meaning, std::optional<Vec3> fallback = {});
  /// A list of numbers; required.
  std::vector<double> numbers(std::string_view key, std::string_view unit, std::string_view meaning,
                              sim::ValueSign sign = sim::ValueSign::Any);
  /// A list of integers that are at least `least`; required.
  std::vector<Index> integers(std::string_view key, std::string_view meaning, Index least = 0);
  /// A list of scalars, as texts; required.
  std::vector<std::string> texts(std::string_view key, std::string_view meaning);
  /// The same; empty if nothing was written. `type` and `fallback` as in `document`.
  std::vector<std::string> optional_texts(std::string_view key, std::string_view type, std::string_view fallback,
                                          std::string_view meaning);
  /// [[x, y, z], …], 3×n.
  Points points(std::string_view key, std::string_view unit, std::string_view meaning);

  /// The mapping at a key; a missing one reads as empty unless `required`.
  Node child(std::string_view key, std::string_view meaning, bool required = false);
  /// The items of a list; empty if missing and not required. Describing: one item.
  std::vector<Node> items(std::string_view key, std::string_view meaning, bool required = false);
  /// The entries of a mapping with keys chosen by the user. Describing: one entry, `placeholder`.
  std::vector<std::pair<std::string, Node>> entries(std::string_view placeholder);
  /// The entries of such a mapping at a key, declared as in `document`: "{PATH: value}"; none if nothing was written,
  /// which is an error if the fallback is "required".
  std::vector<std::pair<std::string, Node>> entries_of(std::string_view key, std::string_view type,
                                                       std::string_view fallback, std::string_view meaning);
  /// A child node, without query or documentation; for keys with several forms, which then query it.
  Node form(std::string_view key);

  /// The settings of an item that was written as a bare name: none.
  Node without_value(std::string_view name) const;
  /// Adds a note of the reading (`Reading::add_note`).
  void note(const std::string& sentence) const { reading_->add_note(sentence); }
  /// Marks a key as known although it is read elsewhere or not at all.
  void ignore(std::string_view key) { ask(key); }

  /// Throws InvalidArgument at the first key below this node that was not queried; for a part of a document that is not
  /// read again.
  void reject_unknown_keys() const {
    if (tree_) reading_->reject_unknown_keys(*tree_, path_);
  }

  /// Declares a key with several forms, `type` and `fallback` in words. Returns whether a value was written; its forms
  /// are then queried.
  bool document(std::string_view key, std::string_view type, std::string_view fallback, std::string_view meaning);
  /// Whether keys are read that only exist under a condition; the page of keys has all of them.
  bool applies(bool condition) const { return condition || describing(); }
  /// Rejects what was written as `reject` does, unless it is valid.
  void require(bool is_valid, std::string_view key, std::string required, std::string got, std::string remedy) const {
    if (!is_valid && !describing()) reject(key, std::move(required), std::move(got), std::move(remedy));
  }

  /// "file:line:column" of a key's value, or of the nearest enclosing node that was written.
  std::string where(std::string_view key = "") const;
  /// Full name of a key below this node: "system.springs.stiffness".
  std::string full_path(std::string_view key) const;
  /// Throws InvalidArgument at the place of a key: what is required, what was found, and what to do.
  [[noreturn]] void reject(std::string_view key, std::string required, std::string got, std::string remedy) const;
  /// Runs `work`; adds the place, and the path of `key` if no value is named, to an InvalidArgument without a place.
  template <class Work>
  auto located(std::string_view key, Work work) const -> decltype(work());
  /// The same for work that needs what was written: without a document, the result is `placeholder`.
  template <class Work>
  auto located_or(decltype(std::declval<Work>()()) placeholder, std::string_view key, Work work) const
      -> decltype(work()) {
    return describing() ? std::move(placeholder) : located(key, std::move(work));
  }

  /// Throws InvalidArgument at a key, for a name that is none of `known` (`Reading::reject_unknown_name`).
  [[noreturn]] void reject_unknown_name(std::string_view key, const std::string& name, const std::string& kind,
                                        const std::vector<std::string>& known) const {
    reading_->reject_unknown_name(where(key), full_path(key), name, kind, known);
  }

  /// Base of a relative file name at a key: the folder of the file that contains it, or of the document if it comes
  /// from elsewhere (`--set`).
  const std::filesystem::path& folder(std::string_view key = "") const;
  /// Registers a file that the document uses.
  void add_input(const std::filesystem::path& file) const { reading_->add_input(file); }
  /// Sets the value that `filled()` contains instead of what was written: a default, as YAML made by the program.
  void fill(std::string_view key, std::string value);
  /// The same for a value with text from outside: a name, an absolute path.
  void fill(std::string_view key, Tree value);

  /// The value in `filled()` at a key; null if nothing was written or filled in.
  const Tree* filled(std::string_view key) const;

  /// What was written; null: nothing, or describing.
  const Tree* tree() const { return tree_; }
  /// The tree at a key, without querying it.
  const Tree* form_tree(std::string_view key) const { return peek(key); }

 private:
  friend class Reading;
  Node(Reading& reading, const Tree* tree, std::string path, std::string near);
  /// The value of a key, marked as queried; null if absent. Throws InvalidArgument if this node is not a mapping.
  const Tree* ask(std::string_view key);
  const Tree* peek(std::string_view key) const;
  [[noreturn]] void reject_missing(std::string_view key) const;
  double scalar_number(const Tree& value, const std::string& path, std::string_view unit, sim::ValueSign sign) const;
  Vec3 scalar_vector(const Tree& value, const std::string& path, std::string_view unit) const;
  const Tree& list_of(std::string_view key, const char* what);

  Reading* reading_;
  const Tree* tree_;  ///< null: missing, or describing
  std::string path_;  ///< "system.springs"
  std::string near_;  ///< place for messages if there is no tree
};

/// Throws the exception that is being handled as InvalidArgument at the place of a key; one that names its place stays.
[[noreturn]] void rethrow_located(const Node& node, std::string_view key);

template <class Work>
auto Node::located(std::string_view key, Work work) const -> decltype(work()) {
  try {
    return work();
  } catch (const std::invalid_argument&) {
    rethrow_located(*this, key);
  }
}

/// One choice among named things with settings of their own.
struct Named {
  std::string name;  ///< one of the known names
  Node settings;     ///< empty if only the name was written
};

/// A list of items `name: settings`, each an entry of a registry.
struct NamedItems {
  std::string key;      ///< "constraints"
  std::string meaning;  ///< a phrase
  std::string kind;     ///< what each name names: "constraint"
  std::string remedy;   ///< of an item that is not a name with settings
};

/// The names of a registry's entries, in its order.
template <class Registry>
std::vector<std::string> names_of(const Registry& registry) {
  std::vector<std::string> names;
  for (const auto& entry : registry) names.push_back(entry.name);
  return names;
}

/// Reads `name: settings`, or the bare name if all settings have defaults. Throws InvalidArgument for anything else and
/// for unknown names; `kind` and `remedy` complete the message: "force", "begin each force with its own dash".
/// `beside`: a key that may stand beside the name, and is read by the caller.
Named read_named(Node& item, const std::string& kind, const std::vector<std::string>& known, const std::string& remedy,
                 std::string_view beside = {});

/// Reads a list of items as `read_named` does: read(item, entry of `registry`, settings) for each. Describing: once for
/// each entry of the registry, which has a `name` and a `summary`.
template <class Registry, class Read>
void read_named_items(Node& node, const NamedItems& list, const Registry& registry, Read read) {
  for (Node& item : node.items(list.key, list.meaning)) {
    if (item.describing()) {
      for (const auto& entry : registry) {
        item.document(entry.name, list.kind, "optional", entry.summary);
        read(item, entry, item.form(entry.name));
      }
      continue;
    }
    Named named = read_named(item, list.kind, names_of(registry), list.remedy);
    for (const auto& entry : registry)
      if (entry.name == named.name) read(item, entry, std::move(named.settings));
  }
}

}  // namespace pithball::app
