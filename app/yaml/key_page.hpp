#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/yaml/tree.hpp"

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
  /// The page as Markdown: one table for each section, in the order of the queries.
  std::string markdown() const;

 private:
  struct Section {
    std::string path, text;
  };
  std::vector<Row> rows_;
  std::vector<Section> sections_;
};

/// The keys of one mapping of a document, as its JSON Schema lists them.
struct ListedKeys {
  std::vector<std::string> names;  ///< in the order of the page of keys
  std::string item;                ///< what one of the keys names, where the mapping is an item `name: settings` of a
                                   ///< list: "force"; else empty
  std::vector<std::string> items;  ///< the keys that name it; others may stand beside it
};

/// Walks a document by a schema of `experiment_schema` and calls visit(mapping, full path, its keys) for each mapping
/// whose keys are fixed, from the outside to the inside and in the order of the document. Mappings with names that the
/// user chooses (groups, paths, parameters) are passed over, not what is below them; and whatever has another form than
/// the schema expects.
void visit_listed_keys(const Tree& document, const nlohmann::ordered_json& schema,
                       const std::function<void(const Tree&, const std::string&, const ListedKeys&)>& visit);

}  // namespace pithball::app
