#pragma once
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "app/yaml/key_page.hpp"
#include "app/yaml/tree.hpp"

namespace pithball::app {

class Node;

/// The keys of a mapping that were queried.
class AskedKeys {
 public:
  /// A repeated key keeps its place.
  void add(std::string_view key) {
    if (known_.emplace(key).second) in_order_.emplace_back(key);
  }
  /// Whether the key was queried.
  bool contain(const std::string& key) const { return known_.count(key) > 0; }
  /// In the order of their first query.
  const std::vector<std::string>& in_order() const { return in_order_; }

 private:
  std::vector<std::string> in_order_;
  std::unordered_set<std::string> known_;
};

/// One pass of the reading code over a document. It records the queried keys, to reject all others, and the document
/// with every default filled in. Without a document it *describes*: the same code runs with placeholder values, and its
/// queries become the page of keys.
class Reading {
 public:
  /// `folder`: base of relative file names in the document. Files used by the document are added to `inputs`.
  Reading(Tree root, std::filesystem::path folder, std::shared_ptr<InputFiles> inputs = nullptr);
  /// Describes into `page`.
  explicit Reading(KeyPage& page) : page_(&page) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  /// The whole document as a node, which refers to this object.
  Node root();
  /// Whether there is no document, and queries only become rows of the page of keys.
  bool describing() const { return page_ != nullptr; }
  /// The page that is described; only when describing.
  KeyPage& page() { return *page_; }
  /// Base of relative file names in the document.
  const std::filesystem::path& folder() const { return folder_; }
  /// Registers a file that the document uses.
  void add_input(const std::filesystem::path& file) {
    if (inputs_) inputs_->add(file);
  }

  /// Throws InvalidArgument at the first key that was not queried, with the nearest queried key.
  void reject_unknown_keys() const;
  /// Throws InvalidArgument at the first key that a schema (`experiment_schema`) does not list, with the nearest one
  /// that it lists; before anything is read, since an error in what is read may follow from that key.
  void reject_unlisted_keys(const nlohmann::ordered_json& schema);
  /// Throws InvalidArgument for a name that is none of `known`, with the nearest; `kind`: what it names, "force".
  [[noreturn]] void reject_unknown_name(const std::string& place, const std::string& path, const std::string& name,
                                        const std::string& kind, const std::vector<std::string>& known) const;

  /// "did you mean 'system.mass'?" for a key that is known in another part of the document, with its path as in
  /// `--set`; empty if it is unknown everywhere.
  std::string suggest_path(const std::string& key) const;

  /// Adds a note on a value that is valid but probably not intended, once.
  void add_note(const std::string& note) {
    if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
  }
  /// The notes on what was read so far, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

  /// The document with defaults filled in.
  const Tree& filled() const { return filled_; }

 private:
  friend class Node;
  void reject_unknown_keys(const Tree& node, const std::string& path) const;
  [[noreturn]] void reject_unknown_key(const Tree& entry, const std::string& path,
                                       const std::vector<std::string>& asked) const;
  void add_paths(const Tree& node, const std::string& path, const std::string& key,
                 std::vector<std::string>& paths) const;

  Tree root_, filled_;
  std::filesystem::path folder_;
  std::shared_ptr<InputFiles> inputs_;
  std::vector<std::string> notes_;
  KeyPage* page_ = nullptr;
  std::map<const Tree*, AskedKeys> asked_;    ///< for each mapping that was read by key
  std::map<const Tree*, ListedKeys> listed_;  ///< for each mapping with fixed keys, once they were checked
};

}  // namespace pithball::app
