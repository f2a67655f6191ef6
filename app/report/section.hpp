#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pithball::app {

/// A section of a report: the component of the page that displays it, and its document (docs/report.md lists the kinds
/// and their documents).
struct Section {
  std::string kind;                 ///< as listed in docs/report.md: "motion"
  nlohmann::ordered_json document;  ///< input of the component

  /// Title of the document. Throws nlohmann's exception if there is none.
  std::string title() const { return document.at("title"); }
};

/// In reading order.
using Sections = std::vector<Section>;

}  // namespace pithball::app
