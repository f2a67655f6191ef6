#pragma once
#include <optional>
#include <string>
#include <vector>

namespace pithball::app {

/// The page of all keys, collected from the queries of the reading code.
class KeyPage {
 public:
  /// A key, or one of its forms.
  struct Row {
    std::string path;      ///< "system.springs.stiffness"; [] after a list, NAME for names chosen by the user
    std::string type;      ///< "number [N/m]"
    std::string fallback;  ///< "required", "optional" or the default as written
    std::string meaning;   ///< a phrase
  };
  /// Appends a row; a path with the same meaning is added once.
  void add(Row row);
  /// Adds a heading and an introductory sentence for all keys whose path begins with `path`.
  void section(std::string path, std::string text);
  /// In the order of the queries.
  const std::vector<Row>& rows() const { return rows_; }
  /// Whether a key of the page stands for names that the user chooses, as NAME and VALUE do.
  static bool is_placeholder(const std::string& key);
  /// The keys directly below `path`, if it is a mapping with fixed keys; otherwise empty.
  std::vector<std::string> keys_below(const std::string& path) const;
  /// The path whose keys a key takes as well: "system.mesh" where its type is "as `system.mesh`"; empty: none.
  std::optional<std::string> alias_of(const std::string& path) const;
  /// The page as Markdown: one table for each section, in the order of the queries.
  std::string markdown() const;

 private:
  struct Section {
    std::string path, text;
  };
  std::vector<Row> rows_;
  std::vector<Section> sections_;
};

}  // namespace pithball::app
