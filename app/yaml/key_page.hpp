#pragma once
#include <string>
#include <vector>

namespace pithball::app {

/// The page of all keys, collected from the questions that the reading code asks.
class KeyPage {
 public:
  struct Row {
    std::string path;      ///< "system.springs.stiffness"; [] after a list, NAME where the user chooses the name
    std::string type;      ///< "number [N/m]"
    std::string fallback;  ///< "required", "optional" or the default as written
    std::string meaning;
  };
  void add(Row row);
  /// A heading with a sentence for all keys whose path begins with `path`.
  void section(std::string path, std::string text);
  const std::vector<Row>& rows() const { return rows_; }
  /// The keys directly below `path`, which is a mapping of fixed keys; empty if it is something else.
  std::vector<std::string> keys_below(const std::string& path) const;
  /// One table for each section, in the order of the questions.
  std::string markdown() const;

 private:
  struct Section {
    std::string path, text;
  };
  std::vector<Row> rows_;
  std::vector<Section> sections_;
};

}  // namespace pithball::app
